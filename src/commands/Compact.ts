// /compact: a summary takes the place of what the model remembers.
import { Cause, Effect, Exit, Stream } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import type { FinishReason, ModelEvent, ModelRequest } from "../model/Model.ts"
import type { ModelError } from "../model/ModelError.ts"
import { headOf } from "../tools/Visible.ts"
import { answer, ended } from "./Answer.ts"
import type { CommandContext } from "./Command.ts"
import * as CompactReport from "./CompactReport.ts"
import * as CompactRequest from "./CompactRequest.ts"
import { digest } from "./Digest.ts"
import * as Summary from "./Summary.ts"

type Report = CompactReport.Report

type Written =
  | { readonly _tag: "Summary"; readonly text: string }
  /** Why there is none and what to do, one line. */
  | { readonly _tag: "None"; readonly why: string }

const none = (why: string): Written => ({ _tag: "None", why })

/** UTF-16 units to ask with when nobody says how large the model's window is: some hundred thousand tokens hold it. */
const usualBudget = 240_000

/** Two units a token leave room for the answer, whatever the script. */
const budgetFor = ({ usage }: CommandContext): number =>
  usage?.size === undefined || usage.size === 0 ? usualBudget : Math.min(usage.size * 2, usualBudget * 8)

const conclude = (said: string, finish: FinishReason | undefined): Written => {
  if (finish === "refusal") return none("The model refused to write a summary. Choose another one with `/model`.")
  const text = headOf(said.trim(), Summary.maxSummary)
  if (text === "") return none("The model wrote no summary. Wait a moment or choose another one with `/model`.")
  const whole = finish !== "max_tokens" && said.length <= Summary.maxSummary
  return { _tag: "Summary", text: whole ? text : `${text}\n\n[The summary was cut off here.]` }
}

const sizeOf = ({ messages, system }: ModelRequest): number =>
  messages.reduce((sum, message) => sum + (message._tag === "User" ? message.text.length : 0), system.length)

/** One request; its reply is shown as it comes. */
const ask = (context: CommandContext, request: ModelRequest, report: Report, onText: () => void) =>
  Effect.suspend(() => {
    let said = ""
    let finish: FinishReason | undefined
    const onEvent = (event: ModelEvent): Effect.Effect<void> => {
      switch (event._tag) {
        case "Text":
          if (event.text === "") return Effect.void
          said += event.text
          onText()
          return report.chunk(event.text)
        case "Restart": {
          const shown = said !== ""
          said = ""
          return shown ? report.restarted(event.reason) : Effect.void
        }
        case "Finish":
          finish = event.reason
          return Effect.void
        case "Thought":
        case "ThoughtEnd":
        case "ToolCall":
          return Effect.void
      }
    }
    return context.model.stream(request).pipe(
      Stream.tap(onEvent),
      Stream.takeUntil(() => said.length > Summary.maxSummary),
      Stream.runDrain,
      Effect.map(() => conclude(said, finish))
    )
  })

/** A refused request may have been too long for the model: it is asked again with a quarter, as long as that is less. */
const askModel = (context: CommandContext, instructions: string, report: Report): Effect.Effect<Written> => {
  let shown = false
  const onText = () => {
    shown = true
  }
  const within = (budget: number): Effect.Effect<Written, ModelError> => {
    const request = CompactRequest.make(context.history, instructions, budget)
    const smaller = Math.floor(sizeOf(request) / 4)
    return Effect.catchAll(ask(context, request, report, onText), (error) =>
      error.reason === "bad_request" && !shown && smaller >= CompactRequest.minBudget
        ? within(smaller)
        : Effect.fail(error)
    )
  }
  return Effect.catchAll(
    Effect.suspend(() => within(budgetFor(context))),
    (error) => Effect.succeed(none(error.message))
  )
}

const mechanical = ({ history }: CommandContext, report: Report): Effect.Effect<Written> => {
  const text = digest(history)
  return text === ""
    ? Effect.succeed(none("There is no prompt and no file in it to tell of; go on with the conversation first."))
    : Effect.as(report.chunk(text), { _tag: "Summary", text })
}

/** The embedded agent is no language model. */
const isOffline = ({ model }: CommandContext): boolean => model.id.startsWith("offline")

/** Only the writing can be interrupted: once begun, a compaction always gets its end, and exactly one. */
const compact = (instructions: string, context: CommandContext): Effect.Effect<StopReason> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const report = CompactReport.make(context)
      const offline = isOffline(context)
      const author = offline ? "the offline agent" : "the model"
      yield* report.started
      const written = yield* restore(
        offline ? mechanical(context, report) : askModel(context, instructions, report)
      ).pipe(
        Effect.tap((written) =>
          written._tag === "Summary" ? context.replaceHistory(Summary.toHistory(written.text, author)) : Effect.void
        ),
        Effect.exit
      )
      if (Exit.isFailure(written)) {
        yield* Cause.isInterrupted(written.cause)
          ? report.cancelled
          : report.failed("Something broke inside the agent.")
        return yield* Effect.failCause(written.cause)
      }
      yield* written.value._tag === "Summary" ? report.completed(written.value.text) : report.failed(written.value.why)
      return ended
    })
  )

/** A model that fails leaves the history as it was, and the person is told; it does not fail the turn. */
export const run = (args: string, context: CommandContext): Effect.Effect<StopReason> => {
  if (context.history.length === 0) {
    return answer(context, "There is nothing to compact: the model has no messages to remember yet.")
  }
  if (Summary.isOnlySummary(context.history)) {
    return answer(context, "There is nothing to compact: nothing was said since the last summary.")
  }
  return compact(args, context)
}
