// What a provider or the network said went wrong, as a ModelError in words a person can act on. Pure.
import { Either, Option, Predicate } from "effect"
import { ModelError, type ModelFailure } from "./ModelError.ts"

/** Which provider is spoken of, and what must never be repeated. */
export interface Where {
  /** As configuration names it, such as `anthropic.main`. */
  readonly provider: string
  readonly model: string
  /** Base URL, free of query and credentials. */
  readonly url: string
  /** The environment variable a key is usually in. */
  readonly keyVariable?: string
  /** Texts to strike out of every message. */
  readonly secrets: ReadonlyArray<string>
}

const maxMessage = 300
const maxDetail = 120

const keyLike: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=*-]{6,}/gi, "$1 [redacted]"],
  [/\b(sk|pk|rk|gsk|xai|hf|nvapi|pplx|r8|fw|csk)[-_][A-Za-z0-9_*.-]{4,}/g, "[redacted]"],
  [/\bAIza[A-Za-z0-9_-]{10,}/g, "[redacted]"],
  [/([?&](?:token|key|api_key|access_token|auth|secret)=)[^&\s"']+/gi, "$1[redacted]"],
  [/(\/\/)[^/\s@]+@/g, "$1[redacted]@"]
]

/** Strikes out the given secrets and all that looks like a key. */
export const scrub = (text: string, secrets: ReadonlyArray<string>): string => {
  const known = secrets
    .filter((secret) => secret.length >= 4)
    .reduce((cleaned, secret) => cleaned.replaceAll(secret, "[redacted]"), text)
  return keyLike.reduce((cleaned, [pattern, replacement]) => cleaned.replace(pattern, replacement), known)
}

const oneLine = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim()

const clip = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1).trimEnd()}…`)

/** A provider's text, short, on one line, with its markup and everything secret taken out. */
const excerpt = (where: Where, text: string): string => {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1]
  const plain =
    title ??
    text
      .slice(0, 20_000)
      .replace(/<(script|style)[\s\S]*?<\/\1>/gi, " ")
      .replace(/<[^>]*>/g, " ")
  return clip(oneLine(scrub(plain, where.secrets)), maxDetail)
}

export const make = (
  where: Where,
  reason: ModelFailure,
  message: string,
  more: { readonly status?: number; readonly retryAfterMs?: number } = {}
): ModelError =>
  new ModelError({
    reason,
    message: clip(oneLine(scrub(message, where.secrets)), maxMessage),
    ...(more.status === undefined ? {} : { status: more.status }),
    ...(more.retryAfterMs === undefined ? {} : { retryAfterMs: more.retryAfterMs })
  })

const table = (where: Where): string => `[providers.models.${where.provider}]`

/** Where a key is put. */
export const keyAdvice = (where: Where): string =>
  `Set ${where.keyVariable === undefined ? "" : `${where.keyVariable} or `}api_key in ${table(where)}. Or store it: zeroclaw login ${where.provider}`

/** The first text found at one of the places where providers put a message. */
const textAt = (body: unknown): string | undefined => {
  if (typeof body === "string") return body.trim() === "" ? undefined : body
  if (Array.isArray(body)) return textAt(body[0])
  if (!Predicate.isRecord(body)) return undefined
  for (const key of ["error", "message", "detail", "msg", "error_description", "type"]) {
    const found = textAt(body[key])
    if (found !== undefined) return found
  }
  return undefined
}

const parseBody = (body: string | undefined): Option.Option<unknown> =>
  body === undefined || body.trim() === ""
    ? Option.none()
    : Option.filter(Either.getRight(Either.try((): unknown => JSON.parse(body))), (json) => typeof json === "object")

/** Seconds, an HTTP date, or milliseconds in the header that OpenAI and Azure send. */
export const retryAfterMs = (headers: Readonly<Record<string, string>>, now: number): number | undefined => {
  const milliseconds = headers["retry-after-ms"]?.trim()
  if (milliseconds !== undefined && /^\d+(\.\d+)?$/.test(milliseconds)) return Math.ceil(Number(milliseconds))
  const after = headers["retry-after"]?.trim()
  if (after === undefined || after === "") return undefined
  if (/^\d+(\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1000)
  const date = Date.parse(after)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** What providers write when no key is wrong, but nothing is left to spend: asking again cannot help. */
const spent = /insufficient_(quota|balance)|exceeded_current_quota|credit balance is too low/i

/** Some answer a wrong key with 400. */
const wrongKey = /(incorrect|invalid) api key|api key (not valid|is invalid|expired)|API_KEY_INVALID/i

export interface HttpFailure {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** An answer whose status is no success. `now` is milliseconds since the epoch, for dates in `retry-after`. */
export const fromHttp = (where: Where, failure: HttpFailure, now: number): ModelError => {
  const { status, headers, body } = failure
  const json = Option.getOrUndefined(parseBody(body))
  const said = excerpt(where, textAt(json) ?? body ?? "")
  const detail = said === "" ? "" : `: ${said.replace(/[.\s]+$/, "")}`
  const after = retryAfterMs(headers, now)
  const more = { status, ...(after === undefined ? {} : { retryAfterMs: after }) }
  const fail = (reason: ModelFailure, what: string, advice: string) =>
    make(where, reason, `${where.provider} ${what} (HTTP ${status})${detail}. ${advice}`, more)

  if (status === 401 || status === 403 || (status === 400 && wrongKey.test(body ?? ""))) {
    return fail("auth", "rejected the API key", keyAdvice(where))
  }
  if (status === 402 || ((status === 400 || status === 429) && spent.test(body ?? ""))) {
    return fail("bad_request", "refused the request", "Check the account's plan and balance.")
  }
  if (status === 429)
    return fail("rate_limit", "limits how often it may be asked", "Wait a moment, or check the plan's quota.")
  if (status === 408) return fail("timeout", "gave up waiting", "Try again.")
  if (status >= 500) return fail("overloaded", "is overloaded or failing", "Try again later, or use another model.")
  if (status >= 300 && status < 400) {
    return fail(
      "bad_request",
      "redirects elsewhere, which is not followed",
      `Set base_url in ${table(where)} to the final address.`
    )
  }
  if (json === undefined) {
    return fail("bad_reply", `at ${where.url} did not answer like a model API`, `Check base_url in ${table(where)}.`)
  }
  const advice =
    status === 404
      ? `Check model ("${clip(where.model, 60)}") and base_url in ${table(where)}.`
      : `Check the settings in ${table(where)}.`
  return fail("bad_request", "refused the request", advice)
}

/** An answer with status 200 that is no event stream. */
export const fromWrongContent = (where: Where, contentType: string, body: string): ModelError => {
  const json = Option.getOrUndefined(parseBody(body))
  const said = excerpt(where, textAt(json) ?? body)
  return make(
    where,
    "bad_reply",
    `${where.provider} at ${where.url} answered with ${clip(contentType, 40)} instead of an event stream${said === "" ? "" : `: ${said}`}. Check base_url in ${table(where)}.`
  )
}

const eventReason = (type: string): ModelFailure | undefined => {
  if (/overloaded|api_error|server_error|unavailable|internal|^5\d\d$/i.test(type)) return "overloaded"
  if (spent.test(type)) return "bad_request"
  if (/rate_limit|quota|^429$/i.test(type)) return "rate_limit"
  if (/authentication|permission|api_key|^40[13]$/i.test(type)) return "auth"
  if (/timeout/i.test(type)) return "timeout"
  return /invalid_request|not_found|too_large|billing|context_length|^4\d\d$/i.test(type) ? "bad_request" : undefined
}

/** An error the provider sent as an event of its stream: `{ type?, code?, message? }`, or any text. */
export const fromEvent = (where: Where, error: unknown): ModelError => {
  const field = (name: string) => {
    const value = Predicate.hasProperty(error, name) ? error[name] : undefined
    return typeof value === "string" || typeof value === "number" ? String(value) : ""
  }
  const kinds = [field("type"), field("code"), field("status")].filter((kind) => kind !== "" && kind !== "error")
  // One of them may be a word of the provider's own while another is a status.
  const reason = kinds.map(eventReason).find((known) => known !== undefined) ?? "overloaded"
  const said = excerpt(where, textAt(error) ?? "no reason given").replace(/[.\s]+$/, "")
  const kind = kinds[0] === undefined ? "" : ` (${clip(kinds[0], 40)})`
  const advice = reason === "auth" ? keyAdvice(where) : "Try again, or use another model."
  return make(where, reason, `${where.provider} broke off with an error${kind}: ${said}. ${advice}`)
}

/** The errors of a chain of causes, outermost first. */
const causes = (error: unknown): ReadonlyArray<unknown> => {
  const chain: Array<unknown> = []
  for (let at = error; at !== undefined && at !== null && chain.length < 8; ) {
    chain.push(at)
    at = Predicate.hasProperty(at, "cause") ? at.cause : undefined
  }
  return chain
}

const networkCode = (error: unknown): string | undefined => {
  for (const cause of causes(error)) {
    const own = Predicate.hasProperty(cause, "code") ? cause.code : undefined
    if (typeof own === "string" && /^(E[A-Z_]+|UND_ERR_[A-Z_]+|CERT_[A-Z_]+|[A-Z_]*CERT[A-Z_]*|ERR_[A-Z_]+)$/.test(own))
      return own
    const inner = Predicate.hasProperty(cause, "errors") && Array.isArray(cause.errors) ? cause.errors[0] : undefined
    if (Predicate.hasProperty(inner, "code") && typeof inner.code === "string") return inner.code
  }
  return undefined
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name could not be looked up",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached"
}

const messageOf = (error: unknown): string =>
  Predicate.hasProperty(error, "message") && typeof error.message === "string" ? error.message : String(error)

const isModelError = (error: unknown): error is ModelError => error instanceof ModelError

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const stringRecord = (value: unknown): Readonly<Record<string, string>> =>
  Predicate.isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([key, own]) => (typeof own === "string" ? [[key.toLowerCase(), own]] : []))
      )
    : {}

/** The reply ended before it was whole. */
export const cut = (where: Where): ModelError =>
  make(
    where,
    "cut_stream",
    `The connection to ${where.provider} (${where.url}) broke off before the reply was complete. Try again.`
  )

export const timedOut = (where: Where, what: "no answer" | "silence", ms: number): ModelError =>
  make(
    where,
    "timeout",
    `${where.provider} (${where.url}) ${what === "no answer" ? "did not begin to answer" : "fell silent in mid-reply"} for ${Math.ceil(ms / 1000)} s. Try again, or raise timeout_secs in ${table(where)}.`
  )

/** What reading the reply's stream threw. */
export const fromRead = (where: Where, error: unknown): ModelError => {
  const known = causes(error).find(isModelError)
  if (known !== undefined) return known
  const code = networkCode(error)
  if (code === "UND_ERR_BODY_TIMEOUT") return timedOut(where, "silence", 300_000)
  const name = Predicate.hasProperty(error, "name") ? error.name : undefined
  return name === "AI_InvalidResponseDataError" ? brokenEvent(where, error) : cut(where)
}

/** A line of the stream that makes no sense. */
export const brokenEvent = (where: Where, error: unknown): ModelError =>
  make(
    where,
    "bad_reply",
    `${where.provider} sent a reply that cannot be read: ${excerpt(where, messageOf(error))}. Try another model, or check base_url in ${table(where)}.`
  )

/** What making the request threw: a status, a failing network, or a request that could not be made. */
export const fromRequest = (where: Where, error: unknown, now: number): ModelError => {
  const known = causes(error).find(isModelError)
  if (known !== undefined) return known
  const code = networkCode(error)
  if (code === "UND_ERR_HEADERS_TIMEOUT") return timedOut(where, "no answer", 300_000)
  if (Predicate.hasProperty(error, "name") && error.name === "AI_APICallError") {
    const status = Predicate.hasProperty(error, "statusCode") ? error.statusCode : undefined
    const body = Predicate.hasProperty(error, "responseBody") ? text(error.responseBody) : undefined
    const headers = Predicate.hasProperty(error, "responseHeaders") ? stringRecord(error.responseHeaders) : {}
    if (typeof status === "number" && status >= 300) {
      // The Anthropic package makes up a status for an error that was the first event of a good response.
      const event = Option.getOrUndefined(parseBody(body))
      return headers["content-type"]?.includes("event-stream") === true && Predicate.isRecord(event)
        ? fromEvent(where, event)
        : fromHttp(where, { status, headers, ...(body === undefined ? {} : { body }) }, now)
    }
    if (typeof status === "number") return cut(where)
  }
  if (code !== undefined || /fetch failed|cannot connect/i.test(messageOf(error))) {
    const why = (code === undefined ? undefined : words[code]) ?? code ?? "the connection failed"
    return make(
      where,
      "unreachable",
      `Cannot reach ${where.provider} at ${where.url}: ${why}${code === undefined || why === code ? "" : ` (${code})`}. Check that it runs, the network, and base_url in ${table(where)}.`
    )
  }
  return make(
    where,
    "config",
    `The request to ${where.provider} could not be made: ${excerpt(where, messageOf(error))}. Check the settings in ${table(where)}.`
  )
}
