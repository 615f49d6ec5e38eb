// A compaction folded from its updates and chunks, and the updates that replay it. Pure.
// @see acp-v1 section 1.5 (compaction_update, compaction_summary_chunk)
import { type ContentBlock, text } from "../contract/Content.ts"
import type { SessionUpdate } from "../contract/Update.ts"

type Update = Extract<SessionUpdate, { readonly sessionUpdate: "compaction_update" }>
type Chunk = Extract<SessionUpdate, { readonly sessionUpdate: "compaction_summary_chunk" }>

export interface State {
  readonly compactionId: string
  readonly status: string
  readonly summary: ReadonlyArray<ContentBlock>
  readonly error: string | undefined
}

export const isOf = (update: SessionUpdate): update is Update | Chunk =>
  update.sessionUpdate === "compaction_update" || update.sessionUpdate === "compaction_summary_chunk"

export const begin = (compactionId: string): State => ({
  compactionId,
  status: "in_progress",
  summary: [],
  error: undefined
})

/** Deltas of a text are one text. */
const appended = (summary: ReadonlyArray<ContentBlock>, content: ContentBlock): ReadonlyArray<ContentBlock> => {
  const last = summary.at(-1)
  return last?.type === "text" && content.type === "text"
    ? [...summary.slice(0, -1), { ...last, text: last.text + content.text }]
    : [...summary, content]
}

const ends: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"])

/** What an update omits stays, null clears, and nothing follows the end of a compaction. */
export const patch = (state: State, update: Update | Chunk): State => {
  if (ends.has(state.status)) return state
  if (update.sessionUpdate === "compaction_summary_chunk") {
    return { ...state, summary: appended(state.summary, update.content) }
  }
  return {
    ...state,
    status: update.status,
    summary: update.summary === undefined ? state.summary : (update.summary ?? []),
    error: update.error === undefined ? state.error : (update.error ?? undefined)
  }
}

/** Its beginning and its end; one that did not come to an end was cancelled. */
export const updates = ({ compactionId, error, status, summary }: State): ReadonlyArray<SessionUpdate> => [
  { sessionUpdate: "compaction_update", compactionId, status: "in_progress" },
  {
    sessionUpdate: "compaction_update",
    compactionId,
    status: ends.has(status) ? status : "cancelled",
    ...(status === "completed" ? { summary } : {}),
    ...(status === "failed" && error !== undefined ? { error } : {})
  }
]

export const cancelledNote = "Compacting was cancelled; the model still knows the whole conversation."

/** A stored one as messages, for clients that know none. Why one failed is told in a message of its own. */
export const toMessages = (update: Update | Chunk): ReadonlyArray<SessionUpdate> => {
  if (update.sessionUpdate === "compaction_summary_chunk") return []
  const said = (content: ContentBlock): SessionUpdate => ({
    sessionUpdate: "agent_message_chunk",
    content,
    messageId: update.compactionId
  })
  switch (update.status) {
    case "completed":
      return (update.summary ?? []).map(said)
    case "cancelled":
      return [said(text(cancelledNote))]
    default:
      return []
  }
}
