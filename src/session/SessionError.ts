// What can be wrong with a request about a session.
import { Schema } from "effect"

export class SessionError extends Schema.TaggedError<SessionError>()("SessionError", {
  reason: Schema.Literal("unknown", "busy", "limit", "invalid", "config", "store"),
  /** One line: what happened, why, what to do. */
  message: Schema.String,
  sessionId: Schema.optionalWith(Schema.String, { exact: true })
}) {}

export const unknown = (sessionId: string): SessionError =>
  new SessionError({
    reason: "unknown",
    message: "Session not found: it is not open on this connection. Load it, or create a new one.",
    sessionId
  })

export const neverStored = (sessionId: string): SessionError =>
  new SessionError({
    reason: "unknown",
    message: "Session not found: nothing is stored under this id. Check it, or create a new session.",
    sessionId
  })

export const busy = (sessionId: string): SessionError =>
  new SessionError({
    reason: "busy",
    message: "A prompt is already running in this session. Wait for its answer or cancel it first.",
    sessionId
  })
