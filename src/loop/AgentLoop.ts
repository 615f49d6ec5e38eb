// The agent loop as a service. Its code is loaded with the first turn.
import { Context, Effect, Layer } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import type { ModelError } from "../model/ModelError.ts"
import type { Turn } from "./Turn.ts"

/** Runs one turn; interruption is cancellation. */
export interface AgentLoopService {
  readonly run: (turn: Turn) => Effect.Effect<StopReason, ModelError>
}

export class AgentLoop extends Context.Tag("zeroclaw/AgentLoop")<AgentLoop, AgentLoopService>() {
  static readonly layer: Layer.Layer<AgentLoop> = Layer.succeed(AgentLoop, {
    run: (turn) =>
      Effect.flatMap(
        Effect.promise(() => import("./Run.ts")),
        ({ run }) => run(turn)
      )
  })

  /** A loop that does what a test says. */
  static readonly test = (service: AgentLoopService): Layer.Layer<AgentLoop> => Layer.succeed(AgentLoop, service)
}
