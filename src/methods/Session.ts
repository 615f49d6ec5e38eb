// Opening and ending sessions: new, load, resume, fork, close. @see acp-v1 section 1.2
import { Effect, Option } from "effect"
import {
  CloseSession,
  ForkSession,
  LoadSession,
  NewSession,
  ResumeSession,
  type SessionId
} from "../contract/AgentMethods.ts"
import type { SessionUpdate } from "../contract/Update.ts"
import { Caller } from "../peer/Caller.ts"
import { onRequest, type RequestRoute } from "../peer/Router.ts"
import * as Compaction from "../session/Compaction.ts"
import { Sessions } from "../session/Sessions.ts"
import { Agreement } from "./Agreement.ts"
import { failing } from "./Failures.ts"
import * as Opened from "./Opened.ts"
import * as Place from "./Place.ts"

export const routes = Effect.gen(function* () {
  const sessions = yield* Sessions
  const caller = yield* Caller
  const agreement = yield* Agreement

  /** The agent of the connection is the second choice. */
  const withDefaultAgent = <A extends { readonly agentAlias?: string }>(spec: A) =>
    spec.agentAlias === undefined && agreement.defaultAgent !== undefined
      ? { ...spec, agentAlias: agreement.defaultAgent }
      : spec

  const tellCommands = (sessionId: SessionId) =>
    Effect.flatMap(sessions.find(sessionId), (session) =>
      Option.isSome(session) ? Opened.commands(caller, session.value) : Effect.void
    )

  /** Of what was stored, each client is shown what it has a form for. */
  const replay = (sessionId: SessionId) => (update: SessionUpdate) => {
    const notify = Opened.notify(caller, sessionId)
    return Compaction.isOf(update) && agreement.client.session?.compaction === undefined
      ? Effect.forEach(Compaction.toMessages(update), notify, { discard: true })
      : notify(update)
  }

  const create = onRequest(
    NewSession,
    (params) =>
      Effect.gen(function* () {
        const spec = yield* Place.read(NewSession._tag, params, agreement.mode)
        const session = yield* failing(NewSession, sessions.create(withDefaultAgent(spec)))
        return { sessionId: session.id, ...Opened.state(session) }
      }),
    // Clients drop what they hear of a session that they don't know yet.
    { after: (_, { sessionId }) => tellCommands(sessionId) }
  )

  const load = onRequest(LoadSession, (params) =>
    Effect.gen(function* () {
      const { sessionId } = params
      const spec = yield* Place.read(LoadSession._tag, params, agreement.mode)
      const session = yield* failing(LoadSession, sessions.load(sessionId, spec, replay(sessionId)))
      // Silence after the answer: what belongs to the opening comes before it.
      yield* Opened.commands(caller, session)
      return Opened.state(session)
    })
  )

  const resume = onRequest(
    ResumeSession,
    (params) =>
      Effect.gen(function* () {
        const spec = yield* Place.read(ResumeSession._tag, params, agreement.mode)
        return Opened.state(yield* failing(ResumeSession, sessions.load(params.sessionId, spec, undefined)))
      }),
    { after: ({ sessionId }) => tellCommands(sessionId) }
  )

  const fork = onRequest(
    ForkSession,
    (params) =>
      Effect.gen(function* () {
        const spec = yield* Place.read(ForkSession._tag, params, agreement.mode)
        const session = yield* failing(ForkSession, sessions.fork(params.sessionId, spec))
        return { sessionId: session.id, ...Opened.state(session) }
      }),
    { after: (_, { sessionId }) => tellCommands(sessionId) }
  )

  const close = onRequest(CloseSession, ({ sessionId }) =>
    Effect.as(failing(CloseSession, sessions.close(sessionId)), {})
  )
  return [create, load, resume, fork, close] satisfies ReadonlyArray<RequestRoute>
})
