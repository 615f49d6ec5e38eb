// The dialect on the wire, rows 19 to 22: error codes by dialect, and what is told beside them in both.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { ModelError } from "../../src/model/ModelError.ts"
import * as Cases from "../support/Cases.ts"
import * as Dialects from "../support/Dialects.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"

const { agreed, all, each, inProtocol, inZeroclaw, opened, unknownCode, unsigned } = Dialects
const { scripted, say } = Embedded
const sessionId = "nowhere"

describe("row 19, a session that is not found", () => {
  each(all, "has the code of its dialect in every method, with its id and its name", (speech) =>
    Effect.gen(function* () {
      const peer = yield* agreed(speech)
      const requests: ReadonlyArray<readonly [method: string, params: unknown]> = [
        ["session/prompt", Peer.promptParams(sessionId, "x")],
        ["session/load", { sessionId, ...Cases.place }],
        ["session/resume", { sessionId, ...Cases.place }],
        ["session/fork", { sessionId, ...Cases.place }],
        ["session/set_mode", { sessionId, modeId: "readonly" }],
        ["session/set_model", { sessionId, modelId: "x" }],
        ["session/set_config_option", { sessionId, configId: "mode", value: "readonly" }],
        ["session/set_title", { sessionId, title: "x" }],
        ...(speech.zeroclaw
          ? [
              ["session/stop", { sessionId }] as const,
              ["session/event", { sessionId }] as const,
              ["session/update", { sessionId }] as const
            ]
          : [])
      ]
      for (const [method, params] of requests) {
        const { error } = yield* peer.request(method, params)
        assert.strictEqual(error?.code, speech.zeroclaw ? -32000 : -32002, method)
        assert.deepStrictEqual(error?.data, { reason: "unknown", sessionId, zeroclawCode: "SESSION_NOT_FOUND" }, method)
      }
    })
  )
})

describe("row 20, a session that is busy", () => {
  each(all, "has the code of its dialect, with its id and its name", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech, { model: scripted(Cases.hang) })
      yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      const data = { reason: "busy", sessionId, zeroclawCode: "SESSION_BUSY" }
      for (const [method, params] of [
        ["session/prompt", Peer.promptParams(sessionId, "more")],
        ["session/load", { sessionId, ...Cases.place }],
        ["session/resume", { sessionId, ...Cases.place }]
      ] as const) {
        const { error } = yield* peer.request(method, params)
        assert.strictEqual(error?.code, speech.zeroclaw ? -32002 : -31001, method)
        assert.deepStrictEqual(error?.data, data, method)
      }
    })
  )

  each(all, "is told before the prompt is looked at", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech, { model: scripted(Cases.hang) })
      yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      const { error } = yield* peer.request("session/prompt", Peer.promptParams(sessionId, " "))
      assert.strictEqual(error?.code, speech.zeroclaw ? -32002 : -31001)
    })
  )
})

describe("row 21, other errors", () => {
  each(all, "the limit of sessions has the code of its dialect, in every method that opens one", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech, { acp: { max_sessions: 2 } })
      yield* peer.request("session/close", { sessionId })
      for (let n = 0; n < 2; n++) yield* Peer.newSession(peer, Embedded.cwd)
      for (const [method, params] of [
        ["session/new", Cases.place],
        ["session/load", { sessionId, ...Cases.place }],
        ["session/resume", { sessionId, ...Cases.place }],
        ["session/fork", { sessionId, ...Cases.place }]
      ] as const) {
        const { error } = yield* peer.request(method, params)
        assert.strictEqual(error?.code, speech.zeroclaw ? -32001 : -31002, method)
        assert.deepStrictEqual(error?.data, { reason: "limit", zeroclawCode: "SESSION_LIMIT_REACHED" })
      }
    })
  )

  each(all, "a key that is missing or refused has the code of its dialect", (speech) =>
    Effect.gen(function* () {
      const failure = new ModelError({ reason: "auth", status: 401, message: "refused" })
      const { peer, sessionId } = yield* opened(speech, { model: scripted(() => Stream.fail(failure)) })
      const { error } = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      assert.strictEqual(error?.code, speech.zeroclaw ? -32010 : -32000)
      assert.deepStrictEqual(error?.data, { reason: "auth", status: 401, zeroclawCode: "AUTH_REQUIRED" })
    })
  )

  each(all, "a connection that signed out is told so by the code of its dialect", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech)
      yield* peer.request("logout", {})
      for (const [method, params] of [
        ["session/new", Cases.place],
        ["session/prompt", Peer.promptParams(sessionId, "go")]
      ] as const) {
        const { error } = yield* peer.request(method, params)
        assert.strictEqual(error?.code, speech.zeroclaw ? -32010 : -32000, method)
        assert.deepStrictEqual(error?.data, { reason: "auth", zeroclawCode: "AUTH_REQUIRED" })
      }
    })
  )

  each(all, "those that both dialects know are the same in both", (speech) =>
    Effect.gen(function* () {
      const failure = new ModelError({ reason: "overloaded", message: "busy" })
      const { peer, sessionId } = yield* opened(speech, { model: scripted(() => Stream.fail(failure)) })
      const code = (method: string, params: unknown) =>
        Effect.map(peer.request(method, params), ({ error }) => error?.code)
      assert.strictEqual(yield* code("session/archive", {}), -32601)
      assert.strictEqual(yield* code("session/prompt", { sessionId, prompt: [] }), -32602)
      assert.strictEqual(yield* code("session/prompt", Peer.promptParams(sessionId, "go")), -32603)
      // No version is refused: each is answered with ours.
      assert.strictEqual(yield* code("initialize", { protocolVersion: 99 }), undefined)
    })
  )
})

describe("row 22, session/close", () => {
  each(all, "of a session that is not open has the code of row 19", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech)
      assert.deepStrictEqual((yield* peer.request("session/close", { sessionId })).result, {})
      for (const id of [sessionId, "nowhere", ""]) {
        const { error } = yield* peer.request("session/close", { sessionId: id })
        assert.strictEqual(error?.code, speech.zeroclaw ? -32000 : -32002)
        assert.deepStrictEqual(error?.data, { reason: "unknown", sessionId: id, zeroclawCode: "SESSION_NOT_FOUND" })
      }
    })
  )
})

describe("rows 19 to 22", () => {
  it.scoped("the codes change with the first sign, within one connection", () =>
    Effect.gen(function* () {
      const setup = { model: scripted(say("ok"), Cases.hang), acp: { max_sessions: 1 } }
      const { peer, sessionId } = yield* opened({ ...unsigned, zeroclaw: true }, setup)
      assert.strictEqual(yield* unknownCode(peer), inProtocol)
      yield* peer.request("session/prompt", { sessionId, prompt: "a string" })
      assert.strictEqual(yield* unknownCode(peer), inZeroclaw)
      assert.strictEqual((yield* peer.request("session/new", Cases.place)).error?.code, -32001)
      yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      const { error } = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      assert.strictEqual(error?.code, -32002)
    })
  )
})
