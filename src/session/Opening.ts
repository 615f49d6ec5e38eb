// Opening sessions: new, restored from the store, forked from another; and opening anew what is live already.
import * as fs from "node:fs"
import { Clock, Effect, ExecutionStrategy, Exit, Fiber, Option, Scope } from "effect"
import * as Agents from "../config/Agents.ts"
import * as Paths from "../config/Paths.ts"
import { SessionId } from "../contract/AgentMethods.ts"
import type { SessionUpdate } from "../contract/Update.ts"
import type { Message } from "../model/Message.ts"
import { canonical } from "../policy/Canonical.ts"
import type { Conversation, Settings } from "../store/SessionStore.ts"
import { callIdsOf, close, type OpenedPolicy, type Session } from "./Session.ts"
import { neverStored, type SessionError } from "./SessionError.ts"
import * as State from "./State.ts"
import * as Title from "./Title.ts"
import { configFailure, invalid, storeFailure, type World, withReservation } from "./World.ts"

export interface OpenSpec {
  /** Absolute, as the client sent it; absent for the agent's workspace, or the stored folder of a session. */
  readonly cwd?: string
  readonly additionalDirectories: ReadonlyArray<string>
  /** Told to the person at the start of the next turn. */
  readonly notes: ReadonlyArray<string>
}

export interface NewSpec extends OpenSpec {
  readonly agentAlias?: string
}

/** Shows one update of the stored conversation; absent when nothing is to be shown. */
export type Replay = ((update: SessionUpdate) => Effect.Effect<void>) | undefined

export const findAgent = ({ config }: World, alias: string) =>
  Effect.flatMap(Effect.mapError(config.file, configFailure), (file) =>
    Effect.mapError(
      Effect.map(Agents.find(file, config.paths, alias), (agent) => ({
        agent,
        laxest: file.acp?.max_mode ?? agent.profile.level
      })),
      configFailure
    )
  )

/** Editors without a project open the install root; nothing of it is for tools. @see zeroclaw section 5.2 */
const isInstallRoot = (root: string, cwd: string): Effect.Effect<boolean> =>
  Effect.orElseSucceed(
    Effect.tryPromise(async () => (await fs.promises.realpath(cwd)) === (await fs.promises.realpath(root))),
    () => false
  )

/** A policy in a scope of its own below the session's, so that it can be replaced. */
export const openPolicy = (
  world: World,
  agent: Agents.Agent,
  cwd: string | undefined,
  additionalDirectories: ReadonlyArray<string>,
  parent: Scope.Scope
): Effect.Effect<OpenedPolicy, SessionError> =>
  Effect.gen(function* () {
    const { config, policies } = world
    const own = cwd === undefined || (yield* isInstallRoot(config.paths.root, cwd))
    if (own) {
      yield* Effect.mapError(
        Effect.tryPromise(() => fs.promises.mkdir(agent.workspace, { recursive: true, mode: 0o700 })),
        () => invalid(`cwd: the agent's own folder ${agent.workspace} can't be made. Send a folder instead.`)
      )
    }
    const scope = yield* Scope.fork(parent, ExecutionStrategy.sequential)
    const policy = yield* policies
      .open({
        profile: agent.profile,
        cwd: own ? agent.workspace : cwd,
        agentWorkspace: agent.workspace,
        additionalDirectories,
        readOnlyRoots: [Paths.skills(canonical(config.paths.root))],
        ownPaths: config.paths.own
      })
      .pipe(
        Effect.mapError(({ message }) => invalid(message)),
        Scope.extend(scope),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
    return { policy, scope }
  })

const offered = (choices: ReadonlyArray<{ readonly value: string }>, value: string): boolean =>
  choices.some((choice) => choice.value === value)

export interface Past {
  readonly settings: Settings
  readonly title?: Session["title"]
  readonly messages: ReadonlyArray<Message>
  readonly updates: ReadonlyArray<SessionUpdate>
}

const noPast: Past = { settings: {}, messages: [], updates: [] }

/** A session with its own scope, closed again when anything on the way fails. */
export const open = (
  world: World,
  id: SessionId,
  { agent, laxest }: { readonly agent: Agents.Agent; readonly laxest: State.View["laxest"] },
  spec: OpenSpec,
  past: Past
): Effect.Effect<Session, SessionError> =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(world.scope, ExecutionStrategy.sequential)
    return yield* Effect.gen(function* () {
      const opened = yield* openPolicy(world, agent, spec.cwd, spec.additionalDirectories, scope)
      const { settings } = past
      const mode = State.clamp(settings.mode, agent.profile.level, laxest)
      yield* opened.policy.setLevel(mode)
      const selection = {
        ...(settings.model === undefined ? {} : { model: settings.model }),
        ...(settings.thoughtLevel === undefined ? {} : { thoughtLevel: settings.thoughtLevel })
      }
      const catalog = yield* world.models.catalog(agent, selection)
      const gone = [
        ...(settings.mode !== undefined && settings.mode !== mode
          ? [`The mode ${settings.mode} of this session is not allowed any more; it is ${mode} now.`]
          : []),
        ...(settings.model !== undefined && !offered(catalog.models, settings.model)
          ? [
              `The model of this session is not configured any more; ${State.current(catalog.models, undefined)} is used.`
            ]
          : [])
      ]
      const session: Session = {
        id,
        agent,
        laxest,
        opened,
        additionalDirectories: spec.additionalDirectories,
        model: yield* world.models.forAgent(agent, selection),
        catalog,
        selection,
        title: past.title,
        tools: yield* world.toolbox.forAgent(agent),
        scope,
        history: past.messages,
        usage: undefined,
        callIds: callIdsOf(past.messages, past.updates),
        notes: [...gone, ...spec.notes],
        lastActive: yield* Clock.currentTimeMillis,
        running: undefined,
        answering: false,
        waiting: [],
        stopping: false
      }
      return session
    }).pipe(Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))))
  })

export const publish = (world: World, session: Session): Effect.Effect<Session> =>
  Scope.addFinalizer(
    session.scope,
    Effect.suspend(() => {
      world.active.delete(session.id)
      return session.running?.fiber ? Fiber.interrupt(session.running.fiber) : Effect.void
    })
  ).pipe(
    Effect.tap(() => Effect.sync(() => world.active.set(session.id, session))),
    Effect.as(session)
  )

const newId = () => SessionId.make(crypto.randomUUID())

/** The row is stored before the session is live: what a client knows of can be loaded. */
export const create = (world: World, spec: NewSpec): Effect.Effect<Session, SessionError> =>
  withReservation(
    world,
    Effect.gen(function* () {
      const file = yield* Effect.mapError(world.config.file, configFailure)
      const alias = yield* Effect.mapError(
        Agents.choose(file, spec.agentAlias, world.config.overrides.agent),
        ({ message }) => invalid(message)
      )
      const found = yield* Effect.mapError(findAgent(world, alias), (error) =>
        // What the client named is its parameter; the rest is our configuration.
        spec.agentAlias === undefined ? error : invalid(error.message)
      )
      const session = yield* open(world, newId(), found, spec, noPast)
      yield* world.store
        .create({
          id: session.id,
          agentAlias: alias,
          cwd: session.opened.policy.cwd,
          additionalDirectories: spec.additionalDirectories
        })
        .pipe(
          Effect.mapError(storeFailure),
          Effect.onError(() => close(session))
        )
      return yield* publish(world, session)
    })
  )

export const stored = (world: World, id: SessionId) =>
  Effect.flatMap(
    Effect.mapError(world.store.load(id), storeFailure),
    Option.match({ onNone: () => neverStored(id), onSome: Effect.succeed })
  )

export const pastOf = ({ messages, row, updates }: Conversation): Past => ({
  settings: row.settings ?? {},
  ...(row.title === undefined ? {} : { title: row.title }),
  messages,
  updates
})

/** A new session with the stored history of another, which may be live and stays as it is. */
export const fork = (world: World, from: SessionId, spec: OpenSpec): Effect.Effect<Session, SessionError> =>
  withReservation(
    world,
    Effect.gen(function* () {
      const original = yield* stored(world, from)
      const found = yield* findAgent(world, original.row.agentAlias)
      const id = newId()
      const title = Option.map(
        Option.flatMap(Option.fromNullable(original.row.title), ({ text }) => Title.normalize(`${text} (fork)`)),
        (text) => ({ text, by: "agent" as const })
      )
      const session = yield* open(
        world,
        id,
        found,
        { ...spec, cwd: spec.cwd ?? original.row.cwd },
        {
          ...pastOf(original),
          ...(Option.isSome(title) ? { title: title.value } : {})
        }
      )
      const copied = yield* world.store
        .fork(from, {
          id,
          agentAlias: original.row.agentAlias,
          cwd: session.opened.policy.cwd,
          additionalDirectories: spec.additionalDirectories,
          ...(original.row.settings === undefined ? {} : { settings: original.row.settings }),
          ...(Option.isSome(title) ? { title: title.value } : {})
        })
        .pipe(
          Effect.mapError(storeFailure),
          Effect.onError(() => close(session))
        )
      if (!copied) return yield* Effect.zipRight(close(session), neverStored(from))
      // A turn may have been stored since the first look.
      const { messages } = yield* Effect.onError(stored(world, id), () => close(session))
      session.history = messages
      return yield* publish(world, session)
    })
  )
