// The known attacks on paths, each through the tool a model would use for it.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Profile } from "../../../src/policy/PolicyService.ts"
import { canary, full, type World } from "../../policy/World.ts"
import { type Called, call, type Place, place, seen } from "./Run.ts"

interface Case {
  readonly name: string
  readonly profile?: Partial<Profile>
  readonly setup?: (world: Place) => void
  readonly calls: (world: Place) => ReadonlyArray<readonly [tool: string, input: unknown]>
  readonly after?: (world: Place) => void
}

const unharmed = ({ out }: Place) => {
  assert.deepStrictEqual(fs.readdirSync(out), ["secret"])
  assert.strictEqual(fs.readFileSync(path.join(out, "secret"), "utf8"), canary)
}

/** Each call fails and shows nothing of the secret; the outside stays as it was. */
const refused = ({ name, profile, setup, calls, after }: Case) =>
  it.scopedLive(name, () =>
    Effect.gen(function* () {
      const made = yield* place(profile)
      setup?.(made)
      for (const [tool, input] of calls(made)) {
        const called = yield* call(made.policy, tool, input)
        assert.strictEqual(called.status, "failed", `${tool} ${JSON.stringify(input).slice(0, 100)}`)
        assert.notInclude(seen(called), canary)
        assert.notInclude(called.text, "\n", "a refusal is one line")
      }
      unharmed(made)
      after?.(made)
    })
  )

const read = (file: string) => ["file_read", { path: file }] as const
const link = (name: string, target: (world: World) => string) => (made: Place) =>
  fs.symlinkSync(target(made), path.join(made.ws, name))

describe("paths that lead outside", () => {
  refused({ name: "PATH-001 ..", calls: () => [read("../out/secret")] })
  refused({
    name: "PATH-002 a path that normalises to the outside",
    setup: ({ ws }) => fs.mkdirSync(path.join(ws, "a/b"), { recursive: true }),
    calls: () => [read("a/b/../../../out/secret")]
  })
  refused({ name: "PATH-003 an absolute path", calls: ({ out }) => [read(`${out}/secret`)] })
  refused({
    name: "PATH-004 a sibling whose name begins like the workspace",
    setup: ({ ws }) => {
      fs.mkdirSync(`${ws}-sibling`)
      fs.writeFileSync(`${ws}-sibling/secret`, canary)
    },
    calls: ({ ws }) => [
      read(`${ws}-sibling/secret`),
      ["content_search", { pattern: "C", path: `${ws}-sibling` }],
      ["glob_search", { pattern: "*", path: `${ws}-sibling` }]
    ]
  })
  refused({
    name: "PATH-006 a link to a file outside",
    setup: link("link", ({ out }) => `${out}/secret`),
    calls: () => [
      read("link"),
      ["content_search", { pattern: "C", path: "link" }],
      ["content_search", { pattern: "C", path: "link", output_mode: "count" }]
    ]
  })
  refused({
    name: "PATH-007 a linked folder outside",
    setup: link("d", ({ out }) => out),
    calls: () => [
      read("d/secret"),
      ["content_search", { pattern: "C", path: "d" }],
      ["content_search", { pattern: "C", path: "d/secret" }],
      ["glob_search", { pattern: "*", path: "d" }]
    ]
  })
  refused({
    name: "PATH-009 a write through a link shows no target and changes none",
    setup: link("link", ({ out }) => `${out}/secret`),
    calls: () => [["file_write", { path: "link", content: "PWNED" }]]
  })
  refused({
    name: "PATH-011 an edit through a linked folder",
    setup: link("d", ({ out }) => out),
    calls: () => [["file_edit", { path: "d/secret", old_string: canary.slice(0, 3), new_string: "PWNED" }]]
  })
  refused({
    name: "PATH-013 missing folders below a linked folder are not made",
    setup: link("d", ({ out }) => out),
    calls: () => [
      ["file_write", { path: "d/x/y/new.txt", content: "x" }],
      ["file_write", { path: "d/new.txt", content: "x" }]
    ]
  })
  refused({
    name: "PATH-020 /proc/self/root in full",
    profile: full,
    calls: ({ out }) => [read(`/proc/self/root${out}/secret`), read(`/proc/thread-self/root${out}/secret`)]
  })
  refused({
    name: "PATH-022 a link to our own environment",
    setup: link("e", () => "/proc/self/environ"),
    calls: () => [read("e"), ["content_search", { pattern: "PATH", path: "e" }]]
  })
  refused({
    name: "PATH-023 standard input",
    profile: full,
    calls: () => [read("/dev/stdin"), read("/dev/fd/0"), read("/proc/self/fd/0")]
  })
  refused({
    name: "PATH-025 a FIFO, read, edited, written and searched",
    setup: ({ ws }) => assert.strictEqual(spawnSync("mkfifo", [path.join(ws, "fifo")]).status, 0),
    calls: () => [
      read("fifo"),
      ["file_edit", { path: "fifo", old_string: "a", new_string: "b" }],
      ["file_write", { path: "fifo", content: "x" }]
    ]
  })
  refused({ name: "PATH-028 a NUL in the path", calls: () => [read("keep\u0000/../../out/secret")] })
  refused({
    name: "PATH-030 a trailing slash",
    calls: () => [["file_write", { path: "newdir/", content: "x" }], read("keep/")],
    after: ({ ws }) => assert.isFalse(fs.existsSync(path.join(ws, "newdir")))
  })
  refused({
    name: "PATH-032 paths of 5 000 and 70 000 bytes",
    calls: () => [
      read("a".repeat(5000)),
      read(`${"a/".repeat(35_000)}x`),
      ["glob_search", { pattern: "*", path: "a".repeat(5000) }]
    ],
    after: () => undefined
  })
  refused({ name: "PATH-033 %2e%2e in a file URI", calls: ({ ws }) => [read(`file://${ws}/%2e%2e/out/secret`)] })
  refused({
    name: "PATH-035 file URIs of other hosts and forms",
    calls: () => [read("file://evil.example/etc/passwd"), read("file:../out/secret"), read("FILE:///etc/passwd")]
  })
  refused({ name: "PATH-037 full-width dots and slash are no ../", calls: () => [read("．．／out／secret")] })

  it.scopedLive("PATH-018 a write to a hard link leaves the outside file as it was", () =>
    Effect.gen(function* () {
      const made = yield* place()
      fs.linkSync(path.join(made.out, "secret"), path.join(made.ws, "hl"))
      const called = yield* call(made.policy, "file_write", { path: "hl", content: "NEW" })
      assert.strictEqual(called.status, "completed")
      assert.strictEqual(fs.readFileSync(path.join(made.ws, "hl"), "utf8"), "NEW")
      unharmed(made)
    })
  )

  it.scopedLive("PATH-027 a socket and a folder are no files; the folder's message names glob_search", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      const server = net.createServer()
      yield* Effect.acquireRelease(
        Effect.async<void>((resume) => {
          server.listen(path.join(ws, "s.sock"), () => resume(Effect.void))
        }),
        () => Effect.sync(() => server.close())
      )
      assert.strictEqual((yield* call(policy, "file_read", { path: "s.sock" })).status, "failed")
      const folder = yield* call(policy, "file_read", { path: "." })
      assert.strictEqual(folder.status, "failed")
      assert.include(folder.text, "glob_search")
    })
  )

  it.scopedLive("PATH-039 bidirectional and zero-width characters never reach a title", () =>
    Effect.gen(function* () {
      const { policy } = yield* place({ alwaysAsk: ["file_write"] })
      const calls: ReadonlyArray<readonly [string, object]> = [
        ["file_write", { path: "safe\u202etxt.sh", content: "x" }],
        ["file_read", { path: "a\u200bb" }],
        ["glob_search", { pattern: "\u2066*", path: "." }],
        ["content_search", { pattern: "a\u202eb" }],
        ["shell", { command: "echo safe\u202e; true\u200d" }]
      ]
      for (const [tool, input] of calls) {
        const called = yield* call(policy, tool, input)
        assert.notMatch(called.face?.title ?? called.text, /[\p{Cc}\p{Cf}]/u)
      }
    })
  )

  it.scopedLive("PATH-043 a workspace replaced by a link: no tool enters, the shell neither", () =>
    Effect.gen(function* () {
      const { out, policy, ws } = yield* place({ autoApprove: ["*"] })
      fs.renameSync(ws, `${ws}.old`)
      fs.symlinkSync(out, ws)
      const calls: ReadonlyArray<readonly [string, object]> = [
        ["file_read", { path: "secret" }],
        ["file_write", { path: "x", content: "x" }],
        ["glob_search", { pattern: "*" }],
        ["content_search", { pattern: "C" }],
        ["shell", { command: "cat secret; pwd" }]
      ]
      for (const [tool, input] of calls) {
        const called = yield* call(policy, tool, input)
        assert.strictEqual(called.status, "failed", tool)
        assert.notInclude(seen(called), canary)
      }
      assert.deepStrictEqual(fs.readdirSync(out), ["secret"])
    })
  )
})

describe("forbidden paths", () => {
  refused({
    name: "FORB-001 FORB-003 keys and system folders in full",
    profile: full,
    calls: ({ home }) => [
      read(`${home}/.ssh/id_ed25519`),
      read("~/.ssh/id_ed25519"),
      ["file_write", { path: "/etc/zc-pwn", content: "x" }],
      ["content_search", { pattern: "C", path: "~/.ssh" }],
      ["glob_search", { pattern: "*", path: "~/.ssh" }]
    ],
    after: () => assert.isFalse(fs.existsSync("/etc/zc-pwn"))
  })

  it.scopedLive("FORB-005 FORB-006 cwd = home: neither read nor search tells anything of ~/.ssh", () =>
    Effect.gen(function* () {
      for (const profile of [{}, full]) {
        const { home, policy } = yield* place(profile, { cwd: ({ home }) => home })
        fs.writeFileSync(path.join(home, ".ssh/other"), canary)
        assert.strictEqual((yield* call(policy, "file_read", { path: ".ssh/id_ed25519" })).status, "failed")
        const nothing = (yield* call(policy, "content_search", { pattern: "does not occur" })).text
        for (const mode of ["content", "files_with_matches", "count"]) {
          const called = yield* call(policy, "content_search", {
            pattern: `^${canary}$`,
            output_mode: mode,
            max_results: 1
          })
          assert.strictEqual(called.text, nothing, mode)
        }
        assert.notInclude((yield* call(policy, "glob_search", { pattern: "**" })).text, "id_ed25519")
      }
    })
  )

  it.scopedLive("FORB-007 a workspace below a forbidden folder works", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place({ ...full, forbiddenPaths: ["/", "/tmp"] })
      assert.strictEqual((yield* call(policy, "file_write", { path: "a.txt", content: "x" })).status, "completed")
      assert.strictEqual(fs.readFileSync(path.join(ws, "a.txt"), "utf8"), "x")
    })
  )

  refused({
    name: "FORB-008 no spelling gets around",
    profile: full,
    setup: link("s", () => "/etc/shadow"),
    calls: () => ["/etc//./shadow", "/usr/../etc/shadow", ["/proc/self", "root/etc/shadow"].join("/"), "s"].map(read)
  })

  it.scopedLive("FORB-011 ~/.sshx is not ~/.ssh", () =>
    Effect.gen(function* () {
      const { home, policy } = yield* place({ ...full, forbiddenPaths: ["~/.ssh"] })
      const calls: ReadonlyArray<Called> = yield* Effect.forEach(
        [`${home}/.sshx/a`, `${home}/.ssh/id_ed25519`],
        (file) => call(policy, "file_read", { path: file })
      )
      assert.deepStrictEqual(
        calls.map(({ status }) => status),
        ["completed", "failed"]
      )
    })
  )

  refused({
    name: "FORB-013 our own token, configuration and database in full",
    profile: { ...full, forbiddenPaths: [] },
    calls: ({ config, database, token }) => [
      read(token),
      ["file_write", { path: config, content: "x" }],
      read(database),
      ["content_search", { pattern: "C", path: token }]
    ],
    after: ({ config }) => assert.strictEqual(fs.readFileSync(config, "utf8"), canary)
  })

  it.scopedLive("FORB-013 a search around our own files tells nothing of them", () =>
    Effect.gen(function* () {
      const { base, policy } = yield* place({ ...full, forbiddenPaths: [] })
      for (const mode of ["content", "files_with_matches", "count"]) {
        const called = yield* call(policy, "content_search", {
          pattern: canary,
          path: path.join(base, "cfg"),
          output_mode: mode,
          max_results: 1
        })
        assert.strictEqual(called.text, "No matches.", mode)
      }
    })
  )
})
