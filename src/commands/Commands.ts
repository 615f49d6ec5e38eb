// The slash commands: what clients list, and how one is run. A command's own code is loaded when it is first used.
import { Effect } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import type { ModelError } from "../model/ModelError.ts"
import * as Available from "./Available.ts"
import type { Command, CommandContext, Invocation } from "./Command.ts"

type Load = () => Promise<Pick<Command, "run">>

const code: Readonly<Record<Available.Name, Load>> = {
  help: () => import("./Help.ts"),
  status: () => import("./Status.ts"),
  mode: () => import("./Mode.ts"),
  model: () => import("./Model.ts"),
  thinking: () => import("./Thinking.ts"),
  title: () => import("./Title.ts"),
  compact: () => import("./Compact.ts")
}

/** Runs a command, or says that there is none of that name. Fails only as a model does; interruption is cancellation. */
export const run = ({ args, name }: Invocation, context: CommandContext): Effect.Effect<StopReason, ModelError> => {
  const command = Available.commands.find((command) => command.name === name)
  return command === undefined
    ? Effect.flatMap(
        Effect.promise(() => import("./Help.ts")),
        ({ unknown }) => unknown(name, context)
      )
    : Effect.flatMap(Effect.promise(code[command.name]), ({ run }) => run(args, context))
}
