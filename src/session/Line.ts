// Who may use a session next: one thing runs in it at a time, and what waits goes in the order in which it came.
import { Deferred, Effect, FiberId } from "effect"
import type { Session, Told, Waiting } from "./Session.ts"

/** Nothing runs, nothing waits, and the last answer is written. */
export const isFree = (session: Session): boolean =>
  session.running === undefined && !session.answering && session.waiting.length === 0

/** Takes a place at the end of the line. */
export const enter = (session: Session): Waiting => {
  const place: Waiting = { told: Deferred.unsafeMake<Told>(FiberId.none) }
  session.waiting.push(place)
  return place
}

/** To be called once an answer was written: only then the next one may start, or its updates would come too early. */
export const startNext = (session: Session): Effect.Effect<void> =>
  Effect.suspend(() => {
    session.answering = false
    const next = session.running === undefined ? session.waiting.shift() : undefined
    if (next === undefined) return Effect.void
    // Taken at once: what comes now must not overtake, and a cancel must find it.
    session.running = next.fiber === undefined ? {} : { fiber: next.fiber }
    return Effect.asVoid(Deferred.succeed(next.told, "go"))
  })

/** Until the session is free for whoever has this place. Gives it up when it is interrupted. */
export const wait = (session: Session, place: Waiting): Effect.Effect<Told> =>
  Effect.onInterrupt(Deferred.await(place.told), () =>
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

/** The work is done and its answer is on its way. */
export const answering = (session: Session): void => {
  session.running = undefined
  session.answering = true
}

/** Nobody waits any more; each is told. */
export const cancelAll = (session: Session): Effect.Effect<void> =>
  Effect.suspend(() =>
    Effect.forEach(session.waiting.splice(0), ({ told }) => Deferred.succeed(told, "cancelled"), { discard: true })
  )
