// Fetches a page of the public web: each address is judged, then connected to as judged, at every redirect anew.
import * as dns from "node:dns"
import * as http from "node:http"
import * as https from "node:https"
import { isIP } from "node:net"
import { Deferred, type Duration, Effect, Either, type Scope } from "effect"
import { addressRefusal, parseUrl } from "./AddressRules.ts"
import { encodings, readBody } from "./FetchBody.ts"
import { FetchError, type Fetched } from "./Fetched.ts"
import { visible } from "./PathText.ts"

export interface FetchLimits {
  readonly connect: Duration.DurationInput
  readonly whole: Duration.DurationInput
  readonly maxBytes: number
  readonly maxRedirects: number
}

export const defaultLimits: FetchLimits = {
  connect: "10 seconds",
  whole: "30 seconds",
  maxBytes: 5 * 1024 * 1024,
  maxRedirects: 5
}

interface Address {
  readonly address: string
  readonly family: number
}

/** What is allowed, and how names are looked up. */
export interface FetchRules {
  readonly url: (text: string) => Either.Either<URL, string>
  /** Why an address is refused. */
  readonly address: (ip: string) => string | undefined
  readonly resolve: (host: string) => Effect.Effect<ReadonlyArray<Address>, FetchError>
}

const fail = (reason: FetchError["reason"], message: string) => new FetchError({ reason, message: visible(message) })

const resolve: FetchRules["resolve"] = (host) =>
  Effect.async((resume) => {
    dns.lookup(host, { all: true, verbatim: true }, (error, addresses) =>
      resume(
        error === null
          ? Effect.succeed(addresses)
          : fail("unreachable", `The host ${host} was not found (${error.code ?? "no answer"}). Check its spelling.`)
      )
    )
  })

export const publicWeb: FetchRules = { url: parseUrl, address: addressRefusal, resolve }

/** One bad address spoils a name: which of them is connected to is not ours to choose. */
const judged = (rules: FetchRules, { hostname }: URL): Effect.Effect<ReadonlyArray<Address>, FetchError> =>
  Effect.gen(function* () {
    const literal = hostname.replace(/^\[(.*)\]$/, "$1")
    const family = isIP(literal)
    const found = family === 0 ? yield* rules.resolve(hostname) : [{ address: literal, family }]
    if (found.length === 0) return yield* fail("unreachable", `The host ${hostname} has no address.`)
    for (const { address } of found) {
      const why = rules.address(address)
      if (why !== undefined) return yield* fail("refused", `${hostname} can't be fetched: ${address}: ${why}.`)
    }
    return found
  })

const headers = {
  accept: "text/markdown, text/html;q=0.9, application/json;q=0.9, text/plain;q=0.8, */*;q=0.1",
  "accept-encoding": encodings,
  "user-agent": "zeroclaw-acp"
}

/** No agent of the process, no proxy of the environment, no second look-up: what was judged is what is connected to. */
const optionsFor = (addresses: ReadonlyArray<Address>): https.RequestOptions => ({
  method: "GET",
  agent: false,
  rejectUnauthorized: true,
  insecureHTTPParser: false,
  headers,
  lookup: (_host, options, callback) => {
    const [first] = addresses
    if (options.all === true) callback(null, [...addresses])
    else callback(null, first?.address ?? "", first?.family)
  }
})

/** The head of the answer; the socket lives no longer than the scope. */
const ask = (
  url: URL,
  addresses: ReadonlyArray<Address>,
  limits: FetchLimits
): Effect.Effect<http.IncomingMessage, FetchError, Scope.Scope> =>
  Effect.gen(function* () {
    const connected = yield* Deferred.make<void, FetchError>()
    const answered = yield* Deferred.make<http.IncomingMessage, FetchError>()
    const failed = (why: string) => {
      const error = fail("unreachable", `${url.host} could not be reached (${why}).`)
      Deferred.unsafeDone(connected, error)
      Deferred.unsafeDone(answered, error)
    }
    const secure = url.protocol === "https:"
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const request = (secure ? https : http).request(url, optionsFor(addresses))
        request.on("socket", (socket) =>
          socket.once(secure ? "secureConnect" : "connect", () => Deferred.unsafeDone(connected, Effect.void))
        )
        request.on("response", (response) => Deferred.unsafeDone(answered, Effect.succeed(response)))
        request.on("error", (error) => failed(error.message))
        request.on("close", () => failed("the connection was closed"))
        request.end()
        return request
      }),
      (request) => Effect.sync(() => request.destroy())
    )
    yield* Effect.timeoutFail(Deferred.await(connected), {
      duration: limits.connect,
      onTimeout: () => fail("timeout", `${url.host} did not accept the connection in time. Try again later.`)
    })
    return yield* Deferred.await(answered)
  })

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Where a redirect of the same host leads. Another host is another question to the person. */
const follow = (rules: FetchRules, from: URL, location: string): Either.Either<URL, FetchError> =>
  Either.gen(function* () {
    const target = yield* Either.try({
      try: () => new URL(location, from).href,
      catch: () => fail("invalid", `${from.host} redirects to something that is no URL.`)
    })
    const to = yield* Either.mapLeft(rules.url(target), (why) => fail("refused", `It redirects: ${why}`))
    if (to.hostname !== from.hostname) {
      return yield* Either.left(
        fail("redirect", `It redirects to another host: ${to.href}. Fetch that URL if it is what you want.`)
      )
    }
    if (from.protocol === "https:" && to.protocol === "http:") {
      return yield* Either.left(fail("redirect", `It redirects from https to http: ${to.href}. That is not followed.`))
    }
    return to
  })

/** Of what a page can be read as. */
export const isTextType = (contentType: string): boolean => {
  const essence = (contentType.split(";")[0] ?? "").trim().toLowerCase()
  return (
    essence === "" ||
    essence.startsWith("text/") ||
    /^application\/(?:(?:[\w.-]+\+)?(?:json|xml|yaml)|x-ndjson|json-seq|jsonl|javascript|ecmascript|typescript|toml|x-yaml|x-sh|graphql|sql)$/.test(
      essence
    )
  )
}

const hop = (
  rules: FetchRules,
  limits: FetchLimits,
  url: URL
): Effect.Effect<Fetched | { readonly next: URL }, FetchError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const response = yield* ask(url, yield* judged(rules, url), limits)
      const { location, "content-type": contentType = "" } = response.headers
      const status = response.statusCode ?? 0
      if (redirects.has(status) && location !== undefined) return { next: yield* follow(rules, url, location) }
      if (!isTextType(contentType)) {
        return yield* fail("not_text", `${url.href} is ${contentType.slice(0, 100)}, not text (status ${status}).`)
      }
      return { url: url.href, status, contentType, ...(yield* readBody(response, limits.maxBytes)) }
    })
  )

const walk = (rules: FetchRules, limits: FetchLimits, url: URL, left: number): Effect.Effect<Fetched, FetchError> =>
  Effect.flatMap(hop(rules, limits, url), (result) => {
    if (!("next" in result)) return Effect.succeed(result)
    return left === 0
      ? fail("redirect", `${url.href} redirects more than ${limits.maxRedirects} times.`)
      : walk(rules, limits, result.next, left - 1)
  })

export const fetchBy = (rules: FetchRules, url: string, limits: FetchLimits): Effect.Effect<Fetched, FetchError> =>
  Effect.flatMap(
    Either.mapLeft(rules.url(url), (message) => fail("refused", message)),
    (start) => walk(rules, limits, start, limits.maxRedirects)
  ).pipe(
    Effect.timeoutFail({
      duration: limits.whole,
      onTimeout: () => fail("timeout", `${url.slice(0, 300)} took too long. Try again later, or another page.`)
    })
  )

/** Only the public web. */
export const fetchUrl = (url: string, limits: FetchLimits = defaultLimits): Effect.Effect<Fetched, FetchError> =>
  fetchBy(publicWeb, url, limits)
