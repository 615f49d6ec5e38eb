// Whether the words after a program are options and operands that a table lists. Pure.
import type { PlainWord } from "./Syntax.ts"

/** What a command of the low set may be given; anything that is not listed makes it more than that. */
export interface Allowed {
  /** Letters of options without a value; they may be bundled. */
  readonly letters?: string
  /** Letters of options with a value, in the same word or the next. */
  readonly valued?: string
  /** Long options without a value, names without dashes. */
  readonly long?: ReadonlyArray<string>
  /** Long options with a value, behind `=` or in the next word; also without one. */
  readonly longValued?: ReadonlyArray<string>
  /** `-5` for a number. */
  readonly number?: boolean
  /** Operands at most; any number when absent. */
  readonly operands?: number
  readonly operand?: RegExp
  /** What the value of an option must not be. */
  readonly badValue?: RegExp
  /** No option of the program does more than read, so a pattern may stand where an option could. */
  readonly readsOnly?: boolean
}

interface State {
  readonly operands: ReadonlyArray<PlainWord>
  /** What is left is the value of the option before. */
  readonly value: boolean
  readonly optionsEnded: boolean
}

const long = (allowed: Allowed, word: string): State["value"] | undefined => {
  const at = word.indexOf("=")
  const name = at < 0 ? word : word.slice(0, at)
  if (at >= 0) {
    const fits = allowed.longValued?.includes(name) === true && allowed.badValue?.test(word.slice(at + 1)) !== true
    return fits ? false : undefined
  }
  if (allowed.long?.includes(name) === true) return false
  return allowed.longValued?.includes(name) === true ? true : undefined
}

/** Whether a bundle of letters is allowed: `true` when its last one waits for a value. */
const short = (allowed: Allowed, letters: string): State["value"] | undefined => {
  for (const [i, letter] of [...letters].entries()) {
    if (allowed.letters?.includes(letter) === true) continue
    if (allowed.valued?.includes(letter) !== true) return undefined
    const rest = letters.slice(i + 1)
    if (rest === "") return true
    return allowed.badValue?.test(rest) === true ? undefined : false
  }
  return false
}

const option = (allowed: Allowed, text: string): State["value"] | undefined => {
  if (text.startsWith("--")) return long(allowed, text.slice(2))
  if (allowed.number === true && /^-\d+$/.test(text)) return false
  return short(allowed, text.slice(1))
}

/** The operands, when every option is listed; undefined otherwise. */
export const operandsOf = (allowed: Allowed, args: ReadonlyArray<PlainWord>): ReadonlyArray<PlainWord> | undefined => {
  let state: State = { operands: [], value: false, optionsEnded: false }
  for (const word of args) {
    const { text, pattern } = word
    if (state.value) {
      if (pattern || allowed.badValue?.test(text) === true) return undefined
      state = { ...state, value: false }
    } else if (!state.optionsEnded && text === "--" && !pattern) {
      state = { ...state, optionsEnded: true }
    } else if (!state.optionsEnded && text.startsWith("-") && text !== "-") {
      // A pattern behind `--name=` can become nothing but values of that option.
      const value = pattern && !/^--[a-z-]+=/.test(text) ? undefined : option(allowed, text)
      if (value === undefined) return undefined
      state = { ...state, value }
    } else {
      // A pattern at the start of a word may become the name of a file that looks like an option.
      const couldBeOption = pattern && !state.optionsEnded && !/^[A-Za-z0-9_./~]/.test(text)
      if (couldBeOption && allowed.readsOnly !== true) return undefined
      state = { ...state, operands: [...state.operands, word] }
    }
  }
  return state.operands
}

/** Whether every option is listed, and the operands are as many and as they may be. */
export const fits = (allowed: Allowed, args: ReadonlyArray<PlainWord>): boolean => {
  const operands = operandsOf(allowed, args)
  if (operands === undefined) return false
  // A pattern may become any number of files.
  const limited = allowed.operands !== undefined
  if (limited && (operands.length > allowed.operands || operands.some(({ pattern }) => pattern))) return false
  return allowed.operand === undefined || operands.every(({ text }) => allowed.operand?.test(text) === true)
}
