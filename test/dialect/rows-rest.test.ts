// The dialect on the wire, rows 25 to 27: files that are delivered, plain lines, and sessions that nobody uses.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream, TestClock } from "effect"
import type { Tool } from "../../src/tools/Tool.ts"
import * as Cases from "../support/Cases.ts"
import * as Dialects from "../support/Dialects.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"

const { agreed, all, each, inProtocol, inZeroclaw, opened, start, taking, zeroclaw } = Dialects
const { call, cwd, say, scripted, stop } = Embedded

describe("row 25, a delivered file", () => {
  const uri = `attachment://deliver/${"a".repeat(64)}.png`
  const resource = {
    type: "content",
    content: { type: "resource", resource: { uri, mimeType: "image/png", blob: "AA==" } }
  }
  const deliver: Tool = {
    spec: { name: "deliver_file", description: "", inputSchema: { type: "object" } },
    prepare: () =>
      Effect.succeed({
        action: { _tag: "Converse", tool: "deliver_file" },
        face: { title: "picture", kind: "other", locations: [], content: [] },
        rawInput: {},
        run: () =>
          Effect.succeed({
            text: "delivered",
            content: [
              { type: "content", content: { type: "text", text: "delivered" } },
              { type: "content", content: { type: "resource", resource: { uri, mimeType: "image/png", blob: "AA==" } } }
            ]
          })
      })
  }

  each(all, "is an embedded resource of the protocol in every dialect", (speech) =>
    Effect.gen(function* () {
      const model = scripted(call(["deliver_file", {}]), say("ok"))
      const { peer, sessionId } = yield* opened(speech, { model, tools: [deliver] })
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      const last = peer.updates(sessionId).findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update")
      assert.deepStrictEqual([last?.["content"]].flat().at(1), resource)
      assert.strictEqual(last?.["body"], speech.zeroclaw ? "delivered" : undefined)
    })
  )
})

describe("row 26, plain lines", () => {
  each(taking, "carry the dialect without a subprotocol, everything in one write", (speech) =>
    Effect.gen(function* () {
      const { peer } = yield* start({ ...speech, zeroclaw: true })
      for (const id of ["init", "new", "stop"]) peer.note(id, id === "init" ? "initialize" : `session/${id}`)
      const lines = [
        `{"jsonrpc":"2.0","id":"init","method":"initialize"}`,
        `{"jsonrpc":"2.0","id":"new","method":"session/new","params":{"cwd":"${cwd}"}}`,
        `{"jsonrpc":"2.0","id":"stop","method":"session/stop","params":{"sessionId":"nowhere"}}`
      ]
      yield* Effect.forEach(lines, peer.send, { concurrency: "unbounded" })
      assert.strictEqual((yield* peer.response("init")).result?.["protocolVersion"], 1)
      assert.propertyVal((yield* peer.response("new")).result, "workspaceDir", cwd)
      assert.strictEqual((yield* peer.response("stop")).error?.code, inZeroclaw)
    })
  )
})

describe("row 27, a session that nobody uses", () => {
  const acp = { session_timeout_secs: 100 }

  each(all, "is closed after session_timeout_secs: not found then, and its history can be loaded", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech, { acp, model: scripted(say("said")) })
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      const from = peer.frames().length
      yield* TestClock.adjust("3 minutes")
      const { error } = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "more"))
      assert.strictEqual(error?.code, speech.zeroclaw ? inZeroclaw : inProtocol)
      assert.deepInclude(error?.data, { sessionId, zeroclawCode: "SESSION_NOT_FOUND" })
      // The client was told nothing of it before.
      assert.strictEqual(peer.frames().length, from + 1)
      const seen = peer.updates(sessionId).length
      assert.strictEqual((yield* peer.request("session/load", { sessionId, ...Cases.place })).error, undefined)
      assert.strictEqual(Peer.textOf(peer.updates(sessionId).slice(seen), "agent_message_chunk"), "said")
      const again = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "more"))
      assert.strictEqual(Cases.stopReason(again), "end_turn")
    })
  )

  each(all, "is never one whose turn runs, and counts from that turn's end", (speech) =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const model = scripted(() => Stream.fromEffect(Effect.as(Deferred.await(gate), stop)), say("ok"))
      const { peer, sessionId } = yield* opened(speech, { acp, model })
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* TestClock.adjust("1 hour")
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "end_turn")
      yield* TestClock.adjust("60 seconds")
      const next = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "more"))
      assert.strictEqual(Cases.stopReason(next), "end_turn")
    })
  )

  it.scoped("is not one whose client says by events that it is there (zeroclaw)", () =>
    Effect.gen(function* () {
      const peer = yield* agreed(zeroclaw, { acp })
      const kept = yield* Peer.newSession(peer, cwd)
      const left = yield* Peer.newSession(peer, cwd)
      for (let n = 0; n < 5; n++) {
        yield* TestClock.adjust("60 seconds")
        yield* peer.notify("session/update", { sessionId: kept, type: "focus" })
        assert.strictEqual((yield* peer.request("session/list", {})).error, undefined)
      }
      assert.strictEqual((yield* peer.request("session/event", { sessionId: kept, type: "x" })).error, undefined)
      assert.strictEqual((yield* peer.request("session/event", { sessionId: left })).error?.code, inZeroclaw)
    })
  )
})
