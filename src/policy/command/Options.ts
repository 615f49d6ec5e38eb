// The options of a program that are known to only read. An allow-list: what isn't in it, or is cut short, doesn't fit.
import type { Plain } from "./Words.ts"

export interface Options {
  /** Letters without a value: may be written together. */
  readonly short?: string
  /** Letters with a value, in the same word or the next. */
  readonly valued?: string
  /** Names of long options. `name` has no value, `name=` has one; with both, only one in the same word. */
  readonly long?: string
  /** `-5` is an option. */
  readonly number?: true
  /** How many operands at most: where a further one would be written to, or means something else. */
  readonly most?: number
  /** What each operand has to look like. */
  readonly operand?: RegExp
  /** What every word has to look like. */
  readonly word?: RegExp
  /** No option of it writes or starts anything, in any version: names of files may be taken for options. */
  readonly harmless?: true
}

const names = new WeakMap<Options, ReadonlySet<string>>()
const longOf = (options: Options): ReadonlySet<string> => {
  const found = names.get(options) ?? new Set((options.long ?? "").split(" "))
  names.set(options, found)
  return found
}

/** Gives the first word that isn't known to only read; an empty text where it is the command as a whole. */
export type Judge = (args: ReadonlyArray<Plain>) => string | undefined

type Fit = "no" | "yes" | "value follows"

const fitsLong = (options: Options, text: string): Fit => {
  const long = longOf(options)
  const [name = "", value] = text.slice(2).split(/=(.*)/s)
  if (value !== undefined) return long.has(`${name}=`) ? "yes" : "no"
  return long.has(name) ? "yes" : long.has(`${name}=`) ? "value follows" : "no"
}

const fitsShort = ({ number, short = "", valued = "" }: Options, text: string): Fit => {
  if (number && /^-\d+$/.test(text)) return "yes"
  const letters = [...text.slice(1)]
  for (const [at, letter] of letters.entries()) {
    if (valued.includes(letter)) return at === letters.length - 1 ? "value follows" : "yes"
    if (!short.includes(letter)) return "no"
  }
  return "yes"
}

/** The first word that isn't known to only read. After `--`, words count both as options and as operands. */
export const unfit = (options: Options, args: ReadonlyArray<Plain>): string | undefined => {
  let operands = 0
  let value = false
  let ended = false
  for (const { glob, open, text } of args) {
    if (options.word !== undefined && !options.word.test(text)) return text
    if (open && options.harmless === undefined) return text
    if (glob && (options.most !== undefined || options.operand !== undefined)) return text
    const awaited = value
    value = false
    if (text === "--" && !ended) {
      ended = true
      continue
    }
    const option = text.startsWith("-") && text !== "-"
    if (option) {
      if (awaited && !ended && /^-\d+[bBkKMGT]*$/.test(text)) continue
      if (glob && options.harmless === undefined) return text
      const fit = text.startsWith("--") ? fitsLong(options, text) : fitsShort(options, text)
      if (fit === "no") return text
      value = fit === "value follows"
    }
    // Some programs take every word after the first operand for a further one.
    if (ended || (!option && !awaited) || (operands > 0 && options.most !== undefined)) {
      operands++
      if (operands > (options.most ?? operands) || !(options.operand?.test(text) ?? true)) return text
    }
  }
  return undefined
}
