// /compact over the wire: what is shown while it writes, and what the model knows afterwards.
// @see acp-v1 section 1.5 (compaction_update, compaction_summary_chunk)
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import { text } from "../../src/contract/Content.ts"
import { marker } from "../../src/dialect/Cancelled.ts"
import type { ModelEvent } from "../../src/model/Model.ts"
import * as Compaction from "../../src/session/Compaction.ts"
import * as Transcript from "../../src/session/Transcript.ts"
import * as Store from "../../src/store/Store.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"
import { able, endedAs, failing, folded, lastRequest, statuses, wrote } from "./compaction.ts"
import { decode, type Open, open, textOf } from "./support.ts"

const { finish, say, scripted } = Embedded
const store = Store.memoryWith({ durable: true })
const clients: ReadonlyArray<readonly [string, unknown, boolean]> = [
  ["a client that knows compactions", able, true],
  ["a client that knows none", {}, false]
]

/** Writes these, says so, and never ends. */
const stuck =
  (written: Deferred.Deferred<void>, ...texts: ReadonlyArray<string>): Embedded.Script =>
  () =>
    Stream.concat(wrote(...texts), Stream.execute(Effect.zipRight(Deferred.succeed(written, undefined), Effect.never)))

const stillKnows = (session: Open, model: ReturnType<typeof scripted>, ...prompts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* session.say("Next")
    assert.deepStrictEqual(lastRequest(model), [...prompts, "Next"])
  })

for (const [who, capabilities, shown] of clients) {
  describe(`/compact, ${who}`, () => {
    it.scoped("shows the summary as it is written; from then on the model knows it instead of the conversation", () =>
      Effect.gen(function* () {
        const model = scripted(say("Mended."), say("They ", "mended ", "it."), say("ok"))
        const session = yield* open({ model, store }, capabilities)
        yield* session.say("Mend it")
        const { content, stopReason, updates } = yield* session.say("/compact the paths")
        assert.strictEqual(stopReason, "end_turn")
        endedAs(updates, "completed", shown)
        assert.include(lastRequest(model).join(), "The person asks of the summary: the paths")
        if (shown) assert.deepStrictEqual(folded(updates).summary, [text("They mended it.")])
        else assert.include(content, "\n\nThey mended it.\n\n")
        assert.include(textOf(updates), "goes on from this summary instead of 2 messages")
        yield* session.say("Next")
        const [summary, next] = lastRequest(model)
        assert.include(summary, "\n\nThey mended it.")
        assert.strictEqual(next, "Next")
      })
    )

    it.scoped("cancelled while it writes: one terminal, the history as it was", () =>
      Effect.gen(function* () {
        const written = yield* Deferred.make<void>()
        const model = scripted(say("Mended."), stuck(written, "They ", "mend"), say("ok"))
        const session = yield* open({ model, store }, capabilities)
        yield* session.say("Mend it")
        const { answer } = yield* session.begin("/compact")
        yield* Deferred.await(written)
        yield* session.peer.notify("session/cancel", { sessionId: session.sessionId })
        const { content, stopReason, updates } = yield* answer
        assert.strictEqual(stopReason, "cancelled")
        assert.include(content, marker)
        endedAs(updates, "cancelled", shown)
        if (!shown) assert.include(textOf(updates), Compaction.cancelledNote)
        const replayed = yield* session.reload
        endedAs(replayed, "cancelled", shown)
        yield* stillKnows(session, model, "Mend it")
      })
    )

    it.scoped("cancelled before the model says anything, and at once", () =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const model = scripted(say("Mended."), stuck(asked))
        const session = yield* open({ model, store }, capabilities)
        yield* session.say("Mend it")
        const first = yield* session.begin("/compact")
        yield* Deferred.await(asked)
        yield* session.peer.notify("session/cancel", { sessionId: session.sessionId })
        endedAs((yield* first.answer).updates, "cancelled", shown)
        const second = yield* session.begin("/compact")
        yield* session.peer.notify("session/cancel", { sessionId: session.sessionId })
        const { stopReason, updates } = yield* second.answer
        assert.strictEqual(stopReason, "cancelled")
        if (statuses(updates).length > 0) endedAs(updates, "cancelled", shown)
      })
    )

    const failures: ReadonlyArray<readonly [string, Embedded.Script, string]> = [
      ["does not answer", failing("unreachable"), "It was a unreachable."],
      ["breaks off", () => Stream.concat(wrote("They"), failing("cut_stream")()), "cut_stream"],
      ["refuses", finish("", {}, "refusal"), "The model refused to write a summary."],
      ["says nothing", finish(" \n", {}), "The model wrote no summary."]
    ]
    for (const [how, script, why] of failures) {
      it.scoped(`a model that ${how}: told why, the history as it was`, () =>
        Effect.gen(function* () {
          const model = scripted(say("Mended."), script, say("ok"))
          const session = yield* open({ model, store }, capabilities)
          yield* session.say("Mend it")
          const { stopReason, updates } = yield* session.say("/compact")
          assert.strictEqual(stopReason, "end_turn")
          endedAs(updates, "failed", shown)
          if (shown) assert.include(folded(updates).error, why)
          assert.include(textOf(updates), why)
          assert.include(textOf(updates), "the model still knows all of it")
          endedAs(yield* session.reload, "failed", shown)
          yield* stillKnows(session, model, "Mend it")
        })
      )
    }

    it.scoped("a fault of our own ends the compaction too, and is an error", () =>
      Effect.gen(function* () {
        const model = scripted(say("Mended."), () => Stream.die(new Error("secret")), say("ok"))
        const session = yield* open({ model, store }, capabilities)
        yield* session.say("Mend it")
        const from = session.peer.updates().length
        const params = Peer.promptParams(session.sessionId, "/compact")
        const { error } = yield* session.peer.request("session/prompt", params)
        assert.strictEqual(error?.code, -32603)
        assert.notInclude(JSON.stringify(error), "secret")
        endedAs(session.updatesFrom(from), "failed", shown)
        yield* stillKnows(session, model, "Mend it")
      })
    )

    it.scoped("what was written before the model began anew does not count", () =>
      Effect.gen(function* () {
        const model = scripted(say("Mended."), () =>
          Stream.fromIterable<ModelEvent>([
            { _tag: "Text", text: "Wrong " },
            { _tag: "Restart", reason: "The stream broke." },
            { _tag: "Text", text: "Right" },
            Embedded.stop
          ])
        )
        const session = yield* open({ model, store }, capabilities)
        yield* session.say("Mend it")
        const { updates } = yield* session.say("/compact")
        endedAs(updates, "completed", shown)
        if (shown) {
          const chunks = updates.filter(Compaction.isOf).slice(0, -1)
          const before = chunks.reduce(Compaction.patch, Compaction.begin("x"))
          assert.deepStrictEqual(before.summary, [text("Right")])
          assert.deepStrictEqual(folded(updates).summary, [text("Right")])
        } else assert.include(textOf(updates), "Wrong \n\n[The stream broke.]\n\nRight")
      })
    )

    it.scoped(
      "a session that is loaded shows what was seen live, with the same ids, and goes on from the summary",
      () =>
        Effect.gen(function* () {
          const model = scripted(say("Mended."), say("They ", "mended it."), say("ok"))
          const session = yield* open({ model, store }, capabilities)
          const { updates: first } = yield* session.say("Mend it")
          const { updates: second } = yield* session.say("/compact")
          const live = Transcript.make()
          for (const update of [...first, ...second]) live.add(update)
          const replayed = yield* session.reload
          const transcript = Transcript.make()
          for (const update of replayed) if (update.sessionUpdate !== "user_message_chunk") transcript.add(update)
          assert.deepStrictEqual(transcript.updates(), live.updates())
          endedAs(replayed, "completed", shown)
          if (shown) assert.strictEqual(folded(replayed).compactionId, folded(second).compactionId)
          yield* session.say("Next")
          const [summary, next, ...more] = lastRequest(model)
          assert.include(summary, "They mended it.")
          assert.deepStrictEqual([next, more], ["Next", []])
        })
    )
  })
}

describe("a session loaded by another client", () => {
  const other = (
    model: Embedded.Setup["model"],
    store: Embedded.Setup["store"],
    capabilities: unknown,
    sessionId: string
  ) =>
    Effect.gen(function* () {
      const { peer } = yield* Embedded.start({ model, ...(store === undefined ? {} : { store }) })
      yield* Peer.initialize(peer, capabilities)
      const { error } = yield* peer.request("session/load", { sessionId, cwd: Embedded.cwd, mcpServers: [] })
      assert.isUndefined(error)
      return peer.updates(sessionId).map((update) => decode(update))
    })

  it.scoped("is shown compactions only when it knows them; the summary is a message otherwise", () =>
    Effect.gen(function* () {
      const shared = yield* Embedded.sharedStore
      const model = scripted(say("Mended."), say("They mended it."))
      const session = yield* open({ model, store: shared }, able)
      yield* session.say("Mend it")
      const { updates } = yield* session.say("/compact")
      const { compactionId } = folded(updates)
      endedAs(yield* other(model, shared, able, session.sessionId), "completed", true)
      const seen = yield* other(model, shared, {}, session.sessionId)
      assert.isFalse(seen.some(Compaction.isOf))
      assert.deepInclude(seen, {
        sessionUpdate: "agent_message_chunk",
        content: text("They mended it."),
        messageId: compactionId
      })
    })
  )
})
