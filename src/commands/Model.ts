// /model: which model answers.
import type { Effect } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import type { CommandContext } from "./Command.ts"
import { pick } from "./Pick.ts"

export const run = (args: string, context: CommandContext): Effect.Effect<StopReason> =>
  pick(context, args, {
    what: "model",
    command: "model",
    choices: context.catalog.models,
    current: context.modelChoice,
    set: context.setModel
  })
