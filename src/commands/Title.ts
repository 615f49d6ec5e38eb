// /title: what the session is called in lists.
import type { Effect } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import { answer, change, quoted } from "./Answer.ts"
import type { CommandContext } from "./Command.ts"

export const run = (args: string, context: CommandContext): Effect.Effect<StopReason> => {
  const wanted = args.replace(/\s+/g, " ").trim()
  if (wanted !== "") return change(context, context.setTitle(wanted), (title) => `The title is now ${quoted(title)}.`)
  return answer(
    context,
    context.title === undefined
      ? "This session has no title yet. `/title TEXT` gives it one."
      : `The title is ${quoted(context.title)}. \`/title TEXT\` changes it.`
  )
}
