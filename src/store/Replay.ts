// Stored rows to a conversation. Pure.
import { Option } from "effect"
import { text } from "../contract/Content.ts"
import type { SessionUpdate } from "../contract/Update.ts"
import type { Message, TextPart, ThoughtPart, ToolCallPart, ToolResult } from "../model/Message.ts"
import * as TimePrefix from "../text/TimePrefix.ts"
import { type EventRow, type MessageRow, readSpan, readUpdate, type Span, soundRow } from "./Rows.ts"
import type { Conversation, SessionRow } from "./SessionStore.ts"

/** A message row as read: its id and what a model is given of it. */
export interface StoredMessage {
  readonly id: number
  readonly messages: ReadonlyArray<Message>
}

/** An event row as read; a span is absent when it cannot be read. */
export type StoredEvent =
  | { readonly _tag: "Update"; readonly update: SessionUpdate }
  | { readonly _tag: "Unreadable" }
  | { readonly _tag: "Turn"; readonly span?: Span }
  | { readonly _tag: "Other" }

export const readMessage = (row: MessageRow & { readonly id: number }): StoredMessage => ({
  id: row.id,
  messages: soundRow(row)
})

export const readEvent = (row: EventRow): StoredEvent => {
  switch (row.action) {
    case "update":
      return Option.match(readUpdate(row), {
        onNone: () => ({ _tag: "Unreadable" }),
        onSome: (update) => ({ _tag: "Update", update })
      })
    case "turn":
      return { _tag: "Turn", ...Option.match(readSpan(row), { onNone: () => ({}), onSome: (span) => ({ span }) }) }
    default:
      return { _tag: "Other" }
  }
}

/** That program hands results over, for some models, as if the user had typed. */
const resultsPrefix = "[Tool results]"

const rawInput = (input: string): unknown => Option.getOrElse(Option.liftThrowable(JSON.parse)(input), () => input)

const card = ({ id, input, name }: ToolCallPart, result: ToolResult | undefined): SessionUpdate => ({
  sessionUpdate: "tool_call",
  toolCallId: id,
  title: name,
  name,
  kind: "other",
  status: result === undefined || result.isError ? "failed" : "completed",
  rawInput: rawInput(input),
  ...(result === undefined ? {} : { content: [{ type: "content", content: text(result.text) }] })
})

const partUpdate = (
  part: TextPart | ThoughtPart | ToolCallPart,
  messageId: string,
  results: ReadonlyArray<ToolResult>
): SessionUpdate => {
  switch (part._tag) {
    case "Text":
      return { sessionUpdate: "agent_message_chunk", content: text(part.text), messageId }
    case "Thought":
      return { sessionUpdate: "agent_thought_chunk", content: text(part.text), messageId: `${messageId}-thought` }
    case "ToolCall":
      return card(
        part,
        results.find(({ id }) => id === part.id)
      )
  }
}

const messageUpdates = (
  message: Message,
  next: Message | undefined,
  messageId: string
): ReadonlyArray<SessionUpdate> => {
  switch (message._tag) {
    case "User": {
      const said = TimePrefix.remove(message.text)
      return said.startsWith(resultsPrefix)
        ? []
        : [{ sessionUpdate: "user_message_chunk", content: text(said), messageId }]
    }
    case "Assistant": {
      const results = next?._tag === "ToolResults" ? next.results : []
      return message.parts.map((part) => partUpdate(part, messageId, results))
    }
    case "ToolResults":
      return []
  }
}

/** What a person would have seen, for messages of which only the model's side was stored; message ids are made up. */
export const legacyUpdates = (messages: ReadonlyArray<Message>, idPrefix = "stored"): ReadonlyArray<SessionUpdate> =>
  messages.flatMap((message, at) => messageUpdates(message, messages[at + 1], `${idPrefix}-${at}`))

export interface Assembled {
  readonly conversation: Conversation
  /** Stored updates that could not be read and were left out. */
  readonly unreadable: number
}

/** Id of the last message that a model is not given any more. */
const compactedTo = (events: ReadonlyArray<StoredEvent>): number => {
  const last = events.findLast((event) => event._tag === "Turn" && event.span?.compacts === true)
  return last?._tag === "Turn" && last.span !== undefined ? last.span.after : Number.NEGATIVE_INFINITY
}

/**
 * Rows in the order of their ids. A turn shows what was stored of it; messages that belong to no turn (that other program
 * wrote them before, between or after) show what their text tells.
 */
export const assemble = (
  row: SessionRow,
  stored: ReadonlyArray<StoredMessage>,
  events: ReadonlyArray<StoredEvent>
): Assembled => {
  // Without every span nothing tells which messages have been shown: better not twice.
  const known = events.every((event) => event._tag !== "Turn" || event.span !== undefined)
  const updates: Array<SessionUpdate> = []
  let turns = 0
  let unreadable = 0
  let next = 0
  /** Messages up to an id that no turn has shown. */
  const showGap = (last: number) => {
    const from = next
    while ((stored[next]?.id ?? Number.POSITIVE_INFINITY) <= last) next++
    if (!known) return
    const messages = stored.slice(from, next).flatMap(({ messages }) => messages)
    turns += messages.filter(({ _tag }) => _tag === "User").length
    for (const update of legacyUpdates(messages, `stored-${stored[from]?.id}`)) updates.push(update)
  }
  const skip = (last: number) => {
    while ((stored[next]?.id ?? Number.POSITIVE_INFINITY) <= last) next++
  }

  let turn: Array<SessionUpdate> = []
  const showTurn = () => {
    for (const update of turn) updates.push(update)
    turn = []
  }
  for (const event of events) {
    switch (event._tag) {
      case "Update":
        turn.push(event.update)
        break
      case "Unreadable":
        unreadable++
        break
      case "Turn":
        if (event.span) showGap(event.span.after)
        showTurn()
        if (event.span) skip(event.span.last)
        turns++
        break
      case "Other":
        break
    }
  }
  showTurn()
  showGap(Number.MAX_SAFE_INTEGER)
  const compacted = compactedTo(events)
  const given = stored.filter(({ id }) => id > compacted).flatMap(({ messages }) => messages)
  const conversation = { row, messages: given, updates, turns }
  return { conversation, unreadable }
}

/** Both at once, for rows that are in memory already. */
export const assembleRows = (
  row: SessionRow,
  messages: ReadonlyArray<MessageRow & { readonly id: number }>,
  events: ReadonlyArray<EventRow>
): Assembled => assemble(row, messages.map(readMessage), events.map(readEvent))
