// Fetching over real sockets. The real rules refuse every local server, so rules that allow one are given by the tests.
import * as http from "node:http"
import * as net from "node:net"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Either, Fiber } from "effect"
import { addressRefusal } from "../../src/policy/AddressRules.ts"
import {
  defaultLimits,
  type FetchLimits,
  type FetchRules,
  fetchBy,
  fetchUrl,
  isTextType,
  publicWeb
} from "../../src/policy/Fetch.ts"
import { FetchError } from "../../src/policy/Fetched.ts"

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void

interface Site {
  readonly port: number
  readonly requests: Array<http.IncomingMessage>
  readonly at: (path: string, host?: string) => string
}

/** A server of this machine; whatever is still open ends with the scope. */
const site = (handler: Handler) =>
  Effect.acquireRelease(
    Effect.async<{ readonly server: http.Server; readonly site: Site }>((resume) => {
      const requests: Array<http.IncomingMessage> = []
      const server = http.createServer((request, response) => {
        requests.push(request)
        handler(request, response)
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = addressOf(server)
        const at = (path: string, host = "site.test") => `http://${host}:${port}${path}`
        resume(Effect.succeed({ server, site: { port, requests, at } }))
      })
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map(({ site }) => site))

/** Takes connections and says nothing. */
const silent = Effect.map(
  Effect.acquireRelease(
    Effect.async<{ readonly server: net.Server; readonly sockets: Array<net.Socket> }>((resume) => {
      const sockets: Array<net.Socket> = []
      const server = net.createServer((socket) => void sockets.push(socket.on("error", () => {})))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ server, sockets })))
    }),
    ({ server, sockets }) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
  ),
  ({ server }) => addressOf(server).port
)

const addressOf = (server: net.Server): net.AddressInfo => {
  const address = server.address()
  assert(address !== null && typeof address === "object")
  return address
}

/** Each look-up takes the next list; the last one again when there are no more. */
const names = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  const asked: Array<string> = []
  const resolve: FetchRules["resolve"] = (host) =>
    Effect.sync(() => {
      const answer = answers[Math.min(asked.length, answers.length - 1)] ?? []
      asked.push(host)
      return answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
    })
  return { asked, resolve }
}

/** The real rules, but for this machine under the name `site.test` and on every port. */
const rules = (change: Partial<FetchRules> = {}): FetchRules => ({
  url: (text) => {
    const url = new URL(text)
    return url.hostname.endsWith(".test") ? Either.right(url) : publicWeb.url(text)
  },
  address: (ip) => (ip === "127.0.0.1" ? undefined : addressRefusal(ip)),
  resolve: names(["127.0.0.1"]).resolve,
  ...change
})

const get = (url: string, change: Partial<FetchRules> = {}, limits: Partial<FetchLimits> = {}) =>
  fetchBy(rules(change), url, { ...defaultLimits, ...limits })
const why = (url: string, change: Partial<FetchRules> = {}, limits: Partial<FetchLimits> = {}) =>
  Effect.flip(Effect.map(get(url, change, limits), ({ status }) => `not refused: ${status}`))
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8")

const plain =
  (text: string): Handler =>
  (_, response) =>
    void response.setHeader("content-type", "text/plain").end(text)
const redirect =
  (location: string, status = 302): Handler =>
  (_, response) =>
    void response.writeHead(status, { location }).end()

describe("what is reached", () => {
  it.scopedLive("a page comes with its status, type and place, and nothing of ours is sent", () =>
    Effect.gen(function* () {
      const it = yield* site(plain("hello"))
      const page = yield* get(it.at("/a?b=c#d"))
      assert.strictEqual(textOf(page.bytes), "hello")
      assert.deepInclude(page, { status: 200, contentType: "text/plain", complete: true, url: it.at("/a?b=c#d") })
      const [request] = it.requests
      assert.strictEqual(request?.method, "GET")
      assert.strictEqual(request?.url, "/a?b=c")
      assert.strictEqual(request?.headers.host, `site.test:${it.port}`)
      assert.sameMembers(Object.keys(request?.headers ?? {}), [
        "accept",
        "accept-encoding",
        "connection",
        "host",
        "user-agent"
      ])
    })
  )

  it.scopedLive("this machine is refused by the real rules before anything is connected", () =>
    Effect.gen(function* () {
      const it = yield* site(plain("secret"))
      for (const host of ["127.0.0.1", "localhost", "[::1]", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]"]) {
        assert.strictEqual((yield* Effect.flip(fetchUrl(it.at("/", host)))).reason, "refused")
      }
      // With its port out of the way, the name and the address are what is refused.
      const anyPort: Partial<FetchRules> = { url: (text) => Either.right(new URL(text)), address: addressRefusal }
      for (const host of ["127.0.0.1", "rebound.example.com", "[::ffff:127.0.0.1]"]) {
        const error = yield* why(it.at("/", host), anyPort)
        assert.strictEqual(error.reason, "refused", host)
        assert.include(error.message, "this machine")
      }
      assert.lengthOf(it.requests, 0)
    })
  )

  it.scopedLive("a name is refused when any of its addresses is", () =>
    Effect.gen(function* () {
      const it = yield* site(plain("secret"))
      for (const list of [["10.0.0.1"], ["127.0.0.1", "10.0.0.1"], ["127.0.0.1", "::1"], ["169.254.169.254"]]) {
        assert.strictEqual((yield* why(it.at("/"), { resolve: names(list).resolve })).reason, "refused")
      }
      assert.strictEqual((yield* why(it.at("/"), { resolve: names([]).resolve })).reason, "unreachable")
      assert.lengthOf(it.requests, 0)
    })
  )

  it.scopedLive("a name is looked up once, and what was judged is what is connected to", () =>
    Effect.gen(function* () {
      const it = yield* site(plain("hello"))
      const dns = names(["127.0.0.1"], ["10.0.0.1"])
      assert.strictEqual((yield* get(it.at("/"), { resolve: dns.resolve })).status, 200)
      assert.deepStrictEqual(dns.asked, ["site.test"])
    })
  )

  it.scopedLive("a name that answers otherwise the second time is refused then", () =>
    Effect.gen(function* () {
      const it = yield* site(redirect("/again"))
      const error = yield* why(it.at("/"), { resolve: names(["127.0.0.1"], ["10.0.0.1"]).resolve })
      assert.strictEqual(error.reason, "refused")
      assert.include(error.message, "10.0.0.1")
      assert.lengthOf(it.requests, 1)
    })
  )

  it.scopedLive("nobody there is told as that", () =>
    Effect.gen(function* () {
      const it = yield* site((request) => void request.socket.destroy())
      assert.strictEqual((yield* why(it.at("/"))).reason, "unreachable")
      const lost = Effect.fail(new FetchError({ reason: "unreachable", message: "no such host" }))
      assert.strictEqual((yield* why(it.at("/"), { resolve: () => lost })).message, "no such host")
    })
  )
})

describe("redirects", () => {
  it.scopedLive("are followed on the same host, and the last place is told", () =>
    Effect.gen(function* () {
      const it = yield* site((request, response) =>
        request.url === "/end" ? plain("end")(request, response) : redirect("/end", 308)(request, response)
      )
      const page = yield* get(it.at("/"))
      assert.strictEqual(page.url, it.at("/end"))
      assert.strictEqual(textOf(page.bytes), "end")
    })
  )

  it.scopedLive("to a private place are refused, and it is not asked", () =>
    Effect.gen(function* () {
      const secret = yield* site(plain("secret"))
      for (const to of [
        secret.at("/", "127.0.0.1"),
        "http://169.254.169.254/",
        "http://localhost/",
        "file:///etc/passwd",
        "//[::1]/"
      ]) {
        const it = yield* site(redirect(to))
        const error = yield* why(it.at("/"))
        assert.strictEqual(error.reason, "refused", to)
      }
      assert.lengthOf(secret.requests, 0)
    })
  )

  it.scopedLive("to another host end with its URL, for the model to ask for", () =>
    Effect.gen(function* () {
      const other = yield* site(plain("other"))
      const it = yield* site(redirect(other.at("/there", "other.test")))
      const error = yield* why(it.at("/"))
      assert.strictEqual(error.reason, "redirect")
      assert.include(error.message, other.at("/there", "other.test"))
      assert.lengthOf(other.requests, 0)
    })
  )

  it.scopedLive("five at most, and each place is looked up anew", () =>
    Effect.gen(function* () {
      const it = yield* site((request, response) => redirect(`${request.url}x`)(request, response))
      const dns = names(["127.0.0.1"])
      const error = yield* why(it.at("/"), { resolve: dns.resolve })
      assert.strictEqual(error.reason, "redirect")
      assert.lengthOf(it.requests, 6)
      assert.lengthOf(dns.asked, 6)
    })
  )

  it.scopedLive("without a place to go to are a page, and broken ones are told", () =>
    Effect.gen(function* () {
      const it = yield* site((_, response) => void response.writeHead(302).end("moved"))
      assert.strictEqual((yield* get(it.at("/"))).status, 302)
      const broken = yield* site(redirect("http://[bad"))
      assert.strictEqual((yield* why(broken.at("/"))).reason, "invalid")
    })
  )
})

describe("bodies", () => {
  const zeros = gzipSync(Buffer.alloc(64 * 1024 * 1024))
  const endless =
    (bytes: Uint8Array, type = "text/plain"): Handler =>
    (_, response) => {
      response.setHeader("content-type", type)
      const more = () => {
        while (response.write(bytes));
      }
      response.on("drain", more)
      more()
    }

  it.scopedLive("one without end is cut at the limit, and its connection closed", () =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<void>()
      const it = yield* site((request, response) => {
        response.on("close", () => Deferred.unsafeDone(closed, Effect.void))
        endless(Buffer.alloc(64 * 1024, "x"))(request, response)
      })
      const page = yield* get(it.at("/"), {}, { maxBytes: 100_001 })
      assert.strictEqual(page.bytes.length, 100_001)
      assert.isFalse(page.complete)
      yield* Deferred.await(closed)
    })
  )

  it.scopedLive("one of exactly the limit is whole", () =>
    Effect.gen(function* () {
      const it = yield* site(plain("x".repeat(1000)))
      assert.isTrue((yield* get(it.at("/"), {}, { maxBytes: 1000 })).complete)
      assert.isFalse((yield* get(it.at("/"), {}, { maxBytes: 999 })).complete)
    })
  )

  it.scopedLive("a small one that unpacks to a huge one is cut where it is unpacked", () =>
    Effect.gen(function* () {
      const it = yield* site(
        (_, response) =>
          void response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(zeros)
      )
      const page = yield* get(it.at("/"), {}, { maxBytes: 1024 * 1024 })
      assert.strictEqual(page.bytes.length, 1024 * 1024)
      assert.isFalse(page.complete)
    })
  )

  it.scopedLive("one that sends without end and unpacks to nothing is cut where it arrives", () =>
    Effect.gen(function* () {
      const nothing = gzipSync("")
      const it = yield* site((request, response) => {
        response.setHeader("content-encoding", "gzip")
        endless(Buffer.concat(Array.from({ length: 1000 }, () => nothing)))(request, response)
      })
      assert.isFalse((yield* get(it.at("/"), {}, { maxBytes: 200_000 })).complete)
    })
  )

  it.scopedLive("packed ones come unpacked; damaged, cut off and unknown ones are told", () =>
    Effect.gen(function* () {
      const packed =
        (body: Uint8Array, encoding: string): Handler =>
        (_, response) =>
          void response.writeHead(200, { "content-encoding": encoding }).end(body)
      const good = yield* site(packed(gzipSync("hello"), "gzip"))
      assert.strictEqual(textOf((yield* get(good.at("/"))).bytes), "hello")
      const damaged = yield* site(packed(gzipSync("hello").subarray(0, 15), "gzip"))
      assert.strictEqual((yield* why(damaged.at("/"))).reason, "invalid")
      const unknown = yield* site(packed(Buffer.from("x"), "gzip, gzip"))
      assert.strictEqual((yield* why(unknown.at("/"))).reason, "invalid")
      const short = yield* site((request, response) => {
        response.writeHead(200, { "content-length": "100" }).write("x", () => request.socket.destroy())
      })
      assert.strictEqual((yield* why(short.at("/"))).reason, "invalid")
    })
  )

  it.scopedLive("what is not text is not read", () =>
    Effect.gen(function* () {
      const it = yield* site(endless(Buffer.alloc(64 * 1024), "image/png"))
      const error = yield* why(it.at("/"))
      assert.strictEqual(error.reason, "not_text")
      assert.include(error.message, "image/png")
    })
  )

  it("knows what is text", () => {
    for (const type of [
      "",
      "text/html",
      "TEXT/Plain; charset=x",
      "application/json",
      "application/ld+json",
      "image/svg+xml",
      "application/xhtml+xml"
    ]) {
      assert.strictEqual(isTextType(type), !type.startsWith("image/"), type)
    }
    for (const type of ["application/pdf", "application/octet-stream", "video/mp4", "application/zip"]) {
      assert.isFalse(isTextType(type), type)
    }
  })
})

describe("time", () => {
  const stalled: Handler = (_, response) => {
    response.writeHead(200, { "content-type": "text/plain" })
    response.write("a little")
  }

  it.scopedLive("an answer or a body that does not come to its end is given up", () =>
    Effect.gen(function* () {
      for (const handler of [() => {}, stalled]) {
        const it = yield* site(handler)
        assert.strictEqual((yield* why(it.at("/"), {}, { whole: "200 millis" })).reason, "timeout")
      }
    })
  )

  it.scopedLive("a host that answers no connection is given up sooner", () =>
    Effect.gen(function* () {
      // The connection is only there when TLS is, which this server never speaks.
      const port = yield* silent
      const error = yield* why(`https://site.test:${port}/`, {}, { connect: "200 millis" })
      assert.strictEqual(error.reason, "timeout")
      assert.include(error.message, "did not accept")
    })
  )

  it.scopedLive("interruption closes the connection", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const closed = yield* Deferred.make<void>()
      const it = yield* site((request, response) => {
        request.socket.on("close", () => Deferred.unsafeDone(closed, Effect.void))
        stalled(request, response)
        Deferred.unsafeDone(asked, Effect.void)
      })
      const fiber = yield* Effect.fork(get(it.at("/")))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(closed)
    })
  )
})
