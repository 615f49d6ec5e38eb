// Titles, settings and folders of sessions; lists, copies, ends and compactions: on a file and in memory.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, TestClock } from "effect"
import type { SessionId } from "../../src/contract/AgentMethods.ts"
import { text } from "../../src/contract/Content.ts"
import type { SessionUpdate } from "../../src/contract/Update.ts"
import type { SessionRow } from "../../src/store/SessionStore.ts"
import type { Opened } from "./support/Files.ts"
import { asked, awkward, row, said, sessionId, turn } from "./support/Samples.ts"
import { kinds } from "./support/Stores.ts"

const full = (): SessionRow => ({
  ...row(),
  additionalDirectories: ["/a b/é", "/'; --"],
  title: { text: "A title", by: "agent" },
  settings: { mode: "ask", model: "m/1", thoughtLevel: "high" }
})

const found = ({ store }: Opened, id: SessionId) => Effect.map(store.load(id), Option.getOrThrow)
const listed = ({ store }: Opened, cwd?: string) => Effect.map(store.list(cwd), (rows) => rows.map(({ id }) => id))
const messagesOf = (...numbers: ReadonlyArray<number>) => numbers.flatMap((n) => turn(n).messages)
const updatesOf = (...numbers: ReadonlyArray<number>) => numbers.flatMap((n) => turn(n).updates)

for (const [name, open] of kinds) {
  describe(`sessions (${name})`, () => {
    it.scoped("keep what they were created with", () =>
      Effect.gen(function* () {
        const opened = yield* open
        const rows = [
          full(),
          row(),
          { ...row(), settings: {}, additionalDirectories: [] },
          ...awkward.map(
            (value): SessionRow => ({
              ...row(),
              title: { text: value, by: "person" },
              settings: { model: value },
              additionalDirectories: [value]
            })
          )
        ]
        for (const one of rows) {
          yield* opened.store.create(one)
          assert.deepStrictEqual((yield* found(opened, one.id)).row, one)
        }
        assert.deepStrictEqual(
          (yield* opened.store.list()).map(({ updatedAt: _, ...one }) => one),
          rows.toReversed()
        )
      })
    )

    it.scoped("store text that is no well-formed Unicode as text that is", () =>
      Effect.gen(function* () {
        const opened = yield* open
        const one: SessionRow = { ...row(), title: { text: "a\ud800b", by: "person" }, settings: { model: "\udc00" } }
        yield* opened.store.create(one)
        const { settings, title } = (yield* found(opened, one.id)).row
        assert.deepStrictEqual(title, { text: "a\ufffdb", by: "person" })
        assert.deepStrictEqual(settings, { model: "\ufffd" })
      })
    )

    it.scoped("change in what is given, as a whole each, and in nothing else", () =>
      Effect.gen(function* () {
        const opened = yield* open
        const [one, other] = [full(), full()]
        yield* Effect.forEach([one, other], opened.store.create)
        yield* opened.store.appendTurn(one.id, turn(1))
        const before = yield* opened.store.list()
        yield* TestClock.adjust("1 hour")
        yield* opened.store.change(one.id, { settings: { model: "other" } })
        assert.deepStrictEqual((yield* found(opened, one.id)).row, { ...one, settings: { model: "other" } })
        yield* opened.store.change(one.id, { title: { text: "Mine", by: "person" }, additionalDirectories: [] })
        yield* opened.store.change(one.id, {})
        assert.deepStrictEqual(yield* found(opened, one.id), {
          row: {
            ...one,
            settings: { model: "other" },
            title: { text: "Mine", by: "person" },
            additionalDirectories: []
          },
          messages: messagesOf(1),
          updates: updatesOf(1),
          turns: 1
        })
        assert.deepStrictEqual((yield* found(opened, other.id)).row, other)
        assert.deepStrictEqual(
          (yield* opened.store.list()).map(({ id, updatedAt }) => [id, updatedAt]),
          before.map(({ id, updatedAt }) => [id, updatedAt])
        )
      })
    )

    it.scoped("that do not exist cannot be changed", () =>
      Effect.gen(function* () {
        const { store } = yield* open
        yield* store.create(row())
        for (const change of [{}, { title: { text: "x", by: "agent" as const } }]) {
          assert.strictEqual((yield* Effect.flip(store.change(sessionId(), change))).reason, "unknown_session")
        }
      })
    )

    it.scoped("are listed with the latest activity first, with or without a turn", () =>
      Effect.gen(function* () {
        const opened = yield* open
        assert.deepStrictEqual(yield* opened.store.list(), [])
        const rows = [full(), { ...full(), cwd: "/else" }, full()]
        for (const one of rows) {
          yield* opened.store.create(one)
          yield* TestClock.adjust("1 minute")
        }
        const [a, b, c] = rows.map(({ id }) => id)
        assert.deepStrictEqual(yield* listed(opened), [c, b, a])
        if (a !== undefined) yield* opened.store.appendTurn(a, turn(1))
        assert.deepStrictEqual(yield* listed(opened), [a, c, b])
        assert.deepStrictEqual(yield* listed(opened, "/else"), [b])
        for (const cwd of ["/els", "/else/", "/ELSE", "%", ""]) assert.deepStrictEqual(yield* listed(opened, cwd), [])
        const times = (yield* opened.store.list()).map(({ updatedAt }) => updatedAt)
        assert.deepStrictEqual(times, [
          "1970-01-01T00:03:00.000Z",
          "1970-01-01T00:02:00.000Z",
          "1970-01-01T00:01:00.000Z"
        ])
      })
    )

    it.scoped("of one moment are listed in the same order each time, the youngest first", () =>
      Effect.gen(function* () {
        const opened = yield* open
        const rows = Array.from({ length: 130 }, () => row())
        yield* Effect.forEach(rows, opened.store.create)
        const expected = rows.map(({ id }) => id).toReversed()
        assert.deepStrictEqual(yield* listed(opened), expected)
        assert.deepStrictEqual(yield* listed(opened), expected)
        assert.deepStrictEqual(yield* listed(opened, row().cwd), expected)
      })
    )

    it.scoped("are gone for good when they are removed, and others are not", () =>
      Effect.gen(function* () {
        const opened = yield* open
        const { store } = opened
        const [one, other] = [full(), full()]
        yield* Effect.forEach([one, other], store.create)
        yield* Effect.forEach([one, other], ({ id }) => store.appendTurn(id, turn(1)))
        yield* store.remove(one.id)
        yield* store.remove(one.id)
        yield* store.remove(sessionId())
        assert.isTrue(Option.isNone(yield* store.load(one.id)))
        assert.strictEqual((yield* Effect.flip(store.appendTurn(one.id, turn(2)))).reason, "unknown_session")
        assert.strictEqual((yield* Effect.flip(store.change(one.id, {}))).reason, "unknown_session")
        assert.isFalse(yield* store.fork(one.id, row()))
        assert.isTrue(Option.isNone(yield* store.load(one.id)))
        assert.deepStrictEqual(yield* listed(opened), [other.id])
        assert.strictEqual((yield* found(opened, other.id)).turns, 1)
      })
    )

    it.scoped("can be created again after they were removed, empty", () =>
      Effect.gen(function* () {
        const opened = yield* open
        const one = full()
        yield* opened.store.create(one)
        yield* opened.store.appendTurn(one.id, turn(1))
        yield* opened.store.remove(one.id)
        yield* opened.store.create(row(one.id))
        assert.deepStrictEqual(yield* found(opened, one.id), {
          row: row(one.id),
          messages: [],
          updates: [],
          turns: 0
        })
        yield* opened.store.appendTurn(one.id, turn(2))
        assert.strictEqual((yield* found(opened, one.id)).turns, 1)
      })
    )

    it.scoped("are copied with their conversation, under the new row, and go their own ways", () =>
      Effect.gen(function* () {
        const opened = yield* open
        const { store } = opened
        const [from, between] = [full(), row()]
        yield* Effect.forEach([from, between], store.create)
        // Turns of another session in between: ids of rows have gaps.
        for (const n of [1, 2, 3]) {
          yield* store.appendTurn(from.id, turn(n))
          yield* store.appendTurn(between.id, turn(n + 10))
        }
        yield* TestClock.adjust("1 minute")
        const to: SessionRow = { ...row(), cwd: "/copy", title: { text: "Copy", by: "agent" } }
        assert.isTrue(yield* store.fork(from.id, to))
        const conversation = { messages: messagesOf(1, 2, 3), updates: updatesOf(1, 2, 3), turns: 3 }
        assert.deepStrictEqual(yield* found(opened, to.id), { row: to, ...conversation })
        assert.deepStrictEqual(yield* found(opened, from.id), { row: from, ...conversation })
        assert.strictEqual((yield* store.list())[0]?.id, to.id)
        yield* store.appendTurn(to.id, turn(4))
        yield* store.appendTurn(from.id, turn(5))
        assert.deepStrictEqual((yield* found(opened, to.id)).messages, messagesOf(1, 2, 3, 4))
        assert.deepStrictEqual((yield* found(opened, to.id)).updates, updatesOf(1, 2, 3, 4))
        yield* store.remove(from.id)
        assert.strictEqual((yield* found(opened, to.id)).turns, 4)
      })
    )

    it.scoped("are not copied when there is nothing to copy, or over another session", () =>
      Effect.gen(function* () {
        const opened = yield* open
        const { store } = opened
        const [one, other, to] = [full(), full(), row()]
        assert.isFalse(yield* store.fork(sessionId(), to))
        assert.isTrue(Option.isNone(yield* store.load(to.id)))
        yield* Effect.forEach([one, other], store.create)
        yield* store.appendTurn(one.id, turn(1))
        for (const taken of [other, one]) {
          assert.strictEqual((yield* Effect.flip(store.fork(one.id, taken))).reason, "io")
        }
        assert.strictEqual((yield* found(opened, other.id)).turns, 0)
        assert.strictEqual((yield* found(opened, one.id)).turns, 1)
      })
    )

    it.scoped("of thousands of rows are copied and removed", () =>
      Effect.gen(function* () {
        const opened = yield* open
        const { store } = opened
        const [one, to] = [row(), row()]
        yield* store.create(one)
        const numbers = Array.from({ length: 301 }, (_, n) => n)
        yield* Effect.forEach(numbers, (n) => store.appendTurn(one.id, { ...turn(n), compacts: n === 250 }))
        const before = yield* found(opened, one.id)
        assert.deepStrictEqual(before.messages, messagesOf(...numbers.slice(250)))
        yield* store.fork(one.id, to)
        yield* store.remove(one.id)
        assert.deepStrictEqual(yield* found(opened, to.id), { ...before, row: to })
      })
    )

    it.scoped("give a model nothing from before a turn that compacts, and a person everything", () =>
      Effect.gen(function* () {
        const opened = yield* open
        const { store } = opened
        const [one, to, again] = [row(), row(), row()]
        yield* store.create(one)
        yield* store.appendTurn(one.id, turn(1))
        yield* store.appendTurn(one.id, { ...turn(2), compacts: true })
        assert.deepStrictEqual((yield* found(opened, one.id)).messages, messagesOf(2))
        yield* store.appendTurn(one.id, { ...turn(3), compacts: false })
        const conversation = { messages: messagesOf(2, 3), updates: updatesOf(1, 2, 3), turns: 3 }
        assert.deepStrictEqual(yield* found(opened, one.id), { row: one, ...conversation })
        yield* store.fork(one.id, to)
        yield* store.fork(to.id, again)
        assert.deepStrictEqual(yield* found(opened, again.id), { row: again, ...conversation })
        yield* store.appendTurn(again.id, { ...turn(4), compacts: true })
        yield* store.appendTurn(again.id, { messages: [], updates: [said("nothing left")], outcome: "end_turn" })
        assert.deepStrictEqual((yield* found(opened, again.id)).messages, messagesOf(4))
        yield* store.appendTurn(again.id, { messages: [], updates: [], outcome: "end_turn", compacts: true })
        assert.deepStrictEqual(yield* found(opened, again.id), {
          row: again,
          messages: [],
          updates: [...updatesOf(1, 2, 3, 4), said("nothing left")],
          turns: 6
        })
        assert.deepStrictEqual((yield* found(opened, one.id)).messages, messagesOf(2, 3))
      })
    )

    it.scoped("give back every kind of update as it was stored", () =>
      Effect.gen(function* () {
        const opened = yield* open
        const one = row()
        const updates: ReadonlyArray<SessionUpdate> = [
          asked("compact this"),
          { sessionUpdate: "compaction_update", compactionId: "c1", status: "in_progress" },
          { sessionUpdate: "compaction_summary_chunk", compactionId: "c1", content: text("the ") },
          { sessionUpdate: "compaction_summary_chunk", compactionId: "c1", content: text("gist\u2028") },
          {
            sessionUpdate: "compaction_update",
            compactionId: "c1",
            status: "completed",
            summary: [text("the gist")],
            error: null,
            _meta: { "zeroclaw/kept": [1, null, { deep: "é" }] }
          },
          {
            sessionUpdate: "compaction_update",
            compactionId: "c2",
            status: "failed",
            summary: null,
            error: "too long"
          },
          {
            sessionUpdate: "config_option_update",
            configOptions: [
              {
                id: "model",
                name: "Model",
                description: "Which one",
                category: "model",
                type: "select",
                currentValue: "a",
                options: [
                  { value: "a", name: "A", description: "first", _meta: { n: 1 } },
                  { value: "b", name: "B" }
                ]
              },
              {
                id: "thought_level",
                name: "Thinking",
                type: "select",
                currentValue: "high",
                options: [{ group: "g", name: "G", options: [{ value: "high", name: "High" }] }]
              },
              { id: "web", name: "Web", type: "boolean", currentValue: false }
            ],
            _meta: { from: "agent" }
          },
          { sessionUpdate: "current_mode_update", currentModeId: "ask" },
          { sessionUpdate: "session_info_update", title: null, updatedAt: "2026-12-01T00:00:00Z" },
          { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 0.5, currency: "EUR" } },
          { sessionUpdate: "notice", severity: "warning", title: "Careful" },
          { sessionUpdate: "available_commands_update", availableCommands: [{ name: "compact", description: "" }] }
        ]
        yield* opened.store.create(one)
        yield* opened.store.appendTurn(one.id, { messages: [], updates, outcome: "end_turn" })
        assert.deepStrictEqual((yield* found(opened, one.id)).updates, updates)
      })
    )
  })
}
