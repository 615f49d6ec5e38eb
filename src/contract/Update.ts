// The variants of session/update. @see acp-v1 section 1.5
import { Schema } from "effect"
import { ContentBlock, ContentChunk } from "./Content.ts"
import { Meta, optional } from "./Lenient.ts"
import { SessionConfigOption } from "./SessionState.ts"
import { ToolCall, ToolCallUpdate } from "./ToolCall.ts"

export const PlanEntry = Schema.Struct({
  content: Schema.String,
  priority: Schema.Literal("high", "medium", "low"),
  status: Schema.Literal("pending", "in_progress", "completed"),
  _meta: Meta
})
export type PlanEntry = typeof PlanEntry.Type

export const AvailableCommand = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  input: optional(Schema.Struct({ hint: Schema.String, _meta: Meta })),
  _meta: Meta
})
export type AvailableCommand = typeof AvailableCommand.Type

const variant = <Tag extends string, Fields extends Schema.Struct.Fields>(tag: Tag, fields: Fields) =>
  Schema.Struct({ sessionUpdate: Schema.Literal(tag), ...fields })

export const SessionUpdate = Schema.Union(
  variant("user_message_chunk", ContentChunk),
  variant("agent_message_chunk", ContentChunk),
  variant("agent_thought_chunk", ContentChunk),
  variant("tool_call", ToolCall),
  variant("tool_call_update", ToolCallUpdate),
  variant("plan", { entries: Schema.Array(PlanEntry), _meta: Meta }),
  variant("available_commands_update", { availableCommands: Schema.Array(AvailableCommand), _meta: Meta }),
  variant("current_mode_update", { currentModeId: Schema.String, _meta: Meta }),
  variant("config_option_update", { configOptions: Schema.Array(SessionConfigOption), _meta: Meta }),
  variant("session_info_update", {
    title: Schema.optionalWith(Schema.NullOr(Schema.String), { exact: true }),
    updatedAt: Schema.optionalWith(Schema.NullOr(Schema.String), { exact: true }),
    _meta: Meta
  }),
  variant("usage_update", {
    used: Schema.NonNegativeInt,
    size: Schema.NonNegativeInt,
    cost: optional(Schema.Struct({ amount: Schema.Finite, currency: Schema.String, _meta: Meta })),
    _meta: Meta
  }),
  variant("notice", {
    severity: Schema.String,
    title: Schema.NonEmptyString,
    description: optional(Schema.String),
    _meta: Meta
  }),
  variant("compaction_update", {
    compactionId: Schema.String,
    status: Schema.String,
    summary: Schema.optionalWith(Schema.NullOr(Schema.Array(ContentBlock)), { exact: true }),
    error: Schema.optionalWith(Schema.NullOr(Schema.String), { exact: true }),
    _meta: Meta
  }),
  variant("compaction_summary_chunk", { compactionId: Schema.String, content: ContentBlock, _meta: Meta })
)
export type SessionUpdate = typeof SessionUpdate.Type
