// The shipped program looks at the machine: what it says, its exit code, and that it changes nothing.
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { pathWithout } from "../attacks/World.ts"
import * as Server from "../support/Server.ts"

interface Result {
  readonly code: number | string | undefined | null
  readonly stdout: string
  readonly stderr: string
}

const run = (home: string, args: ReadonlyArray<string> = [], env: Readonly<Record<string, string>> = {}) =>
  Effect.async<Result>((resume) => {
    execFile(
      process.execPath,
      [Server.bundle, "doctor", ...args],
      { env: { ...Server.environment(home), ...env } },
      (error, stdout, stderr) => resume(Effect.succeed({ code: error === null ? 0 : error.code, stdout, stderr }))
    )
  })

const Report = Schema.parseJson(
  Schema.Struct({
    ok: Schema.Boolean,
    version: Schema.String,
    checks: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        status: Schema.Literal("ok", "warn", "fail"),
        detail: Schema.String,
        fix: Schema.optional(Schema.String)
      })
    )
  })
)

/** By name; the exit code must fit the report. */
const report = (home: string, args: ReadonlyArray<string> = [], env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const { code, stderr, stdout } = yield* run(home, [...args, "--json"], env)
    const read = yield* Schema.decode(Report)(stdout)
    assert.strictEqual(stderr, "")
    assert.strictEqual(code, read.ok ? 0 : 1)
    return new Map(read.checks.map(({ name, ...check }) => [name, check]))
  })

const provider = (more: string) => `[providers.models.anthropic.main]\nmodel = "claude"\n${more}\n`

const withoutBubblewrap = Effect.map(Server.temporary("bin"), (dir) => ({
  PATH: pathWithout("bwrap", path.join(dir, "bin"))
}))

describe("zeroclaw doctor", () => {
  it.scopedLive("finds all well on a machine with a sandbox, and changes nothing", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place()
      const { code, stderr, stdout } = yield* run(home)
      assert.strictEqual(stderr, "")
      assert.strictEqual(code, 0)
      assert.match(stdout, /^ok +sandbox +bubblewrap, \/.*no capabilities/m)
      assert.match(stdout, /\nAll is well\.\n$/)
      assert.deepStrictEqual(fs.readdirSync(home), [])
    })
  )

  it.scopedLive("fails where commands are not run for want of a sandbox, and says how to get one", () =>
    Effect.gen(function* () {
      const env = yield* withoutBubblewrap
      const { home } = yield* Server.place()
      const sandbox = (yield* report(home, [], env)).get("sandbox")
      assert.strictEqual(sandbox?.status, "fail")
      assert.include(sandbox?.fix, "apt install bubblewrap")
      const { code, stdout } = yield* run(home, [], env)
      assert.strictEqual(code, 1)
      assert.match(stdout, /^fail +sandbox +missing: no command is run\n +-> .*apt install bubblewrap/m)
    })
  )

  it.scopedLive("warns where commands run without a sandbox", () =>
    Effect.gen(function* () {
      const env = yield* withoutBubblewrap
      const full = yield* Server.place('[risk_profiles.default]\nlevel = "full"\nblock_high_risk_commands = false\n')
      assert.strictEqual((yield* report(full.home, [], env)).get("sandbox")?.status, "warn")
      const off = yield* Server.place('[risk_profiles.default]\nsandbox_backend = "none"\n')
      assert.strictEqual((yield* report(off.home)).get("sandbox")?.status, "warn")
      const named = yield* Server.place('[risk_profiles.default]\nsandbox_backend = "bubblewrp"\n')
      const wrong = (yield* report(named.home)).get("sandbox")
      assert.strictEqual(wrong?.status, "fail")
      assert.include(wrong?.fix, "bubblewrp")
    })
  )

  it.scopedLive("names the place in a broken configuration and still looks at the rest", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place("[acp]\nmax_sessions = many\n")
      const checks = yield* report(home)
      assert.strictEqual(checks.get("configuration")?.status, "fail")
      assert.include(checks.get("configuration")?.detail, "line 2")
      assert.strictEqual(checks.get("node")?.status, "ok")
      assert.strictEqual(checks.get("sessions")?.status, "ok")
      assert.strictEqual(checks.get("agent")?.status, "fail")
    })
  )

  it.scopedLive("warns of a configuration that others can write", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place("[acp]\n")
      fs.chmodSync(path.join(home, "config.toml"), 0o666)
      const checks = yield* report(home)
      assert.strictEqual(checks.get("configuration")?.status, "warn")
      assert.include(checks.get("configuration")?.detail, "chmod go-w")
    })
  )

  it.scopedLive("looks for the provider's key, and never tells it", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place(provider(""))
      const missing = (yield* report(home)).get("model")
      assert.strictEqual(missing?.status, "fail")
      assert.include(missing?.detail, "zeroclaw login anthropic.main")
      const env = { ANTHROPIC_API_KEY: "sk-ant-CANARY-0123456789" }
      const found = (yield* report(home, [], env)).get("model")
      assert.strictEqual(found?.status, "ok")
      assert.include(found?.detail, "ANTHROPIC_API_KEY")
      const told = [
        yield* run(home, [], env),
        yield* run((yield* Server.place(provider(`api_key = "sk-ant-CANARY-0123456789"`))).home)
      ]
      for (const { code, stdout } of told) {
        assert.strictEqual(code, 0)
        assert.notInclude(stdout, "CANARY")
      }
    })
  )

  it.scopedLive("refuses a database that is none, and a data folder that is a file", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place()
      fs.mkdirSync(path.join(home, "data", "sessions"), { recursive: true })
      fs.writeFileSync(path.join(home, "data", "sessions", "acp-sessions.db"), "no database".repeat(20))
      assert.strictEqual((yield* report(home)).get("sessions")?.status, "fail")
      const other = yield* Server.place()
      fs.writeFileSync(path.join(other.home, "data"), "")
      const checks = yield* report(other.home)
      assert.strictEqual(checks.get("sessions")?.status, "fail")
      assert.strictEqual(checks.get("log")?.status, "warn")
    })
  )

  it.scopedLive("looks at the agent that is named, and knows wrong options", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place(
        '[agents.a]\n[agents.b]\nrisk_profile = "strict"\n[risk_profiles.strict]\nlevel = "readonly"\n'
      )
      assert.strictEqual((yield* report(home)).get("agent")?.status, "fail")
      assert.include((yield* report(home, ["--agent", "b"])).get("agent")?.detail, "readonly")
      assert.strictEqual((yield* report(home, ["--agent", "c"])).get("agent")?.status, "fail")
      for (const words of [["--jsn"], ["now"], ["--agent"]]) {
        const { code, stderr, stdout } = yield* run(home, words)
        assert.strictEqual(code, 2)
        assert.strictEqual(stdout, "")
        assert.match(stderr, /^zeroclaw doctor: [^\n]+\n$/)
      }
    })
  )
})
