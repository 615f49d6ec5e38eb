// The tools of an agent, loaded when its first session opens.
import { Context, Effect, Layer } from "effect"
import type { Agent } from "../config/Agents.ts"
import type { Tool } from "./Tool.ts"

export class Toolbox extends Context.Tag("zeroclaw/Toolbox")<
  Toolbox,
  { readonly forAgent: (agent: Agent) => Effect.Effect<ReadonlyArray<Tool>> }
>() {
  static readonly layer: Layer.Layer<Toolbox> = Layer.succeed(Toolbox, {
    forAgent: ({ shellTimeoutSecs }) =>
      Effect.map(
        Effect.promise(() => import("./Tools.ts")),
        ({ makeTools }) => makeTools({ shellTimeoutSecs })
      )
  })

  static readonly test = (tools: ReadonlyArray<Tool>): Layer.Layer<Toolbox> =>
    Layer.succeed(Toolbox, { forAgent: () => Effect.succeed(tools) })
}
