// The shape of /mode, /model and /thinking: without an argument they list, with one they change.
import { type Effect, Either } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import type { Choice } from "../model/Models.ts"
import { answer, change, quoted } from "./Answer.ts"
import { choose, list } from "./Choose.ts"
import type { CommandContext, Refused } from "./Command.ts"

export interface Pick {
  /** As in "There is no {what}". */
  readonly what: string
  readonly command: string
  readonly choices: ReadonlyArray<Choice>
  readonly current: string | undefined
  readonly set: (value: string) => Effect.Effect<void, Refused>
}

export const pick = (context: CommandContext, args: string, spec: Pick): Effect.Effect<StopReason> => {
  const { choices, command, current, set, what } = spec
  if (args.trim() === "") {
    const how = choices.length > 1 ? `\n\n\`/${command} NAME\` changes it; a part of the name is enough.` : ""
    return answer(context, `The ${what}s of this session:\n\n${list(choices, current)}${how}`)
  }
  return Either.match(choose(what, choices, args), {
    onLeft: (why) => answer(context, why),
    onRight: ({ value }) =>
      value === current
        ? answer(context, `The ${what} is ${quoted(value)} already.`)
        : change(context, set(value), () => `The ${what} is now ${quoted(value)}.`)
  })
}
