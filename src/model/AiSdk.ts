// A language model of an AI SDK provider package as our model: one request, one stream of events, no retries.
import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3StreamPart } from "@ai-sdk/provider"
import { Clock, Effect, Option, Stream } from "effect"
import type { ModelEvent, ModelRequest, ModelService } from "./Model.ts"
import type { ModelError } from "./ModelError.ts"
import * as ProviderError from "./ProviderError.ts"
import * as Reply from "./Reply.ts"
import { type Limits, withLimits } from "./Retry.ts"

export interface AiSdkSettings {
  readonly id: string
  readonly where: ProviderError.Where
  /** Loads the package and makes the model; run at the first request. */
  readonly model: Effect.Effect<LanguageModelV3, ModelError>
  readonly options: (request: ModelRequest) => LanguageModelV3CallOptions
  readonly limits: Limits
}

/** The raw parts. The request is aborted when the stream ends, fails or is interrupted. */
const parts = (
  { where, model }: AiSdkSettings,
  options: LanguageModelV3CallOptions
): Stream.Stream<LanguageModelV3StreamPart, ModelError> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const languageModel = yield* model
      const controller = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort())
      )
      const now = yield* Clock.currentTimeMillis
      const { stream } = yield* Effect.tryPromise({
        // Raw chunks are the sign of life of a provider that pings or writes a long tool call.
        try: () => languageModel.doStream({ ...options, includeRawChunks: true, abortSignal: controller.signal }),
        catch: (error) => ProviderError.fromRequest(where, error, now)
      })
      return Stream.fromReadableStream({
        evaluate: () => stream,
        onError: (error) => ProviderError.fromRead(where, error),
        releaseLockOnEnd: true
      })
    })
  )

const toEvents = (step: Reply.Step): Effect.Effect<ReadonlyArray<ModelEvent>, ModelError> =>
  step.failure !== undefined
    ? Effect.fail(step.failure)
    : step.note === undefined
      ? Effect.succeed(step.events)
      : Effect.as(Effect.logDebug(`Model reply: ${step.note}`), step.events)

/** @see architecture of the provider packages: `doStream` neither retries nor runs tools */
export const fromAiSdk = (settings: AiSdkSettings): ModelService => {
  const read = Reply.read(settings.where)
  const limited = withLimits(settings.limits, (what, ms) => ProviderError.timedOut(settings.where, what, ms))
  return {
    id: settings.id,
    stream: (request) =>
      parts(settings, settings.options(request)).pipe(
        // Comes as soon as there are headers: no word of the model's yet.
        Stream.filter((part) => part.type !== "stream-start" || part.warnings.length > 0),
        limited,
        Stream.map(Option.some),
        Stream.concat(Stream.succeed(Option.none())),
        Stream.mapAccumEffect(Reply.start, (reply, part) => {
          if (Option.isNone(part)) {
            const failure = Reply.end(settings.where, reply)
            const none: ReadonlyArray<ModelEvent> = []
            return failure === undefined ? Effect.succeed([reply, none] as const) : Effect.fail(failure)
          }
          const step = read(reply, part.value)
          return Effect.map(toEvents(step), (events) => [step.reply, events] as const)
        }),
        Stream.mapConcat((events) => events),
        Stream.takeUntil(({ _tag }) => _tag === "Finish")
      )
  }
}
