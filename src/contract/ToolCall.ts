// Tool calls as the client sees them. @see acp-v1 section 1.5
import { Schema } from "effect"
import { ContentBlock } from "./Content.ts"
import { lenient, Meta, optional } from "./Lenient.ts"

export const ToolCallId = Schema.String

export const ToolKind = Schema.Literal(
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other"
)
export type ToolKind = typeof ToolKind.Type

export const ToolCallStatus = Schema.Literal("pending", "in_progress", "completed", "failed")
export type ToolCallStatus = typeof ToolCallStatus.Type

export const ToolCallContent = Schema.Union(
  Schema.Struct({ type: Schema.Literal("content"), content: ContentBlock, _meta: Meta }),
  Schema.Struct({
    type: Schema.Literal("diff"),
    path: Schema.String,
    oldText: Schema.optionalWith(Schema.NullOr(Schema.String), { exact: true }),
    newText: Schema.String,
    _meta: Meta
  }),
  Schema.Struct({ type: Schema.Literal("terminal"), terminalId: Schema.String, _meta: Meta })
)
export type ToolCallContent = typeof ToolCallContent.Type

export const ToolCallLocation = Schema.Struct({
  path: Schema.String,
  line: lenient(Schema.NonNegativeInt),
  _meta: Meta
})
export type ToolCallLocation = typeof ToolCallLocation.Type

const details = {
  name: optional(Schema.String),
  kind: optional(ToolKind),
  status: optional(ToolCallStatus),
  content: optional(Schema.Array(ToolCallContent)),
  locations: optional(Schema.Array(ToolCallLocation)),
  rawInput: Schema.optionalWith(Schema.Unknown, { exact: true }),
  rawOutput: Schema.optionalWith(Schema.Unknown, { exact: true }),
  _meta: Meta
}

/** First mention of a call: has a title. */
export const ToolCall = { toolCallId: ToolCallId, title: Schema.String, ...details }
/** Later mentions: what is omitted stays, lists replace the whole list. */
export const ToolCallUpdate = { toolCallId: ToolCallId, title: optional(Schema.String), ...details }

export const ToolCallUpdateStruct = Schema.Struct(ToolCallUpdate)
export type ToolCallUpdate = typeof ToolCallUpdateStruct.Type
export const ToolCallStruct = Schema.Struct(ToolCall)
export type ToolCall = typeof ToolCallStruct.Type
