// Which model an agent talks to. Nothing heavy is loaded before the first request.
import { Context, Effect, Layer, Stream } from "effect"
import type { Agent } from "../config/Agents.ts"
import type { ModelService } from "./Model.ts"

export class Models extends Context.Tag("zeroclaw/Models")<
  Models,
  { readonly forAgent: (agent: Agent) => ModelService }
>() {
  static readonly layer: Layer.Layer<Models> = Layer.succeed(Models, { forAgent: (agent) => lazy(agent) })

  /** Every agent talks to this model. */
  static readonly test = (model: ModelService): Layer.Layer<Models> => Layer.succeed(Models, { forAgent: () => model })
}

/** The embedded agent when no provider is configured. */
const lazy = ({ provider }: Agent): ModelService => {
  if (provider === undefined) {
    return {
      id: "builtin.offline",
      stream: (request) =>
        Stream.unwrap(
          Effect.map(
            Effect.promise(() => import("./offline/Offline.ts")),
            ({ offlineModel }) => offlineModel.stream(request)
          )
        )
    }
  }
  return {
    id: `${provider.type}.${provider.alias}/${provider.model}`,
    stream: (request) =>
      Stream.unwrap(
        Effect.map(
          Effect.promise(() => import("./Providers.ts")),
          ({ makeModel }) => makeModel(provider, process.env).stream(request)
        )
      )
  }
}
