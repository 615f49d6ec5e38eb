// What a load replays, from rows of this and of the other program.
import { assert, describe, it } from "@effect/vitest"
import type { SessionUpdate } from "../../src/contract/Update.ts"
import { assembleRows, legacyUpdates } from "../../src/store/Replay.ts"
import { type EventRow, fromRows, turnRow, turnRows } from "../../src/store/Rows.ts"
import { asked, row, said, turn } from "./support/Samples.ts"

const user = (id: number, content: string) => ({
  id,
  role: "user",
  content,
  reasoning_content: null,
  calls: []
})
const update = (value: SessionUpdate): EventRow => ({ action: "update", outcome: "ok", payload: JSON.stringify(value) })
const texts = (updates: ReadonlyArray<SessionUpdate>) =>
  updates.map((one) =>
    "content" in one && one.content && "text" in one.content ? one.content.text : one.sessionUpdate
  )

describe("replay", () => {
  it("shows messages that another program wrote before, between and after our turns", () => {
    const stored = [user(1, "before"), user(2, "ours"), user(5, "between"), user(6, "again"), user(9, "after")]
    const events = [
      update(asked("ours, seen")),
      turnRow("end_turn", { after: 1, last: 2 }),
      update(asked("again, seen")),
      turnRow("refusal", { after: 5, last: 6 })
    ]
    const { conversation } = assembleRows(row(), stored, events)
    assert.deepStrictEqual(texts(conversation.updates), ["before", "ours, seen", "between", "again, seen", "after"])
    assert.strictEqual(conversation.turns, 5)
    assert.strictEqual(conversation.messages.length, 5)
  })

  it("shows a turn that left no message", () => {
    const events = [update(said("no")), turnRow("refusal", { after: 0, last: 0 })]
    assert.deepStrictEqual(texts(assembleRows(row(), [], events).conversation.updates), ["no"])
  })

  it("leaves out unreadable updates and counts them", () => {
    const events = [
      { action: "update", outcome: "ok", payload: "{" },
      update(said("fine")),
      { action: "other", outcome: "ok", payload: null },
      turnRow("end_turn", { after: 0, last: 0 })
    ]
    const { conversation, unreadable } = assembleRows(row(), [], events)
    assert.deepStrictEqual(texts(conversation.updates), ["fine"])
    assert.strictEqual(unreadable, 1)
  })

  it("shows nothing twice when a turn does not tell its messages", () => {
    const events = [update(said("fine")), { action: "turn", outcome: "end_turn", payload: null }]
    assert.deepStrictEqual(texts(assembleRows(row(), [user(1, "seen")], events).conversation.updates), ["fine"])
  })
})

describe("legacy replay", () => {
  it("shows thoughts, texts and calls with their results", () => {
    const updates = legacyUpdates(fromRows(turnRows(turn(1)).messages))
    assert.deepStrictEqual(
      updates.map(({ sessionUpdate }) => sessionUpdate),
      [
        "user_message_chunk",
        "agent_thought_chunk",
        "agent_message_chunk",
        "tool_call",
        "tool_call",
        "agent_message_chunk"
      ]
    )
    const cards = updates.filter((one) => one.sessionUpdate === "tool_call")
    assert.deepStrictEqual(
      cards.map(({ rawInput, status, title, toolCallId }) => [toolCallId, title, status, rawInput]),
      [
        ["a1", "file_read", "completed", { path: "x" }],
        ["b1", "shell", "failed", {}]
      ]
    )
  })

  it("hides what the person did not type", () => {
    const messages = ["[2026-12-01 10:00:00 CET] hello", "[Tool results]\nsecret", "[2026] mine"].map((text) => ({
      _tag: "User" as const,
      text
    }))
    assert.deepStrictEqual(texts(legacyUpdates(messages)), ["hello", "[2026] mine"])
  })
})
