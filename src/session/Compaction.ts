// A compaction folded from its updates and chunks, and the updates that replay it. Pure.
// @see acp-v1 section 1.5 (compaction_update, compaction_summary_chunk)
import type { ContentBlock } from "../contract/Content.ts"
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

/** What an update omits stays, null clears, and nothing follows the end of a compaction. */
export const patch = (state: State, update: Update | Chunk): State => {
  if (state.status !== "in_progress") return state
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

/** Its beginning and its end; one that a crash broke off ends as cancelled. */
export const updates = ({ compactionId, error, status, summary }: State): ReadonlyArray<SessionUpdate> => [
  { sessionUpdate: "compaction_update", compactionId, status: "in_progress" },
  {
    sessionUpdate: "compaction_update",
    compactionId,
    status: status === "in_progress" ? "cancelled" : status,
    ...(status === "completed" ? { summary } : {}),
    ...(error === undefined ? {} : { error })
  }
]
