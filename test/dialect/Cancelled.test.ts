// The card and the marker of a cancelled turn.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { SessionUpdate } from "../../src/contract/Update.ts"
import * as Cancelled from "../../src/dialect/Cancelled.ts"

describe("a cancelled turn", () => {
  it("is a completed card of kind think, named turn-cancelled after its session, that the contract can write", () => {
    const update = Cancelled.update("s-1", 0)
    assert.deepStrictEqual(Schema.encodeSync(SessionUpdate)(update), {
      sessionUpdate: "tool_call",
      toolCallId: "turn-cancelled-s-1",
      name: "turn-cancelled",
      title: "turn-cancelled",
      kind: "think",
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: "[turn cancelled via client]" } }]
    })
  })

  it("never repeats the id of an earlier one", () => {
    const ids = [0, 1, 2, 9].map((earlier) => {
      const update = Cancelled.update("s", earlier)
      return update.sessionUpdate === "tool_call" ? update.toolCallId : assert.fail()
    })
    assert.deepStrictEqual(ids, ["turn-cancelled-s", "turn-cancelled-s-2", "turn-cancelled-s-3", "turn-cancelled-s-10"])
  })

  it("ends the streamed text with a blank line and the marker, and is the marker alone without text", () => {
    assert.strictEqual(Cancelled.content("half an answer"), "half an answer\n\n[turn cancelled via client]")
    assert.strictEqual(Cancelled.content(""), "[turn cancelled via client]")
  })
})
