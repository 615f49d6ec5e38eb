// Sessions in this process only: for tests, and for when the database cannot be used. Keeps rows, so that it behaves like
// the database does.
import { DateTime, Effect, Option } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import type { Database } from "./Database.ts"
import { failure, unknownSession } from "./Failures.ts"
import { assembleRows } from "./Replay.ts"
import { type EventRow, endRow, type MessageRow, turnRow, turnRows } from "./Rows.ts"
import { changeColumns, merge, readSession, type SessionColumns, sessionColumns } from "./SessionColumns.ts"
import type { Conversation, SessionRow, StoreError, Turn } from "./SessionStore.ts"

/** Sessions kept; the one that was used least recently goes first. */
export const maxSessions = 1000

interface Kept {
  readonly columns: SessionColumns
  readonly number: number
  /** ISO 8601, UTC. */
  readonly activity: string
  readonly messages: ReadonlyArray<MessageRow & { readonly id: number }>
  readonly events: ReadonlyArray<EventRow>
}

export interface Memory extends Database {
  readonly has: (id: SessionId) => boolean
  /** A session of another place, copied as it was loaded. */
  readonly adopt: (row: SessionRow, conversation: Conversation) => Effect.Effect<void, StoreError>
}

const now = Effect.map(DateTime.now, DateTime.formatIso)

type Rows = Pick<Kept, "messages" | "events">

const withTurn = ({ events, messages }: Rows, turn: Turn): Rows => {
  const rows = turnRows(turn)
  const added = rows.messages.map((message, at) => ({ ...message, id: messages.length + 1 + at }))
  const span = { after: messages.length, last: messages.length + added.length }
  return { messages: [...messages, ...added], events: [...events, ...rows.updates, endRow(rows, span)] }
}

/** One turn that says and shows all, and empty ones, so that their number stays. */
const adopted = ({ messages, turns, updates }: Conversation): Rows => {
  if (turns + messages.length + updates.length === 0) return { messages: [], events: [] }
  const rows = withTurn({ messages: [], events: [] }, { messages, updates, outcome: "end_turn" })
  const last = rows.messages.length
  const empty = Array.from({ length: Math.max(0, turns - 1) }, () => turnRow("end_turn", { after: last, last }))
  return { messages: rows.messages, events: [...rows.events, ...empty] }
}

export const make = (limit = maxSessions): Memory => {
  const all = new Map<SessionId, Kept>()
  let made = 0
  const use = (id: SessionId): Kept | undefined => {
    const kept = all.get(id)
    if (kept !== undefined) {
      all.delete(id)
      all.set(id, kept)
    }
    return kept
  }
  const add = (row: SessionRow, { events, messages }: Rows) =>
    Effect.flatMap(now, (activity) => {
      if (all.has(row.id)) return failure("memory", "io", "a session of this id exists already", "use another id")
      all.set(row.id, { columns: sessionColumns(row), number: made++, activity, messages, events })
      const oldest = all.keys().next().value
      if (all.size > limit && oldest !== undefined) all.delete(oldest)
      return Effect.void
    })
  return {
    has: (id) => all.has(id),
    adopt: (row, conversation) => add(row, adopted(conversation)),
    create: (row) => add(row, { messages: [], events: [] }),
    append: (id, turn) =>
      Effect.flatMap(now, (activity) => {
        const kept = use(id)
        if (kept === undefined) return unknownSession()
        all.set(id, { ...kept, ...withTurn(kept, turn), activity })
        return Effect.void
      }),
    load: (id) =>
      Effect.sync(() =>
        Option.map(
          Option.fromNullable(use(id)),
          ({ columns, events, messages }) => assembleRows(readSession(columns), messages, events).conversation
        )
      ),
    change: (id, change) =>
      Effect.suspend(() => {
        const kept = use(id)
        if (kept === undefined) return unknownSession()
        all.set(id, { ...kept, columns: { ...kept.columns, ...changeColumns(change) } })
        return Effect.void
      }),
    list: (cwd) =>
      Effect.sync(() =>
        [...all.values()]
          .filter(({ columns }) => cwd === undefined || columns.workspace_dir === cwd)
          .sort((a, b) => (a.activity === b.activity ? b.number - a.number : a.activity < b.activity ? 1 : -1))
          .map(({ activity, columns }) => ({ ...readSession(columns), updatedAt: activity }))
      ),
    remove: (id) => Effect.sync(() => void all.delete(id)),
    fork: (from, to) =>
      Effect.suspend(() => {
        const kept = use(from)
        return kept === undefined ? Effect.succeed(false) : Effect.as(add(to, kept), true)
      })
  }
}

/** New sessions in memory, those of `database` where they are. */
export const before = (database: Database): Database => {
  const memory = make()
  const placeOf = (id: SessionId): Database => (memory.has(id) ? memory : database)
  return {
    create: memory.create,
    append: (id, turn) => Effect.suspend(() => placeOf(id).append(id, turn)),
    load: (id) => Effect.suspend(() => placeOf(id).load(id)),
    change: (id, change) => Effect.suspend(() => placeOf(id).change(id, change)),
    remove: (id) => Effect.suspend(() => placeOf(id).remove(id)),
    list: (cwd) =>
      Effect.zipWith(
        memory.list(cwd),
        // What can still be opened is listed; what is damaged cannot.
        Effect.catchIf(
          database.list(cwd),
          ({ reason }) => reason === "corrupt",
          (error) => Effect.as(Effect.logWarning(`stored sessions could not be listed: ${error.message}`), [])
        ),
        merge
      ),
    fork: (from, to) =>
      Effect.suspend(() =>
        memory.has(from)
          ? memory.fork(from, to)
          : Effect.flatMap(
              database.load(from),
              Option.match({
                onNone: () => Effect.succeed(false),
                onSome: (found) => Effect.as(memory.adopt(to, found), true)
              })
            )
      )
  }
}
