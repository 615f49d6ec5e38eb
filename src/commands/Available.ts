// What each slash command is called and for. Pure data.
import type { AvailableCommand } from "../contract/Update.ts"
import type { Catalog } from "../model/Models.ts"

export const commands = [
  { name: "help", description: "List the slash commands" },
  {
    name: "status",
    description: "Show this session: folders, mode, model, tools and how much the model remembers"
  },
  {
    name: "mode",
    description: "Show or change how much the agent may do without asking",
    input: { hint: "mode, or nothing to list them" }
  },
  {
    name: "model",
    description: "Show or change the model",
    input: { hint: "part of a model's name, or nothing to list them" }
  },
  {
    name: "thinking",
    description: "Show or change how much the model thinks before it answers",
    input: { hint: "level, or nothing to list them" }
  },
  {
    name: "title",
    description: "Show or change the session's title",
    input: { hint: "the new title, or nothing to show it" }
  },
  {
    name: "compact",
    description: "Replace what the model remembers by a summary, to make room",
    input: { hint: "what the summary must keep (optional)" }
  }
] as const satisfies ReadonlyArray<AvailableCommand>

export type Name = (typeof commands)[number]["name"]

/** The commands that do something with this catalog: no `/thinking` for a model without levels. */
export const availableFor = ({ thoughtLevels }: Catalog): ReadonlyArray<AvailableCommand> =>
  commands.filter(({ name }) => name !== "thinking" || thoughtLevels.length > 0)
