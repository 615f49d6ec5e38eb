// Turns that could not be written wait here, in order, for the next time that the database can be used.
import { Effect, Either, Option } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import type { Database } from "./Database.ts"
import { assembleRows } from "./Replay.ts"
import { turnRow, turnRows, weight } from "./Rows.ts"
import { type Conversation, StoreError, type Turn } from "./SessionStore.ts"

export interface Limits {
  readonly turns: number
  /** Characters of text, all turns together. */
  readonly characters: number
}

export const defaultLimits: Limits = { turns: 500, characters: 32 * 1024 * 1024 }

interface Waiting {
  readonly id: SessionId
  readonly turn: Turn
  readonly weight: number
}

export interface Backlog extends Database {
  /** Tries to write what waits; never fails. */
  readonly flush: Effect.Effect<void>
}

/** The whole database is out of order, not one session of it. */
const isGeneral = ({ reason }: StoreError): boolean => reason !== "corrupt" && reason !== "unknown_session"

const withWaiting = (conversation: Conversation, turns: ReadonlyArray<Turn>): Conversation => {
  const later = turns.map((turn) => {
    const { messages, outcome, updates } = turnRows(turn)
    const stored = messages.map((message, at) => ({ ...message, id: at + 1 }))
    return assembleRows(conversation.row, stored, [...updates, turnRow(outcome, { after: 0, last: stored.length })])
  })
  return {
    row: conversation.row,
    messages: [conversation.messages, ...later.map(({ conversation }) => conversation.messages)].flat(),
    updates: [conversation.updates, ...later.map(({ conversation }) => conversation.updates)].flat(),
    turns: conversation.turns + turns.length
  }
}

/**
 * `append` fails once for a turn that was not written, and then keeps it; later turns of that session queue up behind it.
 * `load` gives what waits as if it were written.
 */
export const make = (database: Database, limits = defaultLimits): Effect.Effect<Backlog> =>
  Effect.gen(function* () {
    const lock = yield* Effect.makeSemaphore(1)
    let waiting: ReadonlyArray<Waiting> = []

    /** Oldest first. Gives what still stands in the way: of all sessions, or of some. */
    const flush = Effect.gen(function* () {
      const stuck = new Map<SessionId, StoreError>()
      let general: StoreError | undefined
      const rest: Array<Waiting> = []
      for (const one of waiting) {
        if (general !== undefined || stuck.has(one.id)) {
          rest.push(one)
          continue
        }
        const written = yield* Effect.either(database.append(one.id, one.turn))
        if (Either.isRight(written)) continue
        const error = written.left
        if (error.reason === "unknown_session") {
          yield* Effect.logError(`a turn that waited to be stored is lost: ${error.message}`)
          continue
        }
        rest.push(one)
        if (isGeneral(error)) general = error
        else stuck.set(one.id, error)
      }
      waiting = rest
      return (id: SessionId) => general ?? stuck.get(id)
    })

    const keep = (id: SessionId, turn: Turn, error: StoreError): StoreError => {
      const size = weight(turnRows(turn))
      const used = waiting.reduce((sum, one) => sum + one.weight, 0)
      if (waiting.length >= limits.turns || used + size > limits.characters) {
        return new StoreError({
          reason: error.reason,
          message: `${error.message}. Too many turns wait to be stored already: this one is lost`
        })
      }
      waiting = [...waiting, { id, turn, weight: size }]
      return new StoreError({
        reason: error.reason,
        message: `${error.message}. The turn is kept in memory and stored as soon as that works again`
      })
    }

    // Uninterruptible: a turn that was written must not be left in the queue.
    const exclusively = <A, E>(effect: Effect.Effect<A, E>) => lock.withPermits(1)(Effect.uninterruptible(effect))

    return {
      create: database.create,
      append: (id, turn) =>
        exclusively(
          Effect.flatMap(flush, (obstacle) => {
            const error = obstacle(id)
            const write = error === undefined ? database.append(id, turn) : error
            return Effect.catchAll(write, (error) =>
              error.reason === "unknown_session" ? error : keep(id, turn, error)
            )
          })
        ),
      load: (id) =>
        exclusively(
          Effect.gen(function* () {
            yield* flush
            const turns = waiting.filter((one) => one.id === id).map(({ turn }) => turn)
            const loaded = yield* database.load(id)
            return turns.length === 0 ? loaded : Option.map(loaded, (found) => withWaiting(found, turns))
          })
        ),
      flush: exclusively(flush)
    }
  })
