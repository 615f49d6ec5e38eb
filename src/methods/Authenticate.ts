// authenticate and logout: which keys there are, and what waits for a sign-in. @see acp-v1 sections 1.2, 1.4 and 1.7
import { Effect, Either } from "effect"
import { Credentials } from "../auth/Credentials.ts"
import type { CredentialsError } from "../auth/CredentialsError.ts"
import * as Methods from "../auth/Methods.ts"
import * as Agents from "../config/Agents.ts"
import { Config } from "../config/Config.ts"
import {
  Authenticate,
  ForkSession,
  LoadSession,
  Logout,
  NewSession,
  Prompt,
  ResumeSession
} from "../contract/AgentMethods.ts"
import { Code, RequestError } from "../contract/Errors.ts"
import { onRequest, type RequestRoute } from "../peer/Router.ts"
import { Agreement, type AgreementService } from "./Agreement.ts"
import { toRequestError } from "./Failures.ts"

const authRequired = (message: string) =>
  new RequestError({ code: Code.AuthRequired, message, data: { reason: "auth", zeroclawCode: "AUTH_REQUIRED" } })

/** What opens a session or starts a turn; looking at sessions and ending them goes on. */
const waiting: ReadonlySet<string> = new Set(
  [NewSession, LoadSession, ResumeSession, ForkSession, Prompt].map(({ _tag }) => _tag)
)

/** The refusal that `method` gets on a connection that is signed out; undefined when it may run. Pure. */
export const requiresSignIn = ({ signedOut }: AgreementService, method: string): RequestError | undefined =>
  signedOut && waiting.has(method) ? authRequired(`Signed out. Call authenticate, then ${method} again.`) : undefined

const unreadable = ({ message }: CredentialsError) =>
  new RequestError({ code: Code.InternalError, message, data: { reason: "credentials" } })

/** The provider of the agent that a new session gets; fails when the configuration is wrong. */
const defaultProvider = Effect.gen(function* () {
  const agreement = yield* Agreement
  const { file, overrides, paths } = yield* Config
  return Effect.flatMap(file, (file) => Agents.defaultProvider(file, paths, agreement.defaultAgent ?? overrides.agent))
})

const nameOf = ({ alias, type }: Agents.ProviderSettings): string => `${type}.${alias}`

/** A wrong configuration is told where it is needed; until then there is no provider to sign in to. */
const situation = Effect.gen(function* () {
  const agreement = yield* Agreement
  const { paths } = yield* Config
  const script = process.argv[1]
  return Effect.map(
    Effect.orElseSucceed(yield* defaultProvider, () => undefined),
    (settings) => ({
      settings,
      client: agreement.client,
      provider: settings === undefined ? undefined : nameOf(settings),
      self: { command: process.execPath, args: script === undefined ? [] : [script] },
      root: paths.root
    })
  )
})

/** What `initialize` offers, and the model behind it; to be asked once the client's capabilities are known. */
export const offered = Effect.map(
  situation,
  Effect.map((situation) => ({ authMethods: Methods.offered(situation), defaultModel: situation.settings?.model }))
)

/**
 * `authenticate` checks that there is a key and lifts a `logout`; it asks nobody for one: keys come from config.toml,
 * the environment or `zeroclaw login`. -32000 when there is none, -32602 for a method that is not offered or that the
 * client has to run in a terminal.
 *
 * `logout` removes what `zeroclaw login` stored for the provider of the default agent, and nothing else: keys in
 * config.toml and in the environment stay. From then on this connection opens no session and starts no turn until
 * `authenticate` succeeds. Sessions that are open stay open, a turn that runs goes on to its end with the key it has.
 */
export const routes = Effect.gen(function* () {
  const agreement = yield* Agreement
  const credentials = yield* Credentials
  const provider = yield* defaultProvider
  const around = yield* situation
  // An authenticate right behind a logout must not find the key that is being removed.
  const oneAtATime = (yield* Effect.makeSemaphore(1)).withPermits(1)

  const signIn = Effect.gen(function* () {
    const settings = yield* Effect.mapError(provider, (failure) => toRequestError(Authenticate._tag, failure))
    if (settings === undefined) return
    const Endpoint = yield* Effect.promise(() => import("../model/Endpoint.ts"))
    const { fromCredentials } = yield* Effect.promise(() => import("../model/StoredKey.ts"))
    const stored = Endpoint.hasKey(settings, process.env)
      ? undefined
      : yield* Effect.mapError(fromCredentials(settings, credentials.find), (failure) =>
          toRequestError(Authenticate._tag, failure)
        )
    yield* Either.mapLeft(Endpoint.resolve(settings, process.env, stored), (error) =>
      error.reason === "auth" ? authRequired(error.message) : toRequestError(Authenticate._tag, error)
    )
  })

  const authenticate = onRequest(Authenticate, ({ methodId }) =>
    oneAtATime(
      Effect.gen(function* () {
        const ids = Methods.agentIds(yield* around)
        if (!ids.includes(methodId)) {
          return yield* new RequestError({
            code: Code.InvalidParams,
            message: `Invalid params for authenticate: methodId: must be one of ${ids.join(", ")}`
          })
        }
        if (methodId !== Methods.offlineId) yield* signIn
        agreement.signedOut = false
        return {}
      })
    )
  )

  const logout = onRequest(Logout, () => {
    // At once, before anything asynchronous: what is behind it in the same write is refused.
    agreement.signedOut = true
    return oneAtATime(
      Effect.gen(function* () {
        const settings = yield* Effect.orElseSucceed(provider, () => undefined)
        if (settings !== undefined) yield* Effect.mapError(credentials.remove([nameOf(settings)]), unreadable)
        return {}
      })
    )
  })
  return [authenticate, logout] satisfies ReadonlyArray<RequestRoute>
})
