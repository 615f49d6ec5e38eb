// Methods that the agent calls on the client: name, params, result. Descriptors only. @see acp-v1 section 1.3
import { Rpc, RpcGroup } from "@effect/rpc"
import { Schema } from "effect"
import { SessionId } from "./AgentMethods.ts"
import { CompleteElicitation, CreateElicitation } from "./Elicitation.ts"
import { RequestError } from "./Errors.ts"
import { Meta, optional, Uint32 } from "./Lenient.ts"
import { CreateTerminal, KillTerminal, ReleaseTerminal, TerminalOutput, WaitForTerminalExit } from "./Terminal.ts"
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

/** Only where the client advertises `fs.readTextFile`; lines are counted from 1. */
export const ReadTextFile = Rpc.make("fs/read_text_file", {
  payload: {
    sessionId: SessionId,
    path: Schema.String,
    line: optional(Uint32),
    limit: optional(Uint32),
    _meta: Meta
  },
  success: Schema.Struct({ content: Schema.String, _meta: Meta }),
  error: RequestError
})

/** Only where the client advertises `fs.writeTextFile`. */
export const WriteTextFile = Rpc.make("fs/write_text_file", {
  payload: { sessionId: SessionId, path: Schema.String, content: Schema.String, _meta: Meta },
  success: Schema.Struct({ _meta: Meta }),
  error: RequestError
})

/** ZeroClaw's: the model is given less of the conversation from now on. @see zeroclaw section 5.4 */
export const HistoryTrimmed = Rpc.make("_zeroclaw/history_trimmed", {
  payload: {
    sessionId: SessionId,
    droppedMessages: Schema.NonNegativeInt,
    keptTurns: Schema.NonNegativeInt,
    reason: Schema.String
  }
})

export const ClientRequests = RpcGroup.make(
  RequestPermission,
  ReadTextFile,
  WriteTextFile,
  CreateTerminal,
  TerminalOutput,
  WaitForTerminalExit,
  KillTerminal,
  ReleaseTerminal,
  CreateElicitation
)
export const ClientNotifications = RpcGroup.make(Update, CompleteElicitation)
