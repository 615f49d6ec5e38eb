// /compact over the wire: what the model is asked, and what is done with what it wrote.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { minBudget } from "../../src/commands/CompactRequest.ts"
import { maxSummary } from "../../src/commands/Summary.ts"
import { text } from "../../src/contract/Content.ts"
import * as Embedded from "../support/Embedded.ts"
import { able, endedAs, failing, folded, lastRequest, statuses, wrote } from "./compaction.ts"
import { open, userTexts } from "./support.ts"

const { finish, say, scripted } = Embedded

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
