// Methods that the agent calls on the client: name, params, result. Descriptors only. @see acp-v1 section 1.3
import { Rpc, RpcGroup } from "@effect/rpc"
import { Schema } from "effect"
import { SessionId } from "./AgentMethods.ts"
import { RequestError } from "./Errors.ts"
import { Meta } from "./Lenient.ts"
import { ToolCallUpdateStruct } from "./ToolCall.ts"
import { SessionUpdate } from "./Update.ts"

export const PermissionOption = Schema.Struct({
  optionId: Schema.String,
  name: Schema.String,
  kind: Schema.Literal("allow_once", "allow_always", "reject_once", "reject_always"),
  _meta: Meta
})
export type PermissionOption = typeof PermissionOption.Type

export const PermissionOutcome = Schema.Union(
  Schema.Struct({ outcome: Schema.Literal("cancelled"), _meta: Meta }),
  Schema.Struct({ outcome: Schema.Literal("selected"), optionId: Schema.String, _meta: Meta })
)
export type PermissionOutcome = typeof PermissionOutcome.Type

export const Update = Rpc.make("session/update", {
  payload: { sessionId: SessionId, update: SessionUpdate, _meta: Meta }
})

export const RequestPermission = Rpc.make("session/request_permission", {
  payload: {
    sessionId: SessionId,
    toolCall: ToolCallUpdateStruct,
    options: Schema.Array(PermissionOption),
    _meta: Meta
  },
  success: Schema.Struct({ outcome: PermissionOutcome, _meta: Meta }),
  error: RequestError
})

export const ClientRequests = RpcGroup.make(RequestPermission)
export const ClientNotifications = RpcGroup.make(Update)
