// A summary without a language model: what the person asked, and which files were touched. Pure.
import { Option, Predicate } from "effect"
import type { Message, ToolCallPart } from "../model/Message.ts"
import * as TimePrefix from "../text/TimePrefix.ts"
import { codeSpan, cut, visible } from "../tools/Visible.ts"
import { cutMiddle } from "./CompactRequest.ts"
import { bodyOf } from "./Summary.ts"

const maxPrompts = 30
const maxFiles = 60
const maxEarlier = 6_000

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const pathOf = ({ input }: ToolCallPart): string | undefined => {
  const value = Option.getOrUndefined(parse(input))
  return Predicate.isRecord(value) && typeof value["path"] === "string" && value["path"] !== ""
    ? value["path"]
    : undefined
}

const changing: ReadonlySet<string> = new Set(["file_edit", "file_write"])
const reading: ReadonlySet<string> = new Set(["file_read"])

/** Each path once, in the order of its last use; calls that failed touched nothing. */
const touched = (messages: ReadonlyArray<Message>, tools: ReadonlySet<string>): ReadonlyArray<string> => {
  const done = new Set(
    messages.flatMap((message) =>
      message._tag === "ToolResults" ? message.results.flatMap(({ id, isError }) => (isError ? [] : [id])) : []
    )
  )
  const paths = messages.flatMap((message) =>
    message._tag !== "Assistant"
      ? []
      : message.parts.flatMap((part) => {
          const path = part._tag === "ToolCall" && tools.has(part.name) && done.has(part.id) ? pathOf(part) : undefined
          return path === undefined ? [] : [path]
        })
  )
  return [...new Set(paths.reverse())].reverse()
}

const newest = (title: string, lines: ReadonlyArray<string>, max: number): ReadonlyArray<string> => {
  if (lines.length === 0) return []
  const left = lines.length - max
  return [[`${title}${left > 0 ? ` (the last ${max} of ${lines.length})` : ""}:`, ...lines.slice(-max)].join("\n")]
}

const fileLine = (path: string): string => `- ${codeSpan(cut(visible(path), 300))}`

/** Markdown, bounded whatever the history is; empty when there is nothing to tell. */
export const digest = (messages: ReadonlyArray<Message>): string => {
  const earlier = messages.flatMap((message) => bodyOf(message) ?? [])
  const prompts = messages.flatMap((message) =>
    message._tag === "User" && bodyOf(message) === undefined
      ? [`- ${cut(visible(TimePrefix.remove(message.text).replace(/\s+/g, " ").trim()), 300)}`]
      : []
  )
  const changed = touched(messages, changing)
  const read = touched(messages, reading).filter((path) => !changed.includes(path))
  return [
    ...earlier.map((text) => cutMiddle(text, maxEarlier)).slice(-1),
    ...newest("What the person asked", prompts, maxPrompts),
    ...newest("Files changed", changed.map(fileLine), maxFiles),
    ...newest("Files read", read.map(fileLine), maxFiles)
  ].join("\n\n")
}
