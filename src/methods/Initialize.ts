// initialize: who we are, what we can, what the client can. @see acp-v1 section 1.2
import { Effect } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { Initialize } from "../contract/AgentMethods.ts"
import { Code, RequestError } from "../contract/Errors.ts"
import * as Dialect from "../dialect/Dialect.ts"
import { onRequest, type RequestRoute } from "../peer/Router.ts"
import { Sessions } from "../session/Sessions.ts"
import { SessionStore } from "../store/SessionStore.ts"
import { Agreement, type AgreementService } from "./Agreement.ts"
import * as Authenticate from "./Authenticate.ts"

export const version: string = packageJson.version

/**
 * Every request but `initialize` waits for it; a second `initialize` is answered like the first. Some wait for a sign-in.
 */
export const admit =
  (agreement: AgreementService) =>
  (kind: "request" | "notification", method: string): RequestError | undefined =>
    kind === "notification" || agreement.initialized || method === Initialize._tag
      ? (Dialect.refuses(agreement, kind, method) ??
        (kind === "request" ? Authenticate.requiresSignIn(agreement, method) : undefined))
      : new RequestError({
          code: Code.InvalidRequest,
          message: `Invalid request: send initialize before ${method.slice(0, 100)}`
        })

export const routes = Effect.gen(function* () {
  const agreement = yield* Agreement
  const store = yield* SessionStore
  const sessions = yield* Sessions
  const offered = yield* Authenticate.offered
  const initialize = onRequest(Initialize, ({ clientCapabilities }) => {
    // At once, before anything asynchronous: requests behind it in the same write are welcome.
    agreement.initialized = true
    agreement.client = clientCapabilities
    return Effect.map(Effect.all([store.durable, offered]), ([loadSession, { authMethods, defaultModel }]) => ({
      protocolVersion: 1,
      agentCapabilities: {
        loadSession,
        promptCapabilities: { image: false, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
        sessionCapabilities: {
          list: {},
          delete: {},
          resume: {},
          close: {},
          additionalDirectories: {},
          fork: {},
          title: {}
        },
        auth: { logout: {} }
      },
      agentInfo: { name: "zeroclaw-acp", title: "ZeroClaw ACP", version },
      authMethods,
      _meta: {
        zeroclaw: {
          maxSessions: sessions.limits.maxSessions,
          sessionTimeoutSecs: sessions.limits.sessionTimeoutSecs,
          ...(defaultModel === undefined ? {} : { defaultModel })
        }
      }
    }))
  })
  return [initialize] satisfies ReadonlyArray<RequestRoute>
})
