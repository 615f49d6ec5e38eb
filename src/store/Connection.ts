// A connection to the SQLite file: its settings, its tables, its transactions, its errors.
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Cause, type Duration, Effect, Option, Schedule, Schema, type Scope } from "effect"
import { failure, fromCause, unopened } from "./Failures.ts"
import { holding } from "./Holding.ts"
import { migrate, tableNames } from "./Migrations.ts"
import { makePrivate, newerSchema, schemaVersion } from "./Preflight.ts"
import type { StoreError } from "./SessionStore.ts"

export interface Options {
  readonly file: string
  /** How long a locked database is waited for. */
  readonly patience: Duration.DurationInput
}

/** Waiting inside SQLite blocks every other thing in this process, so it is short and the rest of the wait is ours. */
const busyTimeoutMs = 40

/** What SQLite throws is an error like what it returns; what anything else throws is a bug. */
export const typed =
  (file: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, StoreError, R> =>
    Effect.catchAllCause(effect, (cause) =>
      Option.match(fromCause(file, cause), {
        onSome: Effect.fail,
        onNone: () =>
          Option.match(Cause.keepDefects(cause), { onSome: Effect.failCause, onNone: () => Effect.interrupt })
      })
    )

export const patiently =
  (patience: Duration.DurationInput) =>
  <A, R>(effect: Effect.Effect<A, StoreError, R>): Effect.Effect<A, StoreError, R> =>
    Effect.retry(effect, {
      while: ({ reason }) => reason === "busy",
      schedule: Schedule.exponential("15 millis").pipe(
        Schedule.union(Schedule.spaced("200 millis")),
        Schedule.jittered,
        Schedule.upTo(patience)
      )
    })

/**
 * The library's own transaction begins deferred, and dies when BEGIN, COMMIT or ROLLBACK fail, as they do on a locked
 * or full disk. A failed COMMIT is rolled back; a ROLLBACK that finds nothing to roll back is no news.
 */
export const transaction =
  (sql: SqlClient.SqlClient, begin: "BEGIN IMMEDIATE" | "BEGIN") =>
  <A, E, R>(
    body: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | SqlError, Exclude<R, SqlClient.TransactionConnection>> =>
    Effect.scoped(
      Effect.flatMap(sql.reserve, (connection) => {
        const run = (text: string) => Effect.suspend(() => connection.executeUnprepared(text, [], undefined))
        return Effect.uninterruptibleMask((restore) =>
          run(begin).pipe(
            Effect.zipRight(
              restore(Effect.provideService(body, SqlClient.TransactionConnection, [connection, 0] as const))
            ),
            Effect.zipLeft(run("COMMIT")),
            Effect.onError(() => Effect.ignore(Effect.sandbox(run("ROLLBACK"))))
          )
        )
      })
    )

const Value = Schema.Union(Schema.String, Schema.Number)
const decodePragma = Schema.decodeUnknownOption(Schema.Record({ key: Schema.String, value: Value }))

/** First value that a pragma answers with. Never with text that came from outside. */
const pragma = (sql: SqlClient.SqlClient, text: string) =>
  Effect.map(sql.unsafe(`PRAGMA ${text}`), ([row]) =>
    Object.values(Option.getOrElse(decodePragma(row), () => ({}))).at(0)
  )

const versionOf = (sql: SqlClient.SqlClient) => Effect.map(pragma(sql, "user_version"), Number)

const hasTables = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql`SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ${sql.in(tableNames)}`,
    (found) => found.length === tableNames.length
  )

type Journal = "WAL" | "DELETE"

const prepare = (sql: SqlClient.SqlClient, file: string, journal: Journal) =>
  Effect.gen(function* () {
    yield* pragma(sql, `busy_timeout = ${busyTimeoutMs}`)
    // With an exclusive lock SQLite can leave a log without the shared memory that the log needs.
    if (journal === "DELETE") yield* pragma(sql, "locking_mode = EXCLUSIVE")
    const found = yield* versionOf(sql)
    // Before anything is written: also a version that is in the log only is respected.
    if (found > schemaVersion) return yield* newerSchema(file, found)
    yield* pragma(sql, `journal_mode = ${journal}`)
    if (journal === "DELETE") yield* pragma(sql, "locking_mode = NORMAL")
    yield* pragma(sql, "synchronous = FULL")
    yield* pragma(sql, "foreign_keys = ON")
    yield* pragma(sql, "temp_store = MEMORY")
    if (found === schemaVersion && (yield* hasTables(sql))) return
    const update = Effect.zipRight(
      Effect.provideService(migrate, SqlClient.SqlClient, sql),
      pragma(sql, `user_version = ${schemaVersion}`)
    )
    yield* transaction(sql, "BEGIN IMMEDIATE")(update)
    if ((yield* versionOf(sql)) !== schemaVersion || !(yield* hasTables(sql))) {
      return yield* failure(file, "io", "its tables could not be made", "check that the disk can be written")
    }
  })

const attempt = ({ file, patience }: Options, journal: Journal) =>
  Effect.gen(function* () {
    yield* Effect.sync(() => makePrivate(file))
    const sql = yield* SqliteClient.make({
      filename: file,
      disableWAL: true,
      // A statement that could not be prepared is cached like one that could: it must be forgotten before the next try.
      prepareCacheTTL: "5 millis"
    })
    yield* patiently(patience)(typed(file)(prepare(sql, file, journal)))
    yield* Effect.sync(() => makePrivate(file))
    return sql
  }).pipe(
    typed(file),
    // A file that cannot be opened, or a native part that cannot be loaded, is thrown as all kinds of errors.
    Effect.catchAllDefect((defect) => Effect.fail(unopened(file, defect))),
    holding
  )

/**
 * A connection with its settings and tables; closed with the scope. Network file systems may lack the shared memory that
 * a write-ahead log needs, which shows at the first read only: then a new connection does without the log.
 */
export const connect = (options: Options): Effect.Effect<SqlClient.SqlClient, StoreError, Scope.Scope> =>
  attempt(options, "WAL").pipe(
    Effect.catchIf(
      ({ reason }) => reason === "io" || reason === "unavailable",
      (first) => Effect.mapError(attempt(options, "DELETE"), () => first)
    ),
    Effect.provide(Reactivity.layer)
  )
