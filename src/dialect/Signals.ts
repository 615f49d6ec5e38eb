// What tells ZeroClaw's dialect by its mere name. Signs within parameters are found where those are read.
import { ClientEvent, StopSession } from "../contract/AgentMethods.ts"

/** The WebSocket subprotocol of ZeroClaw's gateway; a connection that agrees on it speaks the dialect from its start. */
export const subprotocol = "zeroclaw.acp.v1"

/** A method that goes only from the agent to the client in the protocol; ZeroClaw's clients send it too. */
export const clientUpdate = "session/update"

/** Requests and notifications that no other client sends. */
export const methods: ReadonlySet<string> = new Set([StopSession._tag, ClientEvent._tag, clientUpdate])

/** Parameters of ZeroClaw's own, in the order in which they are looked at. @see zeroclaw section 5.2 */
export const agentKeys = ["agentAlias", "agent_alias", "agent"] as const
export const folderKeys = ["workspaceDir", "workspace_dir"] as const
export const sessionKey = "session_id"
