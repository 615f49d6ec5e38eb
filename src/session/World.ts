// What the parts of this room share: the services around it, and the sessions that are live.
import { Deferred, Effect, type Fiber, FiberId, Runtime, RuntimeFlags, type Scope } from "effect"
import * as Agents from "../config/Agents.ts"
import { Config, type ConfigError, type ConfigService } from "../config/Config.ts"
import type { SessionId } from "../contract/AgentMethods.ts"
import { AgentLoop, type AgentLoopService } from "../loop/AgentLoop.ts"
import { Models, type ModelsService } from "../model/Models.ts"
import { PolicyService } from "../policy/PolicyService.ts"
import { SessionStore, type StoreError } from "../store/SessionStore.ts"
import { Toolbox } from "../tools/Toolbox.ts"
import type { Session } from "./Session.ts"
import { SessionError, unknown } from "./SessionError.ts"

export interface World {
  readonly config: ConfigService
  readonly store: typeof SessionStore.Service
  readonly policies: typeof PolicyService.Service
  readonly loop: AgentLoopService
  readonly models: ModelsService
  readonly toolbox: typeof Toolbox.Service
  /** Every session's scope is a child of it. */
  readonly scope: Scope.Scope
  /** Known from the start: to wait for them, however shortly, would let a cancel overtake its prompt. */
  readonly limits: Agents.Limits
  readonly active: Map<SessionId, Session>
  /** Places held for sessions that are being opened. */
  reserved: number
  /** The last of what opens or ends each session now; see `inOrder`. */
  readonly changing: Map<SessionId, Deferred.Deferred<void>>
  /** Starts a fiber now, with interruption off outside of what allows it. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.RuntimeFiber<A, E>
}

export const configFailure = (error: ConfigError) => new SessionError({ reason: "config", message: error.message })
export const storeFailure = (error: StoreError) =>
  error.reason === "unknown_session"
    ? new SessionError({ reason: "unknown", message: error.message })
    : new SessionError({ reason: "store", message: error.message })
export const invalid = (message: string) => new SessionError({ reason: "invalid", message })

export const make = Effect.gen(function* () {
  const config = yield* Config
  // Interruption is off outside the loop, so that a turn that is being stopped is still stored and answered.
  const runtime = Runtime.updateRuntimeFlags(
    yield* Effect.runtime<never>(),
    RuntimeFlags.disable(RuntimeFlags.Interruption)
  )
  const world: World = {
    config,
    store: yield* SessionStore,
    policies: yield* PolicyService,
    loop: yield* AgentLoop,
    models: yield* Models,
    toolbox: yield* Toolbox,
    scope: yield* Effect.scope,
    limits: Agents.limits(yield* Effect.orElseSucceed(config.file, () => ({})), config.overrides),
    active: new Map(),
    reserved: 0,
    changing: new Map(),
    fork: (effect) => Runtime.runFork(runtime)(effect)
  }
  return world
})

/** The live session, or `unknown`. Synchronous: what is admitted here is there for the next message. */
export const withSession = <A, E, R>(
  world: World,
  id: SessionId,
  use: (session: Session) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | SessionError, R> =>
  Effect.suspend((): Effect.Effect<A, E | SessionError, R> => {
    const session = world.active.get(id)
    return session ? use(session) : unknown(id)
  })

/**
 * What opens or ends a session happens in the order in which it was asked for, and begins at once where nothing is before
 * it. It must not wait for a turn.
 */
export const inOrder = <A, E, R>(world: World, id: SessionId, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) => {
    const before = world.changing.get(id)
    const done = Deferred.unsafeMake<void>(FiberId.none)
    world.changing.set(id, done)
    return Effect.ensuring(
      before === undefined ? restore(effect) : Effect.zipRight(Deferred.await(before), restore(effect)),
      Effect.suspend(() => {
        if (world.changing.get(id) === done) world.changing.delete(id)
        return Deferred.succeed(done, undefined)
      })
    )
  })

/** Holds a place from before the first asynchronous step until the session is live. */
export const withReservation = <A, E>(world: World, effect: Effect.Effect<A, E>): Effect.Effect<A, E | SessionError> =>
  Effect.suspend((): Effect.Effect<A, E | SessionError> => {
    const { maxSessions } = world.limits
    if (world.active.size + world.reserved >= maxSessions) {
      return new SessionError({
        reason: "limit",
        message: `${maxSessions} sessions are open already (acp.max_sessions). Close one, or raise the limit.`
      })
    }
    world.reserved++
    return Effect.ensuring(
      effect,
      Effect.sync(() => {
        world.reserved--
      })
    )
  })
