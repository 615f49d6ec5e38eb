// Repositories in the real sandbox: git works where it is named, and nothing of it runs programs of the repository.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { run, type Tree, tree } from "./Sandboxed.ts"

const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8" }).trim()

/** With one commit. */
const repository = (folder: string) => {
  fs.mkdirSync(folder, { recursive: true })
  git(folder, "init", "-q")
  fs.writeFileSync(path.join(folder, "file"), "one\n")
  git(folder, "add", ".")
  git(folder, "commit", "-qm", "one")
}

/** Every file of a repository's own folder that could name a program, as text. */
const programs = (gitFolder: string): string =>
  ["config", "hooks", "info/attributes", "commondir", "config.worktree"]
    .map((name) => {
      const place = path.join(gitFolder, name)
      if (!fs.existsSync(place)) return `${name}: none`
      return fs.statSync(place).isDirectory()
        ? `${name}: ${fs.readdirSync(place).join(" ")}`
        : `${name}: ${fs.readFileSync(place, "utf8")}`
    })
    .join("\n")

const writable = ({ confinement }: Tree) => ({ ...confinement, git: "write" as const })

const commit = "git -c user.name=a -c user.email=a@b commit -qam two"

describe("a repository in the sandbox", () => {
  it.scopedLive("is read, and not changed, by a command that is not git's", () =>
    Effect.gen(function* () {
      const { at, confinement, ws } = yield* tree
      repository(ws)
      const before = programs(at("ws/.git"))
      const head = git(ws, "rev-parse", "HEAD")
      const { out } = yield* run(
        confinement,
        `git status --short; git log --format=%s; echo more >> file; ${commit}; echo x > .git/hooks/pre-commit; echo x >> .git/config; rm -rf .git; mv .git elsewhere; true`
      )
      assert.match(out, /^one$/m)
      assert.strictEqual(git(ws, "rev-parse", "HEAD"), head)
      assert.strictEqual(programs(at("ws/.git")), before)
      assert.isFalse(fs.existsSync(at("ws/elsewhere")))
      assert.strictEqual(fs.readFileSync(at("ws/file"), "utf8"), "one\nmore\n")
    })
  )

  it.scopedLive("takes commits of git, and neither hooks nor configuration", () =>
    Effect.gen(function* () {
      const made = yield* tree
      const { at, ws } = made
      repository(ws)
      const before = programs(at("ws/.git"))
      const { code, out } = yield* run(
        writable(made),
        `echo more >> file && ${commit} && git branch side && git tag v1 && git stash list && echo fine`
      )
      assert.strictEqual(`${code} ${out}`, "0 fine")
      assert.strictEqual(git(ws, "log", "--format=%s"), "two\none")
      yield* run(
        writable(made),
        [
          "echo x > .git/hooks/pre-commit",
          "git config core.hooksPath /tmp",
          "git config alias.x '!sh'",
          "echo '* diff=x' > .git/info/attributes",
          "echo elsewhere > .git/commondir",
          "echo '[core] sshCommand=x' > .git/config.worktree",
          "mv .git/hooks .git/old",
          "mv .git old",
          "rm -rf .git/config",
          "mkdir -p .git/modules/x .git/worktrees/x"
        ].join("; ")
      )
      assert.strictEqual(programs(at("ws/.git")), before)
      for (const name of ["modules/x", "worktrees/x", "old"]) assert.isFalse(fs.existsSync(at("ws/.git", name)), name)
      git(ws, "fsck")
    })
  )

  it.scopedLive("runs no hook of its own, also one that was there before", () =>
    Effect.gen(function* () {
      const made = yield* tree
      const { at, ws } = made
      repository(ws)
      fs.writeFileSync(at("ws/.git/hooks/pre-commit"), "#!/bin/sh\necho ran > ran\n", { mode: 0o755 })
      git(ws, "config", "core.fsmonitor", "echo ran > ran; false")
      git(ws, "config", "core.pager", "sh -c 'echo ran > ran'")
      const { out } = yield* run(
        writable(made),
        `echo more >> file; git status --short; ${commit}; git log --format=%s -1`
      )
      assert.strictEqual(out, "M file\ntwo")
      assert.isFalse(fs.existsSync(at("ws/ran")))
    })
  )

  it.scopedLive("can't be planted where there is none, unless git makes it", () =>
    Effect.gen(function* () {
      const made = yield* tree
      const { at, confinement, ws } = made
      yield* run(confinement, "mkdir .git; mkdir -p .git/hooks; echo x > .git/config; git init -q; mv .git other; true")
      assert.deepStrictEqual(fs.readdirSync(ws), [])
      const { out } = yield* run(writable(made), "git init -q . && git rev-parse --is-inside-work-tree")
      assert.strictEqual(out, "true")
      assert.isTrue(fs.existsSync(at("ws/.git/HEAD")))
    })
  )

  it.scopedLive("that is bare is protected too", () =>
    Effect.gen(function* () {
      const made = yield* tree
      const { ws } = made
      git(ws, "init", "-q", "--bare", ".")
      const before = programs(ws)
      yield* run(
        writable(made),
        "echo x > hooks/post-update; git config core.pager x; echo '[a] b=c' >> config; mv hooks h"
      )
      assert.strictEqual(programs(ws), before)
    })
  )

  it.scopedLive("that is a worktree is committed to, and its main repository keeps its hooks and configuration", () =>
    Effect.gen(function* () {
      const made = yield* tree
      const { at, confinement } = made
      repository(at("main"))
      git(at("main"), "worktree", "add", "-q", at("tree"))
      const before = programs(at("main/.git"))
      const inside = { ...confinement, cwd: at("tree"), mounts: [{ path: at("tree"), access: "write" as const }] }
      const { out } = yield* run(inside, "git status --short && git log --format=%s; echo x > .git; rm -f .git")
      assert.match(out, /^one$/m)
      yield* run({ ...inside, git: "write" }, `echo more >> file; ${commit}; echo x > ${at("main/.git/hooks/x")}; true`)
      assert.strictEqual(programs(at("main/.git")), before)
      assert.strictEqual(git(at("tree"), "rev-parse", "--show-toplevel"), at("tree"))
    })
  )

  it.scopedLive("that only claims to be linked elsewhere opens nothing there", () =>
    Effect.gen(function* () {
      const made = yield* tree
      const { at, ws } = made
      repository(at("victim"))
      fs.writeFileSync(at("victim/.git/secret"), "CANARY")
      fs.writeFileSync(at("ws/.git"), `gitdir: ${at("victim/.git")}\n`)
      const { out } = yield* run(writable(made), `cat ${at("victim/.git/secret")}; ls ${at("victim")}; git log; true`)
      assert.notInclude(out, "CANARY")
      assert.deepStrictEqual(fs.readdirSync(ws), [".git"])
    })
  )
})
