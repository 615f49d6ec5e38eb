// The open database: pragmas, transactions, errors as values. Loaded when a session is first stored or loaded.
import * as fs from "node:fs"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Array as Arr, Cause, Clock, Effect, Option, Schedule, Scope } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import { type Message, repair } from "../model/Message.ts"
import type { Backend } from "./Backend.ts"
import { knownVersion } from "./FileCheck.ts"
import * as Migrations from "./Migrations.ts"
import * as Rows from "./Rows.ts"
import { type Conversation, StoreError, type Turn } from "./SessionStore.ts"

/** A lock held elsewhere blocks our thread for this long at most, in milliseconds; longer waits are ours. */
const busyTimeout = 50

const codeOf = (error: unknown): string => {
  const cause = error instanceof SqlError ? error.cause : error
  return typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : ""
}
const textOf = (error: unknown): string => {
  const cause = error instanceof SqlError ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}

/** @see the sqlite result codes */
const storeError =
  (file: string) =>
  (error: unknown): StoreError => {
    const code = codeOf(error)
    const text = textOf(error)
    if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
      return new StoreError({ reason: "busy", message: `${file} is locked by another program (${text})` })
    }
    if (code === "SQLITE_FULL") {
      return new StoreError({
        reason: "full",
        message: `No space left for ${file}. Free some; the turn is kept until then.`
      })
    }
    if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") {
      return new StoreError({ reason: "corrupt", message: `${file} is not a sound database (${text})` })
    }
    return new StoreError({ reason: "io", message: `${file}: ${text}` })
  }

const whileBusy = Schedule.exponential("10 millis", 1.5).pipe(
  Schedule.either(Schedule.spaced("250 millis")),
  Schedule.jittered,
  Schedule.upTo("8 seconds")
)

const open = Effect.fnUntraced(function* (file: string) {
  // WAL is set by us: the client would wait for a lock before our timeout is in force.
  const sql = yield* SqliteClient.make({ filename: file, disableWAL: true })
  yield* sql.unsafe(`PRAGMA busy_timeout = ${busyTimeout}`)
  const pragmas = Effect.gen(function* () {
    // A file system without shared memory has no WAL: the older journal is slower, not less safe.
    yield* Effect.catchAll(sql.unsafe("PRAGMA journal_mode = WAL"), (error) =>
      codeOf(error).startsWith("SQLITE_BUSY") ? Effect.fail(error) : sql.unsafe("PRAGMA journal_mode = DELETE")
    )
    yield* sql.unsafe("PRAGMA synchronous = FULL")
    yield* sql.unsafe("PRAGMA foreign_keys = ON")
    yield* sql.unsafe("PRAGMA temp_store = MEMORY")
    const [found] = yield* sql<{ user_version: number }>`PRAGMA user_version`
    if ((found?.user_version ?? 0) < knownVersion) {
      yield* Effect.provideService(Migrations.run, SqlClient.SqlClient, sql)
    }
    yield* sql`SELECT count(*) FROM acp_session_events LIMIT 1`
  })
  yield* pragmas
  return sql
})

/** Failures to open come as defects from the driver; here they are values. */
export const make = (file: string): Effect.Effect<Backend, StoreError, Scope.Scope> =>
  Effect.gen(function* () {
    const fail = storeError(file)
    // Before the database makes it: the files beside it take their mode from it.
    yield* Effect.try({
      try: () => {
        fs.closeSync(fs.openSync(file, "a", 0o600))
        fs.chmodSync(file, 0o600)
      },
      catch: fail
    })
    const sql = yield* open(file).pipe(
      Effect.catchAllCause((cause) => fail(Cause.squash(cause))),
      Effect.retry({ schedule: whileBusy, while: ({ reason }) => reason === "busy" }),
      Effect.provide(Reactivity.layer)
    )
    const immediate = immediateTransaction(sql)
    const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis).toISOString())
    const write = <A>(effect: Effect.Effect<A, SqlError | StoreError>): Effect.Effect<A, StoreError> =>
      immediate(effect).pipe(
        Effect.catchAllCause((cause) => {
          const error = Cause.squash(cause)
          return error instanceof StoreError ? error : fail(error)
        }),
        Effect.retry({ schedule: whileBusy, while: ({ reason }) => reason === "busy" })
      )

    const rowId = (id: SessionId) =>
      Effect.map(sql<{ id: number }>`SELECT id FROM acp_sessions WHERE session_uuid = ${id}`, ([row]) =>
        Option.fromNullable(row?.id)
      )

    const insertMessages = (sessionId: number, messages: ReadonlyArray<Message>, at: string) =>
      Effect.forEach(
        Rows.fromMessages(messages),
        ({ calls, content, reasoning_content, role }) =>
          Effect.gen(function* () {
            const [row] = yield* sql<{ id: number }>`
              INSERT INTO acp_messages ${sql.insert({ session_id: sessionId, role, content, reasoning_content, created_at: at })}
              RETURNING id`
            const rows = calls.map((call) => ({ message_id: row?.id ?? 0, ...call, created_at: at }))
            yield* insertMany("acp_tool_calls", rows)
          }),
        { discard: true }
      )

    /** SQLite bounds the variables of one statement. */
    const insertMany = (table: string, rows: ReadonlyArray<Record<string, string | number | null>>) =>
      Effect.forEach(Arr.chunksOf(rows, 500), (chunk) => sql`INSERT INTO ${sql(table)} ${sql.insert(chunk)}`, {
        discard: true
      })

    const insertTurn = (id: SessionId, turns: ReadonlyArray<Turn>) =>
      Effect.gen(function* () {
        const at = yield* now
        const sessionId = yield* Effect.flatMap(
          rowId(id),
          Option.match({
            onNone: () =>
              new StoreError({
                reason: "unknown_session",
                message: `Session ${id} is not in ${file}; create it first.`
              }),
            onSome: (found) => Effect.succeed(found)
          })
        )
        for (const turn of turns) {
          yield* insertMessages(sessionId, turn.messages, at)
          const event = (action: string, outcome: string | null, payload: string | null) => ({
            session_id: sessionId,
            action,
            outcome,
            payload,
            created_at: at
          })
          yield* insertMany("acp_session_events", [
            ...turn.updates.map((update) => event("update", null, Rows.encodeUpdate(update))),
            event("turn", turn.outcome, null)
          ])
        }
        yield* sql`UPDATE acp_sessions SET last_activity = ${at} WHERE id = ${sessionId}`
      })

    const readMessages = (sessionId: number) =>
      Effect.gen(function* () {
        const messages = yield* sql<{ id: number; role: string; content: string; reasoning_content: string | null }>`
          SELECT id, role, content, reasoning_content FROM acp_messages WHERE session_id = ${sessionId} ORDER BY id`
        const calls = yield* sql<Rows.CallRow & { message_id: number }>`
          SELECT c.message_id, c.tool_call_id, c.tool_name, c.event_kind, c.payload, c.outcome
          FROM acp_tool_calls c JOIN acp_messages m ON m.id = c.message_id
          WHERE m.session_id = ${sessionId} ORDER BY c.id`
        const byMessage = Arr.groupBy(calls, ({ message_id }) => String(message_id))
        return Rows.toMessages(messages.map((row) => ({ ...row, calls: byMessage[row.id] ?? [] })))
      })

    const readUpdates = (sessionId: number) =>
      Effect.gen(function* () {
        const rows = yield* sql<{ action: string; payload: string | null }>`
          SELECT action, payload FROM acp_session_events
          WHERE session_id = ${sessionId} AND action IN ('update', 'turn') ORDER BY id`
        const updates = rows.flatMap(({ action, payload }) => (action === "update" ? [Rows.readUpdate(payload)] : []))
        const unread = updates.filter(Option.isNone).length
        if (unread > 0)
          yield* Effect.logWarning(`${unread} stored updates could not be read and are left out of the replay`)
        return { updates: Arr.getSomes(updates), turns: rows.length - updates.length }
      })

    const load = (id: SessionId) =>
      Effect.gen(function* () {
        const [row] = yield* sql<{ id: number; agent_alias: string; workspace_dir: string }>`
          SELECT id, agent_alias, workspace_dir FROM acp_sessions WHERE session_uuid = ${id}`
        if (row === undefined) return Option.none<Conversation>()
        const messages = yield* readMessages(row.id)
        const { turns, updates } = yield* readUpdates(row.id)
        return Option.some<Conversation>({
          row: { id, agentAlias: row.agent_alias, cwd: row.workspace_dir },
          messages: repair(messages, "[the session ended before this tool produced a result]"),
          updates: turns === 0 ? Rows.legacyUpdates(messages) : updates,
          turns
        })
      }).pipe(Effect.mapError(fail), Effect.retry({ schedule: whileBusy, while: ({ reason }) => reason === "busy" }))

    return {
      create: ({ agentAlias, cwd, id }) =>
        write(
          Effect.flatMap(now, (at) =>
            Effect.asVoid(
              sql`INSERT INTO acp_sessions ${sql.insert({ session_uuid: id, agent_alias: agentAlias, workspace_dir: cwd, created_at: at, last_activity: at })}`
            )
          )
        ),
      appendTurns: (id, turns) => write(insertTurn(id, turns)),
      load
    }
  })

const immediateTransaction = (sql: SqlClient.SqlClient) =>
  SqlClient.makeWithTransaction({
    transactionTag: SqlClient.TransactionConnection,
    spanAttributes: [],
    acquireConnection: Effect.flatMap(Scope.make(), (scope) =>
      Effect.map(Scope.extend(sql.reserve, scope), (connection) => [scope, connection] as const)
    ),
    // The client's own transaction begins DEFERRED, and two of those that read before they write fail at once.
    begin: (connection) => connection.executeUnprepared("BEGIN IMMEDIATE", [], undefined),
    savepoint: (connection, depth) => connection.executeUnprepared(`SAVEPOINT zc${depth}`, [], undefined),
    commit: (connection) =>
      Effect.tapError(connection.executeUnprepared("COMMIT", [], undefined), () => rollback(connection)),
    rollback,
    rollbackSavepoint: (connection, depth) =>
      connection.executeUnprepared(`ROLLBACK TO SAVEPOINT zc${depth}`, [], undefined)
  })

/** Nothing to roll back when the BEGIN itself failed. */
const rollback = (connection: Connection): Effect.Effect<void> =>
  Effect.ignore(connection.executeUnprepared("ROLLBACK", [], undefined))
