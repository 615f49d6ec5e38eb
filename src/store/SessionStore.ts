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

export interface SessionRow {
  readonly id: SessionId
  readonly agentAlias: string
  /** Canonical absolute path. */
  readonly cwd: string
}

/** One finished, failed or cancelled turn. */
export interface Turn {
  /** What the model is given next time. */
  readonly messages: ReadonlyArray<Message>
  /** What the person saw, folded: replayed by session/load in this order. */
  readonly updates: ReadonlyArray<SessionUpdate>
  readonly outcome: StopReason | "failed"
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
  }
>() {}
