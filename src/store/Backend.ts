// What a place to keep sessions can do; the database is one, memory another.
import { Effect, Option } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import { type Conversation, type SessionRow, StoreError, type Turn } from "./SessionStore.ts"

export interface Backend {
  readonly create: (row: SessionRow) => Effect.Effect<void, StoreError>
  /** All of them or none. */
  readonly appendTurns: (id: SessionId, turns: ReadonlyArray<Turn>) => Effect.Effect<void, StoreError>
  readonly load: (id: SessionId) => Effect.Effect<Option.Option<Conversation>, StoreError>
}

export const withTurns = (conversation: Conversation, turns: ReadonlyArray<Turn>): Conversation => ({
  row: conversation.row,
  messages: [...conversation.messages, ...turns.flatMap(({ messages }) => messages)],
  updates: [...conversation.updates, ...turns.flatMap(({ updates }) => updates)],
  turns: conversation.turns + turns.length
})

/** Ends with the process. */
export const memory = (): Backend => {
  const conversations = new Map<SessionId, Conversation>()
  return {
    create: (row) =>
      Effect.sync(() => {
        conversations.set(row.id, { row, messages: [], updates: [], turns: 0 })
      }),
    appendTurns: (id, turns) =>
      Effect.suspend(() => {
        const conversation = conversations.get(id)
        if (conversation === undefined) {
          return new StoreError({ reason: "unknown_session", message: `Session ${id} is not known; create it first.` })
        }
        conversations.set(id, withTurns(conversation, turns))
        return Effect.void
      }),
    load: (id) => Effect.sync(() => Option.fromNullable(conversations.get(id)))
  }
}
