// What came of fetching a page.
import { Schema } from "effect"

export interface Fetched {
  /** After redirects. */
  readonly url: string
  readonly status: number
  /** As the server says; empty where it says nothing. */
  readonly contentType: string
  readonly bytes: Uint8Array
  /** False where the limit cut it. */
  readonly complete: boolean
}

export class FetchError extends Schema.TaggedError<FetchError>()("FetchError", {
  reason: Schema.Literal("refused", "redirect", "unreachable", "timeout", "not_text", "invalid"),
  /** One line that says what to do. */
  message: Schema.String
}) {}
