// What the store needs of the place where sessions are kept: SQLite, or memory.
import type { Effect, Option } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import type { Conversation, SessionRow, StoreError, Turn } from "./SessionStore.ts"

export interface Database {
  /** The row is kept when this returns. */
  readonly create: (row: SessionRow) => Effect.Effect<void, StoreError>
  /** All of the turn, or nothing of it. */
  readonly append: (id: SessionId, turn: Turn) => Effect.Effect<void, StoreError>
  readonly load: (id: SessionId) => Effect.Effect<Option.Option<Conversation>, StoreError>
}
