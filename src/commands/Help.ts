// /help, and the answer to a command that does not exist.
import type { Effect } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import type { AvailableCommand } from "../contract/Update.ts"
import { nearest } from "../text/Suggest.ts"
import { answer, quoted } from "./Answer.ts"
import { availableFor } from "./Available.ts"
import type { CommandContext } from "./Command.ts"

const line = ({ description, input, name }: AvailableCommand): string =>
  `- \`/${name}\`${input === undefined ? "" : ` *${input.hint}*`}: ${description}`

const list = ({ catalog }: CommandContext): string => availableFor(catalog).map(line).join("\n")

export const run = (_args: string, context: CommandContext): Effect.Effect<StopReason> =>
  answer(
    context,
    `Slash commands of this agent:\n\n${list(context)}\n\nTo send a text that begins with a slash to the model, put a space before it.`
  )

/** No command's name is nearly as long; comparing a very long word with each would take long. */
const maxCompared = 40

export const unknown = (name: string, context: CommandContext): Effect.Effect<StopReason> => {
  const names = availableFor(context.catalog).map(({ name }) => name)
  const [only, second] = names.filter((known) => known.startsWith(name))
  const near = only !== undefined && second === undefined ? only : nearest(name.slice(0, maxCompared), names)
  const meant = near === undefined ? "" : ` Did you mean \`/${near}\`?`
  return answer(
    context,
    `There is no command ${quoted(`/${name}`)}.${meant} To send this text to the model, put a space before the slash.\n\nThe commands are:\n\n${list(context)}`
  )
}
