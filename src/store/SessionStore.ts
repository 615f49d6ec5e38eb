// Sessions that outlive the process.
import { Context, type Effect, type Option, Schema } from "effect"
import type { SessionId, StopReason } from "../contract/AgentMethods.ts"
import type { SessionUpdate } from "../contract/Update.ts"
import type { Message } from "../model/Message.ts"

export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  reason: Schema.Literal("unavailable", "busy", "unknown_session", "corrupt", "full", "io"),
  /** One line: what failed, on which file, and what to do. */
  message: Schema.String
}) {}

/** What a session was set to; absent means what its agent is configured for. */
export interface Settings {
  readonly mode?: string
  readonly model?: string
  readonly thoughtLevel?: string
}

export interface Title {
  readonly text: string
  /** A title that a person gave is never replaced by one of ours. */
  readonly by: "person" | "agent"
}

export interface SessionRow {
  readonly id: SessionId
  readonly agentAlias: string
  /** Canonical absolute path. */
  readonly cwd: string
  /** As opened last. */
  readonly additionalDirectories?: ReadonlyArray<string>
  readonly title?: Title
  readonly settings?: Settings
}

/** A row of session/list. */
export interface ListedSession extends SessionRow {
  /** ISO 8601, UTC: when a turn was last stored, or when it was created. */
  readonly updatedAt: string
}

/** What changes about a session outside of its turns; absent stays as it is. */
export interface Change {
  readonly additionalDirectories?: ReadonlyArray<string>
  readonly title?: Title
  readonly settings?: Settings
}

/** One finished, failed or cancelled turn. */
export interface Turn {
  /** What the model is given next time. */
  readonly messages: ReadonlyArray<Message>
  /** What the person saw, folded: replayed by session/load in this order. */
  readonly updates: ReadonlyArray<SessionUpdate>
  readonly outcome: StopReason | "failed"
  /** The messages before this turn are not given to the model any more; what was shown stays. */
  readonly compacts?: boolean
}

export interface Conversation {
  readonly row: SessionRow
  readonly messages: ReadonlyArray<Message>
  readonly updates: ReadonlyArray<SessionUpdate>
  readonly turns: number
}

export class SessionStore extends Context.Tag("zeroclaw/SessionStore")<
  SessionStore,
  {
    /** Whether sessions survive this process. Cheap: never waits for the database to open. */
    readonly durable: Effect.Effect<boolean>
    /** The row is on disk when this returns. */
    readonly create: (row: SessionRow) => Effect.Effect<void, StoreError>
    /** One transaction: after it the whole turn is on disk, before it nothing of it. */
    readonly appendTurn: (id: SessionId, turn: Turn) => Effect.Effect<void, StoreError>
    /** None when there is no such session. */
    readonly load: (id: SessionId) => Effect.Effect<Option.Option<Conversation>, StoreError>
    /** Title, settings and folders; `unknown_session` when there is no such session. */
    readonly change: (id: SessionId, change: Change) => Effect.Effect<void, StoreError>
    /** All sessions, or those of one folder: latest activity first, then the youngest. Cheap: no conversation is read. */
    readonly list: (cwd?: string) => Effect.Effect<ReadonlyArray<ListedSession>, StoreError>
    /** The session with everything of it; nothing when there is none. A turn stored later does not bring it back. */
    readonly remove: (id: SessionId) => Effect.Effect<void, StoreError>
    /** A copy of the conversation under a new row; false when there is no session `from`. */
    readonly fork: (from: SessionId, to: SessionRow) => Effect.Effect<boolean, StoreError>
  }
>() {}
