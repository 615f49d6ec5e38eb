// A turn survives being turned into rows and back.
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import type { Message } from "../../src/model/Message.ts"
import * as Rows from "../../src/store/Rows.ts"
import { anyMessages, history, said, turn } from "./support/Samples.ts"

describe("messages and rows", () => {
  it.prop("gives back a history as the agent loop writes it", [history], ([messages]) => {
    assert.deepStrictEqual(Rows.fromRows(Rows.toRows(messages)), messages)
    assert.deepStrictEqual(Rows.toRows(messages).flatMap(Rows.soundRow), messages)
  })

  it.prop("settles after one round for anything else", [anyMessages], ([messages]) => {
    const once = Rows.fromRows(Rows.toRows(messages))
    assert.deepStrictEqual(Rows.fromRows(Rows.toRows(once)), once)
  })

  it.prop("keeps every call and result, and stores only well-formed text", [anyMessages], ([messages]) => {
    const calls = (all: ReadonlyArray<Message>) =>
      all.flatMap((one) =>
        one._tag === "Assistant"
          ? one.parts.flatMap((part) => (part._tag === "ToolCall" ? [part.input.toWellFormed()] : []))
          : []
      )
    const results = (all: ReadonlyArray<Message>) =>
      all.flatMap((one) => (one._tag === "ToolResults" ? one.results.map(({ text }) => text.toWellFormed()) : []))
    const back = Rows.fromRows(Rows.toRows(messages))
    assert.deepStrictEqual(calls(back), calls(messages))
    assert.deepStrictEqual(results(back).sort(), results(messages).sort())
    assert.isTrue(JSON.stringify(back).search(/\\ud[89a-f]/) === -1)
  })

  it.prop("gives a provider calls and results in pairs only", [anyMessages], ([messages]) => {
    for (const sound of Rows.toRows(messages).map(Rows.soundRow)) {
      const called = sound.flatMap((one) =>
        one._tag === "Assistant" ? one.parts.flatMap((part) => (part._tag === "ToolCall" ? [part.id] : [])) : []
      )
      const answered = sound.flatMap((one) => (one._tag === "ToolResults" ? one.results.map(({ id }) => id) : []))
      assert.deepStrictEqual(new Set(answered), new Set(called))
    }
  })

  it("answers a call that was stored without its result", () => {
    const messages: ReadonlyArray<Message> = [
      { _tag: "Assistant", parts: [{ _tag: "ToolCall", id: "1", name: "shell", input: "{}" }] },
      { _tag: "User", text: "go on" }
    ]
    assert.deepStrictEqual(Rows.toRows(messages).flatMap(Rows.soundRow), [
      ...messages.slice(0, 1),
      { _tag: "ToolResults", results: [{ id: "1", name: "shell", text: Rows.lostResult, isError: true }] },
      ...messages.slice(1)
    ])
  })

  it("keeps the text of an assistant message whose results have no call", () => {
    const out = { tool_call_id: "1", tool_name: "shell", event_kind: "out", payload: "x", outcome: "unknown" }
    assert.deepStrictEqual(
      Rows.soundRow({ role: "assistant", content: "text", reasoning_content: null, calls: [out] }),
      [{ _tag: "Assistant", parts: [{ _tag: "Text", text: "text" }] }]
    )
  })

  it("writes the documented rows", () => {
    assert.deepStrictEqual(
      Rows.toRows(turn(1).messages).map(({ calls, ...message }) => [
        message.role,
        message.reasoning_content,
        calls.map(({ event_kind, outcome }) => `${event_kind}:${outcome}`)
      ]),
      [
        ["user", null, []],
        ["assistant", "thought 1", ["in:null", "in:null", "out:ok", "out:error"]],
        ["assistant", null, []]
      ]
    )
  })

  it("does not store a provider's data", () => {
    const signed: Message = {
      _tag: "Assistant",
      parts: [
        { _tag: "Thought", text: "hm", provider: { anthropic: { signature: "SECRET" } } },
        { _tag: "Text", text: "hi" }
      ]
    }
    assert.notInclude(JSON.stringify(Rows.toRows([signed])), "SECRET")
  })
})

describe("updates and rows", () => {
  it("gives back what was seen", () => {
    const { updates } = turn(1)
    assert.deepStrictEqual(
      updates.map((update) => Option.flatMap(Rows.updateRow(update), Rows.readUpdate)),
      updates.map(Option.some)
    )
  })

  it("replaces lone surrogates, and leaves text that looks like their escapes", () => {
    const read = (value: string) => Option.flatMap(Rows.updateRow(said(value)), Rows.readUpdate)
    assert.deepStrictEqual(read("a\ud800b"), Option.some(said("a\ufffdb")))
    assert.deepStrictEqual(read("\\ud800 \ud83d\ude00"), Option.some(said("\\ud800 \ud83d\ude00")))
  })

  it("has no row for what is no JSON, and no update for a row that cannot be read", () => {
    const update = { sessionUpdate: "tool_call" as const, toolCallId: "1", title: "x", rawOutput: 1n }
    assert.isTrue(Option.isNone(Rows.updateRow(update)))
    for (const payload of [null, "", "{", "[]", '{"sessionUpdate":"nope"}']) {
      assert.isTrue(Option.isNone(Rows.readUpdate({ action: "update", outcome: "ok", payload })))
    }
  })
})
