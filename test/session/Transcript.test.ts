// What of a turn is kept for a replay, folded. @see acp-v1 section 1.5
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { text } from "../../src/contract/Content.ts"
import type { SessionUpdate } from "../../src/contract/Update.ts"
import * as Transcript from "../../src/session/Transcript.ts"

const folded = (updates: ReadonlyArray<SessionUpdate>) => {
  const transcript = Transcript.make()
  for (const update of updates) transcript.add(update)
  return transcript
}
const fold = (...updates: ReadonlyArray<SessionUpdate>) => folded(updates).updates()

type Chunk = "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk"
const chunk = (sessionUpdate: Chunk, said: string, messageId?: string): SessionUpdate => ({
  sessionUpdate,
  content: text(said),
  ...(messageId === undefined ? {} : { messageId })
})
const says = (said: string, messageId?: string) => chunk("agent_message_chunk", said, messageId)
type Call = Extract<SessionUpdate, { readonly sessionUpdate: "tool_call" }>
const call = (toolCallId: string, status: NonNullable<Call["status"]> = "pending", more: Partial<Call> = {}): Call => ({
  sessionUpdate: "tool_call",
  toolCallId,
  title: `Call ${toolCallId}`,
  kind: "read",
  status,
  ...more
})
const progress = (toolCallId: string, more: object): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  ...more
})

describe("messages", () => {
  it("chunks of one message are one update", () => {
    assert.deepStrictEqual(fold(says("a", "1"), says("b", "1"), says("", "1"), says("c", "1")), [says("abc", "1")])
  })

  it("another id, another kind and anything between begin another", () => {
    const apart = [says("a", "1"), says("b", "2"), says("c"), chunk("agent_thought_chunk", "d"), call("x"), says("e")]
    assert.deepStrictEqual(fold(...apart), apart)
    assert.deepStrictEqual(fold(says("a", "1"), call("x"), says("b", "1")), [says("a", "1"), call("x"), says("b", "1")])
  })

  it("the blocks of a prompt stay as the person sent them", () => {
    const blocks = [chunk("user_message_chunk", "a", "1"), chunk("user_message_chunk", "b", "1")]
    assert.deepStrictEqual(fold(...blocks), blocks)
  })
})

describe("tool calls", () => {
  it("are in their place and in their last state; what an update omits stays", () => {
    const content = [{ type: "content" as const, content: text("out") }]
    assert.deepStrictEqual(
      fold(
        call("x"),
        says("a"),
        progress("x", { status: "in_progress", title: "Reading" }),
        progress("x", { status: "completed", content })
      ),
      [call("x", "completed", { title: "Reading", content }), says("a")]
    )
  })

  it("keep the text of a delivered file, not its bytes", () => {
    const told = { type: "content", content: text("Delivered a.pdf") } as const
    const resource = { uri: "attachment://deliver/0.pdf", blob: "YQ==" }
    const delivered = progress("a", {
      status: "completed",
      title: "Report",
      content: [told, { type: "content", content: { type: "resource", resource } }]
    })
    assert.deepStrictEqual(fold(call("a"), delivered), [
      { ...call("a", "completed"), title: "Report", content: [told] }
    ])
  })

  it("an update of a call that was never shown is nothing", () => {
    assert.deepStrictEqual(fold(progress("x", { status: "completed" })), [])
  })

  it("are open until completed or failed", () => {
    const open = folded([
      call("a"),
      call("b"),
      call("c"),
      progress("a", { status: "completed" }),
      progress("b", { status: "failed" })
    ])
    assert.deepStrictEqual(
      open.openCalls().map(({ toolCallId }) => toolCallId),
      ["c"]
    )
  })
})

describe("compactions", () => {
  const compaction = (compactionId: string, status: string, summary?: string): SessionUpdate => ({
    sessionUpdate: "compaction_update",
    compactionId,
    status,
    ...(summary === undefined ? {} : { summary: [text(summary)] })
  })
  const part = (compactionId: string, said: string): SessionUpdate => ({
    sessionUpdate: "compaction_summary_chunk",
    compactionId,
    content: text(said)
  })

  it("are in their place, one after the other, though their updates are not", () => {
    assert.deepStrictEqual(
      fold(
        compaction("1", "in_progress"),
        says("a"),
        compaction("2", "in_progress"),
        part("2", "x"),
        part("1", "y"),
        compaction("2", "failed"),
        compaction("1", "completed")
      ),
      [
        compaction("1", "in_progress"),
        compaction("1", "completed", "y"),
        says("a"),
        compaction("2", "in_progress"),
        compaction("2", "failed")
      ]
    )
  })
})

describe("what is not of the conversation", () => {
  const moments: ReadonlyArray<SessionUpdate> = [
    { sessionUpdate: "available_commands_update", availableCommands: [] },
    { sessionUpdate: "current_mode_update", currentModeId: "full" },
    { sessionUpdate: "config_option_update", configOptions: [] },
    { sessionUpdate: "session_info_update", title: "x" },
    { sessionUpdate: "usage_update", used: 1, size: 2 },
    { sessionUpdate: "notice", severity: "info", title: "x" }
  ]
  for (const moment of moments) {
    it(`${moment.sessionUpdate} is not kept, and parts no message`, () => {
      assert.deepStrictEqual(fold(says("a", "1"), moment, says("b", "1")), [says("ab", "1")])
    })
  }

  it("a plan is", () => {
    const plan: SessionUpdate = { sessionUpdate: "plan", entries: [] }
    assert.deepStrictEqual(fold(plan), [plan])
  })
})

const id = fc.constantFrom("1", "2")
const anyUpdate: fc.Arbitrary<SessionUpdate> = fc.oneof(
  fc
    .tuple(fc.constantFrom<Chunk>("agent_message_chunk", "agent_thought_chunk", "user_message_chunk"), fc.string(), id)
    .map(([kind, said, messageId]) => chunk(kind, said, messageId)),
  fc.tuple(id, fc.constantFrom("pending" as const, "in_progress" as const)).map(([id, status]) => call(id, status)),
  fc.tuple(id, fc.constantFrom("completed", "failed", "in_progress")).map(([id, status]) => progress(id, { status })),
  fc
    .tuple(id, fc.constantFrom("in_progress", "completed", "failed", "cancelled"))
    .map(([compactionId, status]): SessionUpdate => ({ sessionUpdate: "compaction_update", compactionId, status })),
  fc.tuple(id, fc.string()).map(
    ([compactionId, said]): SessionUpdate => ({
      sessionUpdate: "compaction_summary_chunk",
      compactionId,
      content: text(said)
    })
  )
)

describe("any turn", () => {
  const said = (updates: ReadonlyArray<SessionUpdate>, kind: Chunk) =>
    updates
      .flatMap((update) =>
        update.sessionUpdate === kind && update.content.type === "text" ? [update.content.text] : []
      )
      .join("")

  it.prop(
    "folds to what folds to itself, with every text in it",
    [fc.array(anyUpdate, { maxLength: 30 })],
    ([live]) => {
      const once = fold(...live)
      assert.deepStrictEqual(fold(...once), once)
      for (const kind of ["agent_message_chunk", "agent_thought_chunk", "user_message_chunk"] as const) {
        assert.strictEqual(said(once, kind), said(live, kind))
      }
    }
  )
})
