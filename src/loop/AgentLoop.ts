// The agent loop: model step, tool calls, results, until the model is done. Knows nothing of JSON-RPC.
import { Context, Effect, Layer } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import type { Message } from "../model/Message.ts"
import type { FinishReason } from "../model/Model.ts"
import type { ModelError } from "../model/ModelError.ts"
import * as Step from "./Step.ts"
import * as ToolCalls from "./ToolCalls.ts"
import type { Turn } from "./Turn.ts"

/** Runs one turn; interruption is cancellation. */
export interface AgentLoopService {
  readonly run: (turn: Turn) => Effect.Effect<StopReason, ModelError>
}

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

const run = (turn: Turn): Effect.Effect<StopReason, ModelError> =>
  Effect.gen(function* () {
    const history = [...turn.history]
    const keep = (message: Message) => {
      history.push(message)
      turn.record(message)
    }
    const specs = turn.tools.map(({ spec }) => spec)
    const asked = ToolCalls.makeAsked()
    for (let step = 0; step < turn.maxSteps; step++) {
      const outcome = yield* Step.run(turn, { system: turn.system, messages: history, tools: specs }, keep)
      if (outcome.calls.length === 0) return stopReason(outcome.finish)
      yield* ToolCalls.run(turn, outcome.calls, asked, keep)
    }
    return "max_turn_requests"
  })

export class AgentLoop extends Context.Tag("zeroclaw/AgentLoop")<AgentLoop, AgentLoopService>() {
  static readonly layer: Layer.Layer<AgentLoop> = Layer.succeed(AgentLoop, { run })

  /** A loop that does what a test says. */
  static readonly test = (service: AgentLoopService): Layer.Layer<AgentLoop> => Layer.succeed(AgentLoop, service)
}
