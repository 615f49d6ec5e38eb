// Opening a session that is stored: restored from there, or live already. @see acp-v1 section 1.2 (session/load, resume)
import { Effect, Exit, Scope } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import type { SessionUpdate } from "../contract/Update.ts"
import * as Line from "./Line.ts"
import * as Opening from "./Opening.ts"
import { close, type Session } from "./Session.ts"
import { busy, SessionError, unknown } from "./SessionError.ts"
import { inOrder, type World, withReservation } from "./World.ts"

const show = (updates: ReadonlyArray<SessionUpdate>, replay: Opening.Replay) =>
  replay === undefined ? Effect.void : Effect.forEach(updates, replay, { discard: true })

/** A session keeps its folder, under whichever spelling it is named. */
const belongsTo = (id: SessionId, own: string, given: string): Effect.Effect<void, SessionError> =>
  own === given
    ? Effect.void
    : new SessionError({
        reason: "invalid",
        message: `cwd: ${given} is not this session's folder, it belongs to ${own}. Open it with that one, or make a new session.`,
        sessionId: id
      })

const keepFolders = (world: World, session: Session) =>
  Effect.catchAll(
    world.store.change(session.id, { additionalDirectories: session.additionalDirectories }),
    ({ message }) => Effect.logWarning(`folders of session ${session.id} not stored: ${message}`)
  )

const restore = (
  world: World,
  id: SessionId,
  spec: Opening.OpenSpec,
  replay: Opening.Replay
): Effect.Effect<Session, SessionError> =>
  Effect.gen(function* () {
    const conversation = yield* Opening.stored(world, id)
    const { cwd } = conversation.row
    const found = yield* Opening.findAgent(world, conversation.row.agentAlias)
    const session = yield* Opening.open(
      world,
      id,
      found,
      { ...spec, cwd: spec.cwd ?? cwd },
      Opening.pastOf(conversation)
    )
    yield* Effect.gen(function* () {
      yield* belongsTo(id, cwd, session.opened.policy.cwd)
      yield* keepFolders(world, session)
      yield* show(conversation.updates, replay)
    }).pipe(Effect.onError(() => close(session)))
    return yield* Opening.publish(world, session)
  })

/** In another folder, or with others beside it, a session gets a new policy; what was always allowed stays in the same ones. */
const place = (
  world: World,
  session: Session,
  spec: Opening.OpenSpec,
  replay: Opening.Replay
): Effect.Effect<Session, SessionError> =>
  Effect.gen(function* () {
    const own = session.opened.policy.cwd
    const next = yield* Opening.openPolicy(
      world,
      session.agent,
      spec.cwd ?? own,
      spec.additionalDirectories,
      session.scope
    )
    yield* belongsTo(session.id, own, next.policy.cwd).pipe(
      Effect.zipRight(
        replay === undefined
          ? Effect.void
          : Effect.flatMap(Opening.stored(world, session.id), ({ updates }) => show(updates, replay))
      ),
      Effect.onError(() => Scope.close(next.scope, Exit.void))
    )
    const before = session.opened
    if (sameList(session.additionalDirectories, spec.additionalDirectories)) {
      yield* Scope.close(next.scope, Exit.void)
    } else {
      yield* next.policy.setLevel(before.policy.level)
      session.opened = next
      session.additionalDirectories = spec.additionalDirectories
      yield* Scope.close(before.scope, Exit.void)
      yield* keepFolders(world, session)
    }
    session.notes = spec.notes
    return session
  })

/** Opening what is live here already: it runs as the one thing in the session, and a turn that still runs refuses it. */
const reopen = (
  world: World,
  session: Session,
  spec: Opening.OpenSpec,
  replay: Opening.Replay
): Effect.Effect<Session, SessionError, Scope.Scope> =>
  // Interruptible but where it takes the session and gives it back.
  Effect.uninterruptibleMask((restore): Effect.Effect<Session, SessionError, Scope.Scope> => {
    if (Line.hasTurn(session)) return busy(session.id)
    const run = Effect.addFinalizer(() => Line.startNext(session)).pipe(
      Effect.zipRight(restore(place(world, session, spec, replay))),
      Effect.ensuring(Effect.sync(() => Line.answering(session)))
    )
    if (Line.isFree(session)) {
      session.running = { what: "opening" }
      return run
    }
    return Effect.flatMap(restore(Line.wait(session, Line.enter(session, { what: "opening" }))), (told) =>
      told === "go" ? run : unknown(session.id)
    )
  })

const sameList = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at])

/** Opens a stored session; it takes prompts only after the replay. */
export const load = (
  world: World,
  id: SessionId,
  spec: Opening.OpenSpec,
  replay: Opening.Replay
): Effect.Effect<Session, SessionError, Scope.Scope> =>
  inOrder(
    world,
    id,
    Effect.suspend((): Effect.Effect<Session, SessionError, Scope.Scope> => {
      const session = world.active.get(id)
      return session ? reopen(world, session, spec, replay) : withReservation(world, restore(world, id, spec, replay))
    })
  )
