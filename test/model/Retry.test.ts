// Asking again: how often, how long apart, and what the listener is told.
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Clock, Effect, Either, Fiber, Logger, Ref, Stream, TestClock } from "effect"
import type { ModelEvent, ModelRequest, ModelService } from "../../src/model/Model.ts"
import { ModelError, type ModelFailure } from "../../src/model/ModelError.ts"
import { type RetrySettings, withLimits, withRetry } from "../../src/model/Retry.ts"

const request: ModelRequest = { system: "", messages: [], tools: [] }
const text = (said: string): ModelEvent => ({ _tag: "Text", text: said })
const finish: ModelEvent = { _tag: "Finish", reason: "stop", usage: {} }
const fail = (reason: ModelFailure, retryAfterMs?: number) =>
  new ModelError({ reason, message: `it was ${reason}`, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })

type Try = { readonly events: ReadonlyArray<ModelEvent>; readonly error?: ModelError }

/** A model that does what each try says, the last one for ever, and keeps the time of each request. */
const scripted = (tries: ReadonlyArray<Try>) =>
  Effect.map(Ref.make<ReadonlyArray<number>>([]), (times) => {
    const model: ModelService = {
      id: "mock.main/m",
      stream: () =>
        Stream.unwrap(
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const before = yield* Ref.getAndUpdate(times, (all) => [...all, now])
            const at = tries[Math.min(before.length, tries.length - 1)] ?? { events: [] }
            const events = Stream.fromIterable(at.events)
            return at.error === undefined ? events : Stream.concat(events, Stream.fail(at.error))
          })
        )
    }
    return { model, times: Ref.get(times) }
  })

/** Runs to the end however long that takes on the test clock. */
const settle = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.either(effect))
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })

const collect = (model: ModelService) => Effect.map(Stream.runCollect(model.stream(request)), Chunk.toReadonlyArray)

const quick: RetrySettings = { tries: 4, baseDelayMs: 1000, maxDelayMs: 20_000, maxRetryAfterMs: 60_000 }

describe("asking again", () => {
  it.effect("a reply that succeeds is passed on unchanged and asked for once", () =>
    Effect.gen(function* () {
      const { model, times } = yield* scripted([{ events: [text("hi"), finish] }])
      assert.deepStrictEqual(yield* collect(withRetry(quick)(model)), [text("hi"), finish])
      assert.strictEqual((yield* times).length, 1)
    })
  )

  it.effect("a failure before any event is retried without a trace in the events", () =>
    Effect.gen(function* () {
      const { model, times } = yield* scripted([
        { events: [], error: fail("overloaded") },
        { events: [text("hi"), finish] }
      ])
      const result = yield* settle(collect(withRetry(quick)(model)))
      assert.deepStrictEqual(result, Either.right([text("hi"), finish]))
      const [first = 0, second = 0] = yield* times
      assert.isAtLeast(second - first, 800)
      assert.isAtMost(second - first, 1200)
    })
  )

  it.effect("a failure after something was said is announced before the next try's events", () =>
    Effect.gen(function* () {
      const { model } = yield* scripted([
        { events: [text("ha")], error: fail("cut_stream") },
        { events: [text("half")], error: fail("timeout") },
        { events: [text("whole"), finish] }
      ])
      const result = yield* settle(collect(withRetry(quick)(model)))
      assert.deepStrictEqual(
        result,
        Either.right<ReadonlyArray<ModelEvent>>([
          text("ha"),
          { _tag: "Restart", reason: "The connection to the model broke off; asking again." },
          text("half"),
          { _tag: "Restart", reason: "The model fell silent; asking again." },
          text("whole"),
          finish
        ])
      )
    })
  )

  it.effect("gives up after the last try with that try's error, having waited longer each time", () =>
    Effect.gen(function* () {
      const { model, times } = yield* scripted([{ events: [], error: fail("overloaded") }])
      const result = yield* settle(collect(withRetry(quick)(model)))
      assert.strictEqual(Either.isLeft(result) ? result.left.reason : "", "overloaded")
      const asked = yield* times
      assert.strictEqual(asked.length, 4)
      const waits = asked.slice(1).map((time, at) => time - (asked[at] ?? 0))
      for (const [at, wait] of waits.entries()) {
        assert.isAtLeast(wait, 800 * 2 ** at)
        assert.isAtMost(wait, 1200 * 2 ** at)
      }
    })
  )

  for (const reason of ["auth", "bad_request", "bad_reply", "config"] as const) {
    it.effect(`never asks again after ${reason}`, () =>
      Effect.gen(function* () {
        const { model, times } = yield* scripted([{ events: [], error: fail(reason) }])
        const result = yield* settle(collect(withRetry(quick)(model)))
        assert.isTrue(Either.isLeft(result))
        assert.strictEqual((yield* times).length, 1)
      })
    )
  }

  it.effect("waits as long as the provider asked for", () =>
    Effect.gen(function* () {
      const { model, times } = yield* scripted([
        { events: [], error: fail("rate_limit", 30_000) },
        { events: [text("hi"), finish] }
      ])
      yield* settle(collect(withRetry(quick)(model)))
      const [first = 0, second = 0] = yield* times
      assert.strictEqual(second - first, 30_000)
    })
  )

  it.effect("waits no longer than a minute, whatever the provider asked for", () =>
    Effect.gen(function* () {
      const { model, times } = yield* scripted([
        { events: [], error: fail("rate_limit", 86_400_000) },
        { events: [finish] }
      ])
      yield* settle(collect(withRetry(quick)(model)))
      const [first = 0, second = 0] = yield* times
      assert.strictEqual(second - first, 60_000)
    })
  )

  it.effect("logs each retry as a warning that has no content in it", () =>
    Effect.gen(function* () {
      const lines = yield* Ref.make<ReadonlyArray<string>>([])
      const keep = Logger.make(({ logLevel, message }) => {
        Effect.runSync(Ref.update(lines, (all) => [...all, `${logLevel.label} ${String(message)}`]))
      })
      const { model } = yield* scripted([
        { events: [text("secret words")], error: fail("cut_stream") },
        { events: [], error: fail("overloaded") },
        { events: [finish] }
      ])
      yield* settle(collect(withRetry(quick)(model))).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, keep)))
      assert.deepStrictEqual(yield* Ref.get(lines), [
        "WARN Model request failed (cut_stream); asking again",
        "WARN Model request failed (overloaded); asking again"
      ])
    })
  )

  it.effect("an interruption while waiting ends the wait", () =>
    Effect.gen(function* () {
      const { model, times } = yield* scripted([{ events: [], error: fail("overloaded") }])
      const fiber = yield* Effect.fork(collect(withRetry(quick)(model)))
      yield* TestClock.adjust("100 millis")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* times).length, 1)
    })
  )
})

describe("limits", () => {
  const limited = withLimits(
    { timeoutMs: 5000, idleTimeoutMs: 2000 },
    (what, ms) => new ModelError({ reason: "timeout", message: `${what} ${ms}` })
  )
  const run = (stream: Stream.Stream<number, ModelError>) =>
    settle(
      Stream.runCollect(limited(stream)).pipe(
        Effect.map(Chunk.toReadonlyArray),
        Effect.mapError(({ message }) => message)
      )
    )

  it.effect("a stream without a first event times out", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* run(Stream.never), Either.left("no answer 5000"))
    })
  )

  it.effect("the first event may take longer than the later ones", () =>
    Effect.gen(function* () {
      const late = Stream.fromEffect(Effect.delay(Effect.succeed(1), "4 seconds"))
      assert.deepStrictEqual(yield* run(late), Either.right([1]))
    })
  )

  it.effect("what a filter took out is no first event", () =>
    Effect.gen(function* () {
      const filtered = Stream.concat(Stream.make(1), Stream.never).pipe(Stream.filter((event) => event > 1))
      assert.deepStrictEqual(yield* run(filtered), Either.left("no answer 5000"))
    })
  )

  it.effect("silence between two events times out", () =>
    Effect.gen(function* () {
      const silent = Stream.concat(Stream.make(1), Stream.fromEffect(Effect.delay(Effect.succeed(2), "3 seconds")))
      assert.deepStrictEqual(yield* run(silent), Either.left("silence 2000"))
    })
  )

  it.effect("a long stream that keeps talking never times out", () =>
    Effect.gen(function* () {
      const talking = Stream.repeatEffect(Effect.delay(Effect.succeed(1), "1 second")).pipe(Stream.take(60))
      const result = yield* run(talking)
      assert.strictEqual(Either.getOrThrow(result).length, 60)
    })
  )
})
