// Asks a model again when asking again can help, and never waits for ever. Combinators over streams.
import {
  Chunk,
  Clock,
  Duration,
  Effect,
  Option,
  Ref,
  Schedule,
  ScheduleDecision,
  ScheduleIntervals,
  Stream
} from "effect"
import type { ModelEvent, ModelService } from "./Model.ts"
import type { ModelError } from "./ModelError.ts"

export interface RetrySettings {
  /** Requests at most, the first one included. */
  readonly tries: number
  /** Before the second try; doubles from then on, each with jitter. */
  readonly baseDelayMs: number
  readonly maxDelayMs: number
  /** The longest wait a provider may ask for. */
  readonly maxRetryAfterMs: number
}

export const defaultRetry: RetrySettings = { tries: 4, baseDelayMs: 1000, maxDelayMs: 20_000, maxRetryAfterMs: 60_000 }

export interface Limits {
  /** Milliseconds until the first event. */
  readonly timeoutMs: number
  /** Milliseconds between two events. */
  readonly idleTimeoutMs: number
}

/** How long to wait after an error: the provider's word, or doubling delays; ends when asking again cannot help. */
export const schedule = (settings: RetrySettings) =>
  Schedule.exponential(settings.baseDelayMs).pipe(
    Schedule.modifyDelay((_, delay) => Duration.min(delay, settings.maxDelayMs)),
    Schedule.jittered,
    Schedule.intersect(Schedule.recurs(Math.max(0, settings.tries - 1))),
    Schedule.intersect(Schedule.identity<ModelError>()),
    Schedule.whileInput((error: ModelError) => error.retryable),
    Schedule.modifyDelay(([, { retryAfterMs }], delay) =>
      retryAfterMs === undefined
        ? delay
        : Duration.max(delay, Duration.millis(Math.min(retryAfterMs, settings.maxRetryAfterMs)))
    ),
    Schedule.map(([[, retries], error]) => ({ retries, error }))
  )

const restartReason = (error: ModelError): string => {
  switch (error.reason) {
    case "timeout":
      return "The model fell silent; asking again."
    case "overloaded":
    case "rate_limit":
      return "The model is overloaded and broke off; asking again."
    case "empty_reply":
      return "The model gave no answer; asking again."
    default:
      return "The connection to the model broke off; asking again."
  }
}

/** Asks again on errors that are `retryable`; what a failed try already said is taken back by `Restart`. */
export const withRetry =
  (settings: RetrySettings = defaultRetry) =>
  (model: ModelService): ModelService => {
    const logged = schedule(settings).pipe(
      Schedule.onDecision(({ error, retries }, decision) =>
        ScheduleDecision.isDone(decision)
          ? Effect.void
          : Effect.flatMap(Clock.currentTimeMillis, (now) =>
              Effect.logWarning(
                `Model request failed (${error.reason}${error.status === undefined ? "" : `, HTTP ${error.status}`}); asking again`
              ).pipe(
                Effect.annotateLogs({
                  model: model.id,
                  try: retries + 2,
                  tries: settings.tries,
                  waitMs: Math.max(0, Math.round(ScheduleIntervals.start(decision.intervals) - now))
                })
              )
            )
      )
    )
    return {
      id: model.id,
      stream: (request) =>
        Stream.unwrap(
          Effect.map(Schedule.driver(logged), (driver) => {
            const attempt: Stream.Stream<ModelEvent, ModelError> = Stream.unwrap(
              Effect.map(Ref.make(false), (said) =>
                model.stream(request).pipe(
                  Stream.tap(() => Ref.set(said, true)),
                  Stream.catchAll((error) =>
                    Stream.unwrap(
                      driver.next(error).pipe(
                        Effect.matchEffect({
                          onFailure: () => Effect.succeed(Stream.fail(error)),
                          onSuccess: () =>
                            Effect.map(Ref.get(said), (spoke) =>
                              spoke
                                ? Stream.concat(
                                    Stream.succeed<ModelEvent>({ _tag: "Restart", reason: restartReason(error) }),
                                    attempt
                                  )
                                : attempt
                            )
                        })
                      )
                    )
                  )
                )
              )
            )
            return attempt
          })
        )
    }
  }

/** Fails a stream that is silent for too long, before its first element or between two. */
export const withLimits =
  (limits: Limits, timedOut: (what: "no answer" | "silence", ms: number) => ModelError) =>
  <A>(stream: Stream.Stream<A, ModelError>): Stream.Stream<A, ModelError> =>
    Stream.unwrapScoped(
      Effect.gen(function* () {
        const pull = yield* Stream.toPull(stream)
        const begun = yield* Ref.make(false)
        const next = Effect.flatMap(Ref.get(begun), (later) => {
          const ms = later ? limits.idleTimeoutMs : limits.timeoutMs
          return pull.pipe(
            Effect.timeoutFail({
              duration: ms,
              onTimeout: () => Option.some(timedOut(later ? "silence" : "no answer", ms))
            }),
            // A filter upstream hands over empty chunks: those are no event.
            Effect.tap((chunk) => (Chunk.isNonEmpty(chunk) ? Ref.set(begun, true) : Effect.void))
          )
        })
        return Stream.repeatEffectChunkOption(next)
      })
    )
