// file_read, file_write, file_edit and TodoWrite on real files.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { noClient } from "../../support/ToolRun.ts"
import { call, place, prepare } from "./Run.ts"

const put = (folder: string, name: string, content: string | Uint8Array) => {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
  fs.writeFileSync(path.join(folder, name), content)
}
const get = (folder: string, name: string) => fs.readFileSync(path.join(folder, name), "utf8")

describe("file_read", () => {
  it.scopedLive("numbers the lines and says at the end what is shown", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      put(ws, "src/a.ts", Array.from({ length: 30 }, (_, i) => `line ${i + 1}`).join("\n"))
      const part = yield* call(policy, "file_read", { path: "src/a.ts", offset: 10, limit: 11 })
      assert.strictEqual(part.face?.title, "Read src/a.ts:10-20")
      assert.strictEqual(part.face?.kind, "read")
      assert.deepStrictEqual(part.face?.locations, [{ path: path.join(ws, "src/a.ts"), line: 10 }])
      const rows = part.text.split("\n")
      assert.strictEqual(rows.length, 12)
      assert.strictEqual(rows[0], "  10: line 10")
      assert.match(rows[11] ?? "", /10-20 of 30/)
      const whole = yield* call(policy, "file_read", { path: "src/a.ts" })
      assert.match(whole.text, /1-30 of 30\)$/)
      assert.strictEqual(whole.face?.title, "Read src/a.ts")
    })
  )

  it.scopedLive("cuts at 2000 lines and at 2000 characters of a line, and says so", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      put(ws, "many", "x\n".repeat(2500))
      const many = yield* call(policy, "file_read", { path: "many" })
      assert.match(many.text, /1-2000 of 2500.*offset 2001/)
      put(ws, "long", `${"🎉".repeat(3000)}\nend\n`)
      const long = yield* call(policy, "file_read", { path: "long" })
      assert.isBelow(long.text.length, 2200)
      assert.include(long.text, "characters cut")
      assert.isTrue(long.text.isWellFormed())
    })
  )

  it.scopedLive("reads empty files, byte order marks and CRLF; refuses binary, other encodings and too large", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      put(ws, "empty", "")
      put(ws, "bom", "\ufeffa\r\nb\r\n")
      put(ws, "nul", Buffer.from("a\0b"))
      put(ws, "latin1", Buffer.from([0x61, 0xe9, 0x62]))
      fs.truncateSync(path.join(ws, "nul"), 11 * 1024 * 1024)
      put(ws, "nul2", Buffer.from("a\0b"))
      assert.strictEqual((yield* call(policy, "file_read", { path: "empty" })).status, "completed")
      const bom = yield* call(policy, "file_read", { path: "bom" })
      assert.match(bom.text, /^ {3}1: a\n {3}2: b\n/)
      for (const [name, word] of [
        ["nul2", "binary"],
        ["latin1", "UTF-8"],
        ["nul", "10485760"],
        ["missing", "does not exist"]
      ] as const) {
        const called = yield* call(policy, "file_read", { path: name })
        assert.strictEqual(called.status, "failed", name)
        assert.include(called.text, word)
      }
      const behind = yield* call(policy, "file_read", { path: "bom", offset: 99 })
      assert.strictEqual(behind.status, "failed")
      assert.include(behind.text, "2 lines")
    })
  )
})

describe("file_write", () => {
  it.scopedLive("creates a file with its folders; the diff comes first, from null", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      const called = yield* call(policy, "file_write", { path: "a/b/new.txt", content: "one\ntwo\n" })
      assert.strictEqual(called.status, "completed")
      assert.strictEqual(get(ws, "a/b/new.txt"), "one\ntwo\n")
      const file = path.join(ws, "a/b/new.txt")
      const diff = { type: "diff", path: file, oldText: null, newText: "one\ntwo\n" } as const
      assert.deepStrictEqual(called.face?.content[0], diff)
      assert.deepStrictEqual(called.outcome?.content?.[0], diff)
      assert.strictEqual(called.face?.locations[0]?.path, file)
      assert.include(called.face?.title ?? "", "a/b/new.txt (+2")
      assert.strictEqual(called.face?.kind, "edit")
      assert.deepStrictEqual(fs.readdirSync(path.join(ws, "a/b")), ["new.txt"])
    })
  )

  it.scopedLive("what was approved is what is written: a file changed or made meanwhile is left alone", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      const context = {
        sessionId: "s",
        toolCallId: "t",
        ...noClient,
        policy,
        progress: () => Effect.void,
        plan: () => Effect.void
      }
      put(ws, "old", "seen\n")
      const replacing = yield* prepare(policy, "file_write", { path: "old", content: "new\n" })
      const editing = yield* prepare(policy, "file_edit", { path: "old", old_string: "seen", new_string: "new" })
      const creating = yield* prepare(policy, "file_write", { path: "fresh", content: "new\n" })
      put(ws, "old", "changed\n")
      put(ws, "fresh", "someone else\n")
      for (const { run } of [replacing, editing, creating]) {
        assert.strictEqual((yield* Effect.flip(run(context)))._tag, "ToolError")
      }
      assert.strictEqual(get(ws, "old"), "changed\n")
      assert.strictEqual(get(ws, "fresh"), "someone else\n")
      fs.rmSync(path.join(ws, "old"))
      assert.strictEqual((yield* Effect.flip(replacing.run(context)))._tag, "ToolError")
      assert.isFalse(fs.existsSync(path.join(ws, "old")))
    })
  )

  it.scopedLive(
    "keeps the mode of what it replaces, shows the old text and writes an unchanged file without harm",
    () =>
      Effect.gen(function* () {
        const { policy, ws } = yield* place()
        put(ws, "run.sh", "a\nb\nc\n")
        fs.chmodSync(path.join(ws, "run.sh"), 0o755)
        const called = yield* call(policy, "file_write", { path: "run.sh", content: "a\nB\nc\nd\n" })
        assert.include(called.face?.title ?? "", "run.sh (+2 −1)")
        assert.deepInclude(called.face?.content[0] ?? {}, { oldText: "a\nb\nc\n" })
        assert.strictEqual(fs.statSync(path.join(ws, "run.sh")).mode & 0o777, 0o755)
        assert.strictEqual(
          (yield* call(policy, "file_write", { path: "run.sh", content: "a\nB\nc\nd\n" })).status,
          "completed"
        )
      })
  )

  it.scopedLive("a change of two large files without a common line holds nothing up for long", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      const numbered = (word: string) => Array.from({ length: 150_000 }, (_, i) => `${word} ${i}`).join("\n")
      put(ws, "large", numbered("old"))
      const before = yield* Clock.currentTimeMillis
      const { face } = yield* prepare(policy, "file_write", {
        path: "large",
        content: `old 0\n${numbered("new")}\nold 149999`
      })
      assert.isBelow((yield* Clock.currentTimeMillis) - before, 3000)
      assert.include(face.title, "(+150000 −149998)")
    })
  )

  it.scopedLive("readonly denies, supervised asks and names what always covers", () =>
    Effect.gen(function* () {
      const readonly = yield* place({ level: "readonly" })
      assert.strictEqual((yield* call(readonly.policy, "file_write", { path: "x", content: "x" })).status, "failed")
      assert.isFalse(fs.existsSync(path.join(readonly.ws, "x")))
      const { policy, ws } = yield* place()
      const { decision } = yield* call(policy, "file_write", { path: "x", content: "x" })
      assert.deepInclude(decision ?? {}, { _tag: "Ask", always: `file_write on ${path.join(ws, "x")}` })
    })
  )
})

describe("file_edit", () => {
  it.scopedLive("replaces a text that occurs once", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      put(ws, "src/a.ts", "one\ntwo\nthree\n")
      const called = yield* call(policy, "file_edit", { path: "src/a.ts", old_string: "two", new_string: "2\n2b\n2c" })
      assert.strictEqual(called.face?.title, "Edit src/a.ts (+3 −1)")
      assert.deepStrictEqual(called.face?.locations, [{ path: path.join(ws, "src/a.ts"), line: 2 }])
      assert.strictEqual(get(ws, "src/a.ts"), "one\n2\n2b\n2c\nthree\n")
    })
  )

  it.scopedLive("refuses what is not there, not unique, empty or no change, and says where", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      const text = "a\nb\na\nb\na\n"
      put(ws, "f", text)
      for (const [old_string, new_string, ...words] of [
        ["zzz", "x", "does not occur"],
        ["a", "x", "3 times", "1, 3, 5"],
        ["", "x", "empty"],
        ["b\na\n", "b\na\n", "same"]
      ] as const) {
        const called = yield* call(policy, "file_edit", { path: "f", old_string, new_string })
        assert.strictEqual(called.status, "failed")
        for (const word of words) assert.include(called.text, word)
        assert.strictEqual(get(ws, "f"), text)
      }
      const all = yield* call(policy, "file_edit", { path: "f", old_string: "a", new_string: "$&x", replace_all: true })
      assert.strictEqual(all.status, "completed")
      assert.strictEqual(get(ws, "f"), "$&x\nb\n$&x\nb\n$&x\n")
    })
  )

  it.scopedLive("keeps CRLF and the byte order mark when the model writes LF", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      put(ws, "f", "\ufeffone\r\ntwo\r\nthree\r\n")
      const called = yield* call(policy, "file_edit", { path: "f", old_string: "one\ntwo", new_string: "1\n2\n2b" })
      assert.strictEqual(called.status, "completed")
      assert.strictEqual(get(ws, "f"), "\ufeff1\r\n2\r\n2b\r\nthree\r\n")
    })
  )

  it.scopedLive("a missing file is not made", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      const called = yield* call(policy, "file_edit", { path: "no/f", old_string: "a", new_string: "b" })
      assert.strictEqual(called.status, "failed")
      assert.include(called.text, "does not exist")
      assert.isFalse(fs.existsSync(path.join(ws, "no")))
    })
  )
})

describe("TodoWrite", () => {
  it.scopedLive("publishes the whole plan without a question", () =>
    Effect.gen(function* () {
      const { policy } = yield* place()
      const todos = [
        { content: "look", status: "completed" },
        { content: "do", status: "in_progress", priority: "high", activeForm: "doing" }
      ]
      const called = yield* call(policy, "TodoWrite", { todos })
      assert.strictEqual(called.decision?._tag, "Allow")
      assert.strictEqual(called.face?.kind, "think")
      assert.deepStrictEqual(called.plans, [
        [
          { content: "look", status: "completed", priority: "medium" },
          { content: "do", status: "in_progress", priority: "high", _meta: { zeroclaw: { activeForm: "doing" } } }
        ]
      ])
      const wrong = yield* call(policy, "TodoWrite", { todos: [{ content: "x", status: "maybe" }] })
      assert.strictEqual(wrong.status, "failed")
      assert.include(wrong.text, "todos.0.status")
    })
  )
})
