// Attacks on the protocol: what a hostile client can send. Memory is read from /proc where the point is its growth.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import * as Cases from "../support/Cases.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

const { cwd, say, scripted, start } = Embedded

const opened = (setup: Partial<Embedded.Setup> = {}) =>
  Effect.gen(function* () {
    const { peer } = yield* start({ model: scripted(say("ok")), ...setup })
    yield* Peer.initialize(peer)
    return { peer, sessionId: yield* Peer.newSession(peer, cwd) }
  })
const alive = (peer: Peer.Peer) =>
  Effect.map(peer.request("no/such", {}), ({ error }) => assert.strictEqual(error?.code, -32601))
const errors = (peer: Peer.Peer) =>
  peer.frames().flatMap((frame) => (frame._tag === "Response" && frame.error ? [[frame.id, frame.error.code]] : []))
const nest = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
const ask = (id: string, method: string, params: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`

describe("attacks on the protocol", () => {
  it.scoped("PROTO-003 ten thousand and a million levels are refused", () =>
    Effect.gen(function* () {
      const { peer } = yield* opened()
      for (const depth of [10_000, 1_000_000]) yield* peer.send(ask("1000", "session/new", nest(depth)))
      yield* alive(peer)
      const refused = errors(peer).slice(0, -1)
      assert.strictEqual(refused.length, 2)
      assert.isTrue(refused.every(([, code]) => code === -32700 || code === -32600))
    })
  )

  it.scoped("PROTO-004 depth below _meta, which could be sent back, is refused or survived", () =>
    Effect.gen(function* () {
      const { peer } = yield* opened()
      yield* peer.send(ask("1000", "session/new", `{"cwd":"${cwd}","mcpServers":[],"_meta":${nest(9000)}}`))
      yield* alive(peer)
      assert.strictEqual(errors(peer).length, 2)
    })
  )

  it.scoped("PROTO-005 keys of prototypes set nothing", () =>
    Effect.gen(function* () {
      const { peer } = yield* opened()
      const place = `"cwd":"${cwd}","mcpServers":[]`
      yield* Cases.sendRaw(
        peer,
        1000,
        "session/new",
        ask("1000", "session/new", `{${place},"__proto__":{"agentAlias":"admin","polluted":1}}`)
      )
      yield* Cases.sendRaw(
        peer,
        1001,
        "initialize",
        ask("1001", "initialize", '{"protocolVersion":1,"constructor":{"prototype":{"polluted":1}}}')
      )
      assert.strictEqual((yield* peer.response(1000)).error, undefined)
      assert.strictEqual((yield* peer.response(1001)).error, undefined)
      assert.notProperty({}, "polluted")
      assert.notProperty({}, "agentAlias")
    })
  )

  it.scoped("PROTO-007 names of prototypes are no sessions, in any method", () =>
    Effect.gen(function* () {
      const { peer } = yield* opened({ store: yield* Cases.durableStore })
      for (const sessionId of ["__proto__", "constructor", "toString"]) {
        const calls: ReadonlyArray<readonly [method: string, params: object]> = [
          ["session/prompt", { prompt: [{ type: "text", text: "x" }] }],
          ["session/load", Cases.place],
          ["session/resume", Cases.place],
          ["session/close", {}],
          ["session/set_mode", { modeId: "full" }]
        ]
        for (const [method, params] of calls) {
          const { error } = yield* peer.request(method, { sessionId, ...params })
          assert.strictEqual(error?.code, -32002, `${method} ${sessionId}`)
        }
        assert.strictEqual((yield* peer.request("session/delete", { sessionId })).error, undefined)
      }
    })
  )

  it.scopedLive("PROTO-009 a line that is not UTF-8 spoils nothing but itself", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place()
      const bad = Buffer.from("7b226a736f6e727063223a22322e30222c226964223a312c226d6574686f64223a22fffe227d0a", "hex")
      const after = Cases.line(2, "no/such", {})
      const { lines, status } = Cases.pipe(
        home,
        Buffer.concat([Buffer.from(Cases.initialize), bad, Buffer.from(after)])
      )
      const codes = Cases.others(lines).map((text) => JSON.parse(text).error.code)
      assert.strictEqual(status, 0)
      assert.deepStrictEqual(codes, [-32700, -32601])
    })
  )

  it.scopedLive("PROTO-011 lone surrogates come out as valid UTF-8", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { child, peer, sessionId } = yield* Server.open(place)
      const bytes: Array<Buffer> = []
      child.stdout.on("data", (chunk: Buffer) => bytes.push(chunk))
      const prompt = `[{"type":"text","text":"echo \\ud800 x"}]`
      const line = ask('"lone"', "session/prompt", `{"sessionId":"${sessionId}","prompt":${prompt}}`)
      yield* Cases.sendRaw(peer, "lone", "session/prompt", line)
      assert.strictEqual(Cases.stopReason(yield* peer.response("lone")), "end_turn")
      yield* peer.send(ask("1000", "session/new", '{"cwd":"/\\ud800","mcpServers":[]}'))
      assert.strictEqual((yield* peer.response(1000)).error?.code, -32602)
      const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(bytes))
      assert.isTrue(text.isWellFormed())
      assert.notMatch(text, /\\u[dD][89a-fA-F]/)
    })
  )

  it.scopedLive("PROTO-013 line separators inside of strings never split a line of output", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { peer, sessionId } = yield* Server.open(place)
      // The peer parses each line: a line that is none ends the test.
      yield* Server.prompt(peer, sessionId, "echo a\u2028b\u2029c\u0085d\r\ne")
      assert.include(Peer.textOf(peer.updates(), "agent_message_chunk"), "a\u2028b\u2029c\u0085d")
    })
  )

  it.scopedLive("PROTO-014 an id comes back byte for byte, or is refused", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place()
      const long = JSON.stringify("x".repeat(100_000))
      const good = ["null", '""', "9007199254740993", "-0", "-9223372036854775808", '"\\u00e9"', long]
      const bad = ["true", "{}", "[]", "1.5", "1e400", "9223372036854775808"]
      const input = [...good, ...bad].map((id) => `{"jsonrpc":"2.0","id":${id},"method":"no/such"}\n`).join("")
      const { lines } = Cases.pipe(home, Cases.initialize + input)
      const ids = Cases.others(lines).map((text) => /"id":(.*?),"error":\{"code":(-\d+)/.exec(text)?.slice(1))
      assert.deepStrictEqual(ids, [
        ...good.map((id) => [id === '"\\u00e9"' ? '"é"' : id, "-32601"]),
        ...bad.map(() => ["null", "-32600"])
      ])
    })
  )

  it.scoped("PROTO-019 fifty openings at once hold the limit", () =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened({
        store: yield* Cases.durableStore,
        config: { acp: { max_sessions: 10 } }
      })
      yield* peer.request("session/close", { sessionId })
      const opening = (n: number) =>
        n % 5 === 0
          ? peer.request("session/load", { sessionId, ...Cases.place })
          : peer.request("session/new", Cases.place)
      const answers = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, n) => n),
        opening,
        { concurrency: 50 }
      )
      const made = answers.filter(({ result }) => typeof result?.["sessionId"] === "string").length
      assert.isAtLeast(made, 9)
      assert.isAtMost(made, 10)
      const codes = new Set(answers.map(({ error }) => error?.code))
      codes.delete(undefined)
      // A load of what is just being loaded may be refused as busy.
      codes.delete(-31001)
      assert.deepStrictEqual([...codes], [-31002])
    })
  )

  it.scoped("PROTO-021 an id that is in use is refused, its first request goes on", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const model = scripted(() => Stream.fromEffect(Effect.as(Deferred.await(gate), Embedded.stop)))
      const { peer, sessionId } = yield* opened({ model })
      yield* peer.start("session/prompt", Peer.promptParams(sessionId, "slow"), 700)
      yield* peer.start("initialize", { protocolVersion: 1 }, 700)
      assert.strictEqual((yield* peer.response(700)).error?.code, -32600)
      yield* Deferred.succeed(gate, undefined)
      yield* peer.until((frame) => frame._tag === "Response" && frame.id === 700 && frame.result !== undefined)
      yield* alive(peer)
      assert.strictEqual(Cases.answersTo(peer, 700).length, 2)
    })
  )

  it.scopedLive("PROTO-023 what commands and the runtime print stays off stdout", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const env = { NODE_DEBUG: "*", NODE_OPTIONS: "--trace-warnings --trace-deprecation" }
      const { peer, sessionId } = yield* Server.open(place, { env })
      peer.answer(() => Server.allowOnce)
      // Each line is parsed and checked by the peer.
      const { result } = yield* Server.prompt(
        peer,
        sessionId,
        "run echo noise; echo more >&2; echo again > /proc/self/fd/1"
      )
      assert.strictEqual(result?.["stopReason"], "end_turn")
    })
  )
})
