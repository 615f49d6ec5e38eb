// /status: the session in one list.
import type { Effect } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import type { Choice } from "../model/Models.ts"
import { answer, quoted } from "./Answer.ts"
import type { CommandContext } from "./Command.ts"

const named = (choices: ReadonlyArray<Choice>, value: string): string => {
  const name = choices.find((choice) => choice.value === value)?.name
  return name === undefined || name === value ? quoted(value) : `${quoted(value)} (${quoted(name)})`
}

const tokens = ({ usage }: CommandContext): string | undefined => {
  if (usage?.used === undefined) return usage?.size === undefined ? undefined : `window of ${usage.size}`
  if (usage.size === undefined || usage.size === 0) return `${usage.used} in use`
  return `${usage.used} of ${usage.size} in use (${Math.round((usage.used / usage.size) * 100)} %)`
}

/** What there is to say of a session, in order; pure. */
export const rows = (context: CommandContext): ReadonlyArray<readonly [string, string]> => {
  const { additionalDirectories, catalog, history, mode, modelChoice, modes, thoughtLevel, title, tools } = context
  const level = thoughtLevel ?? catalog.thoughtLevels[0]?.value
  const used = tokens(context)
  const modeChoices = modes.map(({ id, name }) => ({ value: id, name }))
  return [
    ["Title", title === undefined ? "none yet" : quoted(title)],
    ["Session", quoted(context.sessionId)],
    ["Agent", quoted(context.agentAlias)],
    ["Folder", quoted(context.cwd)],
    ...(additionalDirectories.length === 0
      ? []
      : [["Further folders", additionalDirectories.map(quoted).join(", ")] as const]),
    ["Mode", named(modeChoices, mode)],
    ["Model", named(catalog.models, modelChoice)],
    ...(catalog.thoughtLevels.length === 0 || level === undefined
      ? []
      : [["Thinking", named(catalog.thoughtLevels, level)] as const]),
    ["Tools", tools.length === 0 ? "none" : tools.map(quoted).join(", ")],
    ["Messages the model knows", String(history.length)],
    ...(used === undefined ? [] : [["Tokens", used] as const])
  ]
}

export const run = (_args: string, context: CommandContext): Effect.Effect<StopReason> =>
  answer(
    context,
    rows(context)
      .map(([name, value]) => `- **${name}:** ${value}`)
      .join("\n")
  )
