// Methods that the client calls on the agent: name, params, result. Descriptors only. @see acp-v1 section 1.2
import { Rpc, RpcGroup } from "@effect/rpc"
import { Schema } from "effect"
import { AgentCapabilities, AuthMethod, ClientCapabilities, Implementation } from "./Capabilities.ts"
import { ContentBlock } from "./Content.ts"
import { RequestError } from "./Errors.ts"
import { defaulted, lenient, lenientList, list, listSkipping, Meta, optional, requiredList } from "./Lenient.ts"
import { SessionConfigOption, sessionState } from "./SessionState.ts"

export const SessionId = Schema.String.pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

export const StopReason = Schema.Literal("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")
export type StopReason = typeof StopReason.Type

export const NameValue = Schema.Struct({ name: Schema.String, value: Schema.String, _meta: Meta })

export const McpServer = Schema.Union(
  Schema.Struct({
    type: Schema.Literal("http", "sse"),
    name: Schema.String,
    url: Schema.String,
    headers: list(NameValue),
    _meta: Meta
  }),
  Schema.Struct({
    name: Schema.String,
    command: Schema.String,
    args: list(Schema.String),
    env: list(NameValue),
    _meta: Meta
  })
)

/** Entries that do not fit are kept as they are: the person is told, the session goes on. */
const AnyMcpServer = Schema.Union(McpServer, Schema.Unknown)

/** A uint16. */
const ProtocolVersion = Schema.Int.pipe(Schema.between(0, 65535))

export const Initialize = Rpc.make("initialize", {
  payload: {
    protocolVersion: ProtocolVersion,
    clientCapabilities: defaulted(ClientCapabilities, {}),
    clientInfo: lenient(Implementation),
    _meta: Meta
  },
  success: Schema.Struct({
    protocolVersion: ProtocolVersion,
    agentCapabilities: AgentCapabilities,
    agentInfo: Implementation,
    authMethods: listSkipping(AuthMethod),
    _meta: Meta
  }),
  error: RequestError
})

export const Authenticate = Rpc.make("authenticate", {
  payload: { methodId: Schema.String, _meta: Meta },
  success: Schema.Struct({ _meta: Meta }),
  error: RequestError
})

export const Logout = Rpc.make("logout", {
  payload: { _meta: Meta },
  success: Schema.Struct({ _meta: Meta }),
  error: RequestError
})

/** Where a session works, sent anew each time it is opened. */
const place = { cwd: Schema.String, additionalDirectories: list(Schema.String), _meta: Meta }
const withServers = { ...place, mcpServers: requiredList(AnyMcpServer) }
const withAnyServers = { ...place, mcpServers: list(AnyMcpServer) }
const one = { sessionId: SessionId, _meta: Meta }
const Done = Schema.Struct({ _meta: Meta })

export const NewSession = Rpc.make("session/new", {
  payload: withServers,
  success: Schema.Struct({ sessionId: SessionId, ...sessionState, _meta: Meta }),
  error: RequestError
})

/** Replays the conversation before it answers. */
export const LoadSession = Rpc.make("session/load", {
  payload: { sessionId: SessionId, ...withServers },
  success: Schema.Struct({ ...sessionState, _meta: Meta }),
  error: RequestError
})

/** Opens a stored session without showing it again. */
export const ResumeSession = Rpc.make("session/resume", {
  payload: { sessionId: SessionId, ...withAnyServers },
  success: Schema.Struct({ ...sessionState, _meta: Meta }),
  error: RequestError
})

/** A new session that starts with the history of another. Unstable. @see acp-v1 section 2 */
export const ForkSession = Rpc.make("session/fork", {
  payload: { sessionId: SessionId, ...withAnyServers },
  success: Schema.Struct({ sessionId: SessionId, ...sessionState, _meta: Meta }),
  error: RequestError
})

export const SessionInfo = Schema.Struct({
  sessionId: SessionId,
  cwd: Schema.String,
  additionalDirectories: lenientList(Schema.String),
  title: lenient(Schema.String),
  /** ISO 8601, UTC. */
  updatedAt: lenient(Schema.String),
  _meta: Meta
})
export type SessionInfo = typeof SessionInfo.Type

export const ListSessions = Rpc.make("session/list", {
  payload: { cwd: optional(Schema.String), cursor: optional(Schema.String), _meta: Meta },
  success: Schema.Struct({ sessions: listSkipping(SessionInfo), nextCursor: lenient(Schema.String), _meta: Meta }),
  error: RequestError
})

export const DeleteSession = Rpc.make("session/delete", { payload: one, success: Done, error: RequestError })
export const CloseSession = Rpc.make("session/close", { payload: one, success: Done, error: RequestError })

/** Unstable. @see acp-v1 section 2 */
export const SetTitle = Rpc.make("session/set_title", {
  payload: { ...one, title: Schema.String },
  success: Schema.Struct({ title: Schema.String, _meta: Meta }),
  error: RequestError
})

export const SetMode = Rpc.make("session/set_mode", {
  payload: { ...one, modeId: Schema.String },
  success: Done,
  error: RequestError
})

/** Of clients from before the config option `model`. @see acp-v1 section 2 */
export const SetModel = Rpc.make("session/set_model", {
  payload: { ...one, modelId: Schema.String },
  success: Done,
  error: RequestError
})

/** A boolean value says so in `type`; everything else is the id of a value. */
export const SetConfigOption = Rpc.make("session/set_config_option", {
  payload: Schema.Union(
    Schema.Struct({ ...one, configId: Schema.String, type: Schema.Literal("boolean"), value: Schema.Boolean }),
    Schema.Struct({ ...one, configId: Schema.String, value: Schema.String })
  ),
  success: Schema.Struct({ configOptions: listSkipping(SessionConfigOption), _meta: Meta }),
  error: RequestError
})

export const Prompt = Rpc.make("session/prompt", {
  payload: { sessionId: SessionId, prompt: Schema.Array(ContentBlock), _meta: Meta },
  success: Schema.Struct({ stopReason: StopReason, _meta: Meta }),
  error: RequestError
})

export const Cancel = Rpc.make("session/cancel", { payload: one, success: Schema.Struct({}), error: RequestError })

/** ZeroClaw's: waits for the running turn, then closes. @see zeroclaw section 5.9 */
export const StopSession = Rpc.make("session/stop", {
  payload: one,
  success: Schema.Struct({ sessionId: SessionId, stopped: Schema.Boolean, _meta: Meta }),
  error: RequestError
})

/** ZeroClaw's: a sign of life from the client, of one of the documented event types. @see zeroclaw section 5.10 */
export const ClientEvent = Rpc.make("session/event", {
  payload: {
    ...one,
    type: lenient(Schema.String),
    update: lenient(Schema.Struct({ sessionUpdate: lenient(Schema.String) }))
  },
  success: Schema.Struct({ sessionId: SessionId, type: Schema.String, status: Schema.String, _meta: Meta }),
  error: RequestError
})

/** Requests: each is answered exactly once. */
export const AgentRequests = RpcGroup.make(
  Initialize,
  Authenticate,
  Logout,
  NewSession,
  LoadSession,
  ResumeSession,
  ForkSession,
  ListSessions,
  DeleteSession,
  CloseSession,
  SetTitle,
  SetMode,
  SetModel,
  SetConfigOption,
  Prompt
)
/** Notifications: never answered. */
export const AgentNotifications = RpcGroup.make(Cancel)
/** Of ZeroClaw's dialect only. @see acp-v1 section 6 */
export const DialectRequests = RpcGroup.make(StopSession, ClientEvent)
