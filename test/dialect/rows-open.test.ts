// The dialect on the wire, row 18: opening what is stored.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Cases from "../support/Cases.ts"
import * as Dialects from "../support/Dialects.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"

const { agreed, all, each, inProtocol, inZeroclaw, opened, signed, strict, taking, unknownCode, unsigned, zeroclaw } =
  Dialects
const { cwd, say, scripted } = Embedded
const isResponse = (id: unknown) => (frame: Peer.Frame) => frame._tag === "Response" && frame.id === id

describe("row 18, session/load and session/resume", () => {
  const methods = ["session/load", "session/resume"] as const

  each(taking, "need only the id: the folder is the stored one", (speech) =>
    Effect.gen(function* () {
      for (const method of methods) {
        for (const more of [{}, { cwd: null }, { workspaceDir: "." }, { workspace_dir: cwd }]) {
          const { peer, sessionId } = yield* opened({ ...speech, zeroclaw: true })
          yield* peer.request("session/close", { sessionId })
          const { result } = yield* peer.request(method, { sessionId, ...more })
          assert.nestedPropertyVal(result, "_meta.zeroclaw.workspaceDir", cwd)
          assert.strictEqual(yield* unknownCode(peer), inZeroclaw)
        }
      }
    })
  )

  each([zeroclaw, signed], "do not look at a relative folder", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech)
      for (const method of methods) {
        const { result } = yield* peer.request(method, { sessionId, cwd: ".", mcpServers: [] })
        assert.nestedPropertyVal(result, "_meta.zeroclaw.workspaceDir", cwd)
      }
    })
  )

  it.scoped("refuse a relative folder without a sign (auto)", () =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(unsigned)
      const { error } = yield* peer.request("session/load", { sessionId, cwd: ".", mcpServers: [] })
      assert.strictEqual(error?.code, -32602)
      // A session/resume may leave mcpServers out in the protocol too.
      assert.strictEqual((yield* peer.request("session/resume", { sessionId, cwd: "." })).error?.code, -32602)
      assert.strictEqual((yield* peer.request("session/resume", { sessionId, cwd })).error, undefined)
      assert.strictEqual(yield* unknownCode(peer), inProtocol)
    })
  )

  each(taking, "take the stored folder also where only cwd is missing, which begins nothing", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech)
      for (const method of methods) {
        const { result } = yield* peer.request(method, { sessionId, mcpServers: [] })
        assert.nestedPropertyVal(result, "_meta.zeroclaw.workspaceDir", cwd)
      }
      assert.strictEqual(yield* unknownCode(peer), speech.zeroclaw ? inZeroclaw : inProtocol)
    })
  )

  each(all, "open a session that is open already, as long as nothing runs in it", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech, { model: scripted(say("first"), Cases.hang) })
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      for (const method of methods) {
        const from = peer.updates(sessionId).length
        assert.strictEqual((yield* peer.request(method, { sessionId, ...Cases.place })).error, undefined)
        const replayed = Peer.textOf(peer.updates(sessionId).slice(from), "agent_message_chunk")
        assert.strictEqual(replayed, method === "session/load" ? "first" : "")
      }
      const from = peer.frames().length
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "on"))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"), from)
      for (const method of methods) {
        const { error } = yield* peer.request(method, { sessionId, ...Cases.place })
        assert.strictEqual(error?.code, speech.zeroclaw ? -32002 : -31001)
      }
      assert.isFalse(peer.frames().some(isResponse(id)))
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "cancelled")
    })
  )

  each(all, "refuse a folder that is not the session's", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech)
      for (const method of methods) {
        const { error } = yield* peer.request(method, { sessionId, cwd: "/other", mcpServers: [] })
        assert.strictEqual(error?.code, -32602)
        assert.include(error?.message ?? "", cwd)
      }
    })
  )

  it.scoped("want the folder, load the MCP servers too (strict)", () =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(strict)
      const stored = { _meta: { zeroclaw: { storedCwd: true } } }
      for (const method of methods) {
        for (const more of [{}, { cwd: "." }, { cwd: "" }, { cwd: "", ...stored }, { workspaceDir: cwd }]) {
          const { error } = yield* peer.request(method, { sessionId, mcpServers: [], ...more })
          assert.strictEqual(error?.code, -32602, JSON.stringify(more))
          assert.include(error?.message ?? "", "cwd")
        }
      }
      const { error } = yield* peer.request("session/load", { sessionId, cwd })
      assert.strictEqual(error?.code, -32602)
      assert.include(error?.message ?? "", "mcpServers")
      assert.strictEqual((yield* peer.request("session/resume", { sessionId, cwd })).error, undefined)
      assert.strictEqual(yield* unknownCode(peer), inProtocol)
    })
  )

  it.scoped("without an id are refused for that", () =>
    Effect.gen(function* () {
      const peer = yield* agreed(zeroclaw)
      for (const method of methods) {
        const { error } = yield* peer.request(method, {})
        assert.strictEqual(error?.code, -32602)
        assert.include(error?.message ?? "", "sessionId")
      }
    })
  )
})
