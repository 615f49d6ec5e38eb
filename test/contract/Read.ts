// What we read of the other side, each with its definition in the official schema.
import { Schema } from "effect"
import { AgentNotifications, AgentRequests } from "../../src/contract/AgentMethods.ts"
import { ClientNotifications, ClientRequests } from "../../src/contract/ClientMethods.ts"
import { type Definition, definition, isObject, type Json, type Side, type Suffix } from "./Official.ts"

export interface Read {
  readonly label: string
  readonly definition: Definition
  readonly decode: (value: unknown) => unknown
}

/** Not of the protocol any more. */
const legacy = ["session/set_model"]
/** Our client reads results of initialize by a laxer schema of its own, and offers no elicitation. */
const writtenOnly = ["initialize Response", "elicitation/create Request"]

const read = (method: string, side: Side, suffix: Suffix, schema: Schema.Schema.AnyNoContext): ReadonlyArray<Read> => {
  const label = `${method} ${suffix}`
  if (legacy.includes(method) || writtenOnly.includes(label)) return []
  const found = definition(method, side, suffix)
  if (found === undefined) throw new Error(`${label}: not in the official schema`)
  return [{ label, definition: found, decode: Schema.decodeUnknownSync(schema, { errors: "all" }) }]
}

/** As the agent. */
export const byAgent: ReadonlyArray<Read> = [
  ...[...AgentRequests.requests.values()].flatMap((rpc) => read(rpc._tag, "agent", "Request", rpc.payloadSchema)),
  ...[...AgentNotifications.requests.values()].flatMap((rpc) =>
    read(rpc._tag, "agent", "Notification", rpc.payloadSchema)
  ),
  ...[...ClientRequests.requests.values()].flatMap((rpc) => read(rpc._tag, "client", "Response", rpc.successSchema))
]

/** As the client of `zeroclaw run`. */
export const byClient: ReadonlyArray<Read> = [
  ...[...AgentRequests.requests.values()].flatMap((rpc) => read(rpc._tag, "agent", "Response", rpc.successSchema)),
  ...[...ClientRequests.requests.values()].flatMap((rpc) => read(rpc._tag, "client", "Request", rpc.payloadSchema)),
  ...[...ClientNotifications.requests.values()].flatMap((rpc) =>
    read(rpc._tag, "client", "Notification", rpc.payloadSchema)
  )
]

export const all: ReadonlyArray<Read> = [...byAgent, ...byClient]

/** A kind of MCP server that nobody knows is shown to the person as it came. */
export const keptWhole = (plain: Json): boolean =>
  isObject(plain) &&
  Array.isArray(plain["mcpServers"]) &&
  plain["mcpServers"].some((server: Json) => isObject(server) && server["type"] === "acp")
