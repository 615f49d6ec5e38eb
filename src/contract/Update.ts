// The variants of session/update. @see acp-v1 section 1.5
import { Schema } from "effect"
import { ContentBlock, ContentChunk } from "./Content.ts"
import { lenient, lenientListOrNull, listSkipping, Meta } from "./Lenient.ts"
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
  input: lenient(Schema.Struct({ hint: Schema.String, _meta: Meta })),
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
  variant("plan", { entries: listSkipping(PlanEntry), _meta: Meta }),
  variant("available_commands_update", { availableCommands: listSkipping(AvailableCommand), _meta: Meta }),
  variant("current_mode_update", { currentModeId: Schema.String, _meta: Meta }),
  variant("config_option_update", { configOptions: listSkipping(SessionConfigOption), _meta: Meta }),
  variant("session_info_update", {
    title: lenient(Schema.NullOr(Schema.String)),
    updatedAt: lenient(Schema.NullOr(Schema.String)),
    _meta: Meta
  }),
  variant("usage_update", {
    used: Schema.NonNegativeInt,
    size: Schema.NonNegativeInt,
    cost: lenient(Schema.Struct({ amount: Schema.Finite, currency: Schema.String, _meta: Meta })),
    _meta: Meta
  }),
  variant("notice", {
    severity: Schema.String,
    title: Schema.NonEmptyString,
    description: lenient(Schema.String),
    _meta: Meta
  }),
  variant("compaction_update", {
    compactionId: Schema.String,
    status: Schema.String,
    summary: lenientListOrNull(ContentBlock),
    error: lenient(Schema.NullOr(Schema.String)),
    _meta: Meta
  }),
  variant("compaction_summary_chunk", { compactionId: Schema.String, content: ContentBlock, _meta: Meta })
)
export type SessionUpdate = typeof SessionUpdate.Type
