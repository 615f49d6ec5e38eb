// Which model an agent talks to; its code is loaded when the agent's first session opens.
import { Context, Effect, Layer } from "effect"
import { Credentials } from "../auth/Credentials.ts"
import type { Agent } from "../config/Agents.ts"
import type { ModelService } from "./Model.ts"

export interface Choice {
  readonly value: string
  readonly name: string
  readonly description?: string
}

/** What a session chose; absent means what the agent is configured for. */
export interface Selection {
  readonly model?: string
  readonly thoughtLevel?: string
}

/** What an agent's sessions may choose from. */
export interface Catalog {
  /** Never empty. The configured one comes first. */
  readonly models: ReadonlyArray<Choice>
  /** Of the selected model; empty when it has none. The default comes first. */
  readonly thoughtLevels: ReadonlyArray<Choice>
}

export interface ModelsService {
  /** A selection that the catalog does not hold counts as absent. */
  readonly forAgent: (agent: Agent, selection: Selection) => Effect.Effect<ModelService>
  readonly catalog: (agent: Agent, selection: Selection) => Effect.Effect<Catalog>
}

export class Models extends Context.Tag("zeroclaw/Models")<Models, ModelsService>() {
  /** The embedded agent when no provider is configured, or when it is chosen. */
  static readonly layer: Layer.Layer<Models, never, Credentials> = Layer.effect(
    Models,
    Effect.map(Credentials, ({ find }) => ({
      forAgent: (agent, selection) =>
        Effect.promise(async () => {
          const { selected } = await import("./Catalog.ts")
          const { provider } = selected(agent, selection)
          if (provider === undefined) {
            const { offlineModel } = await import("./offline/Offline.ts")
            return { ...offlineModel, maxSteps: agent.offlineMaxSteps }
          }
          const { configuredModel } = await import("./Providers.ts")
          const { thoughtLevel } = selection
          return configuredModel(provider, process.env, find, thoughtLevel)
        }),
      catalog: (agent, selection) =>
        Effect.map(
          Effect.promise(() => import("./Catalog.ts")),
          ({ catalog }) => catalog(agent, selection)
        )
    }))
  )

  /** Every agent talks to this model. */
  static readonly test = (model: ModelService): Layer.Layer<Models> =>
    Layer.succeed(Models, {
      forAgent: () => Effect.succeed(model),
      catalog: () => Effect.succeed({ models: [{ value: model.id, name: model.id }], thoughtLevels: [] })
    })
}
