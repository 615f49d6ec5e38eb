// Sessions in a SQLite file. Loaded when first needed: it pulls in the native part.
import type * as SqlClient from "@effect/sql/SqlClient"
import { DateTime, Effect, Option, Schema, type Scope } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import { connect, type Options, patiently, transaction, typed } from "./Connection.ts"
import type { Database } from "./Database.ts"
import { unknownSession } from "./Failures.ts"
import type { tableNames } from "./Migrations.ts"
import { assemble, readEvent, readMessage } from "./Replay.ts"
import { type CallRow, turnRow, turnRows } from "./Rows.ts"
import type { StoreError, Turn } from "./SessionStore.ts"

/** A statement has a limited number of parameters, and one large insert would block for long. */
const rowsPerInsert = 200
const rowsPerRead = 200

/** Lets timers and sockets have their turn; `Effect.yieldNow` lets other fibers only. */
const breathe = Effect.async<void>((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

const chunksOf = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))

const SessionFields = Schema.Struct({ id: Schema.Int, agent_alias: Schema.String, workspace_dir: Schema.String })
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
const Id = Schema.Struct({ id: Schema.Int })

/** Another program may have put anything into its rows: what does not fit is left out and counted. */
const readable = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (rows: ReadonlyArray<unknown>): ReadonlyArray<A> => rows.flatMap((row) => Option.toArray(decode(row)))
}
const sessions = readable(SessionFields)
const messages = readable(MessageFields)
const calls = readable(CallFields)
const events = readable(EventFields)
const ids = readable(Id)

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
          const end = turnRow(rows.outcome, { after, last: made.at(-1)?.id ?? after })
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

  /** All rows in pages, so that a long conversation does not block everything else while it is read. */
  const pages = <A extends { readonly id: number }, B, E>(
    read: (after: number) => Effect.Effect<ReadonlyArray<unknown>, E>,
    decode: (rows: ReadonlyArray<unknown>) => ReadonlyArray<A>,
    use: (page: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>
  ) =>
    Effect.gen(function* () {
      const all: Array<B> = []
      let unreadable = 0
      for (let after = 0; ; ) {
        const page = yield* read(after)
        const fitting = decode(page)
        unreadable += page.length - fitting.length
        for (const one of yield* use(fitting)) all.push(one)
        const last = ids(page).at(-1)?.id
        if (page.length < rowsPerRead || last === undefined) return { all, unreadable }
        after = last
        yield* breathe
      }
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
          sql`SELECT * FROM acp_messages WHERE session_id = ${session.id} AND id > ${after} ORDER BY id LIMIT ${rowsPerRead}`,
        messages,
        withCalls
      )
      const seen = yield* pages(
        (after) =>
          sql`SELECT * FROM acp_session_events WHERE session_id = ${session.id} AND id > ${after} ORDER BY id LIMIT ${rowsPerRead}`,
        events,
        (page) => Effect.succeed(page.map(readEvent))
      )
      const row = { id, agentAlias: session.agent_alias, cwd: session.workspace_dir }
      const { conversation, unreadable } = assemble(row, stored.all, seen.all)
      const lost = unreadable + stored.unreadable + seen.unreadable
      if (lost > 0) yield* Effect.logWarning(`session ${id}: ${lost} stored rows could not be read and were left out`)
      return Option.some(conversation)
    })

  return {
    create: ({ agentAlias, cwd, id }) =>
      Effect.flatMap(now, (at) =>
        write(
          sql`INSERT INTO acp_sessions ${sql.insert({
            session_uuid: id,
            agent_alias: agentAlias,
            workspace_dir: cwd,
            created_at: at,
            last_activity: at
          })}`
        )
      ),
    append,
    load: (id) => patiently(patience)(typed(file)(transaction(sql, "BEGIN")(load(id))))
  }
}

export const open = (options: Options): Effect.Effect<Database, StoreError, Scope.Scope> =>
  Effect.map(connect(options), (sql) => make(sql, options))
