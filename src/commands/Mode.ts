// /mode: how much the agent may do without asking.
import type { Effect } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import type { CommandContext } from "./Command.ts"
import { pick } from "./Pick.ts"

export const run = (args: string, context: CommandContext): Effect.Effect<StopReason> =>
  pick(context, args, {
    what: "mode",
    command: "mode",
    choices: context.modes.map(({ description, id, name }) => ({ value: id, name, description })),
    current: context.mode,
    set: context.setMode
  })
