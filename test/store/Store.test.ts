// What every store does, on a file and in memory.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SessionId } from "../../src/contract/AgentMethods.ts"
import { connect } from "../../src/store/Connection.ts"
import * as Sqlite from "../../src/store/Sqlite.ts"
import { folder, modeOf, newFile, openStore, statements } from "./support/Files.ts"
import { anyMessages, awkward, history, row, said, sessionId, turn } from "./support/Samples.ts"
import { kinds } from "./support/Stores.ts"

for (const [name, open, durable] of kinds) {
  describe(`store (${name})`, () => {
    it.scopedLive("gives back turns in the order in which they were appended", () =>
      Effect.gen(function* () {
        const { store, warnings } = yield* open
        const [a, b] = [row(), row()]
        yield* Effect.forEach([a, b], store.create)
        yield* Effect.forEach([1, 2, 3], (n) =>
          Effect.zipRight(store.appendTurn(a.id, turn(n)), store.appendTurn(b.id, turn(n + 10)))
        )
        const found = Option.getOrThrow(yield* store.load(a.id))
        assert.deepStrictEqual(found, {
          row: a,
          messages: [1, 2, 3].flatMap((n) => turn(n).messages),
          updates: [1, 2, 3].flatMap((n) => turn(n).updates),
          turns: 3
        })
        assert.strictEqual(yield* store.durable, durable)
        assert.deepStrictEqual(warnings, [])
      })
    )

    it.scopedLive("knows a session by its exact id only", () =>
      Effect.gen(function* () {
        const { store } = yield* open
        const id = SessionId.make("5f0Ab")
        yield* store.create(row(id))
        for (const other of [
          "%",
          "_____",
          "5f0",
          "5f0ab",
          "5F0AB",
          "../x",
          "5f0Ab ",
          "5f0Ab\u0000",
          "",
          "*",
          "5f0Ab%"
        ]) {
          assert.isTrue(Option.isNone(yield* store.load(SessionId.make(other))), other)
          const error = yield* Effect.flip(store.appendTurn(SessionId.make(other), turn(1)))
          assert.strictEqual(error.reason, "unknown_session")
        }
        assert.strictEqual(Option.getOrThrow(yield* store.load(id)).turns, 0)
      })
    )

    it.scopedLive("creates no session twice", () =>
      Effect.gen(function* () {
        const { store } = yield* open
        const one = row()
        yield* store.create(one)
        yield* store.appendTurn(one.id, turn(1))
        assert.strictEqual((yield* Effect.flip(store.create(one))).reason, "io")
        assert.strictEqual(Option.getOrThrow(yield* store.load(one.id)).turns, 1)
      })
    )

    it.scopedLive("keeps awkward text whole and a turn without anything countable", () =>
      Effect.gen(function* () {
        const { store } = yield* open
        const one = row()
        yield* store.create(one)
        const messages = awkward.map((text) => ({ _tag: "User" as const, text }))
        const updates = awkward.map(said)
        yield* store.appendTurn(one.id, { messages, updates, outcome: "end_turn" })
        yield* store.appendTurn(one.id, { messages: [], updates: [], outcome: "failed" })
        const found = Option.getOrThrow(yield* store.load(one.id))
        assert.deepStrictEqual(found, { row: one, messages, updates, turns: 2 })
      })
    )

    it.scopedLive("keeps a turn of thousands of rows", () =>
      Effect.gen(function* () {
        const { store } = yield* open
        const one = row()
        yield* store.create(one)
        const many = Array.from({ length: 1001 }, (_, n) => turn(n))
        const large = {
          messages: many.flatMap(({ messages }) => messages),
          updates: many.flatMap(({ updates }) => updates),
          outcome: "end_turn" as const
        }
        yield* store.appendTurn(one.id, large)
        const found = Option.getOrThrow(yield* store.load(one.id))
        assert.deepStrictEqual(found, { row: one, messages: large.messages, updates: large.updates, turns: 1 })
      })
    )
  })
}

describe("sqlite store", () => {
  it.scopedLive("opens nothing and makes nothing until it is used", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      let loads = 0
      const driver = () => {
        loads++
        return Promise.resolve(Sqlite)
      }
      const { store } = yield* openStore(file, { driver })
      assert.isFalse(fs.existsSync(path.dirname(file)))
      assert.isTrue(yield* store.durable)
      assert.isFalse(fs.existsSync(file))
      assert.strictEqual(loads, 0)
      yield* Effect.all([store.create(row()), store.create(row()), store.load(sessionId())], {
        concurrency: "unbounded"
      })
      assert.strictEqual(loads, 1)
    })
  )

  it.scopedLive("keeps sessions for the next process", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const one = row()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { store } = yield* openStore(file)
          yield* store.create(one)
          yield* store.appendTurn(one.id, turn(1))
        })
      )
      assert.isFalse(fs.existsSync(`${file}-wal`))
      const { store } = yield* openStore(file)
      assert.deepStrictEqual(Option.getOrThrow(yield* store.load(one.id)), {
        row: one,
        messages: turn(1).messages,
        updates: turn(1).updates,
        turns: 1
      })
    })
  )

  it.effect.prop(
    "gives back any history of the agent loop, and settles for all others",
    [history, anyMessages],
    ([good, any]) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { store } = yield* openStore(yield* newFile)
          const [a, b, c] = [row(), row(), row()]
          yield* Effect.forEach([a, b, c], store.create)
          const append = (id: SessionId, messages: typeof any) =>
            store.appendTurn(id, { messages, updates: [], outcome: "end_turn" })
          const back = (id: SessionId) => Effect.map(store.load(id), (found) => Option.getOrThrow(found).messages)
          yield* append(a.id, good)
          assert.deepStrictEqual(yield* back(a.id), good)
          yield* append(b.id, any)
          const once = yield* back(b.id)
          yield* append(c.id, once)
          assert.deepStrictEqual(yield* back(c.id), once)
        })
      ),
    { fastCheck: { numRuns: 30 } }
  )

  it.scopedLive("writes through to the disk, in short waits, with foreign keys", () =>
    Effect.gen(function* () {
      const sql = yield* connect({ file: path.join(yield* folder, "x.db"), patience: 0 })
      const values = yield* Effect.forEach(
        ["journal_mode", "synchronous", "foreign_keys", "temp_store", "busy_timeout", "user_version"],
        (name) => Effect.map(sql.unsafe(`PRAGMA ${name}`), ([row]) => Object.values(row ?? {})[0])
      )
      assert.deepStrictEqual(values.slice(0, 4), ["wal", 2, 1, 2])
      assert.isAtMost(Number(values[4]), 100)
      assert.strictEqual(values[5], 2)
    })
  )

  it.scopedLive("keeps its files to the user whatever the umask", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const before = yield* Effect.acquireRelease(
        Effect.sync(() => process.umask(0o000)),
        (mask) => Effect.sync(() => process.umask(mask))
      )
      assert.isAtLeast(before, 0)
      const { store } = yield* openStore(file)
      yield* store.create(row())
      assert.deepStrictEqual([file, `${file}-wal`, `${file}-shm`].map(modeOf), ["600", "600", "600"])
      assert.strictEqual(modeOf(path.dirname(file)), "700")
    })
  )

  it.scopedLive("narrows the mode of a file that others could read", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "x.db")
      fs.writeFileSync(file, "")
      fs.chmodSync(file, 0o666)
      const { store } = yield* openStore(file)
      yield* store.create(row())
      assert.strictEqual(modeOf(file), "600")
    })
  )

  it.scopedLive.each([(file: string) => fs.symlinkSync("/does/not/exist", file), (file: string) => fs.mkdirSync(file)])(
    "does without shared memory where there is none",
    (spoil) =>
      Effect.gen(function* () {
        const file = path.join(yield* folder, "x.db")
        spoil(`${file}-shm`)
        const one = row()
        const { store, warnings } = yield* openStore(file)
        yield* store.create(one)
        yield* store.appendTurn(one.id, turn(1))
        assert.strictEqual(Option.getOrThrow(yield* store.load(one.id)).turns, 1)
        assert.deepStrictEqual(warnings, [])
        assert.isTrue(yield* store.durable)
        assert.deepStrictEqual(yield* statements(file, "PRAGMA journal_mode"), [[{ journal_mode: "delete" }]])
      })
  )

  it.scopedLive("does not load a session that was killed", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const { store } = yield* openStore(file)
      const one = row()
      yield* store.create(one)
      yield* statements(file, "UPDATE acp_sessions SET killed_at = '2026-12-01T00:00:00Z'")
      assert.isTrue(Option.isNone(yield* store.load(one.id)))
    })
  )

  it.scopedLive("writes the documented rows, with times in RFC 3339 UTC", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const { store } = yield* openStore(file)
      const one = row()
      yield* store.create(one)
      yield* store.appendTurn(one.id, turn(1))
      const [found, kinds, times, indices] = yield* statements(
        file,
        "SELECT session_uuid, agent_alias, workspace_dir, token_count, killed_at, plan_json FROM acp_sessions",
        `SELECT role, event_kind, tool_name, payload, outcome FROM acp_messages m
         JOIN acp_tool_calls c ON c.message_id = m.id ORDER BY c.id`,
        `SELECT created_at AS at FROM acp_sessions UNION SELECT last_activity FROM acp_sessions
         UNION SELECT created_at FROM acp_messages UNION SELECT created_at FROM acp_session_events`,
        "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
      )
      assert.deepStrictEqual(found, [
        {
          session_uuid: one.id,
          agent_alias: "default",
          workspace_dir: "/work space/é",
          token_count: 0,
          killed_at: null,
          plan_json: null
        }
      ])
      assert.deepStrictEqual(
        kinds?.map((row) => Object.values(row)),
        [
          ["assistant", "in", "file_read", '{"path":"x"}', null],
          ["assistant", "in", "shell", "{}", null],
          ["assistant", "out", "file_read", "content\u0000of 1", "ok"],
          ["assistant", "out", "shell", "no 1", "error"]
        ]
      )
      for (const one of times ?? [])
        assert.match(String(Object.values(one)[0]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.strictEqual(indices?.length, 7)
    })
  )

  it.scopedLive(
    "opens a database of the documented product that lacks later columns, and goes on with its sessions",
    () =>
      Effect.gen(function* () {
        const file = path.join(yield* folder, "x.db")
        yield* statements(
          file,
          "PRAGMA journal_mode = WAL",
          `CREATE TABLE acp_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, session_uuid TEXT NOT NULL UNIQUE,
          agent_alias TEXT NOT NULL, workspace_dir TEXT NOT NULL, token_count INTEGER NOT NULL DEFAULT 0,
          created_at TEXT NOT NULL, last_activity TEXT NOT NULL)`,
          `CREATE TABLE acp_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id INTEGER NOT NULL REFERENCES
          acp_sessions(id) ON DELETE CASCADE, role TEXT NOT NULL, content TEXT NOT NULL, reasoning_content TEXT,
          created_at TEXT NOT NULL)`,
          `CREATE TABLE acp_tool_calls (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id INTEGER NOT NULL REFERENCES
          acp_messages(id) ON DELETE CASCADE, tool_call_id TEXT NOT NULL, tool_name TEXT NOT NULL,
          event_kind TEXT NOT NULL, payload TEXT NOT NULL, outcome TEXT, created_at TEXT NOT NULL)`,
          "INSERT INTO acp_sessions VALUES (7, 'old', 'main', '/w', 0, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')",
          `INSERT INTO acp_messages VALUES (3, 7, 'system', 'hidden', NULL, 'x'), (4, 7, 'user', 'hello', NULL, 'x'),
          (5, 7, 'assistant', 'look', 'hm', 'x'), (6, 7, 'assistant', 'bye', NULL, 'x')`,
          `INSERT INTO acp_tool_calls VALUES (1, 5, 'c', 'shell', 'in', '{}', NULL, 'x'),
          (2, 5, 'c', 'shell', 'out', 'done', 'unknown', 'x')`
        )
        const { store, warnings } = yield* openStore(file)
        const id = SessionId.make("old")
        yield* store.appendTurn(id, turn(1))
        const found = Option.getOrThrow(yield* store.load(id))
        assert.deepStrictEqual(warnings, [])
        assert.deepStrictEqual(found.row, { id, agentAlias: "main", cwd: "/w" })
        assert.deepStrictEqual(found.messages.slice(0, 3), [
          { _tag: "User", text: "hello" },
          {
            _tag: "Assistant",
            parts: [
              { _tag: "Thought", text: "hm" },
              { _tag: "Text", text: "look" },
              { _tag: "ToolCall", id: "c", name: "shell", input: "{}" }
            ]
          },
          { _tag: "ToolResults", results: [{ id: "c", name: "shell", text: "done", isError: false }] }
        ])
        assert.deepStrictEqual(
          found.updates.map(({ sessionUpdate }) => sessionUpdate),
          [
            "user_message_chunk",
            "agent_thought_chunk",
            "agent_message_chunk",
            "tool_call",
            "agent_message_chunk",
            ...turn(1).updates.map(({ sessionUpdate }) => sessionUpdate)
          ]
        )
      })
  )

  it.scopedLive("loads what can be read when another program has spoilt rows", () =>
    Effect.gen(function* () {
      const file = yield* newFile
      const { store } = yield* openStore(file)
      const one = row()
      yield* store.create(one)
      yield* Effect.forEach([1, 2], (n) => store.appendTurn(one.id, turn(n)))
      yield* statements(
        file,
        "UPDATE acp_session_events SET payload = x'00ff' WHERE id = 1",
        "UPDATE acp_session_events SET payload = '{' WHERE id = 4",
        "UPDATE acp_messages SET content = x'00ff' WHERE id = 1",
        "UPDATE acp_tool_calls SET event_kind = 'sideways' WHERE event_kind = 'out'"
      )
      const found = Option.getOrThrow(yield* store.load(one.id))
      assert.deepStrictEqual(found.updates, [...turn(1).updates.slice(1, 3), ...turn(2).updates])
      assert.strictEqual(found.messages.length, turn(1).messages.length + turn(2).messages.length - 1)
    })
  )
})
