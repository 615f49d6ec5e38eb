// Sessions in this process only: for tests, and for when the database cannot be used. Keeps rows, so that it behaves like
// the database does.
import { Effect, Option } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import type { Database } from "./Database.ts"
import { failure, unknownSession } from "./Failures.ts"
import { assembleRows } from "./Replay.ts"
import { type EventRow, type MessageRow, turnRow, turnRows } from "./Rows.ts"
import type { SessionRow } from "./SessionStore.ts"

/** Sessions kept; the one that was used least recently goes first. */
export const maxSessions = 1000

interface Kept {
  readonly row: SessionRow
  readonly messages: Array<MessageRow & { readonly id: number }>
  readonly events: Array<EventRow>
}

export const make = (limit = maxSessions): Database => {
  const all = new Map<SessionId, Kept>()
  const use = (id: SessionId): Kept | undefined => {
    const kept = all.get(id)
    if (kept !== undefined) {
      all.delete(id)
      all.set(id, kept)
    }
    return kept
  }
  return {
    create: (row) =>
      Effect.suspend(() => {
        if (all.has(row.id)) return failure("memory", "io", "a session of this id exists already", "use another id")
        all.set(row.id, { row, messages: [], events: [] })
        const oldest = all.keys().next().value
        if (all.size > limit && oldest !== undefined) all.delete(oldest)
        return Effect.void
      }),
    append: (id, turn) =>
      Effect.suspend(() => {
        const kept = use(id)
        if (kept === undefined) return unknownSession()
        const rows = turnRows(turn)
        const after = kept.messages.length
        for (const message of rows.messages) kept.messages.push({ ...message, id: kept.messages.length + 1 })
        for (const update of rows.updates) kept.events.push(update)
        kept.events.push(turnRow(rows.outcome, { after, last: kept.messages.length }))
        return Effect.void
      }),
    load: (id) =>
      Effect.sync(() =>
        Option.map(
          Option.fromNullable(use(id)),
          ({ events, messages, row }) => assembleRows(row, messages, events).conversation
        )
      )
  }
}

/** New sessions in memory, those of `database` where they are. */
export const before = (database: Database): Database => {
  const memory = make()
  return {
    create: memory.create,
    append: (id, turn) =>
      Effect.catchIf(
        memory.append(id, turn),
        ({ reason }) => reason === "unknown_session",
        () => database.append(id, turn)
      ),
    load: (id) =>
      Effect.flatMap(
        memory.load(id),
        Option.match({ onNone: () => database.load(id), onSome: (found) => Effect.succeed(Option.some(found)) })
      )
  }
}
