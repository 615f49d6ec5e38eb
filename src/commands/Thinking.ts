// /thinking: how much the model thinks before it answers.
import type { Effect } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import { answer, quoted } from "./Answer.ts"
import type { CommandContext } from "./Command.ts"
import { pick } from "./Pick.ts"

export const run = (args: string, context: CommandContext): Effect.Effect<StopReason> => {
  const levels = context.catalog.thoughtLevels
  if (levels.length === 0) {
    return answer(
      context,
      `The model ${quoted(context.modelChoice)} has no thinking levels to choose from. \`/model\` lists the models.`
    )
  }
  return pick(context, args, {
    what: "thinking level",
    command: "thinking",
    choices: levels,
    current: context.thoughtLevel ?? levels[0]?.value,
    set: context.setThoughtLevel
  })
}
