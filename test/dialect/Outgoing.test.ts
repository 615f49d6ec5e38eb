// What is written beside the protocol's members: copies of what `_meta.zeroclaw` holds, and a tool's text.
import { assert, describe, it } from "@effect/vitest"
import * as Outgoing from "../../src/dialect/Outgoing.ts"

const meta = (zeroclaw: unknown) => ({ _meta: { zeroclaw } })
const update = (update: unknown) => ({ sessionId: "s", update })
const shown = (value: unknown) => Outgoing.params("session/update", update(value))
const text = (value: string) => ({ type: "content", content: { type: "text", text: value } })

describe("results", () => {
  it("of session/new have workspaceDir at the root too", () => {
    const result = { sessionId: "s", ...meta({ workspaceDir: "/w", agentAlias: "a" }) }
    assert.deepStrictEqual(Outgoing.result("session/new", result), { ...result, workspaceDir: "/w" })
  })

  it("of session/prompt have sessionId and content at the root too", () => {
    const result = { stopReason: "end_turn", ...meta({ sessionId: "s", content: "" }) }
    assert.deepStrictEqual(Outgoing.result("session/prompt", result), { ...result, sessionId: "s", content: "" })
  })

  it("keep what stands at the root already", () => {
    const result = { workspaceDir: "/mine", ...meta({ workspaceDir: "/w" }) }
    assert.strictEqual(Outgoing.result("session/new", result), result)
  })

  it.each(["session/load", "session/resume", "initialize", "constructor"])("of %s are left as they are", (method) => {
    const result = { ...meta({ workspaceDir: "/w", sessionId: "s", content: "c" }) }
    assert.strictEqual(Outgoing.result(method, result), result)
  })

  it.each([null, [], "x", {}, { _meta: null }, meta(null), meta({ workspaceDir: 5 })])(
    "such as %j have nothing to copy",
    (result) => {
      assert.strictEqual(Outgoing.result("session/new", result), result)
    }
  )
})

describe("updates", () => {
  it.each(["tool_call", "tool_call_update"])(
    "of %s have a body: the raw text, else that of the card",
    (sessionUpdate) => {
      const content = [text("one"), { type: "diff", newText: "no" }, text("two")]
      const raw = { sessionUpdate, rawOutput: "raw", content }
      assert.deepStrictEqual(shown(raw), update({ ...raw, body: "raw" }))
      const card = { sessionUpdate, rawOutput: { path: "/a" }, content }
      assert.deepStrictEqual(shown(card), update({ ...card, body: "one\ntwo" }))
    }
  )

  it("of a tool without text have no body", () => {
    for (const content of [undefined, null, [], [{ type: "terminal", terminalId: "t" }], "text"]) {
      const value = { sessionUpdate: "tool_call", content }
      assert.deepStrictEqual(shown(value), update(value))
    }
  })

  it("of a plan have activeForm beside each entry that has one", () => {
    const first = { content: "a", ...meta({ activeForm: "doing a" }) }
    const entries = [first, { content: "b" }, "odd"]
    assert.deepStrictEqual(
      shown({ sessionUpdate: "plan", entries }),
      update({ sessionUpdate: "plan", entries: [{ ...first, activeForm: "doing a" }, { content: "b" }, "odd"] })
    )
  })

  it.each(["agent_message_chunk", "user_message_chunk", "usage_update", "constructor"])(
    "of %s are the same",
    (kind) => {
      const value = { sessionUpdate: kind, rawOutput: "raw", content: [text("x")], ...meta({ activeForm: "x" }) }
      assert.deepStrictEqual(shown(value), update(value))
    }
  )
})

describe("other calls", () => {
  it("are left as they are, and so are their answers", () => {
    const value = { toolCall: { kind: "edit" }, options: [], outcome: { replacementContent: "x" } }
    for (const method of ["fs/write_text_file", "elicitation/create", "terminal/create", "_zeroclaw/history_trimmed"]) {
      assert.strictEqual(Outgoing.params(method, value), value)
      assert.strictEqual(Outgoing.answer(method, value), value)
    }
  })

  it("of session/request_permission offer the edit, and their answers tell it", () => {
    const asked = Outgoing.params("session/request_permission", {
      toolCall: { name: "file_write", kind: "edit" },
      options: []
    })
    assert.nestedPropertyVal(asked, "options.0.optionId", "reject-with-edit")
    const answered = Outgoing.answer("session/request_permission", { outcome: { replacementContent: "x" } })
    assert.nestedPropertyVal(answered, "outcome._meta.zeroclaw.replacementContent", "x")
  })
})
