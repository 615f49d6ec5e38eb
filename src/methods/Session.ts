// session/new, session/load and session/close: what a client may open, and its end. @see acp-v1 section 1.2
import * as path from "node:path"
import { Effect, Option, Schema } from "effect"
import { CloseSession, LoadSession, McpServer, NewSession, type SessionId } from "../contract/AgentMethods.ts"
import { Update } from "../contract/ClientMethods.ts"
import { Code, RequestError } from "../contract/Errors.ts"
import { Caller } from "../peer/Caller.ts"
import { onRequest, type RequestRoute } from "../peer/Router.ts"
import { type OpenSpec, Sessions } from "../session/Sessions.ts"
import { toRequestError } from "./Failures.ts"

const invalid = (method: string, message: string) =>
  new RequestError({ code: Code.InvalidParams, message: `Invalid params for ${method}: ${message}` })

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

interface Place {
  readonly cwd: string
  readonly mcpServers: ReadonlyArray<unknown>
  readonly additionalDirectories: ReadonlyArray<string>
}

const place = (method: string, params: Place): Effect.Effect<OpenSpec, RequestError> => {
  if (!path.isAbsolute(params.cwd)) {
    return invalid(method, `cwd: must be an absolute path, got ${JSON.stringify(params.cwd.slice(0, 200))}`)
  }
  if (params.additionalDirectories.length > 0) {
    return invalid(method, "additionalDirectories: not supported (sessionCapabilities.additionalDirectories is absent)")
  }
  return Effect.succeed({ cwd: params.cwd, additionalDirectories: [], notes: mcpNote(params.mcpServers) })
}

const Meta = Schema.Struct({ zeroclaw: Schema.Struct({ agentAlias: Schema.String }) })

const agentAlias = (meta: unknown): { readonly agentAlias?: string } =>
  Option.match(Schema.decodeUnknownOption(Meta)(meta), {
    onNone: () => ({}),
    onSome: ({ zeroclaw }) => ({ agentAlias: zeroclaw.agentAlias })
  })

export const routes = Effect.gen(function* () {
  const sessions = yield* Sessions
  const caller = yield* Caller

  const create = onRequest(NewSession, (params) =>
    Effect.gen(function* () {
      const spec = yield* place(NewSession._tag, params)
      const session = yield* Effect.mapError(sessions.create({ ...spec, ...agentAlias(params._meta) }), toRequestError)
      return {
        sessionId: session.id,
        _meta: {
          zeroclaw: { workspaceDir: session.policy.cwd, agentAlias: session.agent.alias, model: session.model.id }
        }
      }
    })
  )
  const replay = (sessionId: SessionId) => (update: (typeof Update.payloadSchema.Type)["update"]) =>
    caller.notify(Update, { sessionId, update })

  const load = onRequest(LoadSession, (params) =>
    Effect.gen(function* () {
      const spec = yield* place(LoadSession._tag, params)
      yield* Effect.mapError(sessions.load(params.sessionId, spec, replay(params.sessionId)), toRequestError)
      return {}
    })
  )
  const close = onRequest(CloseSession, ({ sessionId }) =>
    Effect.as(Effect.mapError(sessions.close(sessionId), toRequestError), {})
  )
  return [create, load, close] satisfies ReadonlyArray<RequestRoute>
})
