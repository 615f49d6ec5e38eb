// The dialect on the wire, rows 11 to 13: questions to the person, and what their answers mean.
import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { askUser } from "../../src/tools/AskUser.ts"
import type { Tool } from "../../src/tools/Tool.ts"
import * as Dialects from "../support/Dialects.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"

const { all, each, opened, signed, strict, unsigned, zeroclaw } = Dialects
const { call, say, scripted, tool } = Embedded
const selected = (optionId: string, more: Readonly<Record<string, unknown>> = {}) => ({
  result: { outcome: { outcome: "selected", optionId, ...more } }
})

/** Writes nothing; `ran` counts how often it would have. */
const editTool = (ran: { count: number }): Tool => ({
  spec: { name: "file_write", description: "", inputSchema: { type: "object" } },
  prepare: () =>
    Effect.succeed({
      action: { _tag: "Write", tool: "file_write", path: "/project/a" },
      face: {
        title: "Write a",
        kind: "edit",
        locations: [],
        content: [{ type: "diff", path: "/project/a", oldText: null, newText: "proposed" }]
      },
      rawInput: {},
      run: () =>
        Effect.sync(() => {
          ran.count++
          return { text: "written" }
        })
    })
})

/** One turn of one edit, asked about and answered so. */
const edit = (speech: Dialects.Speech, answer: Peer.Answer) =>
  Effect.gen(function* () {
    const ran = { count: 0 }
    const model = scripted(call(["file_write", {}]), say("ok"))
    const { peer, sessionId } = yield* opened(speech, { model, policy: Embedded.ask, tools: [editTool(ran)] })
    peer.answer(() => answer)
    yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
    const message = model.requests[1]?.at(-1)
    return {
      ran: ran.count,
      result: message?._tag === "ToolResults" ? message.results[0] : undefined,
      question: peer.frames().find(Peer.isPermission)?.params,
      status: peer.updates(sessionId).findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update")?.["status"]
    }
  })

const optionsOf = (params: unknown): ReadonlyArray<readonly [id: unknown, kind: unknown]> => {
  const options = typeof params === "object" && params !== null ? Reflect.get(params, "options") : undefined
  return Array.isArray(options) ? options.map(({ kind, optionId }) => [optionId, kind] as const) : []
}

const allowing = [
  ["allow-once", "allow_once"],
  ["allow-always", "allow_always"]
] as const
const rejecting = [["reject-once", "reject_once"]] as const
const plain = [...allowing, ...rejecting]

describe("row 11, permission questions", () => {
  each(all, "about an edit offer, only in the dialect, to reject it with another text", (speech) =>
    Effect.gen(function* () {
      const { question } = yield* edit(speech, selected("reject-once"))
      assert.deepStrictEqual(
        optionsOf(question),
        speech.zeroclaw ? [...allowing, ["reject-with-edit", "reject_with_edit"], ...rejecting] : plain
      )
      if (speech.zeroclaw) assert.nestedPropertyVal(question, "toolCall.proposedEdit", "proposed")
      else assert.notNestedProperty(question, "toolCall.proposedEdit")
    })
  )

  each(all, "about anything else offer the same in every dialect", (speech) =>
    Effect.gen(function* () {
      const model = scripted(call(["run", {}]), say("ok"))
      const tools = [tool("run", Effect.succeed("x"))]
      const { peer, sessionId } = yield* opened(speech, { model, policy: Embedded.ask, tools })
      peer.answer(() => selected("allow-once"))
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      assert.deepStrictEqual(optionsOf(peer.frames().find(Peer.isPermission)?.params), plain)
    })
  )

  const inMeta = { _meta: { zeroclaw: { replacementContent: "mine" } } }
  each([zeroclaw, signed], "take the person's own text as the result, from the outcome or its _meta", (speech) =>
    Effect.gen(function* () {
      for (const more of [{ replacementContent: "mine" }, inMeta, { ...inMeta, replacementContent: "mine" }]) {
        const { ran, result, status } = yield* edit(speech, selected("reject-with-edit", more))
        assert.deepStrictEqual(result, { id: "call-0", name: "file_write", text: "mine", isError: false })
        assert.strictEqual(ran, 0)
        assert.strictEqual(status, "completed")
      }
    })
  )

  each([zeroclaw, signed], "are a plain no where that text is empty, absent or no text", (speech) =>
    Effect.gen(function* () {
      for (const more of [
        {},
        { replacementContent: "" },
        { replacementContent: 5 },
        { replacementContent: "\u0000" }
      ]) {
        const { ran, result, status } = yield* edit(speech, selected("reject-with-edit", more))
        assert.deepStrictEqual(result, { id: "call-0", name: "file_write", text: "Denied by user.", isError: true })
        assert.strictEqual(ran, 0)
        assert.strictEqual(status, "failed")
      }
    })
  )

  each([unsigned, strict], "take no text for an option that was not offered", (speech) =>
    Effect.gen(function* () {
      for (const more of [{ replacementContent: "mine" }, inMeta]) {
        const { ran, result } = yield* edit(speech, selected("reject-with-edit", more))
        assert.isTrue(result?.isError)
        assert.include(result?.text ?? "", "not offered")
        assert.strictEqual(ran, 0)
      }
    })
  )

  each(all, "are denied by reject-once and by reject-always alike, and by what nobody offered", (speech) =>
    Effect.gen(function* () {
      for (const [optionId, text] of [
        ["reject-once", "Denied by user."],
        ["reject-always", "Denied by user."],
        ["allow_once", "not offered"],
        ["toString", "not offered"]
      ] as const) {
        const { ran, result } = yield* edit(speech, selected(optionId))
        assert.isTrue(result?.isError)
        assert.include(result?.text ?? "", text)
        assert.strictEqual(ran, 0)
      }
    })
  )

  each(all, "let an edit run on allow-once", (speech) =>
    Effect.gen(function* () {
      const { ran, result } = yield* edit(speech, selected("allow-once", { replacementContent: "mine" }))
      assert.strictEqual(ran, 1)
      assert.strictEqual(result?.text, "written")
    })
  )

  it.scoped("that are open when the dialect begins keep the options they have", () =>
    Effect.gen(function* () {
      const ran = { count: 0 }
      const model = scripted(call(["file_write", {}]), say("ok"))
      const tools = [editTool(ran)]
      const speech = { ...unsigned, zeroclaw: true }
      const { peer, sessionId } = yield* opened(speech, { model, policy: Embedded.ask, tools })
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      const question = yield* peer.until(Peer.isPermission)
      assert.deepStrictEqual(optionsOf(question._tag === "Request" ? question.params : undefined), plain)
      yield* peer.request("session/event", { sessionId, type: "x" })
      yield* peer.reply("zc-out-0", selected("reject-with-edit", { replacementContent: "mine" }))
      yield* peer.response(id)
      const message = model.requests[1]?.at(-1)
      assert.isTrue(message?._tag === "ToolResults" && message.results[0]?.isError)
    })
  )
})

describe("row 12, a question that nobody answers", () => {
  each(all, "is withdrawn after session_timeout_secs, and means no", (speech) =>
    Effect.gen(function* () {
      const model = scripted(call(["run", {}]), say("ok"))
      const { run, runs } = Embedded.counted()
      const setup = { model, policy: Embedded.ask, tools: [run], acp: { session_timeout_secs: 5 } }
      const { peer, sessionId } = yield* opened(speech, setup)
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isPermission)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* peer.response(id)).result?.["stopReason"], "end_turn")
      const withdrawn = peer
        .frames()
        .flatMap((frame) =>
          frame._tag === "Notification" && frame.method === "$/cancel_request" ? [frame.params] : []
        )
      assert.deepStrictEqual(withdrawn, [{ requestId: "zc-out-0" }])
      assert.strictEqual(runs(), 0)
    })
  )
})

describe("row 13, ask_user", () => {
  const question = { question: "Which?", choices: ["red", "blue"] }
  const turn = (speech: Dialects.Speech, capabilities: unknown, answer: Peer.Answer) =>
    Effect.gen(function* () {
      const model = scripted(call(["ask_user", question]), say("ok"))
      const { peer, sessionId } = yield* opened(speech, { model, tools: [askUser], capabilities })
      peer.answer(() => answer)
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      const message = model.requests[1]?.at(-1)
      return {
        asked: peer.frames().flatMap((frame) => (frame._tag === "Request" ? [frame] : [])),
        answer: message?._tag === "ToolResults" ? message.results[0]?.text : undefined
      }
    })
  const accepted = { result: { action: "accept", content: { choice: "choice-1" } } }

  each(all, "is a form where the client has forms", (speech) =>
    Effect.gen(function* () {
      const { answer, asked } = yield* turn(speech, { elicitation: { form: {} } }, accepted)
      assert.strictEqual(asked[0]?.method, "elicitation/create")
      assert.nestedPropertyVal(asked[0], "params.requestedSchema.properties.choice.oneOf[1].const", "choice-1")
      assert.strictEqual(answer, "blue")
    })
  )

  each(all, "is a form for elicitation: {} only in the dialect", (speech) =>
    Effect.gen(function* () {
      const { asked } = yield* turn(speech, { elicitation: {} }, speech.zeroclaw ? accepted : selected("choice-1"))
      assert.strictEqual(asked[0]?.method, speech.zeroclaw ? "elicitation/create" : "session/request_permission")
    })
  )

  each(all, "is buttons with the protocol's kinds where it has none", (speech) =>
    Effect.gen(function* () {
      const { answer, asked } = yield* turn(speech, {}, selected("choice-0"))
      assert.deepStrictEqual(optionsOf(asked[0]?.params), [
        ["choice-0", "allow_once"],
        ["choice-1", "allow_once"]
      ])
      assert.strictEqual(answer, "red")
    })
  )
})
