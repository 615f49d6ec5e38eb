// The sessions of this process: opening, prompting, changing, listing, ending.
import { Clock, Context, Effect, Layer, Option, Schedule, type Scope } from "effect"
import type * as Agents from "../config/Agents.ts"
import type { Config } from "../config/Config.ts"
import type { SessionId } from "../contract/AgentMethods.ts"
import type { ContentBlock } from "../contract/Content.ts"
import type { AgentLoop } from "../loop/AgentLoop.ts"
import type { ModelError } from "../model/ModelError.ts"
import type { Models } from "../model/Models.ts"
import type { PolicyService } from "../policy/PolicyService.ts"
import type { SessionStore } from "../store/SessionStore.ts"
import type { Toolbox } from "../tools/Toolbox.ts"
import * as Changing from "./Changing.ts"
import * as Listing from "./Listing.ts"
import * as Loading from "./Loading.ts"
import * as Opening from "./Opening.ts"
import type { PromptError } from "./PromptText.ts"
import { close, type Session } from "./Session.ts"
import type { SessionError } from "./SessionError.ts"
import type { Result, TurnIO } from "./TurnRun.ts"
import * as Turns from "./Turns.ts"
import * as World from "./World.ts"

export type { NewSpec, OpenSpec } from "./Opening.ts"

export interface SessionsService {
  readonly limits: Agents.Limits
  readonly create: (spec: Opening.NewSpec) => Effect.Effect<Session, SessionError>
  /** Opens a stored session, showing what was seen of it when `replay` is there. */
  /** The scope closes once the answer was written. */
  readonly load: (
    id: SessionId,
    spec: Opening.OpenSpec,
    replay: Opening.Replay
  ) => Effect.Effect<Session, SessionError, Scope.Scope>
  readonly fork: (from: SessionId, spec: Opening.OpenSpec) => Effect.Effect<Session, SessionError>
  readonly list: (cwd: string | undefined, cursor: string | undefined) => Effect.Effect<Listing.Page, SessionError>
  /** @see Turns.prompt */
  readonly prompt: (
    id: SessionId,
    blocks: ReadonlyArray<ContentBlock>,
    io: TurnIO
  ) => Effect.Effect<Result, SessionError | PromptError | ModelError, Scope.Scope>
  readonly cancel: (id: SessionId) => Effect.Effect<void>
  /** None when it is not live. */
  readonly find: (id: SessionId) => Effect.Effect<Option.Option<Session>>
  readonly setMode: (id: SessionId, modeId: string) => Effect.Effect<Session, SessionError>
  readonly setOption: (id: SessionId, configId: string, value: string | boolean) => Effect.Effect<Session, SessionError>
  readonly setTitle: (id: SessionId, title: string) => Effect.Effect<string, SessionError>
  /** A sign that the client is still there: the session is not idle. */
  readonly touch: (id: SessionId) => Effect.Effect<void, SessionError>
  readonly close: (id: SessionId) => Effect.Effect<void, SessionError>
  readonly stop: (id: SessionId) => Effect.Effect<void, SessionError>
  /** Closes the session where it is live, then forgets it; nothing happens when there is none. */
  readonly remove: (id: SessionId) => Effect.Effect<void, SessionError>
  readonly stopAll: Effect.Effect<void>
}

/** How often idle sessions are looked for. A running turn is never idle. */
const reapEvery = "60 seconds"

const reap = (world: World.World) =>
  Effect.gen(function* () {
    const { sessionTimeoutSecs } = world.limits
    const now = yield* Clock.currentTimeMillis
    for (const session of world.active.values()) {
      if (session.running || sessionTimeoutSecs === 0 || now - session.lastActive < sessionTimeoutSecs * 1000) continue
      yield* Effect.logInfo(`session ${session.id} was idle for ${sessionTimeoutSecs} s and is closed`)
      yield* close(session)
    }
  })

const make = Effect.gen(function* () {
  const world = yield* World.make
  const live = <A, E>(id: SessionId, use: (session: Session) => Effect.Effect<A, E>) =>
    World.withSession(world, id, use)
  yield* Effect.forkScoped(Effect.repeat(reap(world), Schedule.spaced(reapEvery)))

  return Sessions.of({
    limits: world.limits,
    create: (spec) => Opening.create(world, spec),
    load: (id, spec, replay) => Loading.load(world, id, spec, replay),
    fork: (from, spec) => World.inOrder(world, from, Opening.fork(world, from, spec)),
    list: Listing.make(world),
    prompt: (id, blocks, io) => Turns.prompt(world, id, blocks, io),
    cancel: (id) => Turns.cancel(world, id),
    find: (id) => Effect.sync(() => Option.fromNullable(world.active.get(id))),
    setMode: (id, modeId) => live(id, (session) => Changing.setMode(world, session, modeId)),
    setOption: (id, configId, value) => live(id, (session) => Changing.setOption(world, session, configId, value)),
    setTitle: (id, title) => Changing.setTitle(world, id, title),
    touch: (id) =>
      live(id, (session) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          session.lastActive = now
        })
      ),
    close: (id) => World.inOrder(world, id, live(id, Turns.closeSession)),
    stop: (id) => live(id, (session) => Turns.stop(world, session)),
    remove: (id) =>
      World.inOrder(
        world,
        id,
        Effect.suspend(() => {
          const session = world.active.get(id)
          return Effect.zipRight(
            session ? Turns.closeSession(session) : Effect.void,
            Effect.mapError(world.store.remove(id), World.storeFailure)
          )
        })
      ),
    stopAll: Turns.stopAll(world)
  })
})

export class Sessions extends Context.Tag("zeroclaw/Sessions")<Sessions, SessionsService>() {
  static readonly layer: Layer.Layer<
    Sessions,
    never,
    Config | SessionStore | PolicyService | AgentLoop | Models | Toolbox
  > = Layer.scoped(Sessions, make)
}
