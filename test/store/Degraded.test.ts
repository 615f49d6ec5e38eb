// When the database cannot be used: memory, one warning, nothing lost and nothing touched.
import * as fs from "node:fs"
import * as path from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { folder, newFile, type Opened, openStore, statements } from "./support/Files.ts"
import { row, sessionId, turn } from "./support/Samples.ts"

/** It works like a store of this process, and has said so once. */
const worksInMemory = ({ store, warnings }: Opened) =>
  Effect.gen(function* () {
    const one = row()
    yield* store.create(one)
    yield* store.appendTurn(one.id, turn(1))
    assert.deepStrictEqual(Option.getOrThrow(yield* store.load(one.id)).messages, turn(1).messages)
    assert.isTrue(Option.isNone(yield* store.load(sessionId())))
    assert.isFalse(yield* store.durable)
    assert.strictEqual(warnings.length, 1)
    assert.notInclude(warnings[0], "\n")
    return warnings[0] ?? ""
  })

const inFolder = (name: string) => Effect.map(folder, (made) => path.join(made, name))

/** The names beside the file, without the file itself. */
const kept = (file: string) => fs.readdirSync(path.dirname(file)).filter((name) => name.includes(".corrupt-"))

const random = (length: number) => Buffer.from(Array.from({ length }, (_, at) => (at * 197 + 91) % 251))

describe("store without a usable database", () => {
  it.scopedLive("works below a regular file", () =>
    Effect.gen(function* () {
      const blocker = yield* inFolder("file")
      fs.writeFileSync(blocker, "mine")
      const opened = yield* openStore(path.join(blocker, "sessions", "x.db"))
      assert.isFalse(yield* opened.store.durable)
      yield* worksInMemory(opened)
      assert.strictEqual(fs.readFileSync(blocker, "utf8"), "mine")
    })
  )

  it.scopedLive("works when the path is a folder", () =>
    Effect.gen(function* () {
      const file = yield* inFolder("x.db")
      fs.mkdirSync(file)
      const opened = yield* openStore(file)
      assert.isFalse(yield* opened.store.durable)
      assert.include(yield* worksInMemory(opened), file)
      assert.deepStrictEqual(fs.readdirSync(file), [])
    })
  )

  it.scopedLive("works in a folder that cannot be written", () =>
    Effect.gen(function* () {
      // Root may write anywhere but in the kernel's own tree.
      const place = process.getuid?.() === 0 ? "/proc/self/fdinfo" : yield* folder
      if (place !== "/proc/self/fdinfo") fs.chmodSync(place, 0o500)
      const opened = yield* openStore(path.join(place, "x.db"))
      yield* worksInMemory(opened)
      assert.isFalse(fs.existsSync(path.join(place, "x.db")))
    })
  )

  it.scopedLive("works without the native part", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const opened = yield* openStore(file, { driver: () => Promise.reject(new Error("Cannot find module")) })
      assert.include(yield* worksInMemory(opened), "Cannot find module")
      assert.isFalse(fs.existsSync(file))
    })
  )

  for (const [name, bytes] of [
    ["random bytes", random(1024 * 1024)],
    ["a few bytes", random(17)],
    ["a damaged header", Buffer.concat([Buffer.from("SQLite format 3\u0000"), random(4096 - 16)])]
  ] as const) {
    it.scopedLive(`keeps a damaged file under another name and puts no new one in its place (${name})`, () =>
      Effect.gen(function* () {
        const file = yield* inFolder("x.db")
        // Not a newer schema: the version is part of the damage.
        fs.writeFileSync(file, bytes)
        if (bytes.length > 64) {
          const handle = fs.openSync(file, "r+")
          fs.writeSync(handle, Buffer.from([0, 0, 0, 1]), 0, 4, 60)
          fs.closeSync(handle)
        }
        const before = fs.readFileSync(file)
        const opened = yield* openStore(file)
        const warning = yield* worksInMemory(opened)
        const [name, ...others] = kept(file)
        assert.deepStrictEqual(others, [])
        assert.include(warning, name ?? "?")
        assert.isTrue(before.equals(fs.readFileSync(path.join(path.dirname(file), name ?? "?"))))
        assert.isFalse(fs.existsSync(file))
      })
    )
  }

  it.scopedLive("starts anew in the next process after damage", () =>
    Effect.gen(function* () {
      const file = yield* inFolder("x.db")
      fs.writeFileSync(file, random(5000))
      fs.writeFileSync(`${file}-wal`, "log")
      yield* Effect.scoped(Effect.flatMap(openStore(file), worksInMemory))
      assert.strictEqual(kept(file).length, 2)
      const { store, warnings } = yield* openStore(file)
      yield* store.create(row())
      assert.isTrue(yield* store.durable)
      assert.deepStrictEqual(warnings, [])
    })
  )

  it.scopedLive("uses an empty file", () =>
    Effect.gen(function* () {
      const file = yield* inFolder("x.db")
      fs.writeFileSync(file, "")
      const { store, warnings } = yield* openStore(file)
      assert.isTrue(yield* store.durable)
      const one = row()
      yield* store.create(one)
      assert.isTrue(Option.isSome(yield* store.load(one.id)))
      assert.isTrue(yield* store.durable)
      assert.deepStrictEqual(warnings, [])
    })
  )

  it.scopedLive("leaves a database of a newer release alone to the byte", () =>
    Effect.gen(function* () {
      const file = yield* inFolder("x.db")
      yield* statements(file, "CREATE TABLE future (x)", "PRAGMA user_version = 999")
      const before = fs.readFileSync(file)
      const opened = yield* openStore(file)
      assert.isFalse(yield* opened.store.durable)
      assert.include(yield* worksInMemory(opened), "newer release")
      assert.isTrue(before.equals(fs.readFileSync(file)))
      assert.deepStrictEqual(fs.readdirSync(path.dirname(file)), ["x.db"])
    })
  )

  it.scopedLive("respects a newer version that is in the log only", () =>
    Effect.gen(function* () {
      const [source, file] = yield* Effect.all([inFolder("x.db"), inFolder("x.db")])
      const sql = yield* Effect.provide(SqliteClient.make({ filename: source }), Reactivity.layer)
      for (const text of ["user_version = 1", "wal_checkpoint(TRUNCATE)", "user_version = 999"]) {
        yield* sql.unsafe(`PRAGMA ${text}`)
      }
      for (const end of ["", "-wal"]) fs.copyFileSync(source + end, file + end)
      assert.strictEqual(fs.readFileSync(file).readInt32BE(60), 1)
      yield* Effect.scoped(Effect.flatMap(openStore(file), worksInMemory))
      assert.deepStrictEqual(yield* statements(file, "PRAGMA user_version", "SELECT name FROM sqlite_master"), [
        [{ user_version: 999 }],
        []
      ])
    })
  )

  it.scopedLive(
    "opens new sessions in memory when the database turns out to be damaged inside, and leaves it in place",
    () =>
      Effect.gen(function* () {
        const file = yield* inFolder("x.db")
        const one = row()
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { store } = yield* openStore(file)
            yield* store.create(one)
            yield* Effect.forEach([1, 2, 3], (n) => store.appendTurn(one.id, turn(n)))
          })
        )
        const pageSize = fs.readFileSync(file).readUInt16BE(16)
        const bytes = fs.readFileSync(file)
        random(bytes.length - pageSize).copy(bytes, pageSize)
        fs.writeFileSync(file, bytes)
        const opened = yield* openStore(file)
        assert.strictEqual((yield* Effect.flip(opened.store.load(one.id))).reason, "corrupt")
        const other = row()
        yield* opened.store.create(other)
        yield* opened.store.appendTurn(other.id, turn(1))
        assert.strictEqual(Option.getOrThrow(yield* opened.store.load(other.id)).turns, 1)
        assert.strictEqual((yield* Effect.flip(opened.store.appendTurn(one.id, turn(4)))).reason, "corrupt")
        assert.isFalse(yield* opened.store.durable)
        yield* opened.store.create(row())
        assert.strictEqual(opened.warnings.length, 1)
        assert.isTrue(bytes.equals(fs.readFileSync(file)))
      })
  )
})
