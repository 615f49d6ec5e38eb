// Why the stored keys can't be read or written.
import { Schema } from "effect"

export class CredentialsError extends Schema.TaggedError<CredentialsError>()("CredentialsError", {
  /** One line: the file, what is wrong, how to mend it. Never a key. */
  message: Schema.String
}) {}
