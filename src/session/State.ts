// What a client sees of a session's state and may change: modes and config options, kept in step. Pure.
// @see acp-v1 section 1.4
import { Either } from "effect"
import { availableFor } from "../commands/Available.ts"
import type { SessionConfigOption, SessionMode, SessionModeState } from "../contract/SessionState.ts"
import type { SessionUpdate } from "../contract/Update.ts"
import type { Catalog, Selection } from "../model/Models.ts"
import { type Level, levels } from "../policy/Decision.ts"

const about: Readonly<Record<Level, { readonly name: string; readonly description: string }>> = {
  readonly: { name: "Read only", description: "Reads and searches; changes no files and runs no commands." },
  supervised: { name: "Supervised", description: "Asks before it changes files or runs commands." },
  full: { name: "Full access", description: "Works without asking, within the rules of this machine." }
}

const isLevel = (value: string): value is Level => levels.some((level) => level === value)

/** From the strictest to the laxest that a session may have. */
export const modesUpTo = (laxest: Level): ReadonlyArray<Level> => levels.slice(0, levels.indexOf(laxest) + 1)

/** A stored or asked mode, never laxer than allowed. */
export const clamp = (mode: string | undefined, fallback: Level, laxest: Level): Level => {
  const level = mode !== undefined && isLevel(mode) ? mode : fallback
  return levels.indexOf(level) <= levels.indexOf(laxest) ? level : laxest
}

export interface View {
  readonly mode: Level
  readonly laxest: Level
  readonly catalog: Catalog
  readonly selection: Selection
}

const toMode = (level: Level): SessionMode => ({ id: level, ...about[level] })

export const modes = ({ laxest, mode }: View): SessionModeState => ({
  currentModeId: mode,
  availableModes: modesUpTo(laxest).map(toMode)
})

/** The selected choice, or the first one. */
export const current = (choices: Catalog["models"], selected: string | undefined): string =>
  choices.find(({ value }) => value === selected)?.value ?? choices[0]?.value ?? ""

/** In the order of their weight; every option has a current value. */
export const configOptions = (view: View): ReadonlyArray<SessionConfigOption> => {
  const { catalog, selection } = view
  const option = (id: string, name: string, category: string) => ({ id, name, category, type: "select" as const })
  return [
    {
      ...option("mode", "Mode", "mode"),
      description: "How much the agent may do without asking.",
      currentValue: view.mode,
      options: modesUpTo(view.laxest).map((level) => ({ value: level, ...about[level] }))
    },
    {
      ...option("model", "Model", "model"),
      currentValue: current(catalog.models, selection.model),
      options: catalog.models
    },
    ...(catalog.thoughtLevels.length === 0
      ? []
      : [
          {
            ...option("thought_level", "Thinking", "thought_level"),
            currentValue: current(catalog.thoughtLevels, selection.thoughtLevel),
            options: catalog.thoughtLevels
          }
        ])
  ]
}

/** The modes that a client may choose, as they are described. */
export const describe = ({ laxest }: View) => modesUpTo(laxest).map((id) => ({ id, ...about[id] }))

/** Both kinds of state, kept in step for clients that know only one of them. */
export const updates = (view: View): ReadonlyArray<SessionUpdate> => [
  { sessionUpdate: "current_mode_update", currentModeId: view.mode },
  { sessionUpdate: "config_option_update", configOptions: configOptions(view) }
]

/** The slash commands that work; the model decides which. */
export const commands = ({ catalog }: Pick<View, "catalog">): SessionUpdate => ({
  sessionUpdate: "available_commands_update",
  availableCommands: availableFor(catalog)
})

export type Setting =
  | { readonly _tag: "Mode"; readonly level: Level }
  | { readonly _tag: "Model"; readonly value: string }
  | { readonly _tag: "ThoughtLevel"; readonly value: string }

const oneOf = (field: string, value: string, allowed: ReadonlyArray<string>) =>
  allowed.includes(value)
    ? Either.right(value)
    : Either.left(`${field}: not offered in this session; offered: ${allowed.slice(0, 50).join(", ")}`)

/** Refuses with one line that names the field and what is offered. */
export const setMode = (view: View, modeId: string, field = "modeId"): Either.Either<Setting, string> => {
  const allowed = modesUpTo(view.laxest)
  const level = allowed.find((level) => level === modeId)
  return level === undefined
    ? Either.left(`${field}: not offered in this session; offered: ${allowed.join(", ")}`)
    : Either.right({ _tag: "Mode", level })
}

export const setOption = (view: View, configId: string, value: string | boolean): Either.Either<Setting, string> => {
  const options = configOptions(view)
  const option = options.find(({ id }) => id === configId)
  if (option === undefined) {
    return Either.left(`configId: no such option; options: ${options.map(({ id }) => id).join(", ")}`)
  }
  if (typeof value === "boolean") return Either.left(`value: ${configId} takes the id of one of its values, no boolean`)
  switch (configId) {
    case "mode":
      return setMode(view, value, "value")
    case "model":
      return Either.map(
        oneOf(
          "value",
          value,
          view.catalog.models.map(({ value }) => value)
        ),
        (value) => ({ _tag: "Model", value })
      )
    default:
      return Either.map(
        oneOf(
          "value",
          value,
          view.catalog.thoughtLevels.map(({ value }) => value)
        ),
        (value) => ({ _tag: "ThoughtLevel", value })
      )
  }
}
