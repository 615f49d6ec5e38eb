// Turns that could not be written wait here, in order, for the next time that the database can be used.
import { DateTime, Effect, Either, Option } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import type { Database } from "./Database.ts"
import { unknownSession } from "./Failures.ts"
import { assembleRows } from "./Replay.ts"
import { turnRow, turnRows, weight } from "./Rows.ts"
import { merge } from "./SessionColumns.ts"
import { type Conversation, type ListedSession, StoreError, type Turn } from "./SessionStore.ts"

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
  /** ISO 8601, UTC: since when it waits. */
  readonly at: string
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
  const compacted = turns.findLastIndex(({ compacts }) => compacts === true)
  return {
    row: conversation.row,
    messages: [
      compacted === -1 ? conversation.messages : [],
      ...later.slice(Math.max(0, compacted)).map(({ conversation }) => conversation.messages)
    ].flat(),
    updates: [conversation.updates, ...later.map(({ conversation }) => conversation.updates)].flat(),
    turns: conversation.turns + turns.length
  }
}

/** As if what waits had been stored when it came. */
const asWaiting = (
  rows: ReadonlyArray<ListedSession>,
  waiting: ReadonlyArray<Waiting>
): ReadonlyArray<ListedSession> => {
  const since = new Map(waiting.map(({ at, id }) => [id, at]))
  const later = rows
    .flatMap((row) => {
      const at = since.get(row.id)
      return at === undefined ? [] : [at > row.updatedAt ? { ...row, updatedAt: at } : row]
    })
    .sort((a, b) => (a.updatedAt === b.updatedAt ? 0 : a.updatedAt < b.updatedAt ? 1 : -1))
  return merge(
    later,
    rows.filter(({ id }) => !since.has(id))
  )
}

/** Removed sessions that are remembered, so that no late turn of them is kept waiting. */
const maxRemoved = 1000

/**
 * `append` fails once for a turn that was not written, and then keeps it; later turns of that session queue up behind it.
 * `load` and `list` give what waits as if it were written; `fork` fails while something of its session waits; `remove`
 * drops it.
 */
export const make = (database: Database, limits = defaultLimits): Effect.Effect<Backlog> =>
  Effect.gen(function* () {
    const lock = yield* Effect.makeSemaphore(1)
    let waiting: ReadonlyArray<Waiting> = []
    const removed = new Set<SessionId>()
    const now = Effect.map(DateTime.now, DateTime.formatIso)

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

    const keep = (id: SessionId, turn: Turn, error: StoreError, at: string): StoreError => {
      const size = weight(turnRows(turn))
      const used = waiting.reduce((sum, one) => sum + one.weight, 0)
      if (waiting.length >= limits.turns || used + size > limits.characters) {
        return new StoreError({
          reason: error.reason,
          message: `${error.message}. Too many turns wait to be stored already: this one is lost`
        })
      }
      waiting = [...waiting, { id, turn, weight: size, at }]
      return new StoreError({
        reason: error.reason,
        message: `${error.message}. The turn is kept in memory and stored as soon as that works again`
      })
    }

    // Uninterruptible: a turn that was written must not be left in the queue.
    const exclusively = <A, E>(effect: Effect.Effect<A, E>) => lock.withPermits(1)(Effect.uninterruptible(effect))

    /** Fails with what stands in the way when trying again is vain: a lock was waited for already. */
    const unobstructed = (id: SessionId, vain: (error: StoreError) => boolean) =>
      Effect.flatMap(flush, (obstacle) => {
        const error = obstacle(id)
        return error !== undefined && vain(error) ? error : Effect.void
      })

    const isBusy = ({ reason }: StoreError): boolean => reason === "busy"
    const waits = (id: SessionId): boolean => waiting.some((one) => one.id === id)

    const forget = (id: SessionId) =>
      Effect.sync(() => {
        waiting = waiting.filter((one) => one.id !== id)
        removed.delete(id)
        removed.add(id)
        const [oldest] = removed
        if (removed.size > maxRemoved && oldest !== undefined) removed.delete(oldest)
      })
    const remember = (id: SessionId) => Effect.sync(() => void removed.delete(id))

    return {
      create: (row) => Effect.zipLeft(database.create(row), remember(row.id)),
      append: (id, turn) =>
        exclusively(
          Effect.flatMap(flush, (obstacle) => {
            if (removed.has(id)) return unknownSession()
            const error = obstacle(id)
            const write = error === undefined ? database.append(id, turn) : error
            return Effect.catchAll(write, (error) =>
              error.reason === "unknown_session" ? error : Effect.flatMap(now, (at) => keep(id, turn, error, at))
            )
          })
        ),
      change: (id, change) => exclusively(Effect.zipRight(unobstructed(id, isBusy), database.change(id, change))),
      list: (cwd) =>
        exclusively(Effect.map(Effect.zipRight(flush, database.list(cwd)), (rows) => asWaiting(rows, waiting))),
      // What waits of it is not written first: it would go at once. It is kept when the session could not be removed.
      remove: (id) => exclusively(Effect.zipLeft(database.remove(id), forget(id))),
      fork: (from, to) =>
        exclusively(
          unobstructed(from, (error) => isBusy(error) || waits(from)).pipe(
            Effect.zipRight(database.fork(from, to)),
            Effect.zipLeft(remember(to.id))
          )
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
