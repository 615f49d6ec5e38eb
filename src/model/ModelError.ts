// Why a model did not answer, in words a person can act on.
import { Schema } from "effect"

export const ModelFailure = Schema.Literal(
  "auth",
  "rate_limit",
  "overloaded",
  "unreachable",
  "cut_stream",
  "timeout",
  "bad_request",
  "bad_reply",
  "empty_reply",
  "config"
)
export type ModelFailure = typeof ModelFailure.Type

export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  reason: ModelFailure,
  /** One line: what happened, why, and what to do next. Never a key. */
  message: Schema.String,
  /** HTTP status, where there was one. */
  status: Schema.optionalWith(Schema.Int, { exact: true }),
  /** What the provider asked us to wait, in milliseconds. */
  retryAfterMs: Schema.optionalWith(Schema.Number, { exact: true })
}) {
  get retryable(): boolean {
    return ["rate_limit", "overloaded", "unreachable", "cut_stream", "timeout", "empty_reply"].includes(this.reason)
  }
}
