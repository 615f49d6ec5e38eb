// The JSON-RPC 2.0 codec: one text in, one `Incoming` out. Pure and total; a malformed text carries its own reply.
import * as Id from "./Id.ts"
import * as JsonText from "./JsonText.ts"

export interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export type Incoming =
  | { readonly _tag: "Request"; readonly id: Id.Id; readonly method: string; readonly params: unknown }
  | { readonly _tag: "Notification"; readonly method: string; readonly params: unknown }
  /** `$/cancel_request`: the id is kept as exactly as that of the request it names. */
  | { readonly _tag: "Cancel"; readonly id: Id.Id }
  | { readonly _tag: "Success"; readonly id: Id.Id; readonly result: unknown }
  | { readonly _tag: "Failure"; readonly id: Id.Id; readonly error: ErrorObject }
  | { readonly _tag: "Malformed"; readonly id: Id.Id; readonly error: ErrorObject }
  /** Broken, and answering it would be wrong: a notification or a response gets no reply. */
  | { readonly _tag: "Ignored"; readonly reason: string }

/** @see acp-v1 section 1.2 */
export const cancelRequest = "$/cancel_request"

export const ParseError = -32700
export const InvalidRequest = -32600

const malformed = (id: Id.Id, code: number, message: string): Incoming => ({
  _tag: "Malformed",
  id,
  error: { code, message }
})
const ignored = (reason: string): Incoming => ({ _tag: "Ignored", reason })

export const parseError = (reason: string): Incoming => malformed(null, ParseError, `Parse error: ${reason}`)

/** The id when it stands before anything nested; a request whose answer is awaited must get one. */
export const tooLong = (head: string, limit: number): Incoming => {
  const found = /^\s*\{(?:[^{}[\]"]|"(?:[^"\\]|\\.)*")*?"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*[,}]/.exec(head)?.[1]
  const parsed = found === undefined ? undefined : JsonText.parse(`{"id":${found}}`)
  const value = parsed?._tag === "Value" && JsonText.isRecord(parsed.value) ? parsed.value["id"] : undefined
  const id = value === undefined ? undefined : Id.read(value, `{"id":${found}}`)
  const message = `message larger than the limit of ${limit} bytes; it was skipped`
  return id === undefined ? parseError(message) : malformed(id, InvalidRequest, `Invalid request: ${message}`)
}

export const decode = (text: string): Incoming => {
  const parsed = JsonText.parse(text)
  return parsed._tag === "Bad" ? parseError(parsed.reason) : classify(parsed.value, text)
}

/** @see acp-v1 section 1.1 */
const classify = (json: unknown, text: string): Incoming => {
  if (Array.isArray(json)) return malformed(null, InvalidRequest, "Invalid request: batches are not supported")
  if (!JsonText.isRecord(json)) return malformed(null, InvalidRequest, "Invalid request: expected an object")
  const hasId = Object.hasOwn(json, "id")
  const hasMethod = Object.hasOwn(json, "method")
  const hasAnswer = Object.hasOwn(json, "result") || Object.hasOwn(json, "error")
  const id = hasId ? Id.read(json["id"], text) : null
  if (id === undefined) {
    return hasAnswer && !hasMethod
      ? ignored("response whose id is not a string, integer or null")
      : malformed(null, InvalidRequest, "Invalid request: id must be a string, an integer or null")
  }
  if (!hasMethod && hasAnswer && json["jsonrpc"] !== "2.0") return ignored("response whose jsonrpc is not 2.0")
  if (!hasMethod) return hasId ? response(json, id) : malformed(null, InvalidRequest, "Invalid request: no method")
  if (json["jsonrpc"] !== "2.0") {
    return hasId
      ? malformed(id, InvalidRequest, 'Invalid request: jsonrpc must be "2.0"')
      : ignored("jsonrpc is not 2.0")
  }
  const { method, params } = json
  if (typeof method !== "string") {
    return hasId ? malformed(id, InvalidRequest, "Invalid request: method must be a string") : ignored("bad method")
  }
  if (!hasId) return method === cancelRequest ? cancelled(params, text) : { _tag: "Notification", method, params }
  if (hasAnswer) return malformed(id, InvalidRequest, "Invalid request: method beside result or error")
  return { _tag: "Request", id, method, params }
}

const cancelled = (params: unknown, text: string): Incoming => {
  const id = JsonText.isRecord(params) ? Id.read(params["requestId"], text, ["params", "requestId"]) : undefined
  return id === undefined ? ignored("$/cancel_request without the id of a request") : { _tag: "Cancel", id }
}

const response = (json: Readonly<Record<string, unknown>>, id: Id.Id): Incoming => {
  const { error, result } = json
  if (Object.hasOwn(json, "error") && error !== null) {
    const { code, data, message } = JsonText.isRecord(error) ? error : {}
    return {
      _tag: "Failure",
      id,
      error: {
        code: typeof code === "number" ? code : -32603,
        message: typeof message === "string" ? message : "Malformed error",
        ...(data === undefined ? {} : { data })
      }
    }
  }
  if (Object.hasOwn(json, "result")) return { _tag: "Success", id, result }
  return ignored("response without result or error")
}

export const success = (id: Id.Id, result: unknown): string =>
  `{"jsonrpc":"2.0","id":${Id.encode(id)},"result":${JsonText.stringify(result ?? {})}}`

export const failure = (id: Id.Id, error: ErrorObject): string =>
  `{"jsonrpc":"2.0","id":${Id.encode(id)},"error":${JsonText.stringify(error)}}`

export const request = (id: string, method: string, params: unknown): string =>
  JsonText.stringify({ jsonrpc: "2.0", id, method, params })

export const notification = (method: string, params: unknown): string =>
  JsonText.stringify({ jsonrpc: "2.0", method, params })
