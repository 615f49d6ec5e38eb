// /compact over the wire: what is shown while it writes, and what the model knows afterwards.
// @see acp-v1 section 1.5 (compaction_update, compaction_summary_chunk)
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import { minBudget } from "../../src/commands/CompactRequest.ts"
import { maxSummary } from "../../src/commands/Summary.ts"
import { text } from "../../src/contract/Content.ts"
import type { SessionUpdate } from "../../src/contract/Update.ts"
import { marker } from "../../src/dialect/Cancelled.ts"
import type { ModelEvent } from "../../src/model/Model.ts"
import { ModelError, type ModelFailure } from "../../src/model/ModelError.ts"
import * as Compaction from "../../src/session/Compaction.ts"
import * as Transcript from "../../src/session/Transcript.ts"
import * as Store from "../../src/store/Store.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"
import { decode, type Open, open, textOf, userTexts } from "./support.ts"

const { finish, say, scripted } = Embedded
const store = Store.memoryWith({ durable: true })
const able = { session: { compaction: {} } }
const clients: ReadonlyArray<readonly [string, unknown, boolean]> = [
  ["a client that knows compactions", able, true],
  ["a client that knows none", {}, false]
]

const failing = (reason: ModelFailure) => () => Stream.fail(new ModelError({ reason, message: `It was a ${reason}.` }))

const wrote = (...texts: ReadonlyArray<string>) =>
  Stream.fromIterable(texts.map((text) => ({ _tag: "Text" as const, text })))

/** Writes these, says so, and never ends. */
const stuck =
  (written: Deferred.Deferred<void>, ...texts: ReadonlyArray<string>): Embedded.Script =>
  () =>
    Stream.concat(wrote(...texts), Stream.execute(Effect.zipRight(Deferred.succeed(written, undefined), Effect.never)))

const statuses = (updates: ReadonlyArray<SessionUpdate>): ReadonlyArray<string> =>
  updates.flatMap((update) => (update.sessionUpdate === "compaction_update" ? [update.status] : []))

/** Exactly one compaction, folded as a client does. */
const folded = (updates: ReadonlyArray<SessionUpdate>): Compaction.State => {
  const all = updates.filter(Compaction.isOf)
  const ids = new Set(all.map(({ compactionId }) => compactionId))
  assert.strictEqual(ids.size, 1)
  assert.deepInclude(all[0], { sessionUpdate: "compaction_update", status: "in_progress" })
  return all.reduce(Compaction.patch, Compaction.begin([...ids].join()))
}

/** Begins in_progress and ends once, with this; or is not shown as a compaction to a client that knows none. */
const endedAs = (updates: ReadonlyArray<SessionUpdate>, status: string, shown: boolean): void => {
  const all = statuses(updates)
  if (!shown) assert.isFalse(updates.some(Compaction.isOf))
  else {
    assert.strictEqual(all[0], "in_progress")
    assert.deepStrictEqual(
      all.filter((one) => one !== "in_progress"),
      [status]
    )
    const last = updates.findLast(Compaction.isOf)
    assert.strictEqual(last?.sessionUpdate, "compaction_update")
    if (last?.sessionUpdate !== "compaction_update") return
    assert.strictEqual(last.summary !== undefined, status === "completed")
    assert.strictEqual(last.error !== undefined, status === "failed")
  }
}

/** What the model was given with the last request. */
const lastRequest = ({ requests }: ReturnType<typeof scripted>) => userTexts(requests.at(-1))

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

describe("what the model is asked", () => {
  const sizes = ({ requests }: ReturnType<typeof scripted>) =>
    requests.map((messages) => userTexts(messages).join("").length)

  it.scoped("a request that is refused is asked again with a quarter, until it is answered", () =>
    Effect.gen(function* () {
      const model = scripted(say("ok"), failing("bad_request"), failing("bad_request"), say("Shorter"), say("ok"))
      const session = yield* open({ model }, able)
      yield* session.say("x".repeat(200_000))
      const { updates } = yield* session.say("/compact")
      endedAs(updates, "completed", true)
      assert.deepStrictEqual(folded(updates).summary, [text("Shorter")])
      const [, first = 0, second = 0, third = 0, ...more] = sizes(model)
      assert.isAbove(first, 200_000)
      assert.isAbove(third, 4_000)
      assert.isAtMost(second * 3.9, first)
      assert.isAtMost(third * 3.9, second)
      assert.deepStrictEqual(more, [])
    })
  )

  it.scoped("one that is always refused is given up, told in the model's words, and the history stays", () =>
    Effect.gen(function* () {
      const model = scripted(say("ok"), failing("bad_request"))
      const session = yield* open({ model }, able)
      yield* session.say("x".repeat(200_000))
      const { stopReason, updates } = yield* session.say("/compact")
      assert.strictEqual(stopReason, "end_turn")
      endedAs(updates, "failed", true)
      assert.include(folded(updates).error, "It was a bad_request.")
      assert.isAtLeast(sizes(model).at(-1) ?? 0, minBudget / 4)
      assert.isAtMost(sizes(model).length, 8)
      assert.include((yield* session.say("/status")).text, "- **Messages the model knows:** 2")
    })
  )

  it.scoped("one that breaks after the person saw some of it is not asked again", () =>
    Effect.gen(function* () {
      const model = scripted(say("ok"), () => Stream.concat(wrote("Half"), failing("bad_request")()))
      const session = yield* open({ model }, able)
      yield* session.say("x".repeat(200_000))
      endedAs((yield* session.say("/compact")).updates, "failed", true)
      assert.strictEqual(model.requests.length, 2)
    })
  )

  it.scoped("fits the window of the model", () =>
    Effect.gen(function* () {
      const model = scripted(say("ok"), say("A summary"))
      const session = yield* open({ model: { ...model, contextWindow: 10_000 } }, able)
      yield* session.say("x".repeat(200_000))
      yield* session.say("/compact")
      assert.isAtMost(sizes(model)[1] ?? 0, 20_000)
      assert.isAtLeast(sizes(model)[1] ?? 0, 10_000)
    })
  )

  it.scoped("a summary without end is cut, and says so", () =>
    Effect.gen(function* () {
      const model = scripted(
        say("ok"),
        () => Stream.repeatValue({ _tag: "Text" as const, text: "blah ".repeat(100) }),
        say("ok")
      )
      const session = yield* open({ model }, able)
      yield* session.say("Hello")
      const { updates } = yield* session.say("/compact")
      endedAs(updates, "completed", true)
      yield* session.say("Next")
      const [summary = ""] = lastRequest(model)
      assert.include(summary, "[The summary was cut off here.]")
      assert.isAtMost(summary.length, maxSummary + 500)
    })
  )

  it.scoped("one that the model could not finish is taken, and says so", () =>
    Effect.gen(function* () {
      const model = scripted(say("ok"), finish("As far as", {}, "max_tokens"), say("ok"))
      const session = yield* open({ model }, able)
      yield* session.say("Hello")
      yield* session.say("/compact")
      yield* session.say("Next")
      assert.include(lastRequest(model)[0], "As far as\n\n[The summary was cut off here.]")
    })
  )
})

describe("nothing to compact", () => {
  it.scoped("before the first prompt and right after a summary: answered, and no compaction begins", () =>
    Effect.gen(function* () {
      const model = scripted(say("ok"), say("A summary"), say("Another"))
      const session = yield* open({ model }, able)
      const none = yield* session.say("/compact")
      assert.include(none.text, "There is nothing to compact")
      assert.deepStrictEqual(statuses(none.updates), [])
      yield* session.say("Hello")
      endedAs((yield* session.say("/compact")).updates, "completed", true)
      const again = yield* session.say("/compact")
      assert.include(again.text, "nothing was said since the last summary")
      assert.deepStrictEqual(statuses(again.updates), [])
      assert.strictEqual(model.requests.length, 2)
    })
  )
})

describe("the offline agent", () => {
  it.scoped("writes a digest without any model", () =>
    Effect.gen(function* () {
      const model = { ...scripted(say("ok")), id: "offline" }
      const session = yield* open({ model }, able)
      yield* session.say("Mend it")
      const { updates } = yield* session.say("/compact")
      assert.deepStrictEqual(folded(updates).summary, [text("What the person asked:\n- Mend it")])
      assert.strictEqual(model.requests.length, 1)
      yield* session.say("Next")
      assert.include(lastRequest(model)[0], "the offline agent wrote it, not the person")
    })
  )
})

describe("_zeroclaw/history_trimmed", () => {
  it.scoped("tells clients of the dialect how many messages the model does not know any more", () =>
    Effect.gen(function* () {
      const model = scripted(say("ok"), say("A summary"))
      const session = yield* open({ model, zeroclaw: true, config: { acp: { dialect: "zeroclaw" } } })
      yield* session.say("Hello")
      yield* session.say("/compact")
      const trimmed = session.peer
        .frames()
        .flatMap((frame) =>
          frame._tag === "Notification" && frame.method === "_zeroclaw/history_trimmed" ? [frame.params] : []
        )
      assert.deepStrictEqual(trimmed, [
        { sessionId: session.sessionId, droppedMessages: 2, keptTurns: 0, reason: "compacted" }
      ])
    })
  )
})
