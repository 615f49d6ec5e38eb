// What every script of the offline agent is made of: calls, answers, and how results are quoted. Pure.
import type * as Results from "./Results.ts"

export interface Call {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}
export interface Result {
  readonly text: string
  readonly isError: boolean
}

/** One reply that goes on with tool calls. */
export interface Ask {
  readonly thought?: string
  readonly say?: string
  readonly calls: ReadonlyArray<Call>
}

/** The last reply: `ok` is false when what was asked is not done. */
export interface Answer {
  readonly text: string
  readonly ok: boolean
}

export type Script = Generator<Ask, Answer, ReadonlyArray<Result>>

export interface Attachment {
  readonly path: string
  /** Absent for a link: the file is read. */
  readonly text?: string
}

export const maxLines = 60

export const done = (text: string): Answer => ({ text, ok: true })
export const notDone = (text: string): Answer => ({ text, ok: false })

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** A code fence longer than any inside. */
export const fence = (text: string, language = ""): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length))
  const ticks = "`".repeat(longest + 1)
  return `${ticks}${language}\n${text}\n${ticks}`
}

export const bounded = (lines: ReadonlyArray<string>): string =>
  lines.length <= maxLines + 1
    ? lines.join("\n")
    : [...lines.slice(0, maxLines), `… ${plural(lines.length - maxLines, "more line")}`].join("\n")

/** One call; a failure ends the script with an honest word. */
export function* one(call: Call, thought: string): Generator<Ask, Result, ReadonlyArray<Result>> {
  const [result] = yield { thought, calls: [call] }
  return result ?? { text: "no result came back", isError: true }
}

export const failed = (what: string, { text }: Result): Answer => notDone(`Not done: ${what}. ${text.trim()}`)

export const cite = (path: string, { line, text }: Results.Numbered): string => `- \`${path}:${line}\` ${text.trim()}`
