// A turn to rows of the documented tables and back. Pure. @see zeroclaw section 7
import { Option, Schema } from "effect"
import { lenient } from "../contract/Lenient.ts"
import { SessionUpdate } from "../contract/Update.ts"
import type { Message, TextPart, ThoughtPart, ToolCallPart, ToolResult } from "../model/Message.ts"
import { repair } from "../model/Message.ts"
import type { Turn } from "./SessionStore.ts"

/** One row of acp_tool_calls: `in` is a call, payload its JSON text; `out` is a result, payload its text. */
export interface CallRow {
  readonly tool_call_id: string
  readonly tool_name: string
  readonly event_kind: string
  readonly payload: string
  readonly outcome: string | null
}

/** One row of acp_messages and the rows of acp_tool_calls that hang on it. */
export interface MessageRow {
  readonly role: string
  readonly content: string
  readonly reasoning_content: string | null
  readonly calls: ReadonlyArray<CallRow>
}

/** One row of acp_session_events. */
export interface EventRow {
  readonly action: string
  readonly outcome: string
  readonly payload: string | null
}

export const wellFormed = (text: string): string => text.toWellFormed()

const joined = <Part extends TextPart | ThoughtPart>(parts: ReadonlyArray<Part>): string =>
  parts
    .map(({ text }) => text)
    .filter((text) => text !== "")
    .join("\n\n")

const callRow = ({ id, input, name }: ToolCallPart): CallRow => ({
  tool_call_id: wellFormed(id),
  tool_name: wellFormed(name),
  event_kind: "in",
  payload: wellFormed(input),
  outcome: null
})

const resultRow = ({ id, isError, name, text }: ToolResult): CallRow => ({
  tool_call_id: wellFormed(id),
  tool_name: wellFormed(name),
  event_kind: "out",
  payload: wellFormed(text),
  outcome: isError ? "error" : "ok"
})

const row = (role: string, content: string, reasoning: string, calls: ReadonlyArray<CallRow>): MessageRow => ({
  role,
  content: wellFormed(content),
  reasoning_content: reasoning === "" ? null : wellFormed(reasoning),
  calls
})

/**
 * Results hang on the last assistant row. Not kept: a provider's own data, the borders between several texts or several
 * thoughts of one message (a blank line is put there), the order of texts, thoughts and calls among each other.
 */
export const toRows = (messages: ReadonlyArray<Message>): ReadonlyArray<MessageRow> => {
  const rows: Array<MessageRow> = []
  for (const message of messages) {
    switch (message._tag) {
      case "User":
        rows.push(row("user", message.text, "", []))
        break
      case "Assistant": {
        const said = joined(message.parts.filter((part) => part._tag === "Text"))
        const thought = joined(message.parts.filter((part) => part._tag === "Thought"))
        const calls = message.parts.filter((part) => part._tag === "ToolCall").map(callRow)
        // Nothing said and nothing called is no message.
        if (said !== "" || thought !== "" || calls.length > 0) rows.push(row("assistant", said, thought, calls))
        break
      }
      case "ToolResults": {
        const results = message.results.map(resultRow)
        const at = rows.findLastIndex(({ role }) => role === "assistant")
        const owner = rows[at]
        if (owner === undefined) rows.push(row("assistant", "", "", results))
        else rows[at] = { ...owner, calls: [...owner.calls, ...results] }
      }
    }
  }
  return rows
}

const assistant = ({ calls, content, reasoning_content }: MessageRow): ReadonlyArray<Message> => {
  const parts: ReadonlyArray<TextPart | ThoughtPart | ToolCallPart> = [
    ...(reasoning_content ? [{ _tag: "Thought" as const, text: reasoning_content }] : []),
    ...(content === "" ? [] : [{ _tag: "Text" as const, text: content }]),
    ...calls
      .filter(({ event_kind }) => event_kind === "in")
      .map(({ payload, tool_call_id, tool_name }) => ({
        _tag: "ToolCall" as const,
        id: tool_call_id,
        name: tool_name,
        input: payload
      }))
  ]
  const results = calls
    .filter(({ event_kind }) => event_kind === "out")
    .map(({ outcome, payload, tool_call_id, tool_name }) => ({
      id: tool_call_id,
      name: tool_name,
      text: payload,
      isError: outcome === "error"
    }))
  return [
    ...(parts.length === 0 ? [] : [{ _tag: "Assistant" as const, parts }]),
    ...(results.length === 0 ? [] : [{ _tag: "ToolResults" as const, results }])
  ]
}

/** Roles other than user and assistant are not history. */
export const fromRow = (row: MessageRow): ReadonlyArray<Message> =>
  row.role === "user" ? [{ _tag: "User", text: row.content }] : row.role === "assistant" ? assistant(row) : []

export const fromRows = (rows: ReadonlyArray<MessageRow>): ReadonlyArray<Message> => rows.flatMap(fromRow)

export const lostResult = "[the result of this call was not stored]"

/** What a provider accepts: results without a call are left out, calls without a result get one that says so. */
export const soundRow = (row: MessageRow): ReadonlyArray<Message> => {
  const called = new Set(row.calls.flatMap((call) => (call.event_kind === "in" ? [call.tool_call_id] : [])))
  const calls = row.calls.filter((call) => call.event_kind !== "out" || called.has(call.tool_call_id))
  const messages = fromRow({ ...row, calls })
  return repair(messages, lostResult)
}

const Payload = Schema.parseJson(SessionUpdate)
const decodeUpdate = Schema.decodeUnknownOption(Payload, { onExcessProperty: "preserve" })

/** Lone surrogates are written by JSON as escapes, so they are rare enough to look for before they are replaced. */
export const toJson = (value: unknown): string => {
  const json = JSON.stringify(value)
  return /\\ud[89a-f]/.test(json)
    ? JSON.stringify(value, (_, one: unknown) => (typeof one === "string" ? wellFormed(one) : one))
    : json
}

/** None for what is no JSON (a cycle, a bigint). */
export const updateRow = (update: SessionUpdate): Option.Option<EventRow> =>
  Option.map(Option.liftThrowable(toJson)(update), (payload) => ({ action: "update", outcome: "ok", payload }))

/** None for what cannot be read. */
export const readUpdate = ({ payload }: EventRow): Option.Option<SessionUpdate> => decodeUpdate(payload)

/** Ids of the session's last message before and after a turn: what lies between turns was written by another program. */
export interface Span {
  readonly after: number
  readonly last: number
  /** A model is not given what came before. Absent in rows that were written before there was this. */
  readonly compacts?: boolean
}

const SpanJson = Schema.parseJson(
  Schema.Struct({ after: Schema.Int, last: Schema.Int, compacts: lenient(Schema.Boolean) })
)

/** Comes after the turn's updates. */
export const turnRow = (outcome: Turn["outcome"], span: Span): EventRow => ({
  action: "turn",
  outcome,
  payload: JSON.stringify(span)
})

export const readSpan = ({ payload }: EventRow): Option.Option<Span> => Schema.decodeUnknownOption(SpanJson)(payload)

/** A turn in rows, before it has ids. */
export interface TurnRows {
  readonly messages: ReadonlyArray<MessageRow>
  readonly updates: ReadonlyArray<EventRow>
  readonly outcome: Turn["outcome"]
  readonly compacts: boolean
}

export const turnRows = ({ compacts = false, messages, outcome, updates }: Turn): TurnRows => ({
  messages: toRows(messages),
  updates: updates.flatMap((update) => Option.toArray(updateRow(update))),
  outcome,
  compacts
})

/** The row that ends a turn whose messages have their ids. */
export const endRow = ({ compacts, outcome }: TurnRows, { after, last }: Span): EventRow =>
  turnRow(outcome, { after, last, ...(compacts ? { compacts } : {}) })

/** The row that ends a turn, for a copy of its messages under other ids; none for a row that tells no span. */
export const movedRow = (row: EventRow, move: (id: number) => number): Option.Option<EventRow> =>
  Option.map(readSpan(row), ({ after, last, ...rest }) => ({
    ...row,
    payload: JSON.stringify({ after: move(after), last: move(last), ...rest })
  }))

/** Characters of text in a turn. */
export const weight = ({ messages, updates }: TurnRows): number =>
  messages.reduce(
    (sum, { calls, content, reasoning_content }) =>
      sum +
      content.length +
      (reasoning_content?.length ?? 0) +
      calls.reduce((sum, { payload }) => sum + payload.length, 0),
    updates.reduce((sum, { payload }) => sum + (payload?.length ?? 0), 0)
  )
