// The dialect on the wire, rows 14 to 17: cancel, the other name of the id, stop, and events.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import type { ModelEvent } from "../../src/model/Model.ts"
import * as Cases from "../support/Cases.ts"
import * as Dialects from "../support/Dialects.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"

const { agreed, all, each, inProtocol, inZeroclaw, opened, strict, taking, unknownCode, unsigned } = Dialects
const { cwd, say, scripted, stop } = Embedded

const gated = (gate: Deferred.Deferred<void>) => () =>
  Stream.concat(
    Stream.make<Array<ModelEvent>>({ _tag: "Text", text: "begun" }),
    Stream.fromEffect(Effect.as(Deferred.await(gate), stop))
  )
const isResponse = (id: unknown) => (frame: Peer.Frame) => frame._tag === "Response" && frame.id === id

describe("row 14, session/cancel", () => {
  each(all, "as a notification stops the turn and is never answered, for any session", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech, { model: scripted(Cases.hang) })
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      for (const params of [{ sessionId: "nowhere" }, {}, undefined, { sessionId }]) {
        yield* peer.notify("session/cancel", params)
      }
      assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "cancelled")
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual(yield* unknownCode(peer), speech.zeroclaw ? inZeroclaw : inProtocol)
      // initialize, session/new, the prompt, and the request that was just answered.
      assert.strictEqual(peer.frames().filter(({ _tag }) => _tag === "Response").length, 4)
    })
  )

  each(taking, "as a request does the same and answers {}, also where nothing runs", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech, { model: scripted(Cases.hang) })
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      assert.deepStrictEqual((yield* peer.request("session/cancel", { sessionId })).result, {})
      assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "cancelled")
      assert.deepStrictEqual((yield* peer.request("session/cancel", { sessionId })).result, {})
      assert.deepStrictEqual((yield* peer.request("session/cancel", { sessionId: "nowhere" })).result, {})
      assert.strictEqual((yield* peer.request("session/cancel", {})).error?.code, -32602)
      assert.strictEqual(yield* unknownCode(peer), speech.zeroclaw ? inZeroclaw : inProtocol)
    })
  )

  it.scoped("as a request is no method, and stops nothing (strict)", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { peer, sessionId } = yield* opened(strict, { model: scripted(gated(gate)) })
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      assert.strictEqual((yield* peer.request("session/cancel", { sessionId })).error?.code, -32601)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "end_turn")
    })
  )
})

describe("row 15, session_id", () => {
  each(taking, "is taken where sessionId is missing, in every method of a session, and begins the dialect", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId: session_id } = yield* opened({ ...speech, zeroclaw: true })
      const ok = (method: string, params: Readonly<Record<string, unknown>> = {}) =>
        Effect.map(peer.request(method, { session_id, ...params }), ({ error }) =>
          assert.strictEqual(error, undefined, method)
        )
      yield* ok("session/prompt", { prompt: "go" })
      yield* ok("session/cancel")
      yield* ok("session/set_mode", { modeId: "readonly" })
      yield* ok("session/set_config_option", { configId: "mode", value: "supervised" })
      yield* ok("session/set_title", { title: "a title" })
      yield* ok("session/event", { type: "x" })
      yield* ok("session/update", { update: { sessionUpdate: "x" } })
      yield* ok("session/load")
      yield* ok("session/resume")
      yield* ok("session/fork", { cwd, mcpServers: [] })
      yield* ok("session/close")
      yield* ok("session/resume")
      yield* ok("session/stop")
      yield* ok("session/delete")
      assert.strictEqual(yield* unknownCode(peer), inZeroclaw)
    })
  )

  each(taking, "is not looked at beside a sessionId", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened({ ...speech, zeroclaw: true })
      const { error } = yield* peer.request("session/close", { sessionId: "nowhere", session_id: sessionId })
      assert.strictEqual(error?.code, inZeroclaw)
      assert.strictEqual((yield* peer.request("session/close", { sessionId })).error, undefined)
    })
  )

  it.scoped("is no name of the id (strict)", () =>
    Effect.gen(function* () {
      const { peer, sessionId: session_id } = yield* opened(strict)
      const requests: ReadonlyArray<readonly [method: string, more: Readonly<Record<string, unknown>>]> = [
        ["session/prompt", { prompt: [{ type: "text", text: "go" }] }],
        ["session/load", Cases.place],
        ["session/resume", Cases.place],
        ["session/close", {}],
        ["session/set_mode", { modeId: "readonly" }]
      ]
      for (const [method, more] of requests) {
        const { error } = yield* peer.request(method, { session_id, ...more })
        assert.strictEqual(error?.code, -32602, method)
        assert.include(error?.message ?? "", "sessionId")
      }
    })
  )
})

describe("row 16, session/stop", () => {
  each(taking, "takes no new prompts, lets the turn end by itself, then closes", (speech) =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const model = scripted(gated(gate), say("again"))
      const { peer, sessionId } = yield* opened({ ...speech, zeroclaw: true }, { model })
      const turn = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      const stopping = yield* peer.start("session/stop", { sessionId })
      const prompt = Peer.promptParams(sessionId, "more")
      assert.strictEqual((yield* peer.request("session/prompt", prompt)).error?.code, inZeroclaw)
      assert.isFalse(peer.frames().some(isResponse(stopping)))
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual((yield* peer.response(stopping)).result, { sessionId, stopped: true })
      assert.strictEqual(Cases.stopReason(yield* peer.response(turn)), "end_turn")
      assert.strictEqual((yield* peer.request("session/prompt", prompt)).error?.code, inZeroclaw)
      assert.strictEqual((yield* peer.request("session/load", { sessionId })).error, undefined)
      assert.strictEqual(Cases.stopReason(yield* peer.request("session/prompt", prompt)), "end_turn")
    })
  )

  each(taking, "can be hurried by a cancel, and knows only sessions that are open", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened({ ...speech, zeroclaw: true }, { model: scripted(Cases.hang) })
      const turn = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      const stopping = yield* peer.start("session/stop", { sessionId })
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual(Cases.stopReason(yield* peer.response(turn)), "cancelled")
      assert.propertyVal((yield* peer.response(stopping)).result, "stopped", true)
      const { error } = yield* peer.request("session/stop", { sessionId })
      assert.strictEqual(error?.code, inZeroclaw)
      assert.deepInclude(error?.data, { sessionId, zeroclawCode: "SESSION_NOT_FOUND" })
      assert.strictEqual((yield* peer.request("session/stop", {})).error?.code, -32602)
    })
  )

  it.scoped("is no method, session/close is (strict)", () =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(strict)
      assert.strictEqual((yield* peer.request("session/stop", { sessionId })).error?.code, -32601)
      assert.deepStrictEqual((yield* peer.request("session/close", { sessionId })).result, {})
    })
  )
})

describe("row 17, a client's session/update and session/event", () => {
  const sent: ReadonlyArray<readonly [method: string, more: Readonly<Record<string, unknown>>, type: string]> = [
    ["session/event", { type: "focus" }, "focus"],
    ["session/update", { type: "focus" }, "focus"],
    [
      "session/update",
      { update: { sessionUpdate: "user_message_chunk", content: { text: "forged" } } },
      "user_message_chunk"
    ],
    ["session/event", { type: 5, update: { sessionUpdate: "x" } }, "x"],
    ["session/event", { update: "forged" }, "unknown"],
    ["session/update", {}, "unknown"]
  ]
  each(taking, "are answered with their type, and never become history", (speech) =>
    Effect.gen(function* () {
      const model = scripted(say("ok"))
      const { peer, sessionId } = yield* opened({ ...speech, zeroclaw: true }, { model })
      for (const [method, more, type] of sent) {
        const { result } = yield* peer.request(method, { sessionId, ...more })
        assert.deepStrictEqual(result, { sessionId, type, status: "processed" })
        yield* peer.notify(method, { sessionId, ...more })
      }
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "hi"))
      assert.deepStrictEqual(model.requests, [[{ _tag: "User", text: "hi" }]])
      const from = peer.updates(sessionId).length
      yield* peer.request("session/load", { sessionId, ...Cases.place })
      assert.notInclude(JSON.stringify(peer.updates(sessionId).slice(from)), "forged")
    })
  )

  each(taking, "of a session that is not open are refused as requests, silent as notifications", (speech) =>
    Effect.gen(function* () {
      const peer = yield* agreed({ ...speech, zeroclaw: true })
      for (const method of ["session/event", "session/update"]) {
        yield* peer.notify(method, { sessionId: "nowhere", type: "x" })
        yield* peer.notify(method, undefined)
        const { error } = yield* peer.request(method, { sessionId: "nowhere", type: "x" })
        assert.strictEqual(error?.code, inZeroclaw)
        assert.strictEqual((yield* peer.request(method, { type: "x" })).error?.code, -32602)
      }
      assert.strictEqual(peer.frames().filter(({ _tag }) => _tag === "Response").length, 5)
    })
  )

  it.scoped("begin the dialect as notifications too (auto)", () =>
    Effect.gen(function* () {
      const peer = yield* agreed({ ...unsigned, zeroclaw: true })
      assert.strictEqual(yield* unknownCode(peer), inProtocol)
      yield* peer.notify("session/update", { sessionId: "nowhere" })
      assert.strictEqual(yield* unknownCode(peer), inZeroclaw)
    })
  )

  it.scoped("are no methods, and begin nothing (strict)", () =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(strict)
      for (const method of ["session/event", "session/update"]) {
        yield* peer.notify(method, { sessionId, type: "x" })
        assert.strictEqual((yield* peer.request(method, { sessionId, type: "x" })).error?.code, -32601)
      }
      assert.strictEqual(yield* unknownCode(peer), inProtocol)
    })
  )
})
