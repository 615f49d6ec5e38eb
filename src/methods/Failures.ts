// From what went wrong to the code on the wire: one place, one table. @see acp-v1 section 1.7
import { Effect } from "effect"
import type { ConfigError } from "../config/Config.ts"
import { Code, RequestError } from "../contract/Errors.ts"
import type { LegacyName } from "../dialect/Legacy.ts"
import type { ModelError } from "../model/ModelError.ts"
import type { PromptError } from "../session/PromptText.ts"
import type { SessionError } from "../session/SessionError.ts"

type Failure = SessionError | PromptError | ModelError | ConfigError

const sessionCode: Readonly<Record<SessionError["reason"], number>> = {
  unknown: Code.ResourceNotFound,
  busy: Code.SessionBusy,
  limit: Code.SessionLimit,
  invalid: Code.InvalidParams,
  config: Code.InternalError,
  store: Code.InternalError
}

/** Names that clients of the ZeroClaw dialect know; canonical in `data` for everyone. @see zeroclaw section 4 */
const zeroclawCode: Partial<Readonly<Record<SessionError["reason"], LegacyName>>> = {
  unknown: "SESSION_NOT_FOUND",
  busy: "SESSION_BUSY",
  limit: "SESSION_LIMIT_REACHED"
}

export const toRequestError = (method: string, failure: Failure): RequestError => {
  switch (failure._tag) {
    case "SessionError": {
      const name = zeroclawCode[failure.reason]
      return new RequestError({
        code: sessionCode[failure.reason],
        message: failure.reason === "invalid" ? `Invalid params for ${method}: ${failure.message}` : failure.message,
        data: {
          reason: failure.reason,
          ...(failure.sessionId === undefined ? {} : { sessionId: failure.sessionId }),
          ...(name === undefined ? {} : { zeroclawCode: name })
        }
      })
    }
    case "PromptError":
      return new RequestError({
        code: Code.InvalidParams,
        message: `Invalid params for ${method}: ${failure.message}`
      })
    case "ConfigError":
      return new RequestError({ code: Code.InternalError, message: failure.message, data: { reason: "config" } })
    case "ModelError":
      return new RequestError({
        // -32000 opens the client's sign-in: only a missing or refused key may say it.
        code: failure.reason === "auth" ? Code.AuthRequired : Code.InternalError,
        message: failure.message,
        data: {
          reason: failure.reason,
          ...(failure.status === undefined ? {} : { status: failure.status }),
          ...(failure.reason === "auth" ? { zeroclawCode: "AUTH_REQUIRED" satisfies LegacyName } : {})
        }
      })
  }
}

/** The failures of a method's work as it answers them. */
export const failing = <A, R>(
  { _tag }: { readonly _tag: string },
  effect: Effect.Effect<A, Failure, R>
): Effect.Effect<A, RequestError, R> => Effect.mapError(effect, (failure) => toRequestError(_tag, failure))
