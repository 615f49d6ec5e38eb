// A compaction, folded: first in_progress, exactly one terminal, a summary with completed, an error with failed.
// @see acp-v1 section 1.5 (compaction_update, compaction_summary_chunk)
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { type ContentBlock, text } from "../../src/contract/Content.ts"
import type { SessionUpdate } from "../../src/contract/Update.ts"
import * as Compaction from "../../src/session/Compaction.ts"

const compactionId = "c1"
type Change = Parameters<typeof Compaction.patch>[1]

const update = (status: string, more: Omit<Partial<Extract<Change, { status: string }>>, "status"> = {}): Change => ({
  sessionUpdate: "compaction_update",
  compactionId,
  status,
  ...more
})
const chunk = (content: ContentBlock): Change => ({
  sessionUpdate: "compaction_summary_chunk",
  compactionId,
  content
})
const fold = (changes: ReadonlyArray<SessionUpdate>): Compaction.State =>
  changes.filter(Compaction.isOf).reduce(Compaction.patch, Compaction.begin(compactionId))
const replay = (...changes: ReadonlyArray<Change>) => Compaction.updates(fold(changes))
const end = (...changes: ReadonlyArray<Change>) => replay(...changes).at(-1)

const link: ContentBlock = { type: "resource_link", uri: "file:///a", name: "a" }

const status = fc.constantFrom("in_progress", "completed", "failed", "cancelled", "_paused", "")
const block: fc.Arbitrary<ContentBlock> = fc.oneof(fc.string().map(text), fc.constant(link))
const change: fc.Arbitrary<Change> = fc.oneof(
  block.map(chunk),
  fc
    .record(
      {
        status,
        summary: fc.option(fc.array(block, { maxLength: 3 })),
        error: fc.option(fc.string())
      },
      { requiredKeys: ["status"] }
    )
    .map(({ status, ...more }) => update(status, more))
)
const changes = fc.array(change, { maxLength: 12 })
const ends = ["completed", "failed", "cancelled"]

describe("what is replayed of a compaction", () => {
  it("is a beginning and an end with the whole summary, however it was written", () => {
    const summary = [text("It is done.")]
    const expected = [update("in_progress"), update("completed", { summary })]
    const begun = update("in_progress")
    assert.deepStrictEqual(replay(begun, chunk(text("It is ")), chunk(text("done.")), update("completed")), expected)
    assert.deepStrictEqual(replay(begun, chunk(text("It")), update("completed", { summary })), expected)
    assert.deepStrictEqual(
      replay(
        begun,
        chunk(text("Wrong")),
        update("in_progress", { summary: null }),
        ...summary.map(chunk),
        update("completed")
      ),
      expected
    )
  })

  it("keeps what is no text between the texts", () => {
    assert.deepStrictEqual(
      end(
        update("in_progress"),
        chunk(text("a")),
        chunk(link),
        chunk(text("b")),
        chunk(text("c")),
        update("completed")
      ),
      update("completed", { summary: [text("a"), link, text("bc")] })
    )
  })

  it("tells why one failed, and no summary of it", () => {
    assert.deepStrictEqual(
      end(update("in_progress"), chunk(text("half")), update("failed", { error: "no answer" })),
      update("failed", { error: "no answer" })
    )
  })

  it("ends as cancelled what has no end of its own", () => {
    for (const last of [update("in_progress"), update("_paused"), chunk(text("half"))]) {
      assert.deepStrictEqual(replay(last), [update("in_progress"), update("cancelled")])
    }
  })

  it("goes on after a status that it does not know", () => {
    assert.deepStrictEqual(
      end(update("in_progress"), update("_paused"), chunk(text("a")), update("completed")),
      update("completed", { summary: [text("a")] })
    )
  })

  it.prop("begins in_progress and has exactly one terminal, which is the last", [changes], ([changes]) => {
    const replayed = replay(...changes).filter(Compaction.isOf)
    const statuses = replayed.map((one) => (one.sessionUpdate === "compaction_update" ? one.status : "chunk"))
    assert.strictEqual(statuses[0], "in_progress")
    assert.strictEqual(statuses.filter((one) => ends.includes(one)).length, 1)
    assert.include(ends, statuses.at(-1))
    for (const one of replayed) {
      if (one.sessionUpdate !== "compaction_update") continue
      assert.strictEqual(one.compactionId, compactionId)
      assert.strictEqual(one.summary !== undefined, one.status === "completed")
      if (one.error !== undefined) assert.strictEqual(one.status, "failed")
    }
  })

  it.prop("folds to what was seen live, and to itself", [changes], ([changes]) => {
    const live = fold(changes)
    const again = fold(Compaction.updates(live))
    assert.deepStrictEqual(Compaction.updates(again), Compaction.updates(live))
    if (live.status === "completed") assert.deepStrictEqual(again.summary, live.summary)
    if (live.status === "failed") assert.strictEqual(again.error, live.error)
    if (ends.includes(live.status)) assert.strictEqual(again.status, live.status)
  })

  it.prop("is not changed by what follows its end", [changes, changes], ([before, after]) => {
    for (const status of ends) {
      const ended = fold([...before, update(status)])
      assert.deepStrictEqual(after.reduce(Compaction.patch, ended), ended)
    }
  })
})

describe("for a client that knows no compactions", () => {
  const messages = (...changes: ReadonlyArray<Change>) =>
    replay(...changes)
      .filter(Compaction.isOf)
      .flatMap(Compaction.toMessages)
  const message = (content: ContentBlock): SessionUpdate => ({
    sessionUpdate: "agent_message_chunk",
    content,
    messageId: compactionId
  })

  it("a summary is a message", () => {
    assert.deepStrictEqual(messages(update("completed", { summary: [text("All"), link] })), [
      message(text("All")),
      message(link)
    ])
  })

  it("one that was cancelled is told as such; why one failed is told beside it", () => {
    assert.deepStrictEqual(messages(chunk(text("half"))), [message(text(Compaction.cancelledNote))])
    assert.deepStrictEqual(messages(update("failed", { error: "no answer" })), [])
  })

  it.prop("there is nothing of a compaction in what it is shown", [changes], ([changes]) => {
    assert.isFalse(changes.flatMap(Compaction.toMessages).some(Compaction.isOf))
    assert.isFalse(messages(...changes).some(Compaction.isOf))
  })
})
