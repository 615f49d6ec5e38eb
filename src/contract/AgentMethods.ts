// Methods that the client calls on the agent: name, params, result. Descriptors only. @see acp-v1 section 1.2
import { Rpc, RpcGroup } from "@effect/rpc"
import { Schema } from "effect"
import { AgentCapabilities, AuthMethod, ClientCapabilities, Implementation } from "./Capabilities.ts"
import { ContentBlock } from "./Content.ts"
import { RequestError } from "./Errors.ts"
import { defaulted, lenient, list, Meta } from "./Lenient.ts"

export const SessionId = Schema.String.pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

export const StopReason = Schema.Literal("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")
export type StopReason = typeof StopReason.Type

const NameValue = Schema.Struct({ name: Schema.String, value: Schema.String })

export const McpServer = Schema.Union(
  Schema.Struct({
    type: Schema.Literal("http", "sse"),
    name: Schema.String,
    url: Schema.String,
    headers: list(NameValue)
  }),
  Schema.Struct({
    name: Schema.String,
    command: Schema.String,
    args: list(Schema.String),
    env: list(NameValue)
  })
)

/** Entries that do not fit are kept as they are: the person is told, the session goes on. */
const McpServers = list(Schema.Union(McpServer, Schema.Unknown))

export const Initialize = Rpc.make("initialize", {
  payload: {
    protocolVersion: Schema.Int.pipe(Schema.between(0, 65535)),
    clientCapabilities: defaulted(ClientCapabilities, {}),
    clientInfo: lenient(Implementation),
    _meta: Meta
  },
  success: Schema.Struct({
    protocolVersion: Schema.Int,
    agentCapabilities: AgentCapabilities,
    agentInfo: Implementation,
    authMethods: Schema.Array(AuthMethod),
    _meta: Meta
  }),
  error: RequestError
})

export const Authenticate = Rpc.make("authenticate", {
  payload: { methodId: Schema.String, _meta: Meta },
  success: Schema.Struct({ _meta: Meta }),
  error: RequestError
})

export const NewSession = Rpc.make("session/new", {
  payload: {
    cwd: Schema.String,
    mcpServers: McpServers,
    additionalDirectories: list(Schema.String),
    _meta: Meta
  },
  success: Schema.Struct({ sessionId: SessionId, _meta: Meta }),
  error: RequestError
})

export const LoadSession = Rpc.make("session/load", {
  payload: {
    sessionId: SessionId,
    cwd: Schema.String,
    mcpServers: McpServers,
    additionalDirectories: list(Schema.String),
    _meta: Meta
  },
  success: Schema.Struct({ _meta: Meta }),
  error: RequestError
})

export const Prompt = Rpc.make("session/prompt", {
  payload: { sessionId: SessionId, prompt: Schema.Array(ContentBlock), _meta: Meta },
  success: Schema.Struct({ stopReason: StopReason, _meta: Meta }),
  error: RequestError
})

export const CloseSession = Rpc.make("session/close", {
  payload: { sessionId: SessionId, _meta: Meta },
  success: Schema.Struct({ _meta: Meta }),
  error: RequestError
})

export const Cancel = Rpc.make("session/cancel", {
  payload: { sessionId: SessionId, _meta: Meta },
  success: Schema.Struct({}),
  error: RequestError
})

/** Requests: each is answered exactly once. */
export const AgentRequests = RpcGroup.make(Initialize, Authenticate, NewSession, LoadSession, CloseSession, Prompt)
/** Notifications: never answered. */
export const AgentNotifications = RpcGroup.make(Cancel)
