// What went wrong with a file, in the store's own words.
import * as fs from "node:fs"
import * as path from "node:path"
import { SqlError } from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Option } from "effect"
import { fromCause, reasonOf, unknownSession, unopened } from "../../src/store/Failures.ts"
import { check, identity, quarantine, readHeader, schemaVersion } from "../../src/store/Preflight.ts"
import { folder } from "./support/Files.ts"

const thrown = (code: string) => Object.assign(new Error("told by SQLite"), { code })

describe("failures", () => {
  it("says what to do about a driver that was built for another Node.js", () => {
    const error = Option.getOrThrow(fromCause("s.db", Cause.die(thrown("ERR_DLOPEN_FAILED"))))
    assert.strictEqual(error.reason, "unavailable")
    assert.include(error.message, "npm rebuild better-sqlite3")
  })

  it("sorts the codes of SQLite and the file system", () => {
    const reasons = {
      SQLITE_BUSY: "busy",
      SQLITE_BUSY_SNAPSHOT: "busy",
      SQLITE_LOCKED: "busy",
      SQLITE_NOTADB: "corrupt",
      SQLITE_CORRUPT_INDEX: "corrupt",
      SQLITE_FULL: "full",
      ENOSPC: "full",
      SQLITE_IOERR_WRITE: "io",
      SQLITE_CONSTRAINT_UNIQUE: "io",
      SQLITE_CANTOPEN: "unavailable",
      SQLITE_READONLY_DBMOVED: "unavailable",
      EACCES: "unavailable"
    }
    for (const [code, reason] of Object.entries(reasons)) assert.strictEqual(reasonOf(code), reason, code)
  })

  it("finds the error below wrappers, failed or thrown, and names the file", () => {
    const wrapped = new SqlError({ cause: thrown("SQLITE_FULL"), message: "Failed to execute statement" })
    for (const cause of [Cause.fail(wrapped), Cause.die({ cause: wrapped })]) {
      const { message, reason } = Option.getOrThrow(fromCause("/x.db", cause))
      assert.strictEqual(reason, "full")
      assert.isTrue(message.startsWith("/x.db: told by SQLite; "))
    }
  })

  it("keeps its own errors, and takes a bug for a bug", () => {
    const own = unknownSession()
    assert.strictEqual(Option.getOrThrow(fromCause("/x.db", Cause.fail(own))), own)
    assert.isTrue(Option.isNone(fromCause("/x.db", Cause.die(new TypeError("x is not a function")))))
  })

  it("is one line", () => {
    const { message } = unopened("/x.db", new Error("Could not locate the bindings file. Tried:\n → /a\n → /b"))
    assert.match(message, /^\/x\.db: Could not locate the bindings file\. Tried:; \S.*$/)
  })
})

describe("preflight", () => {
  it("reads the header's version as the file format says", () => {
    const header = Buffer.alloc(100)
    header.write("SQLite format 3\u0000", "latin1")
    header.writeInt32BE(1, 60)
    assert.isTrue(Option.isNone(readHeader("/x.db", header)))
    header.writeInt32BE(schemaVersion + 1, 60)
    assert.include(Option.getOrThrow(readHeader("/x.db", header)).message, `schema ${schemaVersion + 1}`)
    assert.strictEqual(Option.getOrThrow(readHeader("/x.db", header.subarray(0, 99))).reason, "corrupt")
    assert.isTrue(Option.isNone(readHeader("/x.db", Buffer.alloc(0))))
  })

  it.scoped("changes nothing in a folder that exists", () =>
    Effect.gen(function* () {
      const made = yield* folder
      fs.chmodSync(made, 0o755)
      assert.isTrue(Option.isNone(check(path.join(made, "x.db"))))
      assert.strictEqual(fs.statSync(made).mode & 0o777, 0o755)
      assert.deepStrictEqual(fs.readdirSync(made), [])
    })
  )

  it.scoped("does not rename a file that was put in the place of the damaged one", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "x.db")
      fs.writeFileSync(file, "damaged")
      const seen = identity(file)
      fs.renameSync(file, `${file}.moved`)
      fs.writeFileSync(file, "new")
      assert.isTrue(Option.isNone(quarantine(file, seen, new Date(0))))
      assert.strictEqual(fs.readFileSync(file, "utf8"), "new")
      assert.isTrue(Option.isSome(quarantine(file, identity(file), new Date(0))))
    })
  )
})
