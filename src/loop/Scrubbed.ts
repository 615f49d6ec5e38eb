// What a tool gives back, and what is shown of a call, without secrets: once, before it is shown, stored or read by a model.
import type { ContentBlock } from "../contract/Content.ts"
import type { ToolCallContent } from "../contract/ToolCall.ts"
import type { Message } from "../model/Message.ts"
import * as Secrets from "../text/Secrets.ts"
import { type PreparedCall, ToolError, type ToolOutcome } from "../tools/Tool.ts"
import { isRecord } from "../wire/JsonText.ts"

export interface Scrubbed {
  /** As the person is to see it: what will run, and nothing changed in it but what is known to be secret. */
  readonly call: (prepared: PreparedCall) => PreparedCall
  readonly rawInput: (value: unknown) => unknown
  readonly content: (content: ReadonlyArray<ToolCallContent>) => ReadonlyArray<ToolCallContent>
  readonly outcome: (outcome: ToolOutcome) => ToolOutcome
  readonly error: (error: ToolError) => ToolError
  readonly message: (message: Message) => Message
}

type Clean = (text: string) => string

/** All strings of a value, but not the names of its members. */
const inside =
  (clean: Clean) =>
  (value: unknown): unknown => {
    if (typeof value === "string") return clean(value)
    if (Array.isArray(value)) return value.map(inside(clean))
    return isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inside(clean)(member)]))
      : value
  }

/** Bytes in base64 stay: to change one spoils them all. */
const block =
  (clean: Clean) =>
  (content: ContentBlock): ContentBlock => {
    if (content.type === "text") return { ...content, text: clean(content.text) }
    return content.type === "resource" && "text" in content.resource
      ? { ...content, resource: { ...content.resource, text: clean(content.resource.text) } }
      : content
  }

/** A diff is what the person approves or has approved: it is shown as it is, but for `known`. */
const blocks =
  (clean: Clean, known: Clean) =>
  (content: ReadonlyArray<ToolCallContent>): ReadonlyArray<ToolCallContent> =>
    content.map((item): ToolCallContent => {
      if (item.type === "content") return { ...item, content: block(clean)(item.content) }
      if (item.type === "terminal") return item
      const { newText, oldText } = item
      return { ...item, ...(typeof oldText === "string" ? { oldText: known(oldText) } : {}), newText: known(newText) }
    })

/** `secrets` are values known to be secret. */
export const make = (secrets: ReadonlyArray<string>): Scrubbed => {
  const { all, known } = Secrets.make(secrets)
  const content = blocks(all, known)
  const optional = ({ content: given, rawOutput }: Pick<ToolOutcome, "content" | "rawOutput">) => ({
    ...(given === undefined ? {} : { content: content(given) }),
    ...(rawOutput === undefined ? {} : { rawOutput: inside(all)(rawOutput) })
  })
  return {
    call: (prepared) => ({
      ...prepared,
      face: {
        ...prepared.face,
        title: known(prepared.face.title),
        content: blocks(known, known)(prepared.face.content)
      },
      rawInput: inside(known)(prepared.rawInput)
    }),
    rawInput: inside(known),
    content,
    outcome: (outcome) => ({ ...outcome, text: all(outcome.text), ...optional(outcome) }),
    error: (error) => new ToolError({ message: all(error.message), ...optional(error) }),
    // Results are clean already; a call may repeat a value that the person wrote.
    message: (message) =>
      message._tag === "Assistant"
        ? {
            ...message,
            parts: message.parts.map((part) =>
              part._tag === "ToolCall" ? { ...part, input: known(part.input) } : part
            )
          }
        : message
  }
}
