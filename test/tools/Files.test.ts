// Reading, creating and editing files.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { countText } from "../../src/tools/Change.ts"
import { fileEdit } from "../../src/tools/FileEdit.ts"
import { fileRead } from "../../src/tools/FileRead.ts"
import { fileWrite } from "../../src/tools/FileWrite.ts"
import { numbered } from "../../src/tools/Numbered.ts"
import { replace } from "../../src/tools/Replace.ts"
import { lineAt } from "../../src/tools/TextFile.ts"
import { makeTools } from "../../src/tools/Tools.ts"
import { type Bench, bench, call, cardText, prepare } from "../support/ToolRun.ts"

const refused = (tool: Parameters<typeof call>[0], it: Bench, input: unknown) =>
  Effect.map(Effect.flip(call(tool, it, input)), ({ message }) => message)

describe("file_read", () => {
  it.scoped("numbers lines and says what range they are", () =>
    Effect.gen(function* () {
      const it = yield* bench
      it.write("src/a.ts", Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join("\r\n"))
      const { face } = yield* prepare(fileRead, it, { path: "src/a.ts", offset: 10, limit: 3 })
      assert.strictEqual(face.title, "Read src/a.ts:10-12")
      assert.strictEqual(face.kind, "read")
      const outcome = yield* call(fileRead, it, { path: "src/a.ts", offset: 10, limit: 3 })
      assert.strictEqual(
        outcome.text,
        "  10: line 10\n  11: line 11\n  12: line 12\n(lines 10-12 of 30; go on with offset 13)"
      )
      assert.deepStrictEqual(outcome.locations, [{ path: path.join(it.root, "src/a.ts"), line: 10 }])
      assert.strictEqual((yield* prepare(fileRead, it, { path: "src/a.ts", limit: null })).face.title, "Read src/a.ts")
    })
  )
  it.scoped("drops a byte order mark, and knows empty files", () =>
    Effect.gen(function* () {
      const it = yield* bench
      it.write("a", "\ufeffx\n")
      it.write("empty", "")
      assert.strictEqual((yield* call(fileRead, it, { path: "a" })).text, "   1: x\n(lines 1-1 of 1)")
      assert.strictEqual((yield* call(fileRead, it, { path: "empty" })).text, "(empty file)")
    })
  )
  it.scoped("refuses what it cannot show, in words that help", () =>
    Effect.gen(function* () {
      const it = yield* bench
      it.write("bin", Uint8Array.of(1, 0, 2))
      it.write("latin", Uint8Array.of(0x63, 0xe9))
      it.write("three", "1\n2\n3\n")
      it.write("src/a", "")
      it.write("large", "x".repeat(10 * 1024 * 1024 + 1))
      assert.include(yield* refused(fileRead, it, { path: "bin" }), "binary file")
      assert.include(yield* refused(fileRead, it, { path: "latin" }), "not UTF-8")
      assert.include(yield* refused(fileRead, it, { path: "three", offset: 4 }), "three has 3 lines")
      assert.include(yield* refused(fileRead, it, { path: "src" }), "glob_search")
      assert.include(yield* refused(fileRead, it, { path: "large" }), "too large")
      assert.include(yield* refused(fileRead, it, { path: "nothing" }), "does not exist")
      assert.include(yield* refused(fileRead, it, { path: "../../etc/passwd" }), "outside")
      assert.include(yield* refused(fileRead, it, { path: "three", offset: 0 }), '"offset"')
    })
  )
  it("bounds lines and the whole", () => {
    assert.include(numbered(["x".repeat(2500)], { offset: 1, limit: 1 }), `${"x".repeat(2000)}… [500 characters cut]`)
    const whole = numbered(
      Array.from({ length: 500 }, () => "y".repeat(1990)),
      { offset: 1, limit: 500 }
    )
    assert.isAtMost(whole.length, 200_200)
    assert.match(whole, /\(lines 1-(\d+) of 500; go on with offset \d+\)$/)
  })
})

describe("file_write", () => {
  it.scoped("shows a new file as a diff without old text, and writes it", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const input = { path: "src/b.ts", content: "one\ntwo\n" }
      const { face, action, run } = yield* prepare(fileWrite, it, input)
      const file = path.join(it.root, "src/b.ts")
      assert.strictEqual(face.title, "Create src/b.ts (+2)")
      assert.strictEqual(face.kind, "edit")
      assert.deepStrictEqual(face.content, [{ type: "diff", path: file, oldText: null, newText: input.content }])
      assert.deepStrictEqual(face.locations, [{ path: file, line: 1 }])
      assert.deepStrictEqual(action, { _tag: "Write", tool: "file_write", path: "src/b.ts" })
      assert.isFalse(fs.existsSync(path.join(it.root, "src")))
      const outcome = yield* run(it.context)
      assert.strictEqual(it.read("src/b.ts"), input.content)
      assert.strictEqual(outcome.text, "Created src/b.ts (+2).")
      assert.deepStrictEqual(outcome.content, face.content)
    })
  )
  it.scoped("replaces a file and counts what changed", () =>
    Effect.gen(function* () {
      const it = yield* bench
      it.write("a", "1\n2\n3\n")
      const { face, run } = yield* prepare(fileWrite, it, { path: "a", content: "1\nx\ny\n3\n" })
      assert.strictEqual(face.title, "Write a (+2 −1)")
      assert.propertyVal(face.content[0], "oldText", "1\n2\n3\n")
      assert.deepStrictEqual(face.locations, [{ path: path.join(it.root, "a"), line: 2 }])
      yield* run(it.context)
      assert.strictEqual(it.read("a"), "1\nx\ny\n3\n")
    })
  )
  it.scoped("what was approved is what is written: a file changed or made meanwhile stays as it is", () =>
    Effect.gen(function* () {
      const it = yield* bench
      it.write("a", "old\n")
      const changed = yield* prepare(fileWrite, it, { path: "a", content: "new\n" })
      const edited = yield* prepare(fileEdit, it, { path: "a", old_string: "old", new_string: "new" })
      const created = yield* prepare(fileWrite, it, { path: "b", content: "new\n" })
      it.write("a", "old, but changed\n")
      it.write("b", "made by somebody\n")
      for (const { run } of [changed, edited, created]) {
        assert.include((yield* Effect.flip(run(it.context))).message, "changed meanwhile")
      }
      assert.strictEqual(it.read("a"), "old, but changed\n")
      assert.strictEqual(it.read("b"), "made by somebody\n")
    })
  )
  it.scoped("says what policy says", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const error = yield* Effect.flip(prepare(fileWrite, it, { path: "../x", content: "" }))
      assert.strictEqual(error.message, "../x is outside of the workspace.")
    })
  )
  it("counts read well", () => {
    assert.strictEqual(countText({ added: 0, removed: 2 }), "(−2)")
    assert.strictEqual(countText({ added: 0, removed: 0 }), "(no change)")
  })
})

describe("file_edit", () => {
  it.scoped("replaces the only match, keeps CRLF and the byte order mark", () =>
    Effect.gen(function* () {
      const it = yield* bench
      it.write("a", "\ufeffone\r\ntwo\r\nthree\r\n")
      const { face, run } = yield* prepare(fileEdit, it, { path: "a", old_string: "one\ntwo", new_string: "1\n2\n2.5" })
      assert.strictEqual(face.title, "Edit a (+3 −2)")
      yield* run(it.context)
      assert.strictEqual(it.read("a"), "\ufeff1\r\n2\r\n2.5\r\nthree\r\n")
    })
  )
  it.scoped("refuses in prepare what cannot be done, before anybody is asked", () =>
    Effect.gen(function* () {
      const it = yield* bench
      it.write("a", "x\ny\nx\nx\n")
      it.write("bin", Uint8Array.of(0xff, 0xfe))
      const why = (input: object) =>
        Effect.map(Effect.flip(prepare(fileEdit, it, { path: "a", ...input })), ({ message }) => message)
      assert.include(yield* why({ old_string: "x", new_string: "z" }), "occurs 3 times (lines 1, 3, 4)")
      assert.include(yield* why({ old_string: "q", new_string: "z" }), "does not occur")
      assert.include(yield* why({ old_string: "", new_string: "z" }), "empty")
      assert.include(yield* why({ old_string: "x", new_string: "x" }), "the same")
      assert.include(yield* why({ path: "bin", old_string: "x", new_string: "z" }), "not UTF-8")
      assert.include(yield* why({ path: "none", old_string: "x", new_string: "z" }), "does not exist")
      assert.strictEqual(it.read("a"), "x\ny\nx\nx\n")
    })
  )
  it.scoped("replaces all when told, taking $ as it is", () =>
    Effect.gen(function* () {
      const it = yield* bench
      it.write("a", "x x\n")
      yield* call(fileEdit, it, { path: "a", old_string: "x", new_string: "$&", replace_all: true })
      assert.strictEqual(it.read("a"), "$& $&\n")
    })
  )
  it.prop(
    "changes the match and nothing else",
    [
      fc.string({ unit: fc.constantFrom("a", "\n", "b") }),
      fc.string({ unit: fc.constantFrom("c", "\n", "d") }),
      fc.string()
    ],
    ([before, after, to]) => {
      fc.pre(to !== "MARK")
      const result = replace(`${before}MARK${after}`, { from: "MARK", to, all: false })
      assert.deepStrictEqual(result._tag === "Right" ? result.right : result.left, `${before}${to}${after}`)
    }
  )
  it("finds the line of an offset", () => {
    assert.deepStrictEqual(
      [0, 1, 2, 3].map((at) => lineAt("a\nb\n", at)),
      [1, 1, 2, 2]
    )
  })
})

describe("tools", () => {
  it("have flat JSON schemas and distinct names", () => {
    const specs = makeTools({ shellTimeoutSecs: 60 }).map(({ spec }) => spec)
    assert.deepStrictEqual(
      specs.map(({ name }) => name),
      [
        "shell",
        "file_read",
        "file_write",
        "file_edit",
        "glob_search",
        "content_search",
        "git_operations",
        "web_fetch",
        "image_info",
        "deliver_file",
        "TodoWrite",
        "ask_user",
        "escalate_to_human"
      ]
    )
    for (const { inputSchema } of specs) {
      assert.strictEqual(inputSchema["type"], "object")
      assert.notMatch(JSON.stringify(inputSchema), /\$ref|\$defs|\$schema/)
    }
  })
  it.scoped("TodoWrite publishes the whole plan", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const todo = makeTools({ shellTimeoutSecs: 60 }).find(({ spec }) => spec.name === "TodoWrite")
      if (todo === undefined) return assert.fail("no TodoWrite")
      const todos = [
        { content: "a", status: "completed", activeForm: "doing a" },
        { content: "b", status: "in_progress", priority: "high" }
      ]
      const { face, action } = yield* prepare(todo, it, { todos })
      assert.strictEqual(face.kind, "think")
      assert.deepStrictEqual(action, { _tag: "Converse", tool: "TodoWrite" })
      assert.include((yield* call(todo, it, { todos })).text, "1 of 2")
      assert.deepStrictEqual(it.plans, [
        [
          { content: "a", status: "completed", priority: "medium", _meta: { zeroclaw: { activeForm: "doing a" } } },
          { content: "b", status: "in_progress", priority: "high" }
        ]
      ])
      assert.include(
        (yield* Effect.flip(prepare(todo, it, { todos: [{ content: "a", status: "?" }] }))).message,
        "todos.0.status"
      )
      assert.strictEqual(cardText(face.content), "")
    })
  )
})
