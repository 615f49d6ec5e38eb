// Where a session is to work, as the client said it. @see acp-v1 section 1.2
import * as path from "node:path"
import { Effect, Option, Schema } from "effect"
import { McpServer } from "../contract/AgentMethods.ts"
import { Code, RequestError } from "../contract/Errors.ts"
import * as Dialect from "../dialect/Place.ts"
import { firstText, zeroclawMeta } from "../dialect/Read.ts"
import type { NewSpec } from "../session/Sessions.ts"
import type { DialectMode } from "./Agreement.ts"

/** Of one session/new. */
export const maxDirectories = 32

/** Not run by this release: said aloud, never dropped in silence. */
const mcpNote = (servers: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  if (servers.length === 0) return []
  const names = servers.map((server) =>
    Option.match(Schema.decodeUnknownOption(McpServer)(server), {
      onNone: () => "(malformed entry)",
      onSome: ({ name }) =>
        name
          .replace(/[\p{Cc}\p{Cf}]/gu, "")
          .slice(0, 60)
          .toWellFormed()
    })
  )
  return [`MCP servers are not supported yet, so these were not started: ${names.join(", ")}.\n\n`]
}

export interface Params {
  readonly cwd: string
  readonly mcpServers: ReadonlyArray<unknown>
  readonly additionalDirectories: ReadonlyArray<string>
  readonly _meta?: { readonly [key: string]: unknown }
}

/** Refuses relative folders, naming the field; in strict mode also one that is left out. */
export const read = (method: string, params: Params, mode: DialectMode): Effect.Effect<NewSpec, RequestError> => {
  const refuse = (message: string) =>
    new RequestError({ code: Code.InvalidParams, message: `Invalid params for ${method}: ${message}` })
  const agentAlias = firstText(zeroclawMeta(params), ["agentAlias"])
  const without = mode !== "strict" && (Dialect.usesAgentWorkspace(params) || Dialect.usesStoredFolder(params))
  if (!without && !path.isAbsolute(params.cwd)) {
    return refuse(`cwd: must be an absolute path, got ${JSON.stringify(params.cwd.slice(0, 200))}`)
  }
  if (params.additionalDirectories.length > maxDirectories) {
    return refuse(`additionalDirectories: at most ${maxDirectories} folders`)
  }
  const relative = params.additionalDirectories.findIndex((folder) => !path.isAbsolute(folder))
  if (relative !== -1) return refuse(`additionalDirectories.${relative}: must be an absolute path`)
  return Effect.succeed({
    ...(without ? {} : { cwd: params.cwd }),
    additionalDirectories: params.additionalDirectories,
    notes: mcpNote(params.mcpServers),
    ...(agentAlias === undefined ? {} : { agentAlias })
  })
}
