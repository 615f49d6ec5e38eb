// initialize and authenticate: who we are, what we can, what the client can. @see acp-v1 section 1.2
import { Effect } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { Authenticate, Initialize } from "../contract/AgentMethods.ts"
import { Code, RequestError } from "../contract/Errors.ts"
import * as Dialect from "../dialect/Dialect.ts"
import { onRequest, type RequestRoute } from "../peer/Router.ts"
import { Sessions } from "../session/Sessions.ts"
import { SessionStore } from "../store/SessionStore.ts"
import { Agreement, type AgreementService } from "./Agreement.ts"

export const version: string = packageJson.version

const offlineMethod = {
  id: "offline",
  name: "Use without an account",
  description: "The embedded offline agent, or the model that config.toml names. Nothing to sign in to."
}

/** Every request but `initialize` waits for it; a second `initialize` is answered like the first. */
export const admit =
  (agreement: AgreementService) =>
  (kind: "request" | "notification", method: string): RequestError | undefined =>
    kind === "notification" || agreement.initialized || method === Initialize._tag
      ? Dialect.refuses(agreement, kind, method)
      : new RequestError({
          code: Code.InvalidRequest,
          message: `Invalid request: send initialize before ${method.slice(0, 100)}`
        })

export const routes = Effect.gen(function* () {
  const agreement = yield* Agreement
  const store = yield* SessionStore
  const sessions = yield* Sessions
  const initialize = onRequest(Initialize, ({ clientCapabilities }) => {
    // At once, before anything asynchronous: requests behind it in the same write are welcome.
    agreement.initialized = true
    agreement.client = clientCapabilities
    return Effect.map(Effect.all([store.durable, sessions.limits]), ([loadSession, limits]) => ({
      protocolVersion: 1,
      agentCapabilities: {
        loadSession,
        promptCapabilities: { image: false, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
        sessionCapabilities: { close: {} },
        auth: {}
      },
      agentInfo: { name: "zeroclaw-acp", title: "ZeroClaw ACP", version },
      authMethods: [offlineMethod],
      _meta: { zeroclaw: { maxSessions: limits.maxSessions, sessionTimeoutSecs: limits.sessionTimeoutSecs } }
    }))
  })
  const authenticate = onRequest(Authenticate, ({ methodId }) =>
    methodId === offlineMethod.id
      ? Effect.succeed({})
      : new RequestError({
          code: Code.InvalidParams,
          message: `Invalid params for authenticate: methodId: unknown method; offered: ${offlineMethod.id}`
        })
  )
  return [initialize, authenticate] satisfies ReadonlyArray<RequestRoute>
})
