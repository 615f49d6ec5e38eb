// Tool calls as the client sees them. @see acp-v1 section 1.5
import { Schema } from "effect"
import { ContentBlock } from "./Content.ts"
import { lenient, lenientList, Meta, Uint32 } from "./Lenient.ts"

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
    /** Null where the file is new. */
    oldText: lenient(Schema.NullOr(Schema.String)),
    newText: Schema.String,
    _meta: Meta
  }),
  Schema.Struct({ type: Schema.Literal("terminal"), terminalId: Schema.String, _meta: Meta })
)
export type ToolCallContent = typeof ToolCallContent.Type

export const ToolCallLocation = Schema.Struct({
  path: Schema.String,
  line: lenient(Uint32),
  _meta: Meta
})
export type ToolCallLocation = typeof ToolCallLocation.Type

const details = {
  name: lenient(Schema.String),
  kind: lenient(ToolKind),
  status: lenient(ToolCallStatus),
  content: lenientList(ToolCallContent),
  locations: lenientList(ToolCallLocation),
  rawInput: Schema.optionalWith(Schema.Unknown, { exact: true }),
  rawOutput: Schema.optionalWith(Schema.Unknown, { exact: true }),
  _meta: Meta
}

/** First mention of a call: has a title. */
export const ToolCall = { toolCallId: ToolCallId, title: Schema.String, ...details }
/** Later mentions: what is omitted stays, lists replace the whole list. */
export const ToolCallUpdate = { toolCallId: ToolCallId, title: lenient(Schema.String), ...details }

export const ToolCallUpdateStruct = Schema.Struct(ToolCallUpdate)
export type ToolCallUpdate = typeof ToolCallUpdateStruct.Type
export const ToolCallStruct = Schema.Struct(ToolCall)
export type ToolCall = typeof ToolCallStruct.Type
