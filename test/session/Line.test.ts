// Who may use a session next, and what becomes of the line when somebody leaves it.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Line from "../../src/session/Line.ts"
import type { Running } from "../../src/session/Session.ts"

const lane = (running?: Running): Line.Lane => ({ running, answering: false, waiting: [] })
const turn = (): Running => ({ what: "turn" })

/** A place in the line, with who waits there. */
const queued = (session: Line.Lane, what: Running["what"] = "turn") => {
  const running: Running = { what }
  const place = Line.enter(session, running)
  return Effect.map(Effect.fork(Line.wait(session, place)), (fiber) => ({ running, fiber }))
}

describe("the line of a session", () => {
  it.effect("lets one after another go, in the order in which they came, each once the answer before is written", () =>
    Effect.gen(function* () {
      const session = lane(turn())
      const [first, second] = [yield* queued(session), yield* queued(session)]
      Line.answering(session)
      yield* Line.startNext(session)
      assert.strictEqual(yield* Fiber.join(first.fiber), "go")
      assert.strictEqual(session.running, first.running)
      assert.strictEqual(session.waiting.length, 1)
      Line.answering(session)
      yield* Line.startNext(session)
      assert.strictEqual(yield* Fiber.join(second.fiber), "go")
      Line.answering(session)
      assert.isFalse(Line.isFree(session))
      yield* Line.startNext(session)
      assert.isTrue(Line.isFree(session))
    })
  )

  it.effect("a cancel dismisses prompts and leaves what opens the session; the end dismisses both", () =>
    Effect.gen(function* () {
      const session = lane(turn())
      const [prompt, opening] = [yield* queued(session), yield* queued(session, "opening")]
      yield* Line.cancelTurns(session)
      assert.strictEqual(yield* Fiber.join(prompt.fiber), "cancelled")
      assert.deepStrictEqual(
        session.waiting.map(({ running }) => running),
        [opening.running]
      )
      yield* Line.cancelAll(session)
      assert.strictEqual(yield* Fiber.join(opening.fiber), "cancelled")
    })
  )

  it.effect("who is withdrawn gives up the place, or passes it on when it was told to go", () =>
    Effect.gen(function* () {
      const session = lane(turn())
      const [first, second, third] = [yield* queued(session), yield* queued(session), yield* queued(session)]
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(second.fiber)
      assert.strictEqual(session.waiting.length, 2)
      Line.answering(session)
      yield* Line.startNext(session)
      yield* Fiber.interrupt(first.fiber)
      assert.strictEqual(yield* Fiber.join(third.fiber), "go")
      assert.strictEqual(session.running, third.running)
    })
  )

  it.effect("who is cancelled and withdrawn at once takes nothing from the turn that runs", () =>
    Effect.gen(function* () {
      const running = turn()
      const session = lane(running)
      const first = yield* queued(session)
      const opening = yield* queued(session, "opening")
      yield* Effect.yieldNow()
      yield* Line.cancelTurns(session)
      yield* Fiber.interrupt(first.fiber)
      assert.strictEqual(session.running, running)
      assert.deepStrictEqual(
        session.waiting.map(({ running }) => running),
        [opening.running]
      )
    })
  )
})
