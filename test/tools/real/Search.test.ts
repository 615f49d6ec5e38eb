// glob_search and content_search with the real ripgrep on real files.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { makeGlobSearch } from "../../../src/tools/GlobSearch.ts"
import { noClient } from "../../support/ToolRun.ts"
import { type Called, call, type Place, place } from "./Run.ts"

const put = (folder: string, files: Readonly<Record<string, string>>) => {
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), content)
  }
}

const project = Effect.tap(place(), ({ ws }) =>
  Effect.sync(() =>
    put(ws, {
      ".gitignore": "build/\n*.log\n",
      "a.ts": "const foo = 1\nconst bar = '/api/v1'\n",
      "src/b.ts": "foo\nFOO\nfoo -foo\n",
      "src/deep/c.ts": "nothing\n",
      "src/deep/d.md": "a+b\n",
      "build/out.ts": "foo\n",
      "x.log": "foo\n",
      ".git/config": "foo\n"
    })
  )
)

const search = (policy: Place["policy"], input: object): Effect.Effect<Called> => call(policy, "content_search", input)
const rows = (called: Called) => called.text.split("\n")

describe("glob_search", () => {
  it.scopedLive("finds names in order; ignored files and .git stay out, also outside of a repository", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* project
      const called = yield* call(policy, "glob_search", { pattern: "**/*.ts" })
      assert.strictEqual(called.text, "a.ts\nsrc/b.ts\nsrc/deep/c.ts")
      assert.strictEqual(called.face?.title, "Find **/*.ts")
      assert.strictEqual(called.face?.kind, "search")
      const below = yield* call(policy, "glob_search", { pattern: "*", path: "src/deep" })
      assert.strictEqual(below.text, "src/deep/c.ts\nsrc/deep/d.md")
      const all = rows(yield* call(policy, "glob_search", { pattern: "**" }))
      for (const name of ["build/out.ts", "x.log", ".git/config"]) assert.notInclude(all, name)
      const absolute = yield* call(policy, "glob_search", { pattern: `${ws}/src/*.ts` })
      assert.strictEqual(absolute.text, "src/b.ts")
      assert.strictEqual((yield* call(policy, "glob_search", { pattern: "*.none" })).status, "completed")
    })
  )

  it.scopedLive("shows 1000 and says how many more", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      put(ws, Object.fromEntries(Array.from({ length: 1234 }, (_, i) => [`f/${i}.txt`, ""])))
      const found = rows(yield* call(policy, "glob_search", { pattern: "**/*.txt" }))
      assert.strictEqual(found.length, 1001)
      assert.include(found.at(-1) ?? "", "234 more")
    })
  )

  it.scopedLive("a large forbidden folder leaves room for what may be seen", () =>
    Effect.gen(function* () {
      const { home, policy } = yield* place({}, { cwd: ({ home }) => home })
      put(home, Object.fromEntries(Array.from({ length: 1100 }, (_, i) => [`.config/app/${i}.txt`, ""])))
      put(home, { "project/mine.txt": "" })
      const called = yield* call(policy, "glob_search", { pattern: "**/*.txt" })
      assert.strictEqual(called.text, "project/mine.txt")
    })
  )

  it.scopedLive("patterns and folders that look like options are neither", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      put(ws, { "--help": "", "-x/--pre": "", "!odd": "" })
      assert.strictEqual((yield* call(policy, "glob_search", { pattern: "--help" })).text, "--help")
      assert.strictEqual((yield* call(policy, "glob_search", { pattern: "*", path: "-x" })).text, "-x/--pre")
      assert.strictEqual((yield* call(policy, "glob_search", { pattern: "!odd" })).text, "!odd")
      const invalid = yield* call(policy, "glob_search", { pattern: "a[" })
      assert.notInclude(invalid.text, "\n")
    })
  )

  it.scopedLive("works without ripgrep and does not follow links", () =>
    Effect.gen(function* () {
      const { out, policy, ws } = yield* project
      fs.symlinkSync(out, path.join(ws, "link"))
      const tool = makeGlobSearch(Effect.succeed(undefined))
      const { run } = yield* tool.prepare(JSON.stringify({ pattern: "**/*.{ts,md}" }), policy)
      const outcome = yield* run({
        sessionId: "s",
        toolCallId: "t",
        ...noClient,
        policy,
        progress: () => Effect.void,
        plan: () => Effect.void
      })
      const found = outcome.text.split("\n")
      for (const name of ["a.ts", "src/b.ts", "src/deep/c.ts", "src/deep/d.md"]) assert.include(found, name)
      assert.notInclude(outcome.text, "secret")
      assert.notInclude(outcome.text, ".git/")
    })
  )
})

describe("content_search", () => {
  it.scopedLive("shows path, line and text, with locations", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* project
      const called = yield* search(policy, { pattern: "foo", path: "src" })
      assert.deepStrictEqual(rows(called), ["src/b.ts:1:foo", "src/b.ts:3:foo -foo"])
      assert.strictEqual(called.face?.title, 'Search "foo" in src')
      assert.deepStrictEqual(called.outcome?.locations, [
        { path: path.join(ws, "src/b.ts"), line: 1 },
        { path: path.join(ws, "src/b.ts"), line: 3 }
      ])
      assert.deepStrictEqual(rows(yield* search(policy, { pattern: "foo", path: "a.ts" })), ["a.ts:1:const foo = 1"])
    })
  )

  it.scopedLive("one file with long lines around many matches is cut in the middle, and the cut is told", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      put(ws, { "a.txt": `first hit\n${`hit ${"😀".repeat(240)}\n`.repeat(2000)}last hit` })
      const { text } = yield* search(policy, { pattern: "hit", max_results: 5000 })
      assert.isAtMost(text.length, 200_000)
      assert.isTrue(text.isWellFormed())
      assert.match(text, /^a\.txt:1:first hit\n/)
      assert.match(text, /\n\[… \d+ characters left out here …\]\n/)
      assert.match(text, /\na\.txt:2002:last hit$/)
    })
  )

  it.scopedLive("W27 patterns that look like options or paths are patterns", () =>
    Effect.gen(function* () {
      const { policy } = yield* project
      assert.deepStrictEqual(rows(yield* search(policy, { pattern: "-foo" })), ["src/b.ts:3:foo -foo"])
      assert.deepStrictEqual(rows(yield* search(policy, { pattern: "/api/v1" })), ["a.ts:2:const bar = '/api/v1'"])
      assert.deepStrictEqual(rows(yield* search(policy, { pattern: "--files" })), ["No matches."])
      const hostile = yield* search(policy, { pattern: "foo", include: "--pre=touch" })
      assert.strictEqual(hostile.text, "No matches.")
    })
  )

  it.scopedLive("case, literal text, include, modes, context and the limit", () =>
    Effect.gen(function* () {
      const { policy } = yield* project
      const lines = (input: object) => Effect.map(search(policy, input), rows)
      assert.strictEqual((yield* lines({ pattern: "foo", path: "src", case_sensitive: false })).length, 3)
      assert.deepStrictEqual(yield* lines({ pattern: "a+b" }), ["No matches."])
      assert.deepStrictEqual(yield* lines({ pattern: "a+b", literal: true }), ["src/deep/d.md:1:a+b"])
      assert.deepStrictEqual(yield* lines({ pattern: "o", include: "*.md" }), ["No matches."])
      assert.deepStrictEqual(yield* lines({ pattern: "foo", output_mode: "files_with_matches" }), ["a.ts", "src/b.ts"])
      assert.deepStrictEqual(yield* lines({ pattern: "foo", output_mode: "count" }), ["a.ts:1", "src/b.ts:2"])
      assert.deepStrictEqual(yield* lines({ pattern: "FOO", context_before: 1, context_after: 1 }), [
        "src/b.ts-1-foo",
        "src/b.ts:2:FOO",
        "src/b.ts-3-foo -foo"
      ])
      const few = yield* lines({ pattern: "foo", max_results: 1 })
      assert.strictEqual(few[0], "a.ts:1:const foo = 1")
      assert.include(few[1] ?? "", "2 more")
    })
  )

  it.scopedLive("an invalid pattern gets one line that says why", () =>
    Effect.gen(function* () {
      const { policy } = yield* project
      const called = yield* search(policy, { pattern: "(unclosed" })
      assert.strictEqual(called.status, "failed")
      assert.include(called.text, "unclosed group")
      assert.notInclude(called.text, "\n")
    })
  )

  it.scopedLive("PATH-049 a pattern that makes others backtrack holds nothing up", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      put(ws, { "a.txt": `${"a".repeat(50)}!` })
      const before = yield* Clock.currentTimeMillis
      assert.strictEqual((yield* search(policy, { pattern: "(a+)+$", path: "." })).text, "No matches.")
      assert.isBelow((yield* Clock.currentTimeMillis) - before, 3000)
    })
  )

  it.scopedLive("long lines are cut on a character's border and a configuration file of ripgrep has no say", () =>
    Effect.gen(function* () {
      const { base, policy, ws } = yield* place()
      put(ws, { "long.txt": `needle ${"🎉".repeat(5000)}` })
      put(base, { rc: "--pre=/bin/false\n" })
      process.env["RIPGREP_CONFIG_PATH"] = path.join(base, "rc")
      const called = yield* search(policy, { pattern: "needle" }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            delete process.env["RIPGREP_CONFIG_PATH"]
          })
        )
      )
      assert.isTrue(called.text.startsWith("long.txt:1:needle "))
      assert.isBelow(called.text.length, 1000)
      assert.isTrue(called.text.isWellFormed())
    })
  )
})
