// The session store on real files: what was stored is there again, whatever happens in between.
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Sqlite from "better-sqlite3"
import { Effect, Layer, Option, Ref, Scope } from "effect"
import { SessionId } from "../../src/contract/AgentMethods.ts"
import type { Message } from "../../src/model/Message.ts"
import { SessionStore, type Turn } from "../../src/store/SessionStore.ts"
import * as Store from "../../src/store/Store.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "zeroclaw-store-"))),
  (dir) => Effect.sync(() => fs.rmSync(dir, { recursive: true, force: true }))
)
const fileIn = Effect.map(folder, (dir) => path.join(dir, "data", "sessions", "s.db"))

const openStore = (file: string) =>
  Effect.gen(function* () {
    const warnings = yield* Ref.make<ReadonlyArray<string>>([])
    const scope = yield* Effect.scope
    const warn = (message: string) => Ref.update(warnings, (all) => [...all, message])
    const context = yield* Layer.buildWithScope(Store.layer({ file, warn }), scope)
    return { store: yield* Effect.provide(SessionStore, context), warnings: Ref.get(warnings) }
  })

const id = SessionId.make("7f0c3a52-2f5d-4c0e-9a53-1f2d5d6e7f80")
const row = { id, agentAlias: "default", cwd: "/project" }
const turn = (text: string): Turn => ({
  messages: [
    { _tag: "User", text },
    { _tag: "Assistant", parts: [{ _tag: "Text", text: `re ${text}` }] }
  ],
  updates: [
    { sessionUpdate: "user_message_chunk", content: { type: "text", text } },
    { sessionUpdate: "agent_message_chunk", content: { type: "text", text: `re ${text}` } }
  ],
  outcome: "end_turn"
})
const loaded = (store: typeof SessionStore.Service) => Effect.map(store.load(id), Option.getOrThrow)
const texts = (messages: ReadonlyArray<Message>) =>
  messages.flatMap((message) => (message._tag === "User" ? [message.text] : []))

describe("Store on files", () => {
  it.scopedLive("is durable, and gives a new process what was stored, in order and exactly", () =>
    Effect.gen(function* () {
      const file = yield* fileIn
      const odd = ["读 🎉", "a\u0000b", "a\u2028b\nc", "", "'; DROP TABLE acp_sessions; --"]
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { store } = yield* openStore(file)
          assert.isTrue(yield* store.durable)
          yield* store.create(row)
          for (const text of odd) yield* store.appendTurn(id, turn(text))
        })
      )
      const { store, warnings } = yield* openStore(file)
      const conversation = yield* loaded(store)
      assert.deepStrictEqual(texts(conversation.messages), odd)
      assert.deepStrictEqual(
        conversation.updates,
        odd.flatMap((text) => turn(text).updates)
      )
      assert.deepStrictEqual(conversation.row, row)
      assert.strictEqual(conversation.turns, odd.length)
      assert.deepStrictEqual(yield* warnings, [])
    })
  )

  it.scopedLive("knows a session by its exact id only", () =>
    Effect.gen(function* () {
      const { store } = yield* openStore(yield* fileIn)
      yield* store.create(row)
      for (const other of ["../x", "%", id.toUpperCase(), id.slice(0, 8), "__proto__", ""]) {
        assert.isTrue(Option.isNone(yield* store.load(SessionId.make(other))), other)
      }
      const { reason } = yield* Effect.flip(store.appendTurn(SessionId.make("other"), turn("x")))
      assert.strictEqual(reason, "unknown_session")
    })
  )

  it.scopedLive("syncs fully at each turn and keeps its files to the owner", () =>
    Effect.gen(function* () {
      const file = yield* fileIn
      const umask = process.umask(0)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.umask(umask)))
      const { store } = yield* openStore(file)
      yield* store.create(row)
      yield* store.appendTurn(id, turn("a"))
      for (const suffix of ["", "-wal", "-shm"])
        assert.strictEqual(fs.statSync(file + suffix).mode & 0o777, 0o600, suffix)
      assert.strictEqual(fs.statSync(path.dirname(file)).mode & 0o777, 0o700)
      const other = new Sqlite(file)
      assert.strictEqual(other.pragma("journal_mode", { simple: true }), "wal")
      other.close()
    })
  )

  it.scopedLive("repairs tool calls that have no result", () =>
    Effect.gen(function* () {
      const { store } = yield* openStore(yield* fileIn)
      yield* store.create(row)
      const messages: ReadonlyArray<Message> = [
        { _tag: "User", text: "go" },
        { _tag: "Assistant", parts: [{ _tag: "ToolCall", id: "1", name: "shell", input: "{}" }] }
      ]
      yield* store.appendTurn(id, { messages, updates: [], outcome: "failed" })
      const last = (yield* loaded(store)).messages.at(-1)
      assert.isTrue(last?._tag === "ToolResults" && last.results[0]?.id === "1" && last.results[0].isError)
    })
  )

  it.scopedLive("leaves out a stored update that it cannot read, and gives the rest", () =>
    Effect.gen(function* () {
      const file = yield* fileIn
      yield* Effect.scoped(
        Effect.flatMap(openStore(file), ({ store }) =>
          Effect.zipRight(store.create(row), store.appendTurn(id, turn("a")))
        )
      )
      const other = new Sqlite(file)
      other.exec("UPDATE acp_session_events SET payload = '{torn' WHERE id = 1")
      other.close()
      const { store } = yield* openStore(file)
      assert.deepStrictEqual((yield* loaded(store)).updates, turn("a").updates.slice(1))
    })
  )

  it.scopedLive("lets several processes make one new file at once", () =>
    Effect.gen(function* () {
      const file = yield* fileIn
      const ids = Array.from({ length: 6 }, (_, n) => SessionId.make(`session-${n}`))
      yield* Effect.forEach(
        ids,
        (id) =>
          Effect.flatMap(openStore(file), ({ store }) =>
            Effect.zipRight(store.create({ ...row, id }), store.appendTurn(id, turn(id)))
          ),
        { concurrency: "unbounded", discard: true }
      )
      const { store } = yield* openStore(file)
      for (const id of ids) assert.isTrue(Option.isSome(yield* store.load(id)))
    })
  )

  it.scopedLive("waits for a lock held elsewhere without blocking the event loop", () =>
    Effect.gen(function* () {
      const file = yield* fileIn
      const { store } = yield* openStore(file)
      yield* store.create(row)
      const other = new Sqlite(file)
      other.exec("BEGIN IMMEDIATE")
      const release = Effect.delay(
        Effect.sync(() => {
          other.exec("COMMIT")
          other.close()
        }),
        "2 seconds"
      )
      let worst = 0
      let last = performance.now()
      const sample = Effect.repeat(
        Effect.delay(
          Effect.sync(() => {
            worst = Math.max(worst, performance.now() - last)
            last = performance.now()
          }),
          "10 millis"
        ),
        { until: () => false }
      )
      yield* Effect.race(
        Effect.all([store.appendTurn(id, turn("a")), release], { concurrency: 2, discard: true }),
        sample
      )
      assert.isBelow(worst, 500)
      assert.deepStrictEqual(texts((yield* loaded(store)).messages), ["a"])
    })
  )

  const unusable: ReadonlyArray<readonly [string, (file: string) => void]> = [
    ["is a folder", (file) => fs.mkdirSync(file, { recursive: true })],
    [
      "lies below a regular file",
      (file) => {
        fs.mkdirSync(path.dirname(path.dirname(file)), { recursive: true })
        fs.writeFileSync(path.dirname(file), "x")
      }
    ]
  ]
  it.scopedLive.each(unusable)("works in memory, with one warning, when the file %s", ([, spoil]) =>
    Effect.gen(function* () {
      const file = yield* fileIn
      spoil(file)
      const { store, warnings } = yield* openStore(file)
      assert.isFalse(yield* store.durable)
      yield* store.create(row)
      yield* store.appendTurn(id, turn("a"))
      assert.deepStrictEqual(texts((yield* loaded(store)).messages), ["a"])
      const said = yield* warnings
      assert.strictEqual(said.length, 1)
      assert.include(said[0] ?? "", file)
    })
  )

  const corrupt: ReadonlyArray<readonly [string, (sound: Buffer) => Buffer]> = [
    ["a broken header", (sound) => Buffer.concat([Buffer.alloc(100, 7), sound.subarray(100)])],
    ["random bytes", () => Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919) % 251))],
    [
      "a broken page behind a sound header",
      (sound) => Buffer.concat([sound.subarray(0, 100), Buffer.alloc(sound.length - 100, 1)])
    ]
  ]
  it.scopedLive.each(corrupt)("keeps a file with %s under another name and deletes nothing", ([, spoil]) =>
    Effect.gen(function* () {
      const file = yield* fileIn
      yield* Effect.scoped(Effect.flatMap(openStore(file), ({ store }) => store.create(row)))
      const bytes = spoil(fs.readFileSync(file))
      fs.writeFileSync(file, bytes)
      const { store, warnings } = yield* openStore(file)
      yield* store.create(row)
      assert.isFalse(yield* store.durable)
      assert.strictEqual((yield* warnings).length, 1)
      const kept = fs.readdirSync(path.dirname(file)).find((name) => /^s\.db\.corrupt-[\dTZ-]+$/.test(name))
      assert.deepStrictEqual(fs.readFileSync(path.join(path.dirname(file), kept ?? "none")), bytes)
    })
  )

  it.scopedLive("opens an empty file, and leaves a newer one as it is", () =>
    Effect.gen(function* () {
      const file = yield* fileIn
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, "")
      yield* Effect.scoped(Effect.flatMap(openStore(file), ({ store }) => store.create(row)))
      const other = new Sqlite(file)
      other.pragma("user_version = 999")
      other.pragma("wal_checkpoint(TRUNCATE)")
      other.close()
      const before = fs.readFileSync(file)
      const { store, warnings } = yield* openStore(file)
      assert.isFalse(yield* store.durable)
      yield* store.create(row)
      assert.deepStrictEqual(fs.readFileSync(file), before)
      assert.include((yield* warnings)[0] ?? "", "newer")
    })
  )

  it.scopedLive("keeps a turn that could not be written, and writes it before the next one", () =>
    Effect.gen(function* () {
      const file = yield* fileIn
      const { store } = yield* openStore(file)
      yield* store.create(row)
      const other = new Sqlite(file)
      other.exec("CREATE TRIGGER full BEFORE INSERT ON acp_messages BEGIN SELECT RAISE(ABORT, 'disk full'); END")
      assert.strictEqual((yield* Effect.flip(store.appendTurn(id, turn("a")))).reason, "io")
      assert.strictEqual(other.prepare("SELECT count(*) AS n FROM acp_session_events").pluck().get(), 0)
      assert.deepStrictEqual(texts((yield* loaded(store)).messages), ["a"])
      other.exec("DROP TRIGGER full")
      other.close()
      yield* store.appendTurn(id, turn("b"))
      const again = yield* Effect.scoped(Effect.flatMap(openStore(file), ({ store }) => loaded(store)))
      assert.deepStrictEqual(texts(again.messages), ["a", "b"])
    })
  )

  it.scopedLive("opens nothing before it is used", () =>
    Effect.gen(function* () {
      const file = yield* fileIn
      const scope = yield* Scope.make()
      yield* Layer.buildWithScope(Store.layer({ file, warn: () => Effect.void }), scope)
      assert.isFalse(fs.existsSync(file))
    })
  )
})
