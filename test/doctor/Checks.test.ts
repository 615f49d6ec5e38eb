// What a person is told about what was found. Pure.
import { assert, describe, it } from "@effect/vitest"
import { Either, Redacted } from "effect"
import * as Agents from "../../src/config/Agents.ts"
import * as Paths from "../../src/config/Paths.ts"
import * as Check from "../../src/doctor/Check.ts"
import * as Checks from "../../src/doctor/Checks.ts"
import type { Profile } from "../../src/policy/PolicyService.ts"

const agent = Either.getOrThrow(Agents.find({}, Paths.resolve({}, "/home/ada"), Agents.defaultAlias))

const profile = (changes: Partial<Profile>): Profile => ({ ...agent.profile, ...changes })

const anthropic: Agents.ProviderSettings = { type: "anthropic", alias: "main", model: "m" }
const ollama: Agents.ProviderSettings = { type: "ollama", alias: "home", model: "m" }
const none = Either.right(undefined)

describe("Node.js", () => {
  it("is new enough from 20.19 on", () => {
    const of = (version: string) => Checks.node(version, "linux x64").status
    assert.deepStrictEqual(["20.19.0", "20.20.2", "22.1.0", "30.0.0"].map(of), ["ok", "ok", "ok", "ok"])
    assert.deepStrictEqual(["20.18.3", "18.20.0", "8.0.0"].map(of), ["fail", "fail", "fail"])
  })
})

describe("the configuration", () => {
  it("may be absent, dangerous or broken", () => {
    const of = (found: Partial<Checks.ConfigFound>) =>
      Checks.configuration({ file: "/c/config.toml", exists: true, concerns: [], ...found })
    assert.strictEqual(of({}).status, "ok")
    assert.include(of({ exists: false }).detail, "the defaults count")
    assert.deepInclude(of({ concerns: ["It is a link."] }), { status: "warn", detail: "It is a link." })
    assert.deepInclude(of({ concerns: ["It is a link."], error: "Line 3." }), { status: "fail", detail: "Line 3." })
  })
})

describe("the model", () => {
  const of = (
    settings: Agents.ProviderSettings | undefined,
    env = {},
    stored: Parameters<typeof Checks.model>[2] = none
  ) => Checks.model(settings, env, stored)

  it("is the offline agent without a provider", () => {
    assert.strictEqual(of(undefined).status, "ok")
    assert.include(of(undefined).detail, "offline agent")
  })

  it("says where its key is, and never the key", () => {
    const key = Redacted.make("sk-THE-KEY")
    const found = [
      of({ ...anthropic, apiKey: key }),
      of(anthropic, { ANTHROPIC_API_KEY: "sk-THE-KEY" }),
      of(anthropic, {}, Either.right(key)),
      of(ollama)
    ]
    assert.deepStrictEqual(
      found.map(({ detail }) => /(?:API key|without)[^;]*/.exec(detail)?.[0]),
      [
        "API key in config.toml",
        "API key in ANTHROPIC_API_KEY",
        "API key stored by zeroclaw login",
        "without an API key"
      ]
    )
    assert.isTrue(found.every(({ detail, status }) => status === "ok" && !detail.includes("THE-KEY")))
  })

  it("of a provider that needs a key fails without one, and says how to get it there", () => {
    const { detail, status } = of(anthropic)
    assert.strictEqual(status, "fail")
    assert.include(detail, "ANTHROPIC_API_KEY")
    assert.include(detail, "zeroclaw login anthropic.main")
  })

  it("does not need stored keys that can't be read when the key is elsewhere or not needed", () => {
    const why = "credentials.json can be read by other users."
    const broken = Either.left(why)
    assert.deepInclude(of(anthropic, {}, broken), { status: "fail", detail: why })
    assert.strictEqual(of(anthropic, { ANTHROPIC_API_KEY: "k" }, broken).status, "ok")
    assert.strictEqual(of(ollama, {}, broken).status, "ok")
  })

  it("of an unknown type or a wrong address fails", () => {
    assert.strictEqual(of({ ...anthropic, type: "antropic" }).status, "fail")
    assert.include(of({ ...anthropic, type: "antropic" }).detail, "anthropic")
    assert.strictEqual(of({ ...ollama, uri: "localhost" }).status, "fail")
  })
})

describe("the sandbox", () => {
  const missing = (asked: boolean) => ({ _tag: "Missing", reason: "Install it.", asked }) as const

  it("is well when it is ready, at every level", () => {
    const ready = { _tag: "Ready", backend: "bubblewrap", evidence: "/usr/bin/bwrap: tried" } as const
    for (const level of ["readonly", "supervised", "full"] as const) {
      assert.strictEqual(Checks.sandbox(ready, profile({ level })).status, "ok")
    }
  })

  it("that is missing is a problem where commands don't run for want of it, a warning where they do", () => {
    const of = (level: Profile["level"], asked: boolean) => Checks.sandbox(missing(asked), profile({ level }))
    assert.deepInclude(of("supervised", false), { status: "fail", fix: "Install it." })
    assert.strictEqual(of("supervised", true).status, "fail")
    assert.strictEqual(of("full", true).status, "fail")
    assert.strictEqual(of("readonly", true).status, "fail")
    assert.strictEqual(of("readonly", false).status, "warn")
    assert.deepInclude(of("full", false), { status: "warn", fix: "Install it." })
  })

  it("that is switched off is told, with what commands do then", () => {
    const of = (changes: Partial<Profile>) => Checks.sandbox({ _tag: "Off" }, profile(changes))
    assert.strictEqual(of({}).status, "warn")
    assert.include(of({}).detail, "each one asks first")
    assert.include(of({ level: "full" }).detail, "without a question")
    assert.include(of({ level: "readonly" }).detail, "no command is run")
  })
})

describe("the report", () => {
  const checks = [
    Check.ok("node", "Node.js"),
    Check.warn("sandbox", "off", "Switch it on."),
    Check.fail("model", "There is no key.")
  ]

  it("has a line a check, with the way out below it, and a summary", () => {
    assert.deepStrictEqual(Check.lines(checks), [
      "ok    node     Node.js",
      "warn  sandbox  off",
      "               -> Switch it on.",
      "fail  model    There is no key.",
      "",
      "1 problem, 1 warning."
    ])
    assert.strictEqual(Check.lines([Check.ok("node", "Node.js")]).at(-1), "All is well.")
  })

  it("is well with warnings, not with a failure", () => {
    assert.isTrue(Check.isWell(checks.slice(0, 2)))
    assert.deepStrictEqual(Check.report("1.0.0", checks), { ok: false, version: "1.0.0", checks })
  })
})
