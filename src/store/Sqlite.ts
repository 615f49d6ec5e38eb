// Sessions in a SQLite file. Loaded when first needed: it pulls in the native part.
import type * as SqlClient from "@effect/sql/SqlClient"
import { DateTime, Effect, Option, Schema, type Scope } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import { connect, type Options, patiently, transaction, typed } from "./Connection.ts"
import { copy } from "./Copy.ts"
import type { Database } from "./Database.ts"
import { unknownSession } from "./Failures.ts"
import type { tableNames } from "./Migrations.ts"
import { breathe, chunksOf, ids, pages, readable, rowsPerPage } from "./Paging.ts"
import { assemble, readEvent, readMessage } from "./Replay.ts"
import { type CallRow, endRow, turnRows } from "./Rows.ts"
import { changeColumns, readSession, SessionFields, sessionColumns, updatedAt } from "./SessionColumns.ts"
import type { Change, ListedSession, SessionRow, StoreError, Turn } from "./SessionStore.ts"

/** A statement has a limited number of parameters, and one large insert would block for long. */
const rowsPerInsert = 200
/** Rows of sessions are short. */
const rowsPerList = 500

const Listed = Schema.Struct({
  ...SessionFields.fields,
  created_at: Schema.Unknown,
  last_activity: Schema.Unknown
})
const MessageFields = Schema.Struct({
  id: Schema.Int,
  role: Schema.String,
  content: Schema.String,
  reasoning_content: Schema.NullOr(Schema.String)
})
const CallFields = Schema.Struct({
  id: Schema.Int,
  message_id: Schema.Int,
  tool_call_id: Schema.String,
  tool_name: Schema.String,
  event_kind: Schema.String,
  payload: Schema.String,
  outcome: Schema.NullOr(Schema.String)
})
const EventFields = Schema.Struct({
  id: Schema.Int,
  action: Schema.String,
  outcome: Schema.String,
  payload: Schema.NullOr(Schema.String)
})

const sessions = readable(Schema.Struct({ id: Schema.Int, ...SessionFields.fields }))
const listed = readable(Listed)
const messages = readable(MessageFields)
const calls = readable(CallFields)
const events = readable(EventFields)

export const make = (sql: SqlClient.SqlClient, { file, patience }: Options): Database => {
  const write = <A, E>(body: Effect.Effect<A, E>) =>
    patiently(patience)(typed(file)(transaction(sql, "BEGIN IMMEDIATE")(body)))

  const now = Effect.map(DateTime.now, DateTime.formatIso)

  const insertAll = (table: (typeof tableNames)[number], rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
    Effect.forEach(chunksOf(rows, rowsPerInsert), (some) => sql`INSERT INTO ${sql(table)} ${sql.insert([...some])}`, {
      discard: true
    })

  const lastMessage = (session: number) =>
    Effect.map(
      sql`SELECT id FROM acp_messages WHERE session_id = ${session} ORDER BY id DESC LIMIT 1`,
      (rows) => ids(rows)[0]?.id ?? 0
    )

  const append = (id: SessionId, turn: Turn) =>
    Effect.gen(function* () {
      const rows = turnRows(turn)
      const at = yield* now
      yield* write(
        Effect.gen(function* () {
          const session = ids(yield* sql`SELECT id FROM acp_sessions WHERE session_uuid = ${id}`)[0]?.id
          if (session === undefined) return yield* unknownSession()
          const after = yield* lastMessage(session)
          yield* insertAll(
            "acp_messages",
            rows.messages.map(({ content, reasoning_content, role }) => ({
              session_id: session,
              role,
              content,
              reasoning_content,
              created_at: at
            }))
          )
          // Nobody else writes now, so the new rows have growing ids in the order of the insert.
          const made = ids(
            yield* sql`SELECT id FROM acp_messages WHERE session_id = ${session} AND id > ${after} ORDER BY id`
          )
          yield* insertAll(
            "acp_tool_calls",
            rows.messages.flatMap(({ calls }, index) =>
              calls.map((call) => ({ message_id: made[index]?.id, ...call, created_at: at }))
            )
          )
          const end = endRow(rows, { after, last: made.at(-1)?.id ?? after })
          yield* insertAll(
            "acp_session_events",
            [...rows.updates, end].map((event) => ({ session_id: session, ...event, created_at: at }))
          )
          yield* sql`UPDATE acp_sessions SET last_activity = ${at} WHERE id = ${session}`
        })
      )
      const lost = turn.updates.length - rows.updates.length
      if (lost > 0) yield* Effect.logWarning(`session ${id}: ${lost} updates are no JSON and were not stored`)
    })

  const withCalls = (page: ReadonlyArray<typeof MessageFields.Type>) =>
    Effect.gen(function* () {
      if (page.length === 0) return []
      const found = yield* sql`SELECT * FROM acp_tool_calls WHERE ${sql.in(
        "message_id",
        page.map(({ id }) => id)
      )} ORDER BY id`
      const byMessage = new Map(page.map(({ id }): [number, Array<CallRow>] => [id, []]))
      for (const call of calls(found)) byMessage.get(call.message_id)?.push(call)
      return page.map((message) => readMessage({ ...message, calls: byMessage.get(message.id) ?? [] }))
    })

  const load = (id: SessionId) =>
    Effect.gen(function* () {
      const session = sessions(
        yield* sql`SELECT * FROM acp_sessions WHERE session_uuid = ${id} AND killed_at IS NULL`
      )[0]
      if (session === undefined) return Option.none()
      const stored = yield* pages(
        (after) =>
          sql`SELECT * FROM acp_messages WHERE session_id = ${session.id} AND id > ${after} ORDER BY id LIMIT ${rowsPerPage}`,
        messages,
        withCalls
      )
      const seen = yield* pages(
        (after) =>
          sql`SELECT * FROM acp_session_events WHERE session_id = ${session.id} AND id > ${after} ORDER BY id LIMIT ${rowsPerPage}`,
        events,
        (page) => Effect.succeed(page.map(readEvent))
      )
      const { conversation, unreadable } = assemble(readSession(session), stored.all, seen.all)
      const lost = unreadable + stored.unreadable + seen.unreadable
      if (lost > 0) yield* Effect.logWarning(`session ${id}: ${lost} stored rows could not be read and were left out`)
      return Option.some(conversation)
    })

  const read = <A, E>(body: Effect.Effect<A, E>) => patiently(patience)(typed(file)(transaction(sql, "BEGIN")(body)))

  const insertSession = (row: SessionRow, at: string) =>
    sql`INSERT INTO acp_sessions ${sql.insert({ ...sessionColumns(row), created_at: at, last_activity: at })}`

  const change = (id: SessionId, change: Change) =>
    Effect.gen(function* () {
      const columns = changeColumns(change)
      const found =
        Object.keys(columns).length === 0
          ? yield* sql`SELECT id FROM acp_sessions WHERE session_uuid = ${id} AND killed_at IS NULL`
          : yield* sql`UPDATE acp_sessions SET ${sql.update(columns)}
              WHERE session_uuid = ${id} AND killed_at IS NULL RETURNING id`
      if (found.length === 0) return yield* unknownSession()
    })

  const list = (cwd: string | undefined) =>
    Effect.gen(function* () {
      const inFolder = cwd === undefined ? sql`` : sql` AND workspace_dir = ${cwd}`
      // First the ids, straight from the index; then the rows in pages.
      const found = ids(
        yield* sql`SELECT id FROM acp_sessions WHERE killed_at IS NULL${inFolder} ORDER BY last_activity DESC, id DESC`
      )
      const all: Array<ListedSession> = []
      for (const page of chunksOf(found, rowsPerList)) {
        if (all.length > 0) yield* breathe
        const rows = yield* sql`SELECT ${sql.csv([...Object.keys(Listed.fields)])} FROM acp_sessions
          WHERE ${sql.in(
            "id",
            page.map(({ id }) => id)
          )} ORDER BY last_activity DESC, id DESC`
        for (const one of listed(rows)) {
          all.push({ ...readSession(one), updatedAt: updatedAt(one.last_activity, one.created_at) })
        }
      }
      const lost = found.length - all.length
      if (lost > 0) yield* Effect.logWarning(`${lost} stored sessions could not be read and were left out of the list`)
      return all
    })

  /** In pages, and by itself where another program has made tables that do not cascade. */
  const removeAll = (table: "acp_messages" | "acp_session_events", session: number) =>
    Effect.gen(function* () {
      for (;;) {
        const some = ids(yield* sql`SELECT id FROM ${sql(table)} WHERE session_id = ${session} LIMIT ${rowsPerPage}`)
        if (some.length === 0) return
        const numbers = some.map(({ id }) => id)
        if (table === "acp_messages") yield* sql`DELETE FROM acp_tool_calls WHERE ${sql.in("message_id", numbers)}`
        yield* sql`DELETE FROM ${sql(table)} WHERE ${sql.in("id", numbers)}`
        yield* breathe
      }
    })

  const remove = (id: SessionId) =>
    Effect.gen(function* () {
      const session = ids(yield* sql`SELECT id FROM acp_sessions WHERE session_uuid = ${id}`)[0]?.id
      if (session === undefined) return
      yield* removeAll("acp_session_events", session)
      yield* removeAll("acp_messages", session)
      yield* sql`DELETE FROM acp_sessions WHERE id = ${session}`
    })

  const fork = (from: SessionId, to: SessionRow, at: string) =>
    Effect.gen(function* () {
      const old = ids(yield* sql`SELECT id FROM acp_sessions WHERE session_uuid = ${from} AND killed_at IS NULL`)[0]?.id
      if (old === undefined) return false
      yield* insertSession(to, at)
      const made = ids(
        yield* sql`UPDATE acp_sessions SET (token_count, plan_json) =
          (SELECT token_count, plan_json FROM acp_sessions WHERE id = ${old}) WHERE session_uuid = ${to.id} RETURNING id`
      )[0]?.id
      if (made !== undefined) yield* copy(sql, old, made)
      return made !== undefined
    })

  return {
    create: (row) => Effect.asVoid(Effect.flatMap(now, (at) => write(insertSession(row, at)))),
    append,
    load: (id) => read(load(id)),
    change: (id, changed) => write(change(id, changed)),
    list: (cwd) => read(list(cwd)),
    remove: (id) => write(remove(id)),
    fork: (from, to) => Effect.flatMap(now, (at) => write(fork(from, to, at)))
  }
}

export const open = (options: Options): Effect.Effect<Database, StoreError, Scope.Scope> =>
  Effect.map(connect(options), (sql) => make(sql, options))
