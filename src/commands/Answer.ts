// What the commands have in common when they answer: one text, then the turn is over.
import { Effect } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import { codeSpan, cut, visible } from "../tools/Visible.ts"
import type { CommandContext, Refused } from "./Command.ts"

export const ended: StopReason = "end_turn"

export const answer = (context: CommandContext, markdown: string): Effect.Effect<StopReason> =>
  Effect.as(context.say(markdown), ended)

/** A change that was made answers with `done`; a refusal answers with what it says. */
export const change = <A>(
  context: CommandContext,
  effect: Effect.Effect<A, Refused>,
  done: (value: A) => string
): Effect.Effect<StopReason> =>
  effect.pipe(
    Effect.match({ onSuccess: done, onFailure: ({ message }) => message }),
    Effect.flatMap((markdown) => answer(context, markdown))
  )

/** A name or value of somebody else's, as Markdown that it cannot break: one line, at most 200 characters. */
export const quoted = (text: string): string => codeSpan(cut(visible(text), 200))
