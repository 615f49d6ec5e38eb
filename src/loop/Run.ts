// The loop: model step, tool calls, results, until the model is done. Knows nothing of JSON-RPC.
import { Effect } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import type { Message } from "../model/Message.ts"
import type { FinishReason } from "../model/Model.ts"
import type { ModelError } from "../model/ModelError.ts"
import * as Step from "./Step.ts"
import * as ToolCalls from "./ToolCalls.ts"
import type { Turn } from "./Turn.ts"
import * as Usage from "./Usage.ts"

const stopReason = (reason: FinishReason): StopReason => {
  switch (reason) {
    case "max_tokens":
      return "max_tokens"
    case "refusal":
      return "refusal"
    default:
      return "end_turn"
  }
}

/** Runs one turn to its stop reason. */
export const run = (turn: Turn): Effect.Effect<StopReason, ModelError> =>
  Effect.gen(function* () {
    const history = [...turn.history]
    const calls = ToolCalls.make(turn)
    const keep = (message: Message) => {
      history.push(message)
      turn.record(calls.scrubbed.message(message))
    }
    const specs = turn.tools.map(({ spec }) => spec)
    let shown = turn.usage
    const showUsage = (counted: Usage.ContextUsage | undefined) =>
      counted === undefined || Usage.same(counted, shown)
        ? Effect.void
        : Effect.zipRight(
            turn.update(Usage.toUpdate(counted)),
            Effect.sync(() => {
              shown = counted
              turn.onUsage?.(counted)
            })
          )
    const maxSteps = turn.model.maxSteps ?? turn.maxSteps
    for (let step = 0; step < maxSteps; step++) {
      const outcome = yield* Step.run(turn, { system: turn.system, messages: history, tools: specs }, keep)
      yield* showUsage(Usage.contextUsage(outcome.usage, turn.model.contextWindow))
      if (outcome.calls.length === 0) return stopReason(outcome.finish)
      yield* ToolCalls.run(turn, outcome.calls, calls, keep)
    }
    return "max_turn_requests"
  })
