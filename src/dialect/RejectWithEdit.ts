// ZeroClaw's fourth answer to a permission question: no, but here is what should stand there. @see zeroclaw section 5.6
import type { PermissionOutcome } from "../contract/ClientMethods.ts"
import type { ToolCallUpdate } from "../contract/ToolCall.ts"
import type { PermissionAnswer } from "../loop/Turn.ts"
import { isRecord } from "../wire/JsonText.ts"
import { own, ownString, withZeroclawMeta, zeroclawMeta } from "./Read.ts"

export const optionId = "reject-with-edit"

/** Of the replacement, in bytes of UTF-8. */
export const maxReplacementBytes = 64 * 1024

const option = { optionId, name: "Reject with edit", kind: "reject_with_edit" }

/** Of the tools whose whole result another text can stand for. */
const edits: ReadonlyArray<unknown> = ["file_edit", "file_write"]

const isEdit = (toolCall: unknown): boolean => own(toolCall, "kind") === "edit" && edits.includes(own(toolCall, "name"))

/** Whether a question carries the option; to be asked at the time of the question. */
export const isOffered = (zeroclaw: boolean, toolCall: ToolCallUpdate): boolean => zeroclaw && isEdit(toolCall)

const proposedEdit = (toolCall: unknown): string | undefined => {
  const content = own(toolCall, "content")
  const blocks: ReadonlyArray<unknown> = Array.isArray(content) ? content : []
  return ownString(
    blocks.find((block) => own(block, "type") === "diff"),
    "newText"
  )
}

/** The parameters of session/request_permission, with the option before the plain no. */
export const offer = (params: unknown): unknown => {
  const toolCall = own(params, "toolCall")
  const given = own(params, "options")
  if (!isRecord(params) || !isRecord(toolCall) || !isEdit(toolCall) || !Array.isArray(given)) return params
  const options: ReadonlyArray<unknown> = given
  const reject = options.findIndex((option) => own(option, "kind") === "reject_once")
  const at = reject === -1 ? options.length : reject
  const proposed = proposedEdit(toolCall)
  return {
    ...params,
    toolCall: proposed === undefined ? toolCall : { ...toolCall, proposedEdit: proposed },
    options: [...options.slice(0, at), option, ...options.slice(at)]
  }
}

/** The result of session/request_permission, with the replacement where the contract keeps what is custom. */
export const accept = (result: unknown): unknown => {
  const outcome = own(result, "outcome")
  const replacementContent = ownString(outcome, "replacementContent")
  return isRecord(result) && isRecord(outcome) && replacementContent !== undefined
    ? { ...result, outcome: withZeroclawMeta(outcome, { replacementContent }) }
    : result
}

/** Cut before the first code point that does not fit whole. */
const cut = (text: string): string => {
  const bytes = Buffer.from(text, "utf8")
  if (bytes.length <= maxReplacementBytes) return text
  let end = maxReplacementBytes
  // 10xxxxxx goes on with a code point that began before.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.subarray(0, end).toString("utf8")
}

/** No control characters but tab and line ends, and no more than is bearable. */
const clean = (text: string): string => cut(text.toWellFormed().replace(/(?![\t\r\n])\p{Cc}/gu, ""))

/**
 * What the loop reads. An empty replacement is a plain no; where the option was not offered it is an unknown one.
 *
 * @see acp-v1 section 6, row 11
 */
export const toAnswer = (outcome: PermissionOutcome, offered: boolean): PermissionAnswer =>
  offered && outcome.outcome === "selected" && outcome.optionId === optionId
    ? { outcome: "edited", replacement: clean(ownString(zeroclawMeta(outcome), "replacementContent") ?? "") }
    : outcome
