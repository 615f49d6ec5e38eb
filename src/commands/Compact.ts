// `/compact`: the history gives way to a summary of it, written by the model, or put together without one.
import { Effect, Exit, Stream } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import { text } from "../contract/Content.ts"
import type { ModelError } from "../model/ModelError.ts"
import { answer } from "./Answer.ts"
import type { CommandContext } from "./Command.ts"
import { cutMiddle, make } from "./CompactRequest.ts"
import { digest } from "./Digest.ts"
import { isOnlySummary, maxSummary, toHistory } from "./Summary.ts"

/** UTF-16 units of a request when the model's window is not known. */
const defaultBudget = 200_000
/** Units for each token of the window: half of it stays free for other scripts, instructions and the summary. */
const unitsPerToken = 2

const isOffline = ({ model }: CommandContext): boolean => model.id.startsWith("offline")

const budgetOf = ({ model }: CommandContext): number =>
  model.contextWindow === undefined ? defaultBudget : model.contextWindow * unitsPerToken

/** The model's words as they come; a stream that begins anew loses what it had. */
const ask = (
  instructions: string,
  context: CommandContext,
  onChunk: (chunk: string) => Effect.Effect<void>
): Effect.Effect<string, ModelError> =>
  Effect.suspend(() => {
    let summary = ""
    return context.model.stream(make(context.history, instructions, budgetOf(context))).pipe(
      Stream.runForEach((event) => {
        switch (event._tag) {
          case "Text":
            summary += event.text
            return onChunk(event.text)
          case "Restart":
            summary = ""
            return Effect.void
          default:
            return Effect.void
        }
      }),
      Effect.map(() => cutMiddle(summary.trim(), maxSummary))
    )
  })

/** What the client is told while it goes on: compaction updates where it has them, a message at the end elsewhere. */
const progress = (context: CommandContext) => {
  const compactionId = crypto.randomUUID()
  const { compaction } = context.client
  const tell = (status: string, more: { readonly summary?: string; readonly error?: string } = {}) =>
    context.update({
      sessionUpdate: "compaction_update",
      compactionId,
      status,
      ...(more.summary === undefined ? {} : { summary: [text(more.summary)] }),
      ...(more.error === undefined ? {} : { error: more.error })
    })
  return {
    started: compaction ? tell("in_progress") : Effect.void,
    chunk: (chunk: string) =>
      compaction
        ? context.update({ sessionUpdate: "compaction_summary_chunk", compactionId, content: text(chunk) })
        : Effect.void,
    completed: (summary: string) =>
      compaction ? tell("completed", { summary }) : context.say(`${done}\n\n${summary}`),
    failed: (error: string) => (compaction ? tell("failed", { error }) : context.say(error)),
    cancelled: compaction ? tell("cancelled") : Effect.void
  }
}

const done = "The conversation is compacted: from now on the model remembers this summary of it."

export const run = (instructions: string, context: CommandContext): Effect.Effect<StopReason, ModelError> =>
  Effect.gen(function* () {
    if (context.history.length === 0 || isOnlySummary(context.history)) {
      return yield* answer(context, "There is nothing to compact yet.")
    }
    const show = progress(context)
    yield* show.started
    const asked: Effect.Effect<string, ModelError> = isOffline(context)
      ? Effect.succeed(digest(context.history))
      : ask(instructions, context, show.chunk)
    const written = yield* Effect.exit(Effect.onInterrupt(asked, () => show.cancelled))
    if (Exit.isFailure(written)) {
      if (Exit.isInterrupted(written)) return yield* Effect.interrupt
      yield* show.failed("The model wrote no summary, so the conversation was left as it is. Try /compact again later.")
      return "end_turn"
    }
    if (written.value === "") {
      yield* show.failed("The summary was empty, so the conversation was left as it is. Try /compact again.")
      return "end_turn"
    }
    yield* context.replaceHistory(toHistory(written.value, isOffline(context) ? "this program" : "the model"))
    yield* show.completed(written.value)
    return "end_turn"
  })
