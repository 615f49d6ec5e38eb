// One session's policy as the loop and the tools use it, live and in memory.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Action } from "../../src/policy/Decision.ts"
import * as Descriptor from "../../src/policy/Descriptor.ts"
import * as PathGate from "../../src/policy/PathGate.ts"
import { PolicyService } from "../../src/policy/PolicyService.ts"
import type { PolicySpec, SessionPolicy } from "../../src/policy/SessionPolicy.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { bytes, canary, full, profile, read, refusal, session, textOf, world, write } from "./World.ts"

const run = (command: string): Action => ({ _tag: "Execute", tool: "shell", command })
const change = (file: string): Action => ({ _tag: "Write", tool: "file_write", path: file })
const tag = (policy: SessionPolicy, action: Action) => Effect.map(policy.decide(action), ({ _tag }) => _tag)

describe("decisions of a session", () => {
  it.scopedLive("a grant covers exactly the command, in this session only", () =>
    Effect.gen(function* () {
      const made = yield* world
      const policy = yield* session(made)
      assert.strictEqual(yield* tag(policy, run("make")), "Ask")
      yield* policy.grant(run("make"))
      assert.strictEqual(yield* tag(policy, run("make")), "Allow")
      assert.strictEqual(yield* tag(policy, run("make; make all")), "Ask")
      assert.strictEqual(yield* tag(policy, run("make; rm -rf .")), "Deny")
      assert.strictEqual(yield* tag(policy, { ...run("make"), tool: "other" }), "Ask")
      assert.strictEqual(yield* tag(yield* session(made), run("make")), "Ask")
    })
  )

  it.scopedLive("a grant to write is for the real file, however it is spelled", () =>
    Effect.gen(function* () {
      const made = yield* world
      fs.symlinkSync("keep", path.join(made.ws, "link"))
      const policy = yield* session(made)
      assert.propertyVal(yield* policy.decide(change("./keep")), "always", `file_write on ${made.ws}/keep`)
      yield* policy.grant(change("keep"))
      for (const file of ["keep", "./a/../keep", path.join(made.ws, "keep"), "link"]) {
        assert.strictEqual(yield* tag(policy, change(file)), "Allow", file)
      }
      fs.rmSync(path.join(made.ws, "link"))
      fs.writeFileSync(path.join(made.ws, "link"), "")
      assert.strictEqual(yield* tag(policy, change("link")), "Ask")
      assert.strictEqual(yield* tag(policy, change("other")), "Ask")
    })
  )

  it.scopedLive("decisions follow links of what exists and open nothing", () =>
    Effect.gen(function* () {
      const made = yield* world
      fs.symlinkSync(made.out, path.join(made.ws, "d"))
      for (const overrides of [{}, full, { level: "readonly" }] as const) {
        const policy = yield* session(made, overrides)
        assert.strictEqual(yield* tag(policy, { _tag: "Read", tool: "t", path: "keep" }), "Allow")
        for (const file of ["d/secret", "d/x/new", "../out/secret", "a\u202eb", ""]) {
          const decision = yield* policy.decide({ _tag: "Read", tool: "t", path: file })
          assert.strictEqual(decision._tag, "Deny", file)
          assert.notInclude(decision.reason, "\u202e")
        }
      }
    })
  )

  it.scopedLive("a name with invisible characters that exists on disk is spelled out in messages", () =>
    Effect.gen(function* () {
      const made = yield* world
      fs.symlinkSync(path.join(made.out, "x\u202ey"), path.join(made.ws, "link"))
      fs.writeFileSync(path.join(made.out, "x\u202ey"), "")
      const policy = yield* session(made)
      const decision = yield* policy.decide({ _tag: "Read", tool: "t", path: "link" })
      assert.include(decision.reason, "x<U+202E>y")
      assert.include((yield* Effect.flip(read(policy, "link"))).message, "x<U+202E>y")
    })
  )

  it.scopedLive("PATH-047 what is mounted inside a root is refused unless it is a root itself", () =>
    Effect.gen(function* () {
      const made = yield* world
      const held = yield* Descriptor.acquire(
        made.ws,
        made.ws,
        { follow: "nofollow", want: "directory" },
        () => Effect.void
      )
      // The root as seen from a file that is on another mount than the root.
      const pin = { path: made.ws, held: { ...held, mount: "another" } }
      const rules = { allow: [made.ws], readOnly: [], forbid: [], own: [], open: false }
      const bases = { cwd: made.ws, home: undefined }
      const reading = (rules: Parameters<typeof PathGate.make>[0]) =>
        PathGate.readFile(PathGate.make(rules, bases, pin), "keep", 10)
      const failure = yield* Effect.flip(reading(rules))
      assert.strictEqual(failure.reason, "denied")
      assert.match(failure.message, /mounted inside .*Add the mount point to allowed_roots/)
      assert.strictEqual(textOf((yield* reading({ ...rules, allow: [made.ws, `${made.ws}/keep`] })).bytes), "keep")
      assert.strictEqual(textOf((yield* reading({ ...rules, open: true })).bytes), "keep")
    })
  )
})

describe("read-only roots", () => {
  it.scopedLive("are read and listed like the others, at every level", () =>
    Effect.gen(function* () {
      const made = yield* world
      const skill = path.join(made.out, "secret")
      for (const overrides of [{}, full, { level: "readonly" }] as const) {
        const policy = yield* session(made, overrides, { readOnlyRoots: [made.out] })
        assert.strictEqual(yield* tag(policy, { _tag: "Read", tool: "t", path: skill }), "Allow")
        assert.strictEqual(yield* read(policy, skill), canary)
        assert.strictEqual((yield* policy.listDirectory(made.out)).entries.length, 1)
      }
    })
  )

  it.scopedLive("are never written: not in place, not anew, not below new folders, not through links or dots", () =>
    Effect.gen(function* () {
      const made = yield* world
      fs.symlinkSync(made.out, path.join(made.ws, "in"))
      for (const overrides of [{}, full]) {
        const policy = yield* session(made, overrides, { readOnlyRoots: [made.out] })
        for (const file of ["../out/secret", `${made.out}/new`, `${made.out}/a/b/new`, "in/secret", "in/a/new"]) {
          const decision = yield* policy.decide(change(file))
          assert.strictEqual(decision._tag, "Deny", file)
          assert.include(decision.reason, "only read")
          assert.strictEqual(yield* refusal(write(policy, file, "x")), "denied", file)
          assert.strictEqual(yield* refusal(policy.checkWrite(file)), "denied", file)
        }
        yield* write(policy, "keep", "may")
      }
      assert.deepStrictEqual(fs.readdirSync(made.out), ["secret"])
      assert.strictEqual(fs.readFileSync(path.join(made.out, "secret"), "utf8"), canary)
    })
  )

  it.scopedLive("a link in the place of one is not followed", () =>
    Effect.gen(function* () {
      const made = yield* world
      const link = path.join(made.base, "skills")
      fs.symlinkSync(made.out, link)
      const policy = yield* session(made, {}, { readOnlyRoots: [link] })
      assert.strictEqual(yield* refusal(read(policy, path.join(link, "secret"))), "denied")
    })
  )
})

const spec = (cwd: string): PolicySpec => ({
  profile,
  cwd,
  agentWorkspace: path.join(cwd, "../agent"),
  additionalDirectories: [],
  readOnlyRoots: [],
  ownPaths: []
})

describe("PolicyService", () => {
  it.scopedLive("the live layer opens a session on real files", () =>
    Effect.gen(function* () {
      const made = yield* world
      const service = yield* PolicyService
      const policy = yield* service.open(spec(made.ws))
      assert.strictEqual(policy.cwd, made.ws)
      assert.strictEqual(policy.level, "supervised")
      assert.strictEqual(yield* read(policy, "keep"), "keep")
      assert.strictEqual(policy.absolute("x"), path.join(made.ws, "x"))
    }).pipe(Effect.provide(Layer.provide(PolicyService.layer, Sandbox.test())))
  )

  it.scoped("the test layer decides alike over files in memory", () => {
    const files = new Map([
      ["/project/src/a.txt", bytes("a")],
      ["/skills/a/SKILL.md", bytes("skill")]
    ])
    return Effect.gen(function* () {
      const service = yield* PolicyService
      const policy = yield* service.open({ ...spec("/project"), readOnlyRoots: ["/skills"] })
      assert.strictEqual(yield* read(policy, "src/a.txt"), "a")
      assert.strictEqual(yield* tag(policy, change("src/b.txt")), "Ask")
      assert.strictEqual(yield* tag(policy, { _tag: "Read", tool: "t", path: "/etc/passwd" }), "Deny")
      yield* write(policy, "src/b.txt", "b")
      assert.strictEqual(textOf(files.get("/project/src/b.txt") ?? bytes("")), "b")
      assert.strictEqual(yield* refusal(policy.writeFile("src/b.txt", bytes("c"), bytes("x"))), "invalid")
      assert.strictEqual(yield* refusal(policy.writeFile("src/b.txt", bytes("c"), null)), "invalid")
      assert.strictEqual(yield* refusal(read(policy, "missing")), "not_found")
      assert.strictEqual(yield* refusal(read(policy, "../x")), "denied")
      assert.strictEqual(yield* read(policy, "/skills/a/SKILL.md"), "skill")
      assert.strictEqual(yield* tag(policy, change("/skills/a/SKILL.md")), "Deny")
      assert.strictEqual(yield* refusal(write(policy, "/skills/a/SKILL.md", "x")), "denied")
      assert.deepStrictEqual((yield* policy.listDirectory(".")).entries, [{ name: "src", kind: "directory" }])
      assert.strictEqual((yield* policy.listDirectory("src")).entries.length, 2)
    }).pipe(Effect.provide(Layer.provide(PolicyService.test(files), Sandbox.test())))
  })
})
