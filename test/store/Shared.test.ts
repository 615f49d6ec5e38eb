// One database, several processes: locks, full disks, sudden death.
import * as Reactivity from "@effect/experimental/Reactivity"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import type { SessionId } from "../../src/contract/AgentMethods.ts"
import { connect, type Options } from "../../src/store/Connection.ts"
import * as Sqlite from "../../src/store/Sqlite.ts"
import { newFile, type Opened, openStore, statements } from "./support/Files.ts"
import * as Processes from "./support/Processes.ts"
import { row, sessionId, turn } from "./support/Samples.ts"

const integrity = (file: string) => statements(file, "PRAGMA integrity_check", "PRAGMA foreign_key_check")
const sound = [[{ integrity_check: "ok" }], []]

const holds = ({ store }: Opened, id: SessionId) =>
  Effect.map(store.load(id), (found) => {
    const { messages, turns, updates } = Option.getOrThrow(found)
    const numbers = Array.from({ length: turns }, (_, at) => at + 1)
    assert.deepStrictEqual(
      messages,
      numbers.flatMap((n) => turn(n).messages)
    )
    assert.deepStrictEqual(
      updates,
      numbers.flatMap((n) => turn(n).updates)
    )
    return turns
  })

/** Locked until the returned effect runs, or the scope ends. */
const locked = (file: string) =>
  Effect.gen(function* () {
    const sql = yield* Effect.provide(SqliteClient.make({ filename: file, disableWAL: true }), Reactivity.layer)
    yield* sql.unsafe("BEGIN IMMEDIATE")
    return Effect.orDie(sql.unsafe("COMMIT"))
  })

/** Milliseconds that an effect took, and the longest time during which nothing else could run. */
const lagOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const start = performance.now()
      let last = start
      let lag = 0
      const sample = () => {
        const now = performance.now()
        lag = Math.max(lag, now - last)
        last = now
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => setInterval(sample, 10)),
        (timer) => Effect.sync(() => clearInterval(timer))
      )
      yield* effect
      sample()
      return { lag, took: last - start }
    })
  )

describe("locked database", () => {
  it.scopedLive("waits for another process for seconds without blocking this one", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const opened = yield* openStore(file)
      const one = row()
      yield* opened.store.create(one)
      const other = yield* Processes.run(Processes.lockScript, file, "3000")
      yield* Processes.firstLine(other)
      const { lag, took } = yield* lagOf(opened.store.appendTurn(one.id, turn(1)))
      assert.isAbove(took, 1000)
      // Waiting that blocks would show as the whole time that the lock was held.
      assert.isBelow(lag, 500)
      assert.strictEqual(yield* holds(opened, one.id), 1)
      assert.strictEqual(yield* other.end, 0)
    })
  )

  it.scopedLive("reads while another process writes", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const opened = yield* openStore(file, { patience: "200 millis" })
      const one = row()
      yield* opened.store.create(one)
      const release = yield* locked(file)
      assert.strictEqual(yield* holds(opened, one.id), 0)
      yield* release
    })
  )

  it.scopedLive("says busy when it lasts, keeps the turn, and writes it with the next one", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const opened = yield* openStore(file, { patience: "200 millis" })
      const one = row()
      yield* opened.store.create(one)
      const release = yield* locked(file)
      assert.strictEqual((yield* Effect.flip(opened.store.create(row()))).reason, "busy")
      assert.strictEqual((yield* Effect.flip(opened.store.appendTurn(one.id, turn(1)))).reason, "busy")
      assert.strictEqual(yield* holds(opened, one.id), 1)
      yield* release
      yield* opened.store.appendTurn(one.id, turn(2))
      assert.isTrue(yield* opened.store.durable)
      assert.strictEqual(yield* holds(yield* openStore(file), one.id), 2)
    })
  )

  it.scopedLive("opens later when it is locked while it is opened", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      yield* Effect.scoped(Effect.flatMap(openStore(file), ({ store }) => store.create(row())))
      yield* statements(file, "PRAGMA journal_mode = DELETE", "PRAGMA user_version = 0")
      const { store, warnings } = yield* openStore(file, { patience: "100 millis" })
      const release = yield* locked(file)
      assert.strictEqual((yield* Effect.flip(store.create(row()))).reason, "busy")
      yield* release
      yield* store.create(row())
      assert.isTrue(yield* store.durable)
      assert.deepStrictEqual(warnings, [])
    })
  )

  it.scopedLive("writes what waits when it is closed", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const one = row()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { store } = yield* openStore(file, { patience: "100 millis" })
          yield* store.create(one)
          const release = yield* locked(file)
          yield* Effect.flip(store.appendTurn(one.id, turn(1)))
          yield* release
        })
      )
      assert.strictEqual(yield* holds(yield* openStore(file), one.id), 1)
    })
  )

  it.scopedLive("survives a caller that goes away while it opens or writes", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const started = yield* Deferred.make<void>()
      const driver = () =>
        Effect.runPromise(
          Effect.as(Effect.zipRight(Deferred.succeed(started, undefined), Effect.sleep("50 millis")), Sqlite)
        )
      const opened = yield* openStore(file, { driver })
      const [one, other] = [row(), row()]
      const first = yield* Effect.fork(opened.store.create(one))
      yield* Deferred.await(started)
      yield* Fiber.interrupt(first)
      yield* opened.store.create(other)
      const writers = yield* Effect.forEach([1, 2, 3], (n) => Effect.fork(opened.store.appendTurn(other.id, turn(n))))
      yield* Fiber.interruptAll(writers)
      const turns = yield* holds(opened, other.id)
      yield* opened.store.appendTurn(other.id, turn(turns + 1))
      assert.strictEqual(yield* holds(opened, other.id), turns + 1)
    })
  )
})

describe("full disk", () => {
  it.scopedLive("reports it, keeps the turn, and writes it when there is room again", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const connected = yield* Deferred.make<SqlClient.SqlClient>()
      const driver = () =>
        Promise.resolve({
          open: (options: Options) =>
            connect(options).pipe(
              Effect.tap((sql) => Deferred.succeed(connected, sql)),
              Effect.map((sql) => Sqlite.make(sql, options))
            )
        })
      const opened = yield* openStore(file, { driver })
      const one = row()
      yield* opened.store.create(one)
      const sql = yield* Deferred.await(connected)
      yield* sql.unsafe("PRAGMA max_page_count = 1")
      const size = 300_000
      const large = { ...turn(1), messages: [{ _tag: "User" as const, text: "x".repeat(size) }] }
      const error = yield* Effect.flip(opened.store.appendTurn(one.id, large))
      assert.strictEqual(error.reason, "full")
      assert.include(error.message, file)
      assert.strictEqual(Option.getOrThrow(yield* opened.store.load(one.id)).turns, 1)
      assert.deepStrictEqual(yield* statements(file, "SELECT * FROM acp_messages"), [[]])
      yield* sql.unsafe("PRAGMA max_page_count = 100000")
      yield* opened.store.appendTurn(one.id, turn(2))
      assert.deepStrictEqual(yield* statements(file, "SELECT length(content) AS size FROM acp_messages LIMIT 1"), [
        [{ size }]
      ])
      assert.deepStrictEqual(yield* integrity(file), sound)
    })
  )
})

describe("several processes", () => {
  it.scopedLive("make the tables at once and store side by side", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const script = yield* Processes.worker
      const ids = [sessionId(), sessionId(), sessionId(), sessionId()]
      const all = yield* Effect.forEach(ids, (id) => Processes.run(script, file, id, "10"))
      for (const one of all) {
        assert.strictEqual(yield* one.end, 0, one.errors())
        assert.strictEqual(one.errors(), "")
        assert.strictEqual(one.lines.length, 10)
      }
      const opened = yield* openStore(file)
      for (const id of ids) assert.strictEqual(yield* holds(opened, id), 10)
      assert.deepStrictEqual(yield* integrity(file), sound)
    })
  )

  it.scopedLive(
    "lose nothing that was acknowledged, and tear no turn, when they are killed",
    () =>
      Effect.gen(function* () {
        const file = yield* newFile
        const script = yield* Processes.worker
        let acknowledged = 0
        for (let kill = 0; kill < 30; kill++) {
          const id = sessionId()
          yield* Effect.scoped(
            Effect.gen(function* () {
              const one = yield* Processes.run(script, file, id, "100000")
              const limit = 1 + Math.floor(Math.random() * 25)
              one.onLine(() => {
                if (one.lines.length >= limit) one.child.kill("SIGKILL")
              })
              assert.strictEqual(yield* one.end, "SIGKILL", one.errors())
              const opened = yield* openStore(file)
              assert.isAtLeast(yield* holds(opened, id), one.lines.length)
              acknowledged += one.lines.length
            })
          )
        }
        assert.isAtLeast(acknowledged, 30)
        assert.deepStrictEqual(yield* integrity(file), sound)
      }),
    120_000
  )
})
