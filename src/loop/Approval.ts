// The permission question: its options, its words, and what an answer means. Pure. @see zeroclaw section 5.6
import type { PermissionOption } from "../contract/ClientMethods.ts"
import { text } from "../contract/Content.ts"
import type { ToolCallContent } from "../contract/ToolCall.ts"
import type { Decision } from "../policy/Decision.ts"
import type { PreparedCall } from "../tools/Tool.ts"
import { cut, fence, visible, visibleLines } from "../tools/Visible.ts"
import type { PermissionAnswer, PermissionQuestion } from "./Turn.ts"

export type Verdict =
  | { readonly _tag: "Run"; readonly always: boolean }
  | { readonly _tag: "Refuse"; readonly message: string }
  /** Not run; the person's own text is the result. */
  | { readonly _tag: "Replace"; readonly text: string }

type Ask = Extract<Decision, { readonly _tag: "Ask" }>

const allowOnce: PermissionOption = { optionId: "allow-once", name: "Allow once", kind: "allow_once" }
const rejectOnce: PermissionOption = { optionId: "reject-once", name: "Reject", kind: "reject_once" }
const allowAlways = (covers: string): PermissionOption => ({
  optionId: "allow-always",
  name: `Always allow ${covers}`,
  kind: "allow_always"
})

export const options = (decision: Ask): ReadonlyArray<PermissionOption> => [
  allowOnce,
  ...(decision.always === undefined ? [] : [allowAlways(decision.always)]),
  rejectOnce
]

/** Where a call stands among those of one reply, counted from 1. */
export interface Position {
  readonly at: number
  readonly of: number
}

const block = (value: string): ToolCallContent => ({ type: "content", content: text(value) })

/** Why it is asked, and which of several questions this is. */
const why = (decision: Ask, { at, of }: Position): ToolCallContent =>
  block([visibleLines(decision.reason), ...(of > 1 ? [`Call ${at} of ${of} in this step.`] : [])].join("\n\n"))

const maxNamed = 8

/** Characters of a change that nobody sees, spelled out. */
const unseen = (content: ReadonlyArray<ToolCallContent>): ReadonlyArray<ToolCallContent> => {
  const spelled = content.flatMap((item) => {
    if (item.type !== "diff") return []
    const lines = item.newText.replaceAll("\r\n", "\n")
    return [...new Set(lines)].map(visibleLines).filter((shown) => shown.length > 2)
  })
  return spelled.length === 0
    ? []
    : [block(`The new text holds characters that are not seen: ${[...new Set(spelled)].slice(0, maxNamed).join(" ")}`)]
}

/** What has neither a diff nor a command on its card shows its input: a title may be cut. */
const exact = ({ face, rawInput }: PreparedCall): ReadonlyArray<ToolCallContent> =>
  face.content.length > 0
    ? [...face.content, ...unseen(face.content)]
    : [block(fence(visibleLines(JSON.stringify(rawInput, null, 2) ?? "")))]

/** The same card as the call's own, plus why it is asked. Diffs stay first: some clients show only the first block. */
export const question = (
  toolCallId: string,
  name: string,
  prepared: PreparedCall,
  decision: Ask,
  position: Position
): PermissionQuestion => ({
  toolCall: {
    toolCallId,
    name,
    title: prepared.face.title,
    kind: prepared.face.kind,
    status: "pending",
    locations: prepared.face.locations,
    content: [...exact(prepared), why(decision, position)],
    rawInput: prepared.rawInput
  },
  options: options(decision)
})

/** Never offered, and a person's clear no all the same: some clients have it on a button of their own. */
const rejectAlways = "reject-always"

/** A client's own words may be of any length. */
const maxReason = 500

/** Exact match with an option that was offered; everything else is a no. */
export const verdict = (answer: PermissionAnswer, offered: ReadonlyArray<PermissionOption>): Verdict => {
  switch (answer.outcome) {
    case "unanswered":
      return { _tag: "Refuse", message: `Not run: ${cut(visible(answer.reason), maxReason)}` }
    case "edited":
      return answer.replacement === ""
        ? { _tag: "Refuse", message: "Denied by user." }
        : { _tag: "Replace", text: answer.replacement }
    case "cancelled":
      return { _tag: "Refuse", message: "Not run: the permission question was cancelled." }
    case "selected": {
      const option = offered.find(({ optionId }) => optionId === answer.optionId)
      switch (option?.kind) {
        case "allow_once":
          return { _tag: "Run", always: false }
        case "allow_always":
          return { _tag: "Run", always: true }
        case "reject_once":
        case "reject_always":
          return { _tag: "Refuse", message: "Denied by user." }
        default:
          if (answer.optionId === rejectAlways) return { _tag: "Refuse", message: "Denied by user." }
          return { _tag: "Refuse", message: "Not run: the client answered with an option that was not offered." }
      }
    }
  }
}
