// Who may use a session next: one thing runs in it at a time, and what waits goes in the order in which it came.
import { Deferred, Effect, FiberId } from "effect"
import { partition } from "effect/Array"
import type { Running, Session, Told, Waiting } from "./Session.ts"

/** What of a session this is about. */
export type Lane = Pick<Session, "running" | "answering" | "waiting">

/** Nothing runs, nothing waits, and the last answer is written. */
export const isFree = (session: Lane): boolean =>
  session.running === undefined && !session.answering && session.waiting.length === 0

/** Whether a prompt runs or waits to. */
export const hasTurn = ({ running, waiting }: Lane): boolean =>
  running?.what === "turn" || waiting.some(({ running }) => running.what === "turn")

/** Takes a place at the end of the line. */
export const enter = (session: Lane, running: Running): Waiting => {
  const place: Waiting = { running, told: Deferred.unsafeMake<Told>(FiberId.none) }
  session.waiting.push(place)
  return place
}

/** To be called once an answer was written: only then the next one may start, or its updates would come too early. */
export const startNext = (session: Lane): Effect.Effect<void> =>
  Effect.suspend(() => {
    session.answering = false
    const next = session.running === undefined ? session.waiting.shift() : undefined
    if (next === undefined) return Effect.void
    // Taken at once: what comes now must not overtake, and a cancel must find it.
    session.running = next.running
    return Effect.asVoid(Deferred.succeed(next.told, "go"))
  })

/** Until the session is free for whoever has this place. Gives it up when it is interrupted. */
export const wait = (session: Lane, place: Waiting): Effect.Effect<Told> =>
  Effect.onInterrupt(Deferred.await(place.told), () =>
    Effect.suspend(() => {
      const at = session.waiting.indexOf(place)
      if (at !== -1) {
        session.waiting.splice(at, 1)
        return Effect.void
      }
      // Told already: to leave the line, or to go. Who does not go lets the next one.
      if (session.running !== place.running) return Effect.void
      session.running = undefined
      return startNext(session)
    })
  )

/** The work is done and its answer is on its way. */
export const answering = (session: Lane): void => {
  session.running = undefined
  session.answering = true
}

const dismiss = (session: Lane, leaves: (place: Waiting) => boolean): Effect.Effect<void> =>
  Effect.suspend(() => {
    const [staying, leaving] = partition(session.waiting.splice(0), leaves)
    session.waiting.push(...staying)
    return Effect.forEach(leaving, ({ told }) => Deferred.succeed(told, "cancelled"), { discard: true })
  })

/** A cancel is about prompts; what opens the session goes on. */
export const cancelTurns = (session: Lane): Effect.Effect<void> =>
  dismiss(session, ({ running }) => running.what === "turn")

/** The session ends. */
export const cancelAll = (session: Lane): Effect.Effect<void> => dismiss(session, () => true)
