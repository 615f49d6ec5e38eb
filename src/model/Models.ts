// Which model an agent talks to; its code is loaded when the agent's first session opens.
import { Context, Effect, Layer } from "effect"
import type { Agent } from "../config/Agents.ts"
import type { ModelService } from "./Model.ts"

export class Models extends Context.Tag("zeroclaw/Models")<
  Models,
  { readonly forAgent: (agent: Agent) => Effect.Effect<ModelService> }
>() {
  /** The embedded agent when no provider is configured. */
  static readonly layer: Layer.Layer<Models> = Layer.succeed(Models, {
    forAgent: ({ provider }) =>
      provider === undefined
        ? Effect.map(
            Effect.promise(() => import("./offline/Offline.ts")),
            ({ offlineModel }) => offlineModel
          )
        : Effect.map(
            Effect.promise(() => import("./Providers.ts")),
            ({ makeModel }) => makeModel(provider, process.env)
          )
  })

  /** Every agent talks to this model. */
  static readonly test = (model: ModelService): Layer.Layer<Models> =>
    Layer.succeed(Models, { forAgent: () => Effect.succeed(model) })
}
