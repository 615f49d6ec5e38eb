// How much a model is asked to think: which levels it has, and how each is asked for on its provider's wire. Pure.
import type { SharedV3ProviderOptions } from "@ai-sdk/provider"
import type { ProviderSettings } from "../config/Agents.ts"
import * as Families from "./Families.ts"
import type { Choice } from "./Models.ts"

const efforts = ["low", "medium", "high"] as const
export type Effort = (typeof efforts)[number]
export type Level = "off" | Effort

const names: Readonly<Record<Level, Choice>> = {
  off: { value: "off", name: "Off", description: "Asks for no thinking; some models think all the same" },
  low: { value: "low", name: "Low", description: "A little thinking, for quick answers" },
  medium: { value: "medium", name: "Medium", description: "Some thinking" },
  high: { value: "high", name: "High", description: "The most thinking, the slowest answers" }
}

/** Tokens that a Claude model which is told how much to think may use for it; the least allowed is 1024. */
export const budgets: Readonly<Record<Effort, number>> = { low: 2048, medium: 4096, high: 16_384 }

/** Claude thinks since 3.7; of a name that says no version it is assumed. */
const claudeThinks = (model: string): boolean => (Families.claudeVersion(model) ?? 307) >= 307

/** Claude models since 4.6 decide themselves how much to think within an effort, and show it only when asked to. */
const isAdaptive = (model: string): boolean => (Families.claudeVersion(model) ?? 0) >= 406

/** OpenAI's own names; these refuse to be asked for an effort. */
const neverReasons = /^(gpt-[34]|chatgpt|gpt-\d+(\.\d+)?-chat|o1-(mini|preview))/
const reasons = /^(o\d+|gpt-([5-9]|\d\d+)(\.\d+)?)(-|$)/

const canThink = (settings: ProviderSettings): boolean => {
  const family = Families.find(settings.type)
  if (family === undefined) return false
  if (family.wire === "anthropic") return claudeThinks(settings.model)
  const name = Families.bareName(settings.model)
  return !neverReasons.test(name) && (reasons.test(name) || settings.think !== undefined)
}

const levelsOf = (settings: ProviderSettings): ReadonlyArray<Level> => {
  if (!canThink(settings)) return []
  return settings.think === true ? ["medium", "off", "low", "high"] : ["off", ...efforts]
}

/** The levels a session may choose for this model, the default first; empty when it cannot be asked to think. */
export const levels = (settings: ProviderSettings): ReadonlyArray<Choice> =>
  levelsOf(settings).map((level) => names[level])

/** What a request says of thinking; while `thinks` a temperature is refused. */
export interface Asked {
  readonly thinks: boolean
  readonly providerOptions?: SharedV3ProviderOptions
}

const nothing: Asked = { thinks: false }

const claude = (model: string, level: Level): Asked => {
  const adaptive = isAdaptive(model)
  if (level === "off") {
    return adaptive ? { thinks: false, providerOptions: { anthropic: { thinking: { type: "disabled" } } } } : nothing
  }
  return {
    thinks: true,
    providerOptions: {
      anthropic: adaptive
        ? { thinking: { type: "adaptive", display: "summarized" }, effort: level }
        : { thinking: { type: "enabled", budgetTokens: budgets[level] } }
    }
  }
}

/**
 * How the level that was chosen, or else the configured one, is asked for. What is no level of the model counts as not
 * chosen. When neither says anything the request says nothing either: a model's server knows best what it takes.
 */
export const ask = (settings: ProviderSettings, chosen: string | undefined): Asked => {
  const known = levelsOf(settings)
  const wanted = known.find((level) => level === chosen) ?? (settings.think === undefined ? undefined : known[0])
  if (wanted === undefined) return nothing
  if (Families.find(settings.type)?.wire === "anthropic") return claude(settings.model, wanted)
  return wanted === "off"
    ? nothing
    : { thinks: true, providerOptions: { openaiCompatible: { reasoningEffort: wanted } } }
}
