// What a session showed, counted: how the demo knows that a replay is the same conversation. Pure.
import type { ToolCallUpdate, ToolKind } from "../contract/ToolCall.ts"
import type { SessionUpdate } from "../contract/Update.ts"
import { blockText } from "./Transcript.ts"

interface Call {
  readonly kind: ToolKind
  readonly status: string
  /** A permission question was asked for it. */
  readonly asked: boolean
}

export interface Tally {
  readonly prompts: number
  readonly plans: number
  /** In order of their first mention. */
  readonly calls: ReadonlyMap<string, Call>
  /** All answer text. */
  readonly answer: string
  /** The answer text after the last thing that was not answer text. */
  readonly lastAnswer: string
  readonly last: string
}

export const empty: Tally = { prompts: 0, plans: 0, calls: new Map(), answer: "", lastAnswer: "", last: "" }

const stepCall = (tally: Tally, call: ToolCallUpdate, asked: boolean): Tally => {
  const before = tally.calls.get(call.toolCallId)
  const view: Call = {
    kind: call.kind ?? before?.kind ?? "other",
    status: call.status ?? before?.status ?? "pending",
    asked: asked || (before?.asked ?? false)
  }
  return { ...tally, calls: new Map(tally.calls).set(call.toolCallId, view), last: "tool" }
}

export const ask = (tally: Tally, call: ToolCallUpdate): Tally => stepCall(tally, call, true)

export const step = (tally: Tally, update: SessionUpdate): Tally => {
  switch (update.sessionUpdate) {
    case "agent_message_chunk": {
      const text = blockText(update.content)
      const lastAnswer = tally.last === "answer" ? tally.lastAnswer + text : text
      return { ...tally, answer: tally.answer + text, lastAnswer, last: "answer" }
    }
    case "user_message_chunk":
      return { ...tally, prompts: tally.last === "user" ? tally.prompts : tally.prompts + 1, last: "user" }
    case "tool_call":
    case "tool_call_update":
      return stepCall(tally, update, false)
    case "plan":
      return { ...tally, plans: tally.plans + 1, last: "plan" }
    case "agent_thought_chunk":
      return { ...tally, last: "thought" }
    default:
      return tally
  }
}

export const count = (tally: Tally, kind: ToolKind): number =>
  [...tally.calls.values()].filter((call) => call.kind === kind).length
