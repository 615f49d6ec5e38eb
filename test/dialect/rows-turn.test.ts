// The dialect on the wire, rows 6 to 10: what a prompt holds, what its turn shows, what it comes to.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { PolicyService } from "../../src/policy/PolicyService.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { todoWrite } from "../../src/tools/Todo.ts"
import type { Tool } from "../../src/tools/Tool.ts"
import * as Cases from "../support/Cases.ts"
import * as Dialects from "../support/Dialects.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"
import { tempFolder } from "../support/TestPolicy.ts"

const { agreed, all, each, inProtocol, inZeroclaw, opened, strict, taking, unknownCode, zeroclaw } = Dialects
const { call, say, scripted, tool } = Embedded
const text = (value: string) => ({ type: "text", text: value })
const asked = (model: ReturnType<typeof scripted>) => {
  const message = model.requests.at(-1)?.findLast(({ _tag }) => _tag === "User")
  return message?._tag === "User" ? message.text : undefined
}

describe("row 6, a prompt", () => {
  each(all, "of typed blocks is joined by blank lines", (speech) =>
    Effect.gen(function* () {
      const model = scripted(say("ok"))
      const { peer, sessionId } = yield* opened(speech, { model })
      yield* peer.request("session/prompt", { sessionId, prompt: [text("one"), text(""), text("two")] })
      assert.strictEqual(asked(model), "one\n\ntwo")
      assert.strictEqual(yield* unknownCode(peer), speech.zeroclaw ? inZeroclaw : inProtocol)
    })
  )

  each(taking, "may be a string, or untyped parts, and begins the dialect so", (speech) =>
    Effect.gen(function* () {
      for (const prompt of ["one\n\ntwo", [{ text: "one" }, text("two")], [text("one"), { text: "two", type: null }]]) {
        const model = scripted(say("ok"))
        const { peer, sessionId } = yield* opened({ ...speech, zeroclaw: true }, { model })
        const { result } = yield* peer.request("session/prompt", { sessionId, prompt })
        assert.strictEqual(asked(model), "one\n\ntwo")
        assert.propertyVal(result, "content", "ok")
        assert.strictEqual(yield* unknownCode(peer), inZeroclaw)
      }
    })
  )

  each(taking, "may attach untyped resources: a text is read, a blob is kept in the session's folder", (speech) =>
    Effect.gen(function* () {
      const root = fs.realpathSync(yield* tempFolder)
      const model = scripted(say("ok"))
      const peer = yield* agreed(
        { ...speech, zeroclaw: true },
        { model, policy: Layer.provide(PolicyService.layer, Sandbox.test({ _tag: "Off" })) }
      )
      const sessionId = yield* Peer.newSession(peer, root)
      const blob = Buffer.from("hello").toString("base64")
      const prompt = [
        { text: "look" },
        { resource: { text: "inside" } },
        { resource: { uri: "file:///a/notes.MD", blob } }
      ]
      assert.strictEqual(Cases.stopReason(yield* peer.request("session/prompt", { sessionId, prompt })), "end_turn")
      const [upload] = fs.readdirSync(path.join(root, "uploads"))
      assert.match(upload ?? "", /^[0-9a-f]{64}\.md$/)
      assert.strictEqual(fs.readFileSync(path.join(root, "uploads", upload ?? ""), "utf8"), "hello")
      assert.match(
        asked(model) ?? "",
        /^look\n\n[\s\S]*inside[\s\S]*\n\n\[Document: notes\.MD\] .*\/uploads\/[0-9a-f]{64}\.md$/
      )
    })
  )

  each(all, "that comes to nothing, or whose blob is broken or too large, is refused; the session goes on", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech)
      const resource = (blob: string) => ({ type: "resource", resource: { uri: "file:///a", blob } })
      const large = Buffer.alloc(10 * 1024 * 1024 + 1).toString("base64")
      for (const prompt of [[], [text("")], [text(" \n")], [resource("no base64!")], [resource(large)], [{}], [5], 5]) {
        const { error } = yield* peer.request("session/prompt", { sessionId, prompt })
        assert.strictEqual(error?.code, -32602)
        assert.include(error?.message ?? "", "prompt")
      }
      assert.strictEqual(
        Cases.stopReason(yield* peer.request("session/prompt", Peer.promptParams(sessionId, "a"))),
        "end_turn"
      )
    })
  )

  it.scoped("is refused where it is a string or untyped (strict)", () =>
    Effect.gen(function* () {
      const model = scripted(say("ok"))
      const { peer, sessionId } = yield* opened(strict, { model })
      for (const prompt of ["one", [{ text: "one" }], [{ type: null, text: "one" }], [{ resource: { text: "one" } }]]) {
        const { error } = yield* peer.request("session/prompt", { sessionId, prompt })
        assert.strictEqual(error?.code, -32602)
        assert.include(error?.message ?? "", "prompt")
      }
      assert.isEmpty(model.requests)
    })
  )
})

describe("row 7, the result of a prompt", () => {
  each(all, "has the last answer's text always in _meta, at the root only in the dialect", (speech) =>
    Effect.gen(function* () {
      const model = scripted(call(["run", {}]), say("final ", "answer"))
      const { peer, sessionId } = yield* opened(speech, { model, tools: [tool("run", Effect.succeed("x"))] })
      const { result } = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      const told = { sessionId, content: "final answer" }
      assert.deepStrictEqual(result, {
        stopReason: "end_turn",
        _meta: { zeroclaw: told },
        ...(speech.zeroclaw ? told : {})
      })
    })
  )

  each(all, "that was cancelled has what was streamed and the marker", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech, { model: scripted(Cases.hang) })
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      yield* peer.notify("session/cancel", { sessionId })
      const told = { sessionId, content: "working\n\n[turn cancelled via client]" }
      assert.deepStrictEqual((yield* peer.response(id)).result, {
        stopReason: "cancelled",
        _meta: { zeroclaw: told },
        ...(speech.zeroclaw ? told : {})
      })
    })
  )
})

describe("row 8, updates", () => {
  const todos = [
    { content: "write", status: "in_progress", activeForm: "writing" },
    { content: "rest", status: "pending" }
  ]

  each(all, "of a tool call have its name always, and its text as body only in the dialect", (speech) =>
    Effect.gen(function* () {
      const model = scripted(call(["run", {}]), say("ok"))
      const { peer, sessionId } = yield* opened(speech, { model, tools: [tool("run", Effect.succeed("output"))] })
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      const card = peer.updates(sessionId).find(({ sessionUpdate }) => sessionUpdate === "tool_call")
      const last = peer.updates(sessionId).findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update")
      assert.propertyVal(card, "name", "run")
      assert.propertyVal(last, "rawOutput", "output")
      assert.strictEqual(last?.["body"], speech.zeroclaw ? "output" : undefined)
    })
  )

  each(all, "of a plan have activeForm always in _meta, beside the entry only in the dialect", (speech) =>
    Effect.gen(function* () {
      const model = scripted(call(["TodoWrite", { todos }]), say("ok"))
      const { peer, sessionId } = yield* opened(speech, { model, tools: [todoWrite] })
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      const plan = peer.updates(sessionId).find(({ sessionUpdate }) => sessionUpdate === "plan")
      assert.deepStrictEqual(plan?.["entries"], [
        {
          content: "write",
          status: "in_progress",
          priority: "medium",
          _meta: { zeroclaw: { activeForm: "writing" } },
          ...(speech.zeroclaw ? { activeForm: "writing" } : {})
        },
        { content: "rest", status: "pending", priority: "medium" }
      ])
    })
  )

  each(all, "of a cancelled turn end, only in the dialect, with a card that says so", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech, { model: scripted(Cases.hang) })
      const cancelled = Effect.gen(function* () {
        const from = peer.frames().length
        const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
        yield* peer.until(Peer.isUpdateOf("agent_message_chunk"), from)
        yield* peer.notify("session/cancel", { sessionId })
        yield* peer.response(id)
        return peer.frames().slice(from)
      })
      const [first, second] = [yield* cancelled, yield* cancelled]
      const cardOf = (frames: ReadonlyArray<Peer.Frame>) => {
        const frame = frames.at(-2)
        return frame?._tag === "Notification" && Peer.isUpdateOf("tool_call")(frame)
          ? frame.params["update"]
          : undefined
      }
      if (!speech.zeroclaw) {
        assert.isFalse([...first, ...second].some(Peer.isUpdateOf("tool_call")))
        return
      }
      assert.deepStrictEqual(cardOf(first), {
        sessionUpdate: "tool_call",
        toolCallId: `turn-cancelled-${sessionId}`,
        name: "turn-cancelled",
        title: "turn-cancelled",
        kind: "think",
        status: "completed",
        content: [{ type: "content", content: text("[turn cancelled via client]") }],
        body: "[turn cancelled via client]"
      })
      assert.nestedPropertyVal(cardOf(second), "toolCallId", `turn-cancelled-${sessionId}-2`)
    })
  )

  it.scoped("of a replay are those of the turn, and a card of a cancelled turn is no history", () =>
    Effect.gen(function* () {
      const model = scripted(call(["TodoWrite", { todos }]), say("ok"), Cases.hang)
      const { peer, sessionId } = yield* opened(zeroclaw, { model, tools: [todoWrite] })
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "on"))
      yield* peer.until(
        (frame) => Peer.isUpdateOf("agent_message_chunk")(frame) && JSON.stringify(frame).includes("working")
      )
      yield* peer.notify("session/cancel", { sessionId })
      yield* peer.response(id)
      const from = peer.updates(sessionId).length
      yield* peer.request("session/load", { sessionId })
      const replayed = peer.updates(sessionId).slice(from)
      const plan = replayed.find(({ sessionUpdate }) => sessionUpdate === "plan")
      assert.nestedPropertyVal(plan, "entries.0.activeForm", "writing")
      const last = replayed.findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update")
      assert.strictEqual(last?.["body"], last?.["rawOutput"])
      assert.notInclude(JSON.stringify(replayed), "turn-cancelled")
    })
  )
})

describe("row 9, a history that was made shorter", () => {
  each(all, "is told by ZeroClaw's notification, only in the dialect", (speech) =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened(speech, { model: scripted(say("a long answer"), say("in short")) })
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "/compact"))
      const told = peer
        .frames()
        .flatMap((frame) =>
          frame._tag === "Notification" && frame.method === "_zeroclaw/history_trimmed" ? [frame.params] : []
        )
      assert.deepStrictEqual(
        told,
        speech.zeroclaw ? [{ sessionId, droppedMessages: 2, keptTurns: 0, reason: "compacted" }] : []
      )
      assert.include(JSON.stringify(peer.updates(sessionId)), "in short")
    })
  )
})

describe("row 10, ids", () => {
  each(all, "of our requests are zc-out-N, those of the client come back as they are", (speech) =>
    Effect.gen(function* () {
      const model = scripted(call(["run", { n: 1 }], ["run", { n: 2 }]), say("ok"))
      const tools: ReadonlyArray<Tool> = [tool("run", Effect.succeed("x"))]
      const { peer, sessionId } = yield* opened(speech, { model, tools, policy: Embedded.ask })
      peer.answer(() => ({ result: { outcome: { outcome: "selected", optionId: "allow-once" } } }))
      for (const id of ["zc-out-0", "7", 7, -1, ""]) {
        yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"), id)
        assert.strictEqual((yield* peer.response(id)).id, id)
      }
      assert.deepStrictEqual(
        peer.frames().flatMap((frame) => (frame._tag === "Request" ? [frame.id] : [])),
        ["zc-out-0", "zc-out-1"]
      )
    })
  )
})
