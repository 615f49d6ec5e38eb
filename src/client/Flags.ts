// Options as a table: checked before they are parsed, so that a wrong one gets one clear line; and the help text. Pure.
import { Either } from "effect"
import * as Suggest from "../text/Suggest.ts"
import { oneLine } from "./Visible.ts"

export interface Flag {
  readonly name: string
  readonly short?: string
  /** Name of its value in the help; absent when it takes none. */
  readonly value?: string
  readonly help: string
}

export interface CommandSpec {
  readonly name: string
  readonly summary: string
  readonly operand: string
  readonly flags: ReadonlyArray<Flag>
  readonly notes: ReadonlyArray<string>
}

export interface Checked {
  readonly help: boolean
  /** `--name` or `--name`, `value`; only known ones. */
  readonly options: ReadonlyArray<string>
  readonly operands: ReadonlyArray<string>
}

const help: Flag = { name: "help", short: "h", help: "show this" }

/** Left is one line for the person. After `--` everything is an operand. */
export const check = (spec: CommandSpec, args: ReadonlyArray<string>): Either.Either<Checked, string> => {
  const flags = [...spec.flags, help]
  const options: Array<string> = []
  const operands: Array<string> = []
  const seen = new Set<string>()
  const find = (word: string): Flag | undefined =>
    flags.find(({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`))
  const unknown = (word: string): string => {
    const near = Suggest.nearest(
      word,
      flags.map(({ name }) => `--${name}`)
    )
    const hint = near === undefined ? `put -- before words that start with a dash` : `did you mean ${near}?`
    return `unknown option ${oneLine(word, 60)}; ${hint}`
  }
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (arg === "--") {
      operands.push(...args.slice(at + 1))
      break
    }
    if (!/^-./.test(arg)) {
      operands.push(arg)
      continue
    }
    const equals = arg.startsWith("--") ? arg.indexOf("=") : -1
    const word = equals === -1 ? arg : arg.slice(0, equals)
    const flag = find(word)
    if (flag === undefined) return Either.left(unknown(word))
    if (seen.has(flag.name)) return Either.left(`--${flag.name} is given twice`)
    seen.add(flag.name)
    if (flag.value === undefined) {
      if (equals !== -1) return Either.left(`--${flag.name} takes no value`)
      options.push(`--${flag.name}`)
      continue
    }
    const value = equals === -1 ? args[++at] : arg.slice(equals + 1)
    if (value === undefined || (equals === -1 && find(value) !== undefined)) {
      return Either.left(`--${flag.name} wants a value: --${flag.name} ${flag.value}`)
    }
    options.push(`--${flag.name}`, value)
  }
  return Either.right({ help: seen.has("help"), options: options.filter((word) => word !== "--help"), operands })
}

export const helpText = (spec: CommandSpec): string => {
  const rows = [...spec.flags, help].map(({ help: text, name, short, value }) => {
    const letter = short === undefined ? "    " : `-${short}, `
    return { left: `${letter}--${name}${value === undefined ? "" : ` ${value}`}`, text }
  })
  const width = Math.max(...rows.map(({ left }) => left.length))
  return [
    `Usage: zeroclaw ${spec.name} [options] ${spec.operand}`.trimEnd(),
    "",
    spec.summary,
    "",
    "Options:",
    ...rows.map(({ left, text }) => `  ${left.padEnd(width)}  ${text}`),
    "",
    ...spec.notes,
    ""
  ].join("\n")
}
