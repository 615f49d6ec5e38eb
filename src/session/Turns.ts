// Turns of a live session: admitting a prompt, or letting it wait; cancelling; closing and stopping.
import { Clock, Deferred, Effect, Exit, Fiber, FiberId, type Scope } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import type { ContentBlock } from "../contract/Content.ts"
import type { ModelError } from "../model/ModelError.ts"
import * as PromptText from "./PromptText.ts"
import { close, type Session } from "./Session.ts"
import { busy, type SessionError, unknown } from "./SessionError.ts"
import * as TurnRun from "./TurnRun.ts"
import type { Upload } from "./Upload.ts"
import { type World, withSession } from "./World.ts"

/** Prompts that may wait in one session. */
export const maxWaiting = 64

const saveUpload =
  ({ opened }: Session) =>
  ({ bytes, path }: Upload) =>
    Effect.mapError(
      opened.policy.writeFile(path, bytes),
      ({ message }) => new PromptText.PromptError({ message: `prompt: the attachment could not be kept: ${message}` })
    )

const startNext = (session: Session): Effect.Effect<void> =>
  Effect.suspend(() => {
    session.answering = false
    const next = session.running === undefined ? session.waiting.shift() : undefined
    if (next === undefined) return Effect.void
    // Taken at once: a prompt that comes now must not overtake.
    session.running = {}
    return Effect.asVoid(Deferred.succeed(next, "go"))
  })

/** Until the session is free for this prompt. Gives up its place when it is interrupted. */
const waitInLine = (session: Session): Effect.Effect<"go" | "cancelled"> =>
  Effect.suspend(() => {
    const place = Deferred.unsafeMake<"go" | "cancelled">(FiberId.none)
    session.waiting.push(place)
    return Effect.onInterrupt(Deferred.await(place), () =>
      Effect.suspend(() => {
        const at = session.waiting.indexOf(place)
        if (at !== -1) {
          session.waiting.splice(at, 1)
          return Effect.void
        }
        // Told to go already, but not going: the next one may.
        session.running = undefined
        return startNext(session)
      })
    )
  })

const cancelWaiting = (session: Session): Effect.Effect<void> =>
  Effect.suspend(() =>
    Effect.forEach(session.waiting.splice(0), (place) => Deferred.succeed(place, "cancelled"), { discard: true })
  )

/** Interruption stops the turn, and the result says so; a prompt is never answered by an error for that. */
const runTurn = (
  world: World,
  session: Session,
  { text, uploads }: PromptText.Prompt,
  blocks: ReadonlyArray<ContentBlock>,
  io: TurnRun.TurnIO
): Effect.Effect<TurnRun.Result, ModelError | PromptText.PromptError> =>
  Effect.suspend(() => {
    const turn = TurnRun.run({
      world,
      session,
      io,
      prompt: text,
      before: Effect.forEach(uploads, saveUpload(session), { discard: true }),
      blocks
    })
    const idle = Effect.map(Clock.currentTimeMillis, (now) => {
      session.lastActive = now
      session.running = undefined
      session.answering = true
    })
    session.running = {}
    const fiber = world.fork(Effect.ensuring(turn, idle))
    if (session.running) session.running = { fiber }
    return Effect.flatMap(Effect.exit(Effect.interruptible(Fiber.join(fiber))), (exit) =>
      Exit.isInterrupted(exit) ? Effect.flatMap(Fiber.interrupt(fiber), (ended) => ended) : exit
    )
  })

/**
 * Admits the turn before the first asynchronous step: a cancel that follows at once finds it. To be run with
 * interruption off; what is interruptible in it says so. The scope closes once the answer was written: only then the
 * next prompt may start.
 */
export const prompt = (
  world: World,
  id: SessionId,
  blocks: ReadonlyArray<ContentBlock>,
  io: TurnRun.TurnIO
): Effect.Effect<TurnRun.Result, SessionError | PromptText.PromptError | ModelError, Scope.Scope> =>
  withSession(world, id, (session) =>
    Effect.flatMap(world.limits, (limits) =>
      Effect.suspend(
        (): Effect.Effect<TurnRun.Result, SessionError | PromptText.PromptError | ModelError, Scope.Scope> => {
          if (session.stopping) return unknown(id)
          const line = session.waiting.length > 0
          if (session.running && limits.busy === "reject") return busy(id)
          if (session.waiting.length >= maxWaiting) return busy(id)
          return Effect.flatMap(PromptText.make(blocks, session.opened.policy.cwd), (text) => {
            const run = Effect.zipRight(
              Effect.addFinalizer(() => startNext(session)),
              runTurn(world, session, text, blocks, io)
            )
            if (!session.running && !session.answering && !line) return run
            return Effect.flatMap(Effect.exit(Effect.interruptible(waitInLine(session))), (told) =>
              Exit.isSuccess(told) && told.value === "go" ? run : Effect.succeed(TurnRun.cancelledUnrun)
            )
          })
        }
      )
    )
  )

/** Starts to stop the running turn and drops what waits; each answers `cancelled`. */
export const cancel = (world: World, id: SessionId): Effect.Effect<void> =>
  Effect.suspend(() => {
    const session = world.active.get(id)
    if (!session) return Effect.void
    const fiber = session.running?.fiber
    return Effect.zipRight(cancelWaiting(session), fiber ? Fiber.interruptFork(fiber) : Effect.void)
  })

/** Stops the running turn, waits until it is stored, and frees everything; the history can be loaded. */
export const closeSession = (session: Session): Effect.Effect<void> =>
  // The yield lets the stopped prompt answer before the close does.
  Effect.zipRight(Effect.zipRight(cancelWaiting(session), close(session)), Effect.yieldNow())

/** Takes no new prompts, lets the running turn end by itself, then closes. @see zeroclaw section 5.9 */
export const stop = (session: Session): Effect.Effect<void, SessionError> =>
  Effect.suspend((): Effect.Effect<void, SessionError> => {
    if (session.stopping) return unknown(session.id)
    session.stopping = true
    const fiber = session.running?.fiber
    return cancelWaiting(session).pipe(
      Effect.zipRight(fiber ? Effect.asVoid(Fiber.await(fiber)) : Effect.void),
      Effect.ensuring(closeSession(session))
    )
  })

/** Stops every running turn and waits until each is stored. */
export const stopAll = (world: World): Effect.Effect<void> =>
  Effect.suspend(() =>
    Effect.forEach(
      [...world.active.values()],
      (session) =>
        Effect.zipRight(
          cancelWaiting(session),
          Effect.suspend(() => (session.running?.fiber ? Fiber.interrupt(session.running.fiber) : Effect.void))
        ),
      { concurrency: "unbounded", discard: true }
    )
  )
