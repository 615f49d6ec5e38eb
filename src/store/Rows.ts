// One turn to rows and back. Pure. @see zeroclaw section 7
import { Option, Schema } from "effect"
import { SessionUpdate } from "../contract/Update.ts"
import type { Message, TextPart, ThoughtPart, ToolCallPart, ToolResult } from "../model/Message.ts"

export interface CallRow {
  readonly tool_call_id: string
  readonly tool_name: string
  /** `in`: the call, payload is its JSON text. `out`: its result. */
  readonly event_kind: string
  readonly payload: string
  readonly outcome: string | null
}

export interface MessageRow {
  readonly role: string
  readonly content: string
  readonly reasoning_content: string | null
  readonly calls: ReadonlyArray<CallRow>
}

const join = (parts: ReadonlyArray<{ readonly text: string }>): string =>
  parts
    .map(({ text }) => text)
    .join("")
    .toWellFormed()

const assistantRow = (parts: ReadonlyArray<TextPart | ThoughtPart | ToolCallPart>): MessageRow => {
  const thoughts = parts.filter((part) => part._tag === "Thought")
  return {
    role: "assistant",
    content: join(parts.filter((part) => part._tag === "Text")),
    reasoning_content: thoughts.length === 0 ? null : join(thoughts),
    calls: parts.flatMap((part) =>
      part._tag === "ToolCall"
        ? [
            {
              tool_call_id: part.id.toWellFormed(),
              tool_name: part.name.toWellFormed(),
              event_kind: "in",
              payload: part.input.toWellFormed(),
              outcome: null
            }
          ]
        : []
    )
  }
}

const resultRow = ({ id, isError, name, text }: ToolResult): CallRow => ({
  tool_call_id: id.toWellFormed(),
  tool_name: name.toWellFormed(),
  event_kind: "out",
  payload: text.toWellFormed(),
  outcome: isError ? "error" : "ok"
})

/** Results stand with the assistant message they answer; results without one are refused by no provider but have no row. */
export const fromMessages = (messages: ReadonlyArray<Message>): ReadonlyArray<MessageRow> => {
  const rows: Array<MessageRow> = []
  for (const message of messages) {
    switch (message._tag) {
      case "User":
        rows.push({ role: "user", content: message.text.toWellFormed(), reasoning_content: null, calls: [] })
        break
      case "Assistant":
        rows.push(assistantRow(message.parts))
        break
      case "ToolResults": {
        const at = rows.findLastIndex(({ role }) => role === "assistant")
        const row = rows[at]
        if (row) rows[at] = { ...row, calls: [...row.calls, ...message.results.map(resultRow)] }
        break
      }
    }
  }
  return rows
}

/** Thoughts, then text, then calls: a message keeps its parts, not their order between kinds. Other roles are skipped. */
export const toMessages = (rows: ReadonlyArray<MessageRow>): ReadonlyArray<Message> =>
  rows.flatMap(({ calls, content, reasoning_content, role }): ReadonlyArray<Message> => {
    if (role === "user") return [{ _tag: "User", text: content }]
    if (role !== "assistant") return []
    const parts: ReadonlyArray<TextPart | ThoughtPart | ToolCallPart> = [
      ...(reasoning_content ? [{ _tag: "Thought" as const, text: reasoning_content }] : []),
      ...(content === "" ? [] : [{ _tag: "Text" as const, text: content }]),
      ...calls.flatMap(({ event_kind, payload, tool_call_id, tool_name }) =>
        event_kind === "in" ? [{ _tag: "ToolCall" as const, id: tool_call_id, name: tool_name, input: payload }] : []
      )
    ]
    const results = calls.flatMap(({ event_kind, outcome, payload, tool_call_id, tool_name }) =>
      event_kind === "out" ? [{ id: tool_call_id, name: tool_name, text: payload, isError: outcome === "error" }] : []
    )
    return [
      ...(parts.length === 0 ? [] : [{ _tag: "Assistant" as const, parts }]),
      ...(results.length === 0 ? [] : [{ _tag: "ToolResults" as const, results }])
    ]
  })

const decodeUpdate = Schema.decodeUnknownOption(Schema.parseJson(SessionUpdate))

export const encodeUpdate = (update: SessionUpdate): string => JSON.stringify(update)

/** None for a row that this version cannot read. */
export const readUpdate = (payload: string | null): Option.Option<SessionUpdate> =>
  payload === null ? Option.none() : decodeUpdate(payload)

const partUpdate = (part: TextPart | ThoughtPart | ToolCallPart): SessionUpdate => {
  switch (part._tag) {
    case "Text":
      return { sessionUpdate: "agent_message_chunk", content: { type: "text", text: part.text } }
    case "Thought":
      return { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: part.text } }
    case "ToolCall":
      return { sessionUpdate: "tool_call", toolCallId: part.id, title: part.name, name: part.name, status: "completed" }
  }
}

const resultUpdate = ({ id, isError, text }: ToolResult): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId: id,
  status: isError ? "failed" : "completed",
  content: [{ type: "content", content: { type: "text", text } }]
})

const messageUpdates = (message: Message): ReadonlyArray<SessionUpdate> => {
  switch (message._tag) {
    case "User":
      return [{ sessionUpdate: "user_message_chunk", content: { type: "text", text: message.text } }]
    case "Assistant":
      return message.parts.map(partUpdate)
    case "ToolResults":
      return message.results.map(resultUpdate)
  }
}

/** What can be shown of a session that was stored without its updates. */
export const legacyUpdates = (messages: ReadonlyArray<Message>): ReadonlyArray<SessionUpdate> =>
  messages.flatMap(messageUpdates)
