// Forbidden paths hold in every level; what lies below them by choice works.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { homesOf } from "../../src/policy/OpenPolicy.ts"
import { canary, full, read, refusal, session, world, write } from "./World.ts"

const levels = [{}, full] as const

describe("forbidden paths", () => {
  it.scopedLive("FORB-001 FORB-003 keys and system folders stay closed in full", () =>
    Effect.gen(function* () {
      const made = yield* world
      const policy = yield* session(made, full)
      for (const file of [`${made.home}/.ssh/id_ed25519`, "~/.ssh/id_ed25519", "~/.netrc", "/etc/passwd"]) {
        assert.strictEqual(yield* refusal(read(policy, file)), "denied", file)
      }
      assert.strictEqual(yield* refusal(write(policy, "/etc/zc-pwn", "x")), "denied")
      assert.isFalse(fs.existsSync("/etc/zc-pwn"))
    })
  )

  it.scopedLive("FORB-004 in full, and with workspace_only off, an ordinary path outside is allowed", () =>
    Effect.gen(function* () {
      const made = yield* world
      const forbiddenPaths = ["/etc", "~/.ssh"]
      for (const overrides of [full, { workspaceOnly: false }] as const) {
        const policy = yield* session(made, { ...overrides, forbiddenPaths })
        assert.strictEqual(yield* read(policy, path.join(made.out, "secret")), canary)
        yield* write(policy, path.join(made.out, "made/here"), "x")
      }
      const closed = yield* session(made, { forbiddenPaths })
      assert.strictEqual(yield* refusal(read(closed, path.join(made.out, "secret"))), "denied")
    })
  )

  it.scopedLive("FORB-005 FORB-006 cwd = home does not open ~/.ssh", () =>
    Effect.gen(function* () {
      const made = yield* world
      fs.writeFileSync(path.join(made.home, "notes"), "notes")
      for (const overrides of levels) {
        const policy = yield* session(made, overrides, { cwd: made.home })
        assert.strictEqual(yield* read(policy, "notes"), "notes")
        assert.strictEqual(yield* refusal(read(policy, ".ssh/id_ed25519")), "denied")
        assert.strictEqual(yield* refusal(write(policy, ".ssh/authorized_keys", "x")), "denied")
        assert.strictEqual(yield* refusal(write(policy, ".aws/credentials", "x")), "denied")
        assert.isFalse(fs.existsSync(path.join(made.home, ".aws")))
        assert.strictEqual((yield* policy.decide({ _tag: "Read", tool: "t", path: ".ssh/id_ed25519" }))._tag, "Deny")
      }
    })
  )

  it.scopedLive("FORB-007 a workspace below a forbidden folder works", () =>
    Effect.gen(function* () {
      const made = yield* world
      for (const overrides of levels) {
        const policy = yield* session(made, { ...overrides, forbiddenPaths: ["/", "/tmp", made.base] })
        yield* write(policy, "a.txt", "x")
        assert.strictEqual(yield* read(policy, "a.txt"), "x")
        assert.strictEqual(yield* refusal(read(policy, path.join(made.out, "secret"))), "denied")
      }
    })
  )

  it.scopedLive("a workspace that is itself forbidden is closed", () =>
    Effect.gen(function* () {
      const made = yield* world
      const policy = yield* session(made, { ...full, forbiddenPaths: [made.ws] })
      assert.match((yield* Effect.flip(read(policy, "keep"))).message, /itself in forbidden_paths/)
    })
  )

  it.scopedLive("FORB-008 no spelling gets around: link, .., doubled slash, dot, /proc/self/root", () =>
    Effect.gen(function* () {
      const made = yield* world
      const policy = yield* session(made, full)
      fs.symlinkSync("/etc/shadow", path.join(made.ws, "s"))
      for (const file of [
        "/etc//./shadow",
        "/usr/../etc/shadow",
        ["/proc/self", "root/etc/shadow"].join("/"),
        path.join(made.ws, "s"),
        "file:///etc/shadow"
      ]) {
        assert.strictEqual(yield* refusal(read(policy, file)), "denied", file)
        assert.strictEqual((yield* policy.decide({ _tag: "Read", tool: "t", path: file }))._tag, "Deny", file)
      }
    })
  )

  it.scopedLive("FORB-011 ~/.sshx is not ~/.ssh", () =>
    Effect.gen(function* () {
      const made = yield* world
      const policy = yield* session(made, { ...full, forbiddenPaths: ["~//.ssh/"] })
      assert.strictEqual(yield* read(policy, "~/.sshx/a"), "ok")
      assert.strictEqual(yield* refusal(read(policy, "~/.ssh/id_ed25519")), "denied")
    })
  )

  it.scopedLive("FORB-013 our own files are refused in every level, under any name, even as roots", () =>
    Effect.gen(function* () {
      const made = yield* world
      const linked = path.join(made.ws, "other-name")
      fs.linkSync(made.config, linked)
      fs.symlinkSync(made.database, path.join(made.ws, "db"))
      for (const overrides of levels) {
        const policy = yield* session(
          made,
          { ...overrides, forbiddenPaths: [], allowedRoots: [made.config, path.dirname(made.config)] },
          { cwd: path.dirname(made.config) }
        )
        for (const file of [made.token, made.config, made.database, `${made.database}-wal`, "config.toml", linked]) {
          assert.strictEqual(yield* refusal(read(policy, file)), "denied", file)
        }
        const inside = yield* session(made, { ...overrides, forbiddenPaths: [] })
        assert.strictEqual(yield* refusal(read(inside, "db")), "denied")
        assert.strictEqual(yield* refusal(read(inside, "other-name")), "denied")
        for (const file of [made.config, `${made.config}.bak`, `${made.database}-journal`]) {
          assert.strictEqual(yield* refusal(write(policy, file, "x")), "denied", file)
          assert.strictEqual((yield* policy.decide({ _tag: "Write", tool: "t", path: file }))._tag, "Deny", file)
        }
      }
      assert.strictEqual(fs.readFileSync(made.config, "utf8"), canary)
    })
  )

  it.scopedLive("a forbidden path that is a link is closed at both ends, also when the link appears later", () =>
    Effect.gen(function* () {
      const made = yield* world
      fs.mkdirSync(path.join(made.ws, "keys"))
      fs.writeFileSync(path.join(made.ws, "keys/a"), canary)
      fs.symlinkSync("keys", path.join(made.ws, "linked"))
      const policy = yield* session(made, { forbiddenPaths: ["linked", "later"] })
      assert.strictEqual(yield* refusal(read(policy, "keys/a")), "denied")
      assert.strictEqual(yield* refusal(read(policy, "linked/a")), "denied")
      assert.strictEqual(yield* refusal(write(policy, "later/a", "x")), "denied")
      assert.isFalse(fs.existsSync(path.join(made.ws, "later")))
    })
  )

  it("homes are HOME and the passwd entry", () => {
    const passwd = homesOf({})
    assert.deepStrictEqual(homesOf({ HOME: "/somewhere/" }), ["/somewhere", ...passwd])
    assert.deepStrictEqual(homesOf({ HOME: "relative" }), passwd)
    assert.deepStrictEqual(homesOf({ HOME: passwd[0] }), passwd)
  })
})
