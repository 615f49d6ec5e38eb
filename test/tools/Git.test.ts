// git_operations: what command line it makes, and that no value of it is ever an option or a second command.
import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc } from "effect"
import { quote, quoteAll } from "../../src/text/ShellQuote.ts"
import { makeGit } from "../../src/tools/Git.ts"
import { type GitInput, gitArguments } from "../../src/tools/GitArguments.ts"
import { bench, call, prepare } from "../support/ToolRun.ts"

const git = makeGit({ shellTimeoutSecs: 20 })
const line = (input: GitInput) => Either.match(gitArguments(input), { onLeft: (why) => why, onRight: quoteAll })

describe("command lines", () => {
  const rows: ReadonlyArray<readonly [GitInput, string]> = [
    [{ operation: "status" }, "git status --short --branch"],
    [{ operation: "status", paths: ["src"] }, "git status --short --branch -- src"],
    [{ operation: "diff" }, "git diff --"],
    [{ operation: "diff", cached: true, paths: ["a b"] }, "git diff --cached -- 'a b'"],
    [{ operation: "diff", branch: "main" }, "git diff main --"],
    [{ operation: "log" }, "git log --max-count=10 --"],
    [{ operation: "log", limit: 3, branch: "v1", paths: ["x"] }, "git log --max-count=3 v1 -- x"],
    [{ operation: "branch" }, "git branch --list --all"],
    [{ operation: "branch", branch: "new" }, "git branch -- new"],
    [{ operation: "commit", message: "it's -m" }, "git commit '--message=it'\\''s -m'"],
    [{ operation: "commit", message: "-x", paths: ["a"] }, "git commit --message=-x -- a"],
    [{ operation: "add", paths: ["."] }, "git add -- ."],
    [{ operation: "checkout", branch: "main" }, "git checkout main --"],
    [{ operation: "checkout", branch: "new", create: true }, "git checkout -b new --"],
    [{ operation: "checkout", paths: ["a"] }, "git checkout -- a"],
    [{ operation: "checkout", branch: "main", paths: ["a"] }, "git checkout main -- a"],
    [{ operation: "stash" }, "git stash push"],
    [{ operation: "stash", message: "x y", paths: ["a"] }, "git stash push '--message=x y' -- a"],
    [{ operation: "stash", action: "list" }, "git stash list"],
    [{ operation: "stash", action: "pop", index: 2 }, "git stash pop 'stash@{2}'"],
    [{ operation: "worktree" }, "git worktree list"],
    [{ operation: "worktree", action: "add", path: "../w", branch: "main" }, "git worktree add -- ../w main"],
    [{ operation: "worktree", action: "add", path: "w", branch: "n", create: true }, "git worktree add -b n -- w"],
    [{ operation: "worktree", action: "remove", path: "w" }, "git worktree remove -- w"]
  ]
  it.each(rows)("%j", (input, expected) => assert.strictEqual(line(input), expected))

  const refused: ReadonlyArray<readonly [GitInput, RegExp]> = [
    [{ operation: "add" }, /paths is missing/],
    [{ operation: "add", paths: ["--force"] }, /dash/],
    [{ operation: "commit" }, /message is missing/],
    [{ operation: "commit", message: " " }, /message is missing/],
    [{ operation: "checkout" }, /missing/],
    [{ operation: "checkout", create: true }, /branch is missing/],
    [{ operation: "checkout", branch: "n", create: true, paths: ["a"] }, /no paths/],
    [{ operation: "checkout", branch: "-f" }, /dash/],
    [{ operation: "diff", branch: "--output=/etc/x" }, /dash/],
    [{ operation: "log", branch: "--output=x" }, /dash/],
    [{ operation: "branch", branch: "-D" }, /dash/],
    [{ operation: "stash", action: "add" }, /can't add/],
    [{ operation: "worktree", action: "pop" }, /can't pop/],
    [{ operation: "worktree", action: "add" }, /path is missing/],
    [{ operation: "worktree", action: "add", path: "-x" }, /dash/],
    [{ operation: "worktree", action: "add", path: "x", branch: "--lock" }, /dash/]
  ]
  it.each(refused)("%j is refused", (input, why) =>
    assert.match(Either.match(gitArguments(input), { onLeft: (it) => it, onRight: () => "" }), why)
  )

  it("bash reads a quoted word as what it was, whatever is in it", () => {
    const words = fc.sample(
      fc.string({ unit: "binary", minLength: 1 }).filter((it) => !it.includes("\0") && it.isWellFormed()),
      200
    )
    const odd = [
      "$(id)",
      "`id`",
      "a'b",
      "''",
      "a;b",
      "~",
      "*",
      "!x",
      "a\nb",
      "{a,b}",
      "\\",
      "$HOME",
      "#x",
      " ",
      "&",
      "é"
    ]
    const all = [...words, ...odd]
    const script = `printf '%s\\0' ${all.map(quote).join(" ")}`
    const read = execFileSync("bash", ["--noprofile", "--norc", "-c", script], { encoding: "utf8" })
    assert.deepStrictEqual(read.split("\0").slice(0, -1), all)
  })
})

describe("git_operations", () => {
  const id = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
  const repository = Effect.map(bench, (it) => {
    const run = (...args: ReadonlyArray<string>) => execFileSync("git", [...args], { cwd: it.root, encoding: "utf8" })
    run("init", "-q", "-b", "main")
    run("config", "user.name", "t")
    run("config", "user.email", "t@example.org")
    it.write("a", "1\n")
    run("add", "a")
    run(...id, "commit", "-q", "-m", "first")
    return { ...it, run }
  })

  it.scopedLive("is decided on as the command that it shows", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const { action, face } = yield* prepare(git, it, { operation: "diff", paths: ["it's"] })
      assert.deepStrictEqual(action, { _tag: "Execute", tool: "git_operations", command: "git diff -- 'it'\\''s'" })
      assert.include(face.title, "git diff -- 'it'\\''s'")
      assert.strictEqual(face.kind, "execute")
      const nul = yield* Effect.flip(prepare(git, it, { operation: "add", paths: ["a\u0000"] }))
      assert.include(nul.message, "NUL")
      assert.include((yield* Effect.flip(prepare(git, it, { operation: "push" }))).message, '"operation"')
    })
  )

  it.scopedLive("works on a repository from looking to committing", () =>
    Effect.gen(function* () {
      const it = yield* repository
      const git_ = (input: object) => Effect.map(call(git, it, input), ({ text }) => text)
      it.write("a", "2\n")
      it.write("-odd; touch pwned", "x\n")
      assert.include(yield* git_({ operation: "status" }), " M a")
      assert.include(yield* git_({ operation: "diff" }), "-1\n+2")
      yield* git_({ operation: "add", paths: ["./-odd; touch pwned", "a"] })
      assert.include(yield* git_({ operation: "diff", cached: true }), "+2")
      yield* git_({ operation: "commit", message: 'it\'s "second" $(touch pwned)\n\nbody' })
      assert.include(yield* git_({ operation: "log", limit: 1 }), 'it\'s "second" $(touch pwned)')
      assert.notInclude(yield* git_({ operation: "log", limit: 1 }), "first")
      yield* git_({ operation: "checkout", branch: "other", create: true })
      assert.include(yield* git_({ operation: "branch" }), "* other")
      it.write("a", "3\n")
      yield* git_({ operation: "stash", message: "later" })
      assert.include(yield* git_({ operation: "stash", action: "list" }), "later")
      assert.include(yield* git_({ operation: "stash", action: "show" }), "+3")
      yield* git_({ operation: "stash", action: "pop" })
      yield* git_({ operation: "checkout", paths: ["a"] })
      assert.strictEqual(it.read("a"), "2\n")
      yield* git_({ operation: "worktree", action: "add", path: "w", branch: "third", create: true })
      assert.include(yield* git_({ operation: "worktree" }), "third")
      assert.notInclude(it.run("status", "--short"), "pwned\n?? ")
      assert.isFalse(it.run("ls-files", "--others").split("\n").includes("pwned"))
    })
  )

  it.scopedLive("what fails is failed, with what git said", () =>
    Effect.gen(function* () {
      const it = yield* repository
      assert.include(
        (yield* Effect.flip(call(git, it, { operation: "checkout", branch: "nowhere" }))).message,
        "nowhere"
      )
    })
  )
})
