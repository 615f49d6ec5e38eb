// Turns of a live session: admitting a prompt, or letting it wait; cancelling; closing and stopping.
import { Clock, Effect, Exit, Fiber, type Scope } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import type { ContentBlock } from "../contract/Content.ts"
import type { ModelError } from "../model/ModelError.ts"
import * as Line from "./Line.ts"
import * as PromptText from "./PromptText.ts"
import { close, type Running, type Session } from "./Session.ts"
import { busy, type SessionError, unknown } from "./SessionError.ts"
import * as TurnRun from "./TurnRun.ts"
import type { Upload } from "./Upload.ts"
import { inOrder, type World, withSession } from "./World.ts"

/** Prompts that may wait in one session. */
export const maxWaiting = 64

const saveUpload =
  ({ opened }: Session) =>
  ({ bytes, path }: Upload) =>
    Effect.mapError(
      opened.policy.writeFile(path, bytes),
      ({ message }) => new PromptText.PromptError({ message: `prompt: the attachment could not be kept: ${message}` })
    )

type Failure = ModelError | PromptText.PromptError

/**
 * Runs the turn, after waiting for its place if it has one. Interruption stops it, and the result says so: a prompt is
 * never answered by an error for that.
 */
const runTurn = (
  session: Session,
  turn: Effect.Effect<TurnRun.Result, Failure>,
  fork: World["fork"]
): Effect.Effect<TurnRun.Result, Failure, Scope.Scope> =>
  Effect.suspend(() => {
    const whole = Effect.ensuring(
      turn,
      Effect.map(Clock.currentTimeMillis, (now) => {
        session.lastActive = now
        Line.answering(session)
      })
    )
    /** What never ran has no answer that the next one would wait for. */
    const finish = (exit: Exit.Exit<TurnRun.Result, Failure>) =>
      Exit.isInterrupted(exit) || (Exit.isSuccess(exit) && exit.value === TurnRun.cancelledUnrun)
        ? Effect.succeed(TurnRun.cancelledUnrun)
        : Effect.zipRight(
            Effect.addFinalizer(() => Line.startNext(session)),
            exit
          )
    // Awaited, not joined: joining would take over the fiber's context, and with it another scope.
    const join = (fiber: Fiber.RuntimeFiber<TurnRun.Result, Failure>) =>
      Effect.flatMap(Effect.exit(Effect.interruptible(Fiber.await(fiber))), (waited) =>
        Exit.isSuccess(waited) ? finish(waited.value) : Effect.flatMap(Fiber.interrupt(fiber), finish)
      )
    const running: Running = { what: "turn" }
    if (Line.isFree(session)) {
      session.running = running
      const fiber = fork(whole)
      running.fiber = fiber
      return join(fiber)
    }
    const place = Line.enter(session, running)
    const fiber = fork(
      Effect.flatMap(Effect.interruptible(Line.wait(session, place)), (told) =>
        told === "go" ? whole : Effect.succeed(TurnRun.cancelledUnrun)
      )
    )
    running.fiber = fiber
    return join(fiber)
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
): Effect.Effect<TurnRun.Result, SessionError | Failure, Scope.Scope> =>
  withSession(world, id, (session): Effect.Effect<TurnRun.Result, SessionError | Failure, Scope.Scope> => {
    if (session.stopping) return unknown(id)
    if (Line.hasTurn(session) && world.limits.busy === "reject") return busy(id)
    if (session.waiting.length >= maxWaiting) return busy(id)
    return Effect.flatMap(PromptText.make(blocks, session.opened.policy.cwd), ({ text, uploads }) => {
      const before = Effect.forEach(uploads, saveUpload(session), { discard: true })
      return runTurn(session, TurnRun.run({ world, session, io, prompt: text, before, blocks }), world.fork)
    })
  })

/** Starts to stop the running turn and drops what waits; each answers `cancelled`. */
export const cancel = (world: World, id: SessionId): Effect.Effect<void> =>
  Effect.suspend(() => {
    const session = world.active.get(id)
    if (!session) return Effect.void
    const fiber = session.running?.fiber
    return Effect.zipRight(Line.cancelTurns(session), fiber ? Fiber.interruptFork(fiber) : Effect.void)
  })

/** Stops the running turn, waits until it is stored, and frees everything; the history can be loaded. */
export const closeSession = (session: Session): Effect.Effect<void> =>
  // The yield lets the stopped prompt answer before the close does.
  Effect.zipRight(Effect.zipRight(Line.cancelAll(session), close(session)), Effect.yieldNow())

/** Takes no new prompts, lets the running turn end by itself, then closes. @see zeroclaw section 5.9 */
export const stop = (world: World, session: Session): Effect.Effect<void, SessionError> =>
  Effect.suspend((): Effect.Effect<void, SessionError> => {
    if (session.stopping) return unknown(session.id)
    session.stopping = true
    const fiber = session.running?.fiber
    return Line.cancelAll(session).pipe(
      Effect.zipRight(fiber ? Effect.asVoid(Fiber.await(fiber)) : Effect.void),
      Effect.ensuring(inOrder(world, session.id, closeSession(session)))
    )
  })

/** Stops every running turn and waits until each is stored. */
export const stopAll = (world: World): Effect.Effect<void> =>
  Effect.suspend(() =>
    Effect.forEach(
      [...world.active.values()],
      (session) =>
        Effect.zipRight(
          Line.cancelTurns(session),
          Effect.suspend(() => (session.running?.fiber ? Fiber.interrupt(session.running.fiber) : Effect.void))
        ),
      { concurrency: "unbounded", discard: true }
    )
  )
