// Kinds H and I: tool calls, questions, and how failures are told.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Option, Stream } from "effect"
import type { ModelEvent } from "../../src/model/Model.ts"
import { ModelError } from "../../src/model/ModelError.ts"
import { type Tool, ToolError } from "../../src/tools/Tool.ts"
import * as Cases from "../support/Cases.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

const { ask, call, cwd, say, scripted, start, tool } = Embedded

/** A tool that needs permission, and how often it ran. */
const counted = (name = "touch") => {
  const seen = { runs: 0 }
  const run = Effect.sync(() => {
    seen.runs++
    return "done"
  })
  return { seen, tool: tool(name, run) }
}

const opened = (setup: Partial<Embedded.Setup> & Pick<Embedded.Setup, "model">) =>
  Effect.gen(function* () {
    const server = yield* start({ policy: ask, ...setup })
    yield* Peer.initialize(server.peer)
    return { ...server, sessionId: yield* Peer.newSession(server.peer, cwd) }
  })
const prompt = (peer: Peer.Peer, sessionId: string, text = "go") =>
  peer.request("session/prompt", Peer.promptParams(sessionId, text))
const optionIds = (request: Peer.Request): ReadonlyArray<readonly [id: string, kind: string]> => {
  const { options } = request.params
  return Array.isArray(options) ? options.map(({ kind, optionId }) => [String(optionId), String(kind)]) : []
}

describe("H. tool calls and permission", () => {
  const denials: ReadonlyArray<NonNullable<Peer.Answer>> = [
    { error: { code: -32601, message: "Method not found" } },
    { result: {} },
    { result: { outcome: {} } },
    { result: { outcome: { outcome: "selected" } } },
    { result: { outcome: { outcome: "selected", optionId: "never-offered" } } },
    { result: { outcome: "selected" } },
    { result: null }
  ]
  it.scoped("H01 whatever is not a clear yes is a no, with a reason that can be seen", () =>
    Effect.gen(function* () {
      for (const answer of denials) {
        const { seen, tool } = counted()
        const { peer, sessionId } = yield* opened({ model: scripted(call(["touch", {}]), say("on")), tools: [tool] })
        peer.answer(() => answer)
        const { error } = yield* prompt(peer, sessionId)
        assert.strictEqual(error, undefined)
        assert.strictEqual(seen.runs, 0, JSON.stringify(answer))
        assert.deepStrictEqual([...Cases.lastStatuses(peer).values()], ["failed"])
        const card = peer.updates().findLast(({ status }) => status === "failed")
        assert.isNotEmpty(card?.["content"] ?? card?.["rawOutput"])
      }
    })
  )

  it.scoped("H02 each option that is offered does what its kind says", () =>
    Effect.gen(function* () {
      const kinds: Array<string> = []
      for (let at = 0; at === 0 || at < kinds.length; at++) {
        const { seen, tool } = counted()
        const { peer, sessionId } = yield* opened({ model: scripted(call(["touch", {}]), say("on")), tools: [tool] })
        peer.answer((request) => {
          const options = optionIds(request)
          kinds.splice(0, kinds.length, ...options.map(([, kind]) => kind))
          return { result: { outcome: { outcome: "selected", optionId: options[at]?.[0] }, _meta: { x: 1 } } }
        })
        yield* prompt(peer, sessionId)
        const allowed = kinds[at]?.startsWith("allow") === true
        assert.strictEqual(seen.runs, allowed ? 1 : 0, kinds[at])
        assert.deepStrictEqual([...Cases.lastStatuses(peer).values()], [allowed ? "completed" : "failed"])
      }
      assert.isAtLeast(kinds.length, 2)
    })
  )

  it.scoped.each(["cancel", "end of input"])("H03 while nobody answers all else works; then %s", (how) =>
    Effect.gen(function* () {
      const { seen, tool } = counted()
      const calls = [0, 1, 2, 3, 4].map((n) => ["touch", { n }, `call-${n}`] as const)
      const model = scripted((messages) =>
        JSON.stringify(messages).includes("other") ? say("fine")() : call(...calls)()
      )
      const { close, peer, sessionId } = yield* opened({ model, tools: [tool] })
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isPermission)
      const other = yield* Peer.newSession(peer, cwd)
      assert.strictEqual(Cases.stopReason(yield* prompt(peer, other, "other")), "end_turn")
      assert.strictEqual((yield* peer.request("session/list", {})).error, undefined)
      if (how === "cancel") yield* peer.notify("session/cancel", { sessionId })
      else yield* close
      assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "cancelled")
      assert.strictEqual(seen.runs, 0)
      assert.isTrue([...Cases.lastStatuses(peer).values()].every((status) => status === "failed"))
    })
  )

  it.scoped("H05 a call is announced, asked about, started and ended in this order", () =>
    Effect.gen(function* () {
      const model = scripted(call(["touch", {}]), say("on"))
      const { peer, sessionId } = yield* opened({ model, tools: [counted().tool] })
      peer.answer(() => Server.allowOnce)
      yield* prompt(peer, sessionId)
      const order = peer.frames().flatMap((frame) => {
        if (Peer.isPermission(frame)) return ["question"]
        if (frame._tag !== "Notification") return []
        const [update] = [frame.params["update"]].flat()
        const status = JSON.stringify(update).match(/"status":"(\w+)"/)?.[1]
        return String(Cases.kindOf(frame)).startsWith("tool_call") && status ? [status] : []
      })
      assert.deepStrictEqual(order, ["pending", "question", "in_progress", "completed"])
    })
  )

  it.scoped("a call that ends under another title says so with its result", () =>
    Effect.gen(function* () {
      const touch = counted().tool
      const titled: Tool = {
        ...touch,
        prepare: (input, policy) =>
          Effect.map(touch.prepare(input, policy), (call) => ({
            ...call,
            run: () => Effect.succeed({ text: "done", title: "The report" })
          }))
      }
      const model = scripted(call(["touch", {}]), say("on"))
      const { peer, sessionId } = yield* opened({ model, tools: [titled], policy: Embedded.allow })
      yield* prompt(peer, sessionId)
      const last = peer.updates().findLast(({ status }) => status === "completed")
      assert.propertyVal(last, "title", "The report")
    })
  )

  it.scoped("H06 every call that was announced is completed or failed before the answer", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const tools = [
        counted("fine").tool,
        tool("throws", Effect.fail(new ToolError({ message: "it broke" }))),
        tool("hangs", Effect.zipRight(Deferred.succeed(started, undefined), Effect.never))
      ]
      const turns = ["fine", "throws", "denied fine", "hangs", "waiting fine", "no_such_tool", "broken fine"]
      for (const turn of turns) {
        const name = turn.split(" ").at(-1) ?? ""
        const model = scripted(call([name, turn.startsWith("broken") ? '{"x":' : {}]), say("on"))
        const { peer, sessionId } = yield* opened({ model, tools })
        if (!turn.startsWith("waiting")) {
          peer.answer(() => (turn.startsWith("denied") ? Server.rejectOnce : Server.allowOnce))
        }
        const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
        if (turn === "hangs") yield* Deferred.await(started)
        if (turn.startsWith("waiting")) yield* peer.until(Peer.isPermission)
        if (turn === "hangs" || turn.startsWith("waiting")) yield* peer.notify("session/cancel", { sessionId })
        yield* peer.response(id)
        const ends = [...Cases.lastStatuses(peer).values()]
        assert.isAtLeast(ends.length, 1, turn)
        assert.isTrue(
          ends.every((status) => status === "completed" || status === "failed"),
          turn
        )
      }
    })
  )

  it.scoped("H07 a call id names one call in a session, also when the model repeats it, also after a reload", () =>
    Effect.gen(function* () {
      const store = yield* Cases.durableStore
      const { tool } = counted()
      const model = scripted((messages) =>
        messages.at(-1)?._tag === "User" ? call(["touch", {}, "same"])() : say("on")()
      )
      const { close, peer, server, sessionId } = yield* opened({ model, store, tools: [tool] })
      peer.answer(() => Server.allowOnce)
      const announced = (from: Peer.Peer) =>
        from.updates().flatMap((one) => (one.sessionUpdate === "tool_call" ? [one["toolCallId"]] : []))
      for (let n = 0; n < 20; n++) yield* prompt(peer, sessionId)
      assert.strictEqual(new Set(announced(peer)).size, 20)
      assert.strictEqual(announced(peer).length, 20)
      yield* close
      yield* server.await
      const { peer: second } = yield* start({ model, store, policy: ask, tools: [tool] })
      second.answer(() => Server.allowOnce)
      yield* Peer.initialize(second)
      yield* second.request("session/load", { sessionId, cwd, mcpServers: [] })
      assert.deepStrictEqual(announced(second), announced(peer))
      yield* prompt(second, sessionId)
      assert.strictEqual(new Set(announced(second)).size, 21)
    })
  )

  it.scopedLive("H10 a terminal of the client is released exactly once, also on a cancel that it never answers", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      const { peer } = yield* Server.start(home)
      yield* Peer.initialize(peer, { terminal: true })
      const sessionId = yield* Peer.newSession(peer, project)
      let made = 0
      peer.answer(({ method }) => {
        if (method === "session/request_permission") return Server.allowOnce
        if (method === "terminal/create") return { result: { terminalId: `term-${++made}` } }
        if (method === "terminal/output") return { result: { output: "", truncated: false } }
        return method === "terminal/wait_for_exit" ? undefined : { result: {} }
      })
      const count = (method: string) =>
        peer.frames().filter((frame) => frame._tag === "Request" && frame.method === method).length
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "run sleep 1000"))
      const seen = yield* Effect.timeoutOption(
        peer.until((frame) => frame._tag === "Request" && frame.method === "terminal/wait_for_exit"),
        "5 seconds"
      )
      assert.isTrue(Option.isSome(seen))
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "cancelled")
      yield* peer.request("no/such", {})
      assert.strictEqual(count("terminal/create"), 1)
      assert.strictEqual(count("terminal/release"), 1)
    })
  )
})

describe("I. failures", () => {
  const reasons = ["auth", "rate_limit", "overloaded", "unreachable", "cut_stream", "bad_reply"] as const
  it.scopedLive("I01 a provider's failure is an error with its cause, never an empty end; the session lives", () =>
    Effect.gen(function* () {
      for (const reason of reasons) {
        const failure = new ModelError({ reason, message: `the provider said ${reason}` })
        const model = scripted(
          () => Stream.concat(Stream.make<Array<ModelEvent>>({ _tag: "Text", text: "partly" }), Stream.fail(failure)),
          say("fine")
        )
        const { peer, sessionId } = yield* opened({ model })
        const { error } = yield* prompt(peer, sessionId)
        assert.strictEqual(error?.code, reason === "auth" ? -32000 : -32603, reason)
        assert.include(error?.message ?? "", reason)
        assert.strictEqual(Cases.stopReason(yield* prompt(peer, sessionId)), "end_turn")
      }
    })
  )

  it.scopedLive(
    "I02 without a key, and with one that is refused, the client is told to sign in; a quota is told as is",
    () =>
      Effect.gen(function* () {
        const place = yield* Server.place('[providers.models.anthropic.main]\nmodel = "claude-test"\n')
        const { peer, sessionId } = yield* Server.open(place)
        const missing = yield* Server.prompt(peer, sessionId, "hi")
        assert.strictEqual(missing.error?.code, -32000)
        const { result } = yield* Peer.initialize(peer)
        assert.isAtLeast([result?.["authMethods"] ?? []].flat().length, 1)
        for (const [status, code] of [
          [401, -32000],
          [402, -32603]
        ] as const) {
          const failure = new ModelError({
            reason: status === 401 ? "auth" : "bad_request",
            status,
            message: "the account is refused or empty"
          })
          const served = yield* opened({ model: scripted(() => Stream.fail(failure)) })
          const { error } = yield* prompt(served.peer, served.sessionId)
          assert.strictEqual(error?.code, code)
          assert.nestedPropertyVal(error, "data.status", status)
        }
      })
  )

  it.scoped("I04 bad params and unknown sessions each have their code and id; no stack is told", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(say("ok")), config: { acp: { dialect: "strict" } } })
      yield* Peer.initialize(peer)
      const requests: ReadonlyArray<readonly [method: string, params: unknown, ...codes: ReadonlyArray<number>]> = [
        ["session/prompt", { sessionId: 42, prompt: [] }, -32602],
        ["session/set_mode", { sessionId: "nope", modeId: "x" }, -32002, -32602],
        ["session/set_config_option", {}, -32602],
        ["session/load", {}, -32602]
      ]
      for (const [method, params, ...codes] of requests) {
        const { error } = yield* peer.request(method, params)
        assert.include(codes, error?.code, method)
        assert.notMatch(JSON.stringify(error), /\bat .*:\d+:\d+|node_modules|\.ts\b/)
      }
    })
  )

  it.scoped("I05 a session that was never made is not found; deleting it succeeds", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(say("ok")), store: yield* Cases.durableStore })
      yield* Peer.initialize(peer)
      const sessionId = "never-made"
      const code = (method: string, params: unknown) =>
        Effect.map(peer.request(method, params), ({ error }) => error?.code)
      assert.strictEqual(yield* code("session/load", { sessionId, ...Cases.place }), -32002)
      assert.strictEqual(yield* code("session/resume", { sessionId, ...Cases.place }), -32002)
      assert.strictEqual(yield* code("session/prompt", Peer.promptParams(sessionId, "x")), -32002)
      assert.include([undefined, -32002], yield* code("session/close", { sessionId }))
      assert.strictEqual(yield* code("session/delete", { sessionId }), undefined)
    })
  )
})
