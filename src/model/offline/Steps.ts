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

/** A code span that backticks inside cannot end. */
export const codeSpan = (text: string): string => {
  const ticks = "`".repeat(Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1)
  return ticks.length === 1 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`
}

const maxChars = 400

/** A line of generated text would be a wall of its own. */
const clip = (line: string): string => {
  if (line.length <= maxChars) return line
  const head = line.slice(0, maxChars).replace(/[\ud800-\udbff]$/, "")
  return `${head}… (${line.length - head.length} more characters)`
}

/** At most 60 lines, saying how many were left out, `unseen` ones included. */
export const bounded = (lines: ReadonlyArray<string>, unseen = 0): string => {
  const shown = lines.slice(0, lines.length + unseen <= maxLines + 1 ? lines.length : maxLines)
  const more = lines.length - shown.length + unseen
  return [...shown.map(clip), ...(more === 0 ? [] : [`… ${plural(more, "more line")}`])].join("\n")
}

/** The beginning and the end, where a long output says most. */
export const boundedMiddle = (lines: ReadonlyArray<string>): string => {
  if (lines.length <= maxLines + 1) return lines.map(clip).join("\n")
  const side = maxLines / 2
  const more = `… ${plural(lines.length - maxLines, "more line")} …`
  return [...lines.slice(0, side).map(clip), more, ...lines.slice(-side).map(clip)].join("\n")
}

/** One call; a failure ends the script with an honest word. */
export function* one(call: Call, thought: string): Generator<Ask, Result, ReadonlyArray<Result>> {
  const [result] = yield { thought, calls: [call] }
  return result ?? { text: "no result came back", isError: true }
}

export const failed = (what: string, { text }: Result): Answer =>
  notDone(`Not done: ${what}. ${clip(text.trim().replace(/\s*\n\s*/g, " "))}`.trimEnd())

/** What Markdown would change or swallow, such as `<T>`, `*`, an image or an escape. */
const isMarkup = (text: string): boolean => /[<>&*`[\]\\~|]|(?<!\w)_|_(?!\w)/.test(text)

/** The place and the line as it stands there, but for the blanks around it. */
export const cite = (path: string, { line, text }: Results.Numbered): string => {
  const quote = clip(text.trim())
  return `- ${codeSpan(`${path}:${line}`)} ${isMarkup(quote) ? codeSpan(quote) : quote}`.trimEnd()
}
