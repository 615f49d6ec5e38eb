// What an agent's sessions may choose from, and what a choice stands for. Pure.
import type { Agent, ProviderSettings } from "../config/Agents.ts"
import type { Catalog, Choice, Selection } from "./Models.ts"
import * as Thinking from "./Thinking.ts"

export interface Entry {
  readonly choice: Choice
  /** With the chosen model as its `model`; absent: the offline agent. */
  readonly provider?: ProviderSettings
}

/** The name a model has everywhere: as a choice, as a service, in the log. */
export const idOf = ({ alias, model, type }: ProviderSettings): string => `${type}.${alias}/${model}`

const offline: Entry = {
  choice: {
    value: "offline",
    name: "Offline agent",
    description: "Follows commands and searches your files without any network; not a language model"
  }
}

const ofProvider = (provider: ProviderSettings): ReadonlyArray<Entry> =>
  [provider.model, ...(provider.otherModels ?? [])].map((model) => {
    const chosen = { ...provider, model }
    return {
      choice: { value: idOf(chosen), name: model, description: `${provider.type}.${provider.alias}` },
      provider: chosen
    }
  })

/** Never empty: the configured model first, the offline agent last. No value twice. */
export const entries = ({ providers }: Agent): ReadonlyArray<Entry> => {
  const byValue = new Map<string, Entry>()
  for (const entry of providers.flatMap(ofProvider)) {
    if (!byValue.has(entry.choice.value)) byValue.set(entry.choice.value, entry)
  }
  return [...byValue.values(), offline]
}

/** What a selection stands for: the configured model when it names none that there is. */
export const selected = (agent: Agent, { model }: Selection): Entry => {
  const all = entries(agent)
  return all.find(({ choice }) => choice.value === model) ?? all[0] ?? offline
}

export const catalog = (agent: Agent, selection: Selection): Catalog => {
  const { provider } = selected(agent, selection)
  return {
    models: entries(agent).map(({ choice }) => choice),
    thoughtLevels: provider === undefined ? [] : Thinking.levels(provider)
  }
}
