// From a Cause to the error object on the wire. The only place that does it.
import { Cause, Option } from "effect"
import { Code, type RequestError } from "../contract/Errors.ts"
import type { ErrorObject } from "../wire/JsonRpc.ts"

/**
 * An interrupt is looked for first: a finalizer that failed leaves its error beside it. A defect tells nothing on the
 * wire; its cause belongs in the log.
 */
export const toErrorObject = (cause: Cause.Cause<RequestError>): ErrorObject => {
  if (Cause.isInterrupted(cause)) return { code: Code.RequestCancelled, message: "Request cancelled" }
  return Option.match(Cause.failureOption(cause), {
    onSome: ({ code, data, message }) => (data === undefined ? { code, message } : { code, message, data }),
    onNone: () => ({
      code: Code.InternalError,
      message: "Internal error: this is a bug; the log file has the details"
    })
  })
}
