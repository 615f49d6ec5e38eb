// Typed routes from Rpc values: each closes over its own schemas, so the table needs no casts.
import type { Rpc } from "@effect/rpc"
import { Effect, ParseResult, Schema, type Scope } from "effect"
import { Code, RequestError } from "../contract/Errors.ts"

type Payload = Schema.Schema.AnyNoContext & Rpc.AnySchema

/** A result with what is to follow it at once, such as updates that a client takes only after the answer. */
export interface Answer {
  readonly result: unknown
  readonly after: Effect.Effect<void>
}

export interface RequestRoute {
  readonly method: string
  /** The scope closes once the answer was written. */
  readonly run: (params: unknown) => Effect.Effect<Answer, RequestError, Scope.Scope>
  /** Interruption is off but where the handler allows it: it has its own answer to being cancelled. */
  readonly handlesCancel: boolean
}

export interface NotificationRoute {
  readonly method: string
  readonly run: (params: unknown) => Effect.Effect<void, RequestError>
}

export interface Routes {
  readonly requests: ReadonlyMap<string, RequestRoute>
  readonly notifications: ReadonlyMap<string, NotificationRoute>
}

/** `-32602` that names each bad field; the first one stands in the message. */
const invalidParams = (method: string) => (error: ParseResult.ParseError) => {
  const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
  const first = issues[0]
  const where = first === undefined || first.path.length === 0 ? "params" : first.path.join(".")
  return new RequestError({
    code: Code.InvalidParams,
    message: `Invalid params for ${method}: ${where}: ${first === undefined ? "malformed" : expectation(first.message)}`,
    data: {
      issues: issues.slice(0, 20).map(({ message, path }) => ({ path: path.join("."), message: expectation(message) }))
    }
  })
}

/** What is expected, never what was sent: it may be a secret. */
const expectation = (message: string): string => {
  const expected = message.replace(/,? actual [\s\S]*$/, "")
  if (/^Expected ReadonlyArray/.test(expected)) return "must be a list of what the protocol allows there"
  if (/^Expected [({]|^Expected Struct|Encoded side/.test(expected))
    return "does not have the shape that the protocol wants"
  return oneLine(expected)
}

const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, " ")
  return line.length > 300 ? `${line.slice(0, 300).toWellFormed()}…` : line
}

const decoder = <P extends Payload>(method: string, schema: P) => {
  const decode = Schema.decodeUnknown(schema, { errors: "all" })
  return (params: unknown): Effect.Effect<P["Type"], RequestError> =>
    Effect.mapError(decode(params ?? {}), invalidParams(method))
}

export interface RequestOptions<P, S> {
  /** Runs right after the answer was written. */
  readonly after?: (payload: P, result: S) => Effect.Effect<void>
  readonly handlesCancel?: boolean
}

export const onRequest = <Tag extends string, P extends Payload, S extends Schema.Schema.AnyNoContext>(
  rpc: Rpc.Rpc<Tag, P, S, typeof RequestError>,
  handle: (payload: P["Type"]) => Effect.Effect<S["Type"], RequestError, Scope.Scope>,
  { after = () => Effect.void, handlesCancel = false }: RequestOptions<P["Type"], S["Type"]> = {}
): RequestRoute => {
  const decode = decoder(rpc._tag, rpc.payloadSchema)
  const encode = Schema.encode(rpc.successSchema)
  return {
    method: rpc._tag,
    handlesCancel,
    run: (params) =>
      Effect.flatMap(decode(params), (payload) =>
        Effect.flatMap(handle(payload), (result) =>
          Effect.map(Effect.orDie(encode(result)), (encoded) => ({ result: encoded, after: after(payload, result) }))
        )
      )
  }
}

export const onNotification = <
  Tag extends string,
  P extends Payload,
  S extends Schema.Schema.Any,
  E extends Schema.Schema.All
>(
  rpc: Rpc.Rpc<Tag, P, S, E>,
  handle: (payload: P["Type"]) => Effect.Effect<void, RequestError>
): NotificationRoute => {
  const decode = decoder(rpc._tag, rpc.payloadSchema)
  return { method: rpc._tag, run: (params) => Effect.flatMap(decode(params), handle) }
}

export const routes = (
  requests: ReadonlyArray<RequestRoute>,
  notifications: ReadonlyArray<NotificationRoute>
): Routes => ({
  requests: new Map(requests.map((route) => [route.method, route])),
  notifications: new Map(notifications.map((route) => [route.method, route]))
})
