// How ZeroClaw shows that a turn was cancelled: a card of its own, and a marker in the text. @see zeroclaw section 5.8
import { text } from "../contract/Content.ts"
import type { SessionUpdate } from "../contract/Update.ts"

/** The same in every locale: clients match it. */
export const marker = "[turn cancelled via client]"

/**
 * For clients of the dialect only, after the turn's own updates and before its response.
 *
 * `earlier` counts the cards of this session before this one on this connection, which no replay shows: clients keep
 * cards by id.
 */
export const update = (sessionId: string, earlier: number): SessionUpdate => ({
  sessionUpdate: "tool_call",
  toolCallId: `turn-cancelled-${sessionId}${earlier === 0 ? "" : `-${earlier + 1}`}`,
  name: "turn-cancelled",
  title: "turn-cancelled",
  kind: "think",
  status: "completed",
  content: [{ type: "content", content: text(marker) }]
})

/** `content` of a cancelled prompt's result: what was streamed, then the marker. */
export const content = (streamed: string): string => (streamed === "" ? marker : `${streamed}\n\n${marker}`)
