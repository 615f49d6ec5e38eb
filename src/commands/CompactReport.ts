// How a compaction is shown while it runs: as an entity of its own, or in messages for clients that know none.
// @see acp-v1 section 1.5 (compaction_update, compaction_summary_chunk)
import { Effect } from "effect"
import { text } from "../contract/Content.ts"
import { cancelledNote } from "../session/Compaction.ts"
import type { CommandContext } from "./Command.ts"

/** One of `completed`, `failed` and `cancelled` ends it, once. */
export interface Report {
  readonly started: Effect.Effect<void>
  /** The summary as it is written, a delta. */
  readonly chunk: (delta: string) => Effect.Effect<void>
  /** What was written so far does not count; the reason is one line. */
  readonly restarted: (reason: string) => Effect.Effect<void>
  readonly completed: (summary: string) => Effect.Effect<void>
  readonly failed: (why: string) => Effect.Effect<void>
  readonly cancelled: Effect.Effect<void>
}

type Context = Pick<CommandContext, "client" | "history" | "say" | "update">

const closing = ({ history }: Context): string =>
  `The model now goes on from this summary instead of ${history.length === 1 ? "one message" : `${history.length} messages`}.`

const failure = (why: string): string =>
  `The conversation was not compacted; the model still knows all of it. ${why} Then try \`/compact\` again.`

const asUpdates = (context: Context): Report => {
  const { say, update } = context
  const compactionId = crypto.randomUUID()
  const state = (status: "in_progress" | "completed" | "failed" | "cancelled") => ({
    sessionUpdate: "compaction_update" as const,
    compactionId,
    status
  })
  return {
    started: update(state("in_progress")),
    chunk: (delta) => update({ sessionUpdate: "compaction_summary_chunk", compactionId, content: text(delta) }),
    restarted: () => update({ ...state("in_progress"), summary: null }),
    completed: (summary) =>
      Effect.zipRight(update({ ...state("completed"), summary: [text(summary)] }), say(closing(context))),
    failed: (why) => Effect.zipRight(update({ ...state("failed"), error: why }), say(failure(why))),
    cancelled: update(state("cancelled"))
  }
}

const asMessages = (context: Context): Report => {
  const { history, say, update } = context
  const messageId = crypto.randomUUID()
  const chunk = (delta: string) => update({ sessionUpdate: "agent_message_chunk", content: text(delta), messageId })
  return {
    started: say(`Summing up the conversation so far (messages: ${history.length}).`),
    chunk,
    // What was shown cannot be taken back.
    restarted: (reason) => chunk(`\n\n[${reason}]\n\n`),
    completed: () => say(closing(context)),
    failed: (why) => say(failure(why)),
    cancelled: say(cancelledNote)
  }
}

export const make = (context: Context): Report => (context.client.compaction ? asUpdates(context) : asMessages(context))
