// The error of a request, and every code this program uses. @see acp-v1 section 1.7
import { Schema } from "effect"

export const Code = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  RequestCancelled: -32800,
  AuthRequired: -32000,
  ResourceNotFound: -32002,
  /** Ours, outside the reserved ranges. */
  SessionBusy: -31001,
  SessionLimit: -31002,
  TooManyRequests: -31003
} as const

export class RequestError extends Schema.TaggedError<RequestError>()("RequestError", {
  code: Schema.Int,
  message: Schema.String,
  data: Schema.optionalWith(Schema.Unknown, { exact: true })
}) {}
