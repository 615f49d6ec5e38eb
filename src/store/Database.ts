// What the store needs of the place where sessions are kept: SQLite, or memory.
import type { Effect, Option } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import type { Change, Conversation, ListedSession, SessionRow, StoreError, Turn } from "./SessionStore.ts"

export interface Database {
  /** The row is kept when this returns. */
  readonly create: (row: SessionRow) => Effect.Effect<void, StoreError>
  /** All of the turn, or nothing of it. */
  readonly append: (id: SessionId, turn: Turn) => Effect.Effect<void, StoreError>
  readonly load: (id: SessionId) => Effect.Effect<Option.Option<Conversation>, StoreError>
  /** Leaves the time of the last activity as it is. */
  readonly change: (id: SessionId, change: Change) => Effect.Effect<void, StoreError>
  /** Latest activity first, then the youngest. */
  readonly list: (cwd?: string) => Effect.Effect<ReadonlyArray<ListedSession>, StoreError>
  /** All of the session, or nothing of it. */
  readonly remove: (id: SessionId) => Effect.Effect<void, StoreError>
  /** All of the copy, or nothing of it; false when there is no session `from`. */
  readonly fork: (from: SessionId, to: SessionRow) => Effect.Effect<boolean, StoreError>
}
