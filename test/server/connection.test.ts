// Envelopes, order and bad input over an in-memory connection.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream, TestClock } from "effect"
import { AgentRequests } from "../../src/contract/AgentMethods.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"

const { cwd, say, scripted, start } = Embedded
const served = start({ model: scripted(say("ok")) })
const strict = start({ model: scripted(say("ok")), config: { acp: { dialect: "strict" } } })
const params = { cwd, mcpServers: [] }

describe("connection", () => {
  it.scoped("has a route for every method of the contract, and refuses the rest", () =>
    Effect.gen(function* () {
      // Not auto: without mcpServers it would be a client of the dialect that speaks.
      const { peer } = yield* strict
      yield* Peer.initialize(peer)
      for (const method of AgentRequests.requests.keys()) {
        const { error } = yield* peer.request(method, { protocolVersion: 1 })
        assert.notStrictEqual(error?.code, -32601, method)
      }
      for (const method of ["session/archive", "session/kill", "providers/list", "terminal/create"]) {
        assert.strictEqual((yield* peer.request(method, {})).error?.code, -32601, method)
      }
    })
  )

  it.scoped("answers 1 to every protocol version and repeats initialize", () =>
    Effect.gen(function* () {
      const { peer } = yield* served
      for (const protocolVersion of [1, 0, 99, 65535]) {
        const { result } = yield* peer.request("initialize", { protocolVersion, info: { name: "v2" } })
        assert.strictEqual(result?.["protocolVersion"], 1)
      }
      assert.strictEqual((yield* peer.request("session/new", params)).error, undefined)
    })
  )

  it.scoped.each([{}, { protocolVersion: "2025-06-18" }, { protocolVersion: 70000 }, { protocolVersion: null }])(
    "refuses initialize with %o, naming protocolVersion, and takes the next",
    (bad) =>
      Effect.gen(function* () {
        const { peer } = yield* strict
        const { error } = yield* peer.request("initialize", bad)
        assert.strictEqual(error?.code, -32602)
        assert.include(error?.message ?? "", "protocolVersion")
        assert.strictEqual((yield* Peer.initialize(peer)).error, undefined)
      })
  )

  it.scoped("reads wrong-typed capabilities as absent", () =>
    Effect.gen(function* () {
      const { peer } = yield* served
      for (const capabilities of [{ fs: { readTextFile: true }, terminal: "yes" }, null, "yes", { fs: null }, [], 7]) {
        assert.strictEqual((yield* Peer.initialize(peer, capabilities)).error, undefined)
      }
    })
  )

  it.scoped("refuses requests before initialize, and takes what is pipelined behind it", () =>
    Effect.gen(function* () {
      const { peer } = yield* served
      assert.strictEqual((yield* peer.request("session/new", params)).error?.code, -32600)
      const first = yield* peer.start("initialize", { protocolVersion: 1 })
      const second = yield* peer.start("session/new", params)
      yield* peer.response(first)
      assert.strictEqual((yield* peer.response(second)).error, undefined)
    })
  )

  it.scoped("answers malformed messages with one error each, and nothing to notifications and responses", () =>
    Effect.gen(function* () {
      const { peer } = yield* served
      yield* Peer.initialize(peer)
      const silent = [
        '{"jsonrpc":"2.0","method":"_x.ai/mcp/servers_updated","params":{}}',
        '{"jsonrpc":"2.0","method":"$/progress","params":{}}',
        '{"jsonrpc":"2.0","method":"totally/unknown","params":[]}',
        '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"nope"}}',
        '{"jsonrpc":"2.0","method":"session/cancel","params":{}}',
        '{"jsonrpc":"2.0","method":"session/cancel"}',
        '{"jsonrpc":"2.0","id":777,"result":{"outcome":{"outcome":"selected","optionId":"allow"}}}',
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"your line was bad"}}',
        '{"jsonrpc":"2.0","id":778}',
        '{"method":"$/ping"}'
      ]
      const loud = [
        '{"jsonrpc":"2.0","id":5,"method":"session/new"',
        "[]",
        '"hello"',
        "42",
        '[{"jsonrpc":"2.0","id":1,"method":"x"}]'
      ]
      for (const line of [...silent, ...loud]) yield* peer.send(line)
      const last = yield* peer.request("_zed.dev/nope", {})
      assert.strictEqual(last.error?.code, -32601)
      const errors = peer.frames().slice(1, -1)
      assert.strictEqual(errors.length, loud.length)
      assert.isTrue(
        errors.every((frame) => frame._tag === "Response" && frame.id === null && frame.error !== undefined)
      )
    })
  )

  it.scoped("refuses params that are not an object", () =>
    Effect.gen(function* () {
      const { peer } = yield* served
      yield* Peer.initialize(peer)
      assert.strictEqual((yield* peer.request("session/new", [])).error?.code, -32602)
    })
  )

  it.scoped("refuses an id that is in use and keeps the first request running", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(() => Stream.never) })
      yield* Peer.initialize(peer)
      const sessionId = yield* Peer.newSession(peer, cwd)
      yield* peer.start("session/prompt", Peer.promptParams(sessionId, "slow"), 70)
      yield* peer.start("initialize", { protocolVersion: 1 }, 70)
      assert.strictEqual((yield* peer.response(70)).error?.code, -32600)
      yield* peer.notify("session/cancel", { sessionId })
      const second = yield* peer.until(
        (frame) => frame._tag === "Response" && frame.id === 70 && frame.result !== undefined
      )
      assert.strictEqual(second._tag === "Response" ? second.result?.["stopReason"] : undefined, "cancelled")
    })
  )

  it.scoped.each([".", "~/p", "", "file:///tmp"])("refuses cwd %s, naming it", (bad) =>
    Effect.gen(function* () {
      const { peer } = yield* served
      yield* Peer.initialize(peer)
      const { error } = yield* peer.request("session/new", { cwd: bad, mcpServers: [] })
      assert.strictEqual(error?.code, -32602)
      assert.include(error?.message ?? "", "cwd")
    })
  )

  it.scoped("refuses a missing cwd, bad shapes and unknown sessions, each with its code", () =>
    Effect.gen(function* () {
      const { peer } = yield* strict
      yield* Peer.initialize(peer)
      const sessionId = yield* Peer.newSession(peer, cwd)
      const code = (method: string, bad: unknown) => Effect.map(peer.request(method, bad), ({ error }) => error?.code)
      assert.strictEqual(yield* code("session/new", { mcpServers: [] }), -32602)
      assert.strictEqual(yield* code("session/prompt", { sessionId: 42, prompt: [] }), -32602)
      assert.strictEqual(yield* code("session/prompt", { sessionId, prompt: [] }), -32602)
      assert.strictEqual(yield* code("session/prompt", { sessionId, prompt: "hi" }), -32602)
      assert.strictEqual(yield* code("session/prompt", Peer.promptParams(sessionId, " \n")), -32602)
      assert.strictEqual(yield* code("session/prompt", { sessionId, prompt: [{ type: "hologram", x: 1 }] }), -32602)
      assert.strictEqual(yield* code("session/load", {}), -32602)
      for (const id of ["never-made", "__proto__", "constructor", "%"]) {
        assert.strictEqual(yield* code("session/prompt", Peer.promptParams(id, "x")), -32002)
        assert.strictEqual(yield* code("session/load", { sessionId: id, ...params }), -32002)
      }
      const image = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" }
      const refused = yield* peer.request("session/prompt", { sessionId, prompt: [image] })
      assert.strictEqual(refused.error?.code, -32602)
      assert.include(refused.error?.message ?? "", "image")
      const fine = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "ok?"))
      assert.strictEqual(fine.result?.["stopReason"], "end_turn")
    })
  )

  it.scoped("holds the session limit also under parallel requests", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(say("ok")), config: { acp: { max_sessions: 10 } } })
      yield* Peer.initialize(peer)
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => peer.request("session/new", params)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ result }) => result !== undefined).length, 10)
      assert.isTrue(answers.every(({ error }) => error === undefined || error.code === -31002))
    })
  )

  it.scoped("answers each of 3 000 prompts on one busy session exactly once", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(() => Stream.never) })
      yield* Peer.initialize(peer)
      const sessionId = yield* Peer.newSession(peer, cwd)
      for (let id = 100; id < 3100; id++) yield* peer.start("session/prompt", Peer.promptParams(sessionId, "x"), id)
      yield* peer.notify("session/cancel", { sessionId })
      yield* peer.response(100)
      const answers = peer
        .frames()
        .flatMap((frame) =>
          frame._tag === "Response" && typeof frame.id === "number" && frame.id >= 100 ? [frame.id] : []
        )
      assert.strictEqual(new Set(answers).size, 3000)
      assert.strictEqual(answers.length, 3000)
    })
  )

  it.scoped("forgets a request once it is answered, also when its answer had to wait for room", () =>
    Effect.gen(function* () {
      const { peer } = yield* served
      yield* Peer.initialize(peer)
      const burst = Array.from({ length: 900 }, (_, n) => n + 1000)
      for (let round = 0; round < 3; round++) {
        const start = (id: number) => peer.start("session/prompt", Peer.promptParams("nope", "x"), id)
        const from = peer.frames().length
        yield* Effect.forEach(burst, start, { discard: true })
        yield* peer.until((frame) => frame._tag === "Response" && frame.id === 1899, from)
        const codes = peer
          .frames()
          .slice(from)
          .flatMap((frame) => (frame._tag === "Response" ? [frame.error?.code] : []))
        assert.deepStrictEqual(new Set(codes), new Set([-32002]))
        assert.strictEqual(codes.length, 900)
      }
    })
  )

  it.scoped("never repeats a value it refuses, which may be a secret", () =>
    Effect.gen(function* () {
      const { peer } = yield* served
      yield* Peer.initialize(peer)
      const { error } = yield* peer.request("session/new", {
        cwd,
        mcpServers: { gh: { env: { TOKEN: "ghp_SECRET" } } }
      })
      assert.strictEqual(error?.code, -32602)
      assert.include(error?.message ?? "", "mcpServers")
      assert.notInclude(JSON.stringify(error), "SECRET")
    })
  )

  it.scoped("refuses to load a session that is open here with another folder", () =>
    Effect.gen(function* () {
      const { peer } = yield* served
      yield* Peer.initialize(peer)
      const sessionId = yield* Peer.newSession(peer, cwd)
      const { error } = yield* peer.request("session/load", { sessionId, cwd: "/other", mcpServers: [] })
      assert.strictEqual(error?.code, -32602)
      assert.strictEqual((yield* peer.request("session/load", { sessionId, ...params })).error, undefined)
    })
  )

  it.scoped("frees a session on close and when it was idle for too long; its history can be loaded", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({
        model: scripted(say("ok")),
        config: { acp: { max_sessions: 1, session_timeout_secs: 100 } }
      })
      yield* Peer.initialize(peer)
      const first = yield* Peer.newSession(peer, cwd)
      assert.strictEqual((yield* peer.request("session/new", params)).error?.code, -31002)
      assert.deepStrictEqual((yield* peer.request("session/close", { sessionId: first })).result, {})
      assert.strictEqual((yield* peer.request("session/close", { sessionId: first })).error?.code, -32002)
      const second = yield* Peer.newSession(peer, cwd)
      yield* TestClock.adjust("90 seconds")
      yield* peer.request("session/prompt", Peer.promptParams(second, "hi"))
      yield* TestClock.adjust("90 seconds")
      assert.strictEqual((yield* peer.request("session/prompt", Peer.promptParams(second, "hi"))).error, undefined)
      yield* TestClock.adjust("200 seconds")
      assert.strictEqual((yield* peer.request("session/prompt", Peer.promptParams(second, "hi"))).error?.code, -32002)
      assert.strictEqual((yield* peer.request("session/load", { sessionId: first, ...params })).error, undefined)
    })
  )

  it.scoped("names MCP servers it does not start, in the next turn", () =>
    Effect.gen(function* () {
      const { peer } = yield* served
      yield* Peer.initialize(peer)
      const servers = [{ name: "files", command: "/bin/x", args: [], env: [] }, { name: "odd" }]
      const { result } = yield* peer.request("session/new", { cwd, mcpServers: servers })
      const sessionId = String(result?.["sessionId"])
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "hi"))
      assert.include(Peer.textOf(peer.updates(), "agent_message_chunk"), "files")
    })
  )

  it.scoped("says it in a notice to a client that has notices, and in no message", () =>
    Effect.gen(function* () {
      const { peer } = yield* served
      yield* Peer.initialize(peer, { session: { notices: {} } })
      const { result } = yield* peer.request("session/new", { cwd, mcpServers: [{ name: "files" }] })
      const sessionId = String(result?.["sessionId"])
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "hi"))
      const notices = peer.updates(sessionId).filter(({ sessionUpdate }) => sessionUpdate === "notice")
      assert.deepStrictEqual(
        notices.map(({ severity }) => severity),
        ["warning"]
      )
      assert.include(String(notices[0]?.["title"]), "MCP")
      assert.notInclude(Peer.textOf(peer.updates(sessionId), "agent_message_chunk"), "MCP")
    })
  )

  it.scoped("answers with the configuration's error when a session is opened, not before", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({
        model: scripted(say("ok")),
        config: { risk_profiles: { a: { forbiden_paths: [] } } }
      })
      assert.strictEqual((yield* Peer.initialize(peer)).error, undefined)
      const { error } = yield* peer.request("session/new", params)
      assert.strictEqual(error?.code, -32603)
      assert.include(error?.message ?? "", "risk_profiles.a.forbiden_paths")
    })
  )
})
