// What a person saw in one turn, folded: chunks of one message are one update, a tool call is one update in its last state,
// a compaction its beginning and its end.
import type { MessageId } from "../contract/Content.ts"
import type { ToolCall } from "../contract/ToolCall.ts"
import type { SessionUpdate } from "../contract/Update.ts"
import * as Compaction from "./Compaction.ts"

type ChunkUpdate = Extract<SessionUpdate, { readonly sessionUpdate: `${"user" | "agent"}_${string}_chunk` }>
type CallUpdate = Extract<SessionUpdate, { readonly sessionUpdate: "tool_call" }>
type CallPatch = Extract<SessionUpdate, { readonly sessionUpdate: "tool_call_update" }>

type TextUpdate = ChunkUpdate & { readonly content: { readonly type: "text"; readonly text: string } }

type Entry =
  | { readonly _tag: "Text"; readonly first: TextUpdate; readonly texts: Array<string> }
  | { readonly _tag: "Call"; update: CallUpdate }
  | { readonly _tag: "Compaction"; state: Compaction.State }
  | { readonly _tag: "Other"; readonly update: SessionUpdate }

export interface Transcript {
  readonly add: (update: SessionUpdate) => void
  readonly updates: () => ReadonlyArray<SessionUpdate>
  /** Calls that are neither completed nor failed. */
  readonly openCalls: () => ReadonlyArray<ToolCall>
}

/** Not kept is the state of the moment, which is sent anew after a load, and what is never replayed. */
const kept: Readonly<Record<SessionUpdate["sessionUpdate"], boolean>> = {
  user_message_chunk: true,
  agent_message_chunk: true,
  agent_thought_chunk: true,
  tool_call: true,
  tool_call_update: true,
  plan: true,
  compaction_update: true,
  compaction_summary_chunk: true,
  available_commands_update: false,
  current_mode_update: false,
  config_option_update: false,
  session_info_update: false,
  usage_update: false,
  notice: false
}

const isTextChunk = (update: SessionUpdate): update is TextUpdate =>
  (update.sessionUpdate === "user_message_chunk" ||
    update.sessionUpdate === "agent_message_chunk" ||
    update.sessionUpdate === "agent_thought_chunk") &&
  update.content.type === "text"

const sameMessage = (a: { messageId?: typeof MessageId.Type }, b: { messageId?: typeof MessageId.Type }): boolean =>
  a.messageId === b.messageId

/** @see acp-v1 section 1.5: what an update omits stays, lists replace the whole list. */
export const merge = (call: CallUpdate, { sessionUpdate: _, ...patch }: CallPatch): CallUpdate => ({
  ...call,
  ...patch,
  title: patch.title ?? call.title
})

/** A delivered file is not delivered again; its text tells where it is. @see zeroclaw section 5.5 */
const withoutBlobs = (update: CallPatch): CallPatch =>
  update.content === undefined
    ? update
    : {
        ...update,
        content: update.content.filter(
          (it) => !(it.type === "content" && it.content.type === "resource" && "blob" in it.content.resource)
        )
      }

const replayed = (entry: Entry): ReadonlyArray<SessionUpdate> => {
  switch (entry._tag) {
    case "Text":
      return [{ ...entry.first, content: { ...entry.first.content, text: entry.texts.join("") } }]
    case "Compaction":
      return Compaction.updates(entry.state)
    case "Call":
    case "Other":
      return [entry.update]
  }
}

export const make = (): Transcript => {
  const entries: Array<Entry> = []
  const calls = new Map<string, Extract<Entry, { readonly _tag: "Call" }>>()
  const compactions = new Map<string, Extract<Entry, { readonly _tag: "Compaction" }>>()
  return {
    add: (update) => {
      if (!kept[update.sessionUpdate]) return
      if (update.sessionUpdate === "tool_call_update") {
        const entry = calls.get(update.toolCallId)
        if (entry) entry.update = merge(entry.update, withoutBlobs(update))
        return
      }
      if (update.sessionUpdate === "tool_call") {
        const entry = { _tag: "Call" as const, update }
        calls.set(update.toolCallId, entry)
        entries.push(entry)
        return
      }
      if (Compaction.isOf(update)) {
        const known = compactions.get(update.compactionId)
        const entry = known ?? { _tag: "Compaction" as const, state: Compaction.begin(update.compactionId) }
        entry.state = Compaction.patch(entry.state, update)
        if (known === undefined) {
          compactions.set(update.compactionId, entry)
          entries.push(entry)
        }
        return
      }
      if (isTextChunk(update)) {
        const last = entries.at(-1)
        if (
          last?._tag === "Text" &&
          last.first.sessionUpdate === update.sessionUpdate &&
          sameMessage(last.first, update) &&
          update.sessionUpdate !== "user_message_chunk"
        ) {
          last.texts.push(update.content.text)
        } else {
          entries.push({ _tag: "Text", first: update, texts: [update.content.text] })
        }
        return
      }
      entries.push({ _tag: "Other", update })
    },
    updates: () => entries.flatMap(replayed),
    openCalls: () =>
      [...calls.values()]
        .map(({ update: { sessionUpdate: _, ...call } }) => call)
        .filter(({ status }) => status !== "completed" && status !== "failed")
  }
}
