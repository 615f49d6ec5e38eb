// Finding files and text.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { errorLine, makeContentSearch } from "../../src/tools/ContentSearch.ts"
import { makeGlobSearch } from "../../src/tools/GlobSearch.ts"
import { rows } from "../../src/tools/Matches.ts"
import { findRipgrep, makeSplitter } from "../../src/tools/Ripgrep.ts"
import { type Bench, bench, call, prepare } from "../support/ToolRun.ts"

const content = makeContentSearch(findRipgrep)
const tree = Effect.map(bench, (it): Bench => {
  it.write(".gitignore", "node_modules\n*.log\n")
  it.write(".git/config", "needle")
  it.write(".github/ci.yml", "on: push\n")
  it.write("node_modules/m/index.ts", "needle")
  it.write("src/a.ts", "first\nneedle one\nthird\nfourth\nNeedle two\n")
  it.write("src/deep/b.ts", 'get("/api/v1")\n-foo is an option\n')
  it.write("README.md", "needle (\n")
  it.write("x.log", "needle\n")
  return it
})

describe.each([
  ["with ripgrep", findRipgrep],
  ["without ripgrep", Effect.succeed(undefined)]
] as const)("glob_search %s", (_, find) => {
  const glob = makeGlobSearch(find)
  const found = (it: Bench, input: object) => Effect.map(call(glob, it, input), ({ text }) => text.split("\n"))

  it.scopedLive("lists paths relative to the cwd, sorted, without .git and node_modules", () =>
    Effect.gen(function* () {
      const it = yield* tree
      assert.deepStrictEqual(yield* found(it, { pattern: "**/*.ts" }), ["src/a.ts", "src/deep/b.ts"])
      assert.deepStrictEqual(yield* found(it, { pattern: "*.ts", path: "src/deep" }), ["src/deep/b.ts"])
      assert.deepStrictEqual(yield* found(it, { pattern: "src/*" }), ["src/a.ts"])
      assert.deepStrictEqual(yield* found(it, { pattern: `${it.root}/src/**` }), ["src/a.ts", "src/deep/b.ts"])
      assert.deepStrictEqual(yield* found(it, { pattern: ".github/**" }), [".github/ci.yml"])
      const all = yield* found(it, { pattern: "**" })
      assert.notInclude(all.join(" "), "node_modules/")
      assert.notInclude(all.join(" "), ".git/")
      assert.deepStrictEqual(yield* found(it, { pattern: "*.rs" }), ["No files found."])
      assert.deepStrictEqual(yield* found(it, { pattern: "--help" }), ["No files found."])
    })
  )
  it.scopedLive("shows 1000 and says how many more there are", () =>
    Effect.gen(function* () {
      const it = yield* bench
      for (let index = 0; index < 1003; index++) it.write(`d${index % 7}/f${index}.txt`, "")
      const lines = yield* found(it, { pattern: "*.txt" })
      assert.strictEqual(lines.length, 1001)
      assert.strictEqual(lines.at(-1), "(3 more files fit; narrow the pattern)")
    })
  )
  it.scopedLive("tells no name that policy would not list", () =>
    Effect.gen(function* () {
      const it = yield* tree
      const blind = {
        ...it.policy,
        listDirectory: (name: string) =>
          it.policy.listDirectory(name === path.join(it.root, "src/deep") ? "../.." : name)
      }
      const { text } = yield* call(
        glob,
        { ...it, policy: blind, context: { ...it.context, policy: blind } },
        { pattern: "**/*.ts" }
      )
      assert.strictEqual(text, "src/a.ts")
    })
  )
  it.scopedLive("refuses a path outside, a missing one and a file", () =>
    Effect.gen(function* () {
      const it = yield* tree
      const why = (input: object) => Effect.map(Effect.flip(call(glob, it, input)), ({ message }) => message)
      assert.include(yield* why({ pattern: "*", path: ".." }), "outside")
      assert.include(yield* why({ pattern: "*", path: "none" }), "does not exist")
      assert.include(yield* why({ pattern: "*", path: "src/a.ts" }), "is a file")
    })
  )
})

describe("glob_search: before it runs", () => {
  it.scopedLive("the title stands alone", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const glob = makeGlobSearch(findRipgrep)
      assert.strictEqual((yield* prepare(glob, it, { pattern: "**/*.ts" })).face.title, "Find **/*.ts")
      assert.strictEqual((yield* prepare(glob, it, { pattern: "*", path: "src" })).face.title, "Find * in src")
    })
  )
  it.scopedLive("a glob ripgrep cannot read is an error of one line", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const { message } = yield* Effect.flip(call(makeGlobSearch(findRipgrep), it, { pattern: "a{b" }))
      assert.match(message, /^glob_search: .*a\{b.*\. Correct the pattern\.$/)
    })
  )
})

describe("content_search", () => {
  it.scopedLive("shows path, line and text, and the places", () =>
    Effect.gen(function* () {
      const it = yield* tree
      const { face } = yield* prepare(content, it, { pattern: "needle", path: "src" })
      assert.strictEqual(face.title, 'Search "needle" in src')
      assert.strictEqual(face.kind, "search")
      const { text, locations } = yield* call(content, it, { pattern: "needle" })
      assert.strictEqual(text, "README.md:1:needle (\nsrc/a.ts:2:needle one")
      assert.deepStrictEqual(locations, [
        { path: path.join(it.root, "README.md"), line: 1 },
        { path: path.join(it.root, "src/a.ts"), line: 2 }
      ])
    })
  )
  it.scopedLive("a pattern is never an option nor a path (W27)", () =>
    Effect.gen(function* () {
      const it = yield* tree
      assert.strictEqual((yield* call(content, it, { pattern: "/api/v1" })).text, 'src/deep/b.ts:1:get("/api/v1")')
      assert.strictEqual((yield* call(content, it, { pattern: "-foo" })).text, "src/deep/b.ts:2:-foo is an option")
      assert.strictEqual((yield* call(content, it, { pattern: "--files" })).text, "No matches.")
      assert.strictEqual((yield* call(content, it, { pattern: "needle", include: "--files" })).text, "No matches.")
    })
  )
  it.scopedLive("modes, case, literal text, include and a single file", () =>
    Effect.gen(function* () {
      const it = yield* tree
      const text = (input: object) => Effect.map(call(content, it, input), ({ text }) => text)
      assert.strictEqual(yield* text({ pattern: "needle", output_mode: "files_with_matches" }), "README.md\nsrc/a.ts")
      assert.strictEqual(
        yield* text({ pattern: "needle", case_sensitive: false, output_mode: "count" }),
        "README.md:1\nsrc/a.ts:2"
      )
      assert.strictEqual(yield* text({ pattern: "needle (", literal: true }), "README.md:1:needle (")
      assert.strictEqual(yield* text({ pattern: "needle", include: "*.ts" }), "src/a.ts:2:needle one")
      assert.strictEqual(yield* text({ pattern: "two", path: "src/a.ts" }), "src/a.ts:5:Needle two")
    })
  )
  it.scopedLive("context lines, and how many were left out", () =>
    Effect.gen(function* () {
      const it = yield* tree
      const around = { pattern: "needle", path: "src", case_sensitive: false, context_before: 1 }
      assert.strictEqual(
        (yield* call(content, it, around)).text,
        "src/a.ts-1-first\nsrc/a.ts:2:needle one\n--\nsrc/a.ts-4-fourth\nsrc/a.ts:5:Needle two"
      )
      it.write("many", "hit\n".repeat(25))
      const { text, locations } = yield* call(content, it, { pattern: "hit", max_results: 21 })
      assert.match(text, /many:21:hit\n\(4 more matches left out; narrow the search or raise max_results\)$/)
      assert.strictEqual(locations?.length, 20)
    })
  )
  it.scopedLive("an invalid regex fails with ripgrep's words in one line", () =>
    Effect.gen(function* () {
      const it = yield* tree
      const { message } = yield* Effect.flip(call(content, it, { pattern: "needle (" }))
      assert.strictEqual(
        message,
        "content_search: unclosed group. Correct the pattern, or set literal to search for plain text."
      )
      assert.strictEqual(errorLine("rg: some: trouble.\nmore"), "some: trouble")
    })
  )
  it.scopedLive("shows only what policy reads, whatever the search process saw", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const outside = fs.mkdtempSync(path.join(path.dirname(it.root), "zeroclaw-outside-"))
      fs.writeFileSync(path.join(outside, "secret"), "needle secret\n")
      yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(outside, { recursive: true })))
      fs.symlinkSync(path.join(outside, "secret"), path.join(it.root, "link"))
      fs.symlinkSync(outside, path.join(it.root, "folder"))
      // A policy that opens the outer folder stands for a link that was put there after the check.
      const raced = {
        ...it.policy,
        openDirectory: () => Effect.succeed({ path: path.join(it.root, "folder"), spawnPath: outside })
      }
      const other = { ...it, context: { ...it.context, policy: raced } }
      for (const output_mode of ["content", "files_with_matches", "count"]) {
        assert.strictEqual((yield* call(content, other, { pattern: "needle", output_mode })).text, "No matches.")
      }
      assert.strictEqual((yield* call(content, it, { pattern: "needle", path: "." })).text, "No matches.")
      assert.include((yield* Effect.flip(call(content, it, { pattern: "needle", path: "link" }))).message, "outside")
    })
  )
  it.scopedLive("says so where ripgrep is missing", () =>
    Effect.gen(function* () {
      const it = yield* tree
      const { message } = yield* Effect.flip(call(makeContentSearch(Effect.succeed(undefined)), it, { pattern: "x" }))
      assert.include(message, "needs ripgrep")
    })
  )
  it("cuts long lines", () => {
    assert.deepStrictEqual(rows("a", ["x".repeat(600)], [1], { before: 0, after: 0 }), [`a:1:${"x".repeat(500)}…`])
  })
  it("joins records over chunks and drops only those that are too long", () => {
    const records: Array<string> = []
    const push = makeSplitter(10, (record) => records.push(record))
    for (const chunk of ["a", "b\nc\n", "x".repeat(1024 * 1024), "x\nd", "\n"]) push(Buffer.from(chunk))
    assert.deepStrictEqual(records, ["ab", "c", "d"])
  })
})
