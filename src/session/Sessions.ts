// The live sessions of this process: opening, restoring, prompting, cancelling, stopping.
import {
  Clock,
  Context,
  Effect,
  ExecutionStrategy,
  Exit,
  Fiber,
  Layer,
  Option,
  Runtime,
  RuntimeFlags,
  Schedule,
  Scope
} from "effect"
import * as Agents from "../config/Agents.ts"
import { Config, type ConfigError } from "../config/Config.ts"
import { SessionId, type StopReason } from "../contract/AgentMethods.ts"
import type { ContentBlock } from "../contract/Content.ts"
import type { SessionUpdate } from "../contract/Update.ts"
import { AgentLoop } from "../loop/AgentLoop.ts"
import type { Message } from "../model/Message.ts"
import type { ModelError } from "../model/ModelError.ts"
import { Models } from "../model/Models.ts"
import { PolicyService } from "../policy/PolicyService.ts"
import { SessionStore, type StoreError } from "../store/SessionStore.ts"
import { Toolbox } from "../tools/Toolbox.ts"
import * as PromptText from "./PromptText.ts"
import { callIdsOf, close, type Session } from "./Session.ts"
import { busy, neverStored, SessionError, unknown } from "./SessionError.ts"
import * as TurnRun from "./TurnRun.ts"
import type { Upload } from "./Upload.ts"

export interface OpenSpec {
  /** As the client sent it. */
  readonly cwd: string
  readonly additionalDirectories: ReadonlyArray<string>
  /** Told to the person at the start of the next turn. */
  readonly notes: ReadonlyArray<string>
}

export interface NewSpec extends OpenSpec {
  readonly agentAlias?: string
}

export interface SessionsService {
  readonly limits: Effect.Effect<Agents.Limits>
  readonly create: (spec: NewSpec) => Effect.Effect<Session, SessionError>
  /** Opens a stored session and replays what was seen of it; it takes prompts only after the replay. */
  readonly load: (
    id: SessionId,
    spec: OpenSpec,
    replay: (update: SessionUpdate) => Effect.Effect<void>
  ) => Effect.Effect<void, SessionError>
  /** The turn is admitted before the first asynchronous step: a cancel that follows at once finds it. */
  readonly prompt: (
    id: SessionId,
    blocks: ReadonlyArray<ContentBlock>,
    io: TurnRun.TurnIO
  ) => Effect.Effect<StopReason, SessionError | PromptText.PromptError | ModelError>
  /** Stops the running turn, waits until it is stored and answered, and frees everything; the history can be loaded. */
  readonly close: (id: SessionId) => Effect.Effect<void, SessionError>
  /** Starts to stop the running turn, if there is one; its prompt answers `cancelled`. */
  readonly cancel: (id: SessionId) => Effect.Effect<void>
  /** Stops every running turn and waits until each is stored. */
  readonly stopAll: Effect.Effect<void>
}

const configFailure = (error: ConfigError) => new SessionError({ reason: "config", message: error.message })
const storeFailure = (error: StoreError) => new SessionError({ reason: "store", message: error.message })

/** How often idle sessions are looked for. A running turn is never idle. */
const reapEvery = "60 seconds"

const make = Effect.gen(function* () {
  const config = yield* Config
  const store = yield* SessionStore
  const policies = yield* PolicyService
  const loop = yield* AgentLoop
  const models = yield* Models
  const toolbox = yield* Toolbox
  const scope = yield* Effect.scope
  // Interruption is off outside the loop, so that a turn that is being stopped is still stored and answered.
  const runtime = Runtime.updateRuntimeFlags(
    yield* Effect.runtime<never>(),
    RuntimeFlags.disable(RuntimeFlags.Interruption)
  )
  const active = new Map<SessionId, Session>()
  let reserved = 0

  const limits = Effect.map(
    Effect.orElseSucceed(config.file, () => ({})),
    (file) => Agents.limits(file, config.overrides)
  )

  /** Holds a place from before the first asynchronous step until the session is live. */
  const withReservation = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | SessionError> =>
    Effect.flatMap(limits, ({ maxSessions }) =>
      Effect.suspend((): Effect.Effect<A, E | SessionError> => {
        if (active.size + reserved >= maxSessions) {
          return new SessionError({
            reason: "limit",
            message: `${maxSessions} sessions are open already (acp.max_sessions). Close one, or raise the limit.`
          })
        }
        reserved++
        return Effect.ensuring(
          effect,
          Effect.sync(() => {
            reserved--
          })
        )
      })
    )

  const findAgent = (alias: string) =>
    Effect.flatMap(Effect.mapError(config.file, configFailure), (file) =>
      Effect.mapError(Agents.find(file, config.paths, alias), configFailure)
    )

  const openPolicy = (agent: Agents.Agent, spec: OpenSpec) =>
    Effect.mapError(
      policies.open({
        profile: agent.profile,
        cwd: spec.cwd,
        agentWorkspace: agent.workspace,
        additionalDirectories: spec.additionalDirectories,
        ownPaths: config.paths.own
      }),
      ({ message }) => new SessionError({ reason: "invalid", message })
    )

  /** A session with its own scope, closed again when anything on the way fails. */
  const open = (
    id: SessionId,
    agent: Agents.Agent,
    spec: OpenSpec,
    history: ReadonlyArray<Message>,
    updates: ReadonlyArray<SessionUpdate>
  ) =>
    Effect.gen(function* () {
      const sessionScope = yield* Scope.fork(scope, ExecutionStrategy.sequential)
      const policy = yield* openPolicy(agent, spec).pipe(
        Scope.extend(sessionScope),
        Effect.onError((cause) => Scope.close(sessionScope, Exit.failCause(cause)))
      )
      const session: Session = {
        id,
        agent,
        policy,
        model: yield* models.forAgent(agent, {}),
        tools: yield* toolbox.forAgent(agent),
        scope: sessionScope,
        history,
        callIds: callIdsOf(history, updates),
        notes: spec.notes,
        lastActive: yield* Clock.currentTimeMillis,
        running: undefined
      }
      return session
    })

  const publish = (session: Session) =>
    Effect.as(
      Scope.addFinalizer(
        session.scope,
        Effect.suspend(() => {
          active.delete(session.id)
          return session.running?.fiber ? Fiber.interrupt(session.running.fiber) : Effect.void
        })
      ),
      session
    ).pipe(Effect.tap(() => Effect.sync(() => active.set(session.id, session))))

  const create: SessionsService["create"] = (spec) =>
    withReservation(
      Effect.gen(function* () {
        const file = yield* Effect.mapError(config.file, configFailure)
        const alias = yield* Effect.mapError(
          Agents.choose(file, spec.agentAlias, config.overrides.agent),
          ({ message }) => new SessionError({ reason: "invalid", message })
        )
        const agent = yield* findAgent(alias)
        const session = yield* open(SessionId.make(crypto.randomUUID()), agent, spec, [], [])
        yield* store.create({ id: session.id, agentAlias: alias, cwd: session.policy.cwd }).pipe(
          Effect.mapError(storeFailure),
          Effect.onError(() => close(session))
        )
        return yield* publish(session)
      })
    )

  const stored = (id: SessionId) =>
    Effect.flatMap(
      Effect.mapError(store.load(id), storeFailure),
      Option.match({ onNone: () => neverStored(id), onSome: Effect.succeed })
    )

  const restore = (id: SessionId, spec: OpenSpec, replay: (update: SessionUpdate) => Effect.Effect<void>) =>
    Effect.gen(function* () {
      const conversation = yield* stored(id)
      const agent = yield* findAgent(conversation.row.agentAlias)
      const session = yield* open(id, agent, spec, conversation.messages, conversation.updates)
      yield* Effect.gen(function* () {
        yield* belongsTo(id, conversation.row.cwd, session.policy.cwd)
        yield* Effect.forEach(conversation.updates, replay, { discard: true })
      }).pipe(Effect.onError(() => close(session)))
      return yield* publish(session)
    })

  /** Loading what is live here already: the replay runs as the one thing in the session. */
  const reload = (session: Session, spec: OpenSpec, replay: (update: SessionUpdate) => Effect.Effect<void>) =>
    Effect.suspend(() => {
      if (session.running) return busy(session.id)
      session.running = {}
      return Effect.scoped(openPolicy(session.agent, spec)).pipe(
        Effect.flatMap(({ cwd }) => belongsTo(session.id, session.policy.cwd, cwd)),
        Effect.zipRight(stored(session.id)),
        Effect.flatMap(({ updates }) => Effect.forEach(updates, replay, { discard: true })),
        Effect.tap(() =>
          Effect.sync(() => {
            session.notes = spec.notes
          })
        ),
        Effect.ensuring(
          Effect.sync(() => {
            session.running = undefined
          })
        )
      )
    })

  const loading = new Set<SessionId>()
  const load: SessionsService["load"] = (id, spec, replay) =>
    Effect.suspend(() => {
      const session = active.get(id)
      if (session) return reload(session, spec, replay)
      if (loading.has(id)) return busy(id)
      loading.add(id)
      return Effect.ensuring(
        Effect.asVoid(withReservation(restore(id, spec, replay))),
        Effect.sync(() => loading.delete(id))
      )
    })

  const prompt: SessionsService["prompt"] = (id, blocks, io) =>
    Effect.suspend((): ReturnType<SessionsService["prompt"]> => {
      const session = active.get(id)
      if (!session) return unknown(id)
      if (session.running) return busy(id)
      return Effect.flatMap(PromptText.make(blocks, session.policy.cwd), ({ text, uploads }) => {
        const turn = TurnRun.run({
          session,
          loop,
          io,
          prompt: text,
          before: Effect.forEach(uploads, saveUpload(session), { discard: true }),
          blocks,
          save: (turn) => store.appendTurn(id, turn)
        })
        session.running = {}
        const idle = Effect.map(Clock.currentTimeMillis, (now) => {
          session.lastActive = now
          session.running = undefined
        })
        const fiber = Runtime.runFork(runtime)(Effect.ensuring(turn, idle))
        if (session.running) session.running = { fiber }
        return Effect.onInterrupt(Fiber.join(fiber), () => Fiber.interrupt(fiber))
      })
    })

  const reap = Effect.gen(function* () {
    const { sessionTimeoutSecs } = yield* limits
    const now = yield* Clock.currentTimeMillis
    for (const session of active.values()) {
      if (session.running || sessionTimeoutSecs === 0 || now - session.lastActive < sessionTimeoutSecs * 1000) continue
      yield* Effect.logInfo(`session ${session.id} was idle for ${sessionTimeoutSecs} s and is closed`)
      yield* close(session)
    }
  })
  yield* Effect.forkScoped(Effect.repeat(reap, Schedule.spaced(reapEvery)))

  const stop = (session: Session) => (session.running?.fiber ? Fiber.interrupt(session.running.fiber) : Effect.void)

  return Sessions.of({
    limits,
    create,
    load,
    prompt,
    close: (id) =>
      Effect.suspend(() => {
        const session = active.get(id)
        // The yield lets the stopped prompt answer before the close does.
        return session ? Effect.zipRight(close(session), Effect.yieldNow()) : unknown(id)
      }),
    cancel: (id) =>
      Effect.suspend(() => {
        const fiber = active.get(id)?.running?.fiber
        return fiber ? Fiber.interruptFork(fiber) : Effect.void
      }),
    stopAll: Effect.suspend(() =>
      Effect.forEach([...active.values()], stop, { concurrency: "unbounded", discard: true })
    )
  })
})

/** A session keeps its folder, under whichever spelling it is named. */
const belongsTo = (id: SessionId, own: string, given: string): Effect.Effect<void, SessionError> =>
  own === given
    ? Effect.void
    : new SessionError({
        reason: "invalid",
        message: `cwd: this session belongs to ${own}; load it with that folder`,
        sessionId: id
      })

const saveUpload =
  ({ policy }: Session) =>
  ({ bytes, path }: Upload) =>
    Effect.mapError(
      policy.writeFile(path, bytes),
      ({ message }) => new PromptText.PromptError({ message: `prompt: the attachment could not be kept: ${message}` })
    )

export class Sessions extends Context.Tag("zeroclaw/Sessions")<Sessions, SessionsService>() {
  static readonly layer: Layer.Layer<
    Sessions,
    never,
    Config | SessionStore | PolicyService | AgentLoop | Models | Toolbox
  > = Layer.scoped(Sessions, make)
}
