// Configuration: where it is, what it says, what is wrong with it.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc, Redacted } from "effect"
import * as Agents from "../../src/config/Agents.ts"
import { Config, decode } from "../../src/config/Config.ts"
import * as Paths from "../../src/config/Paths.ts"
import { temporary } from "../support/Server.ts"

const paths = Paths.resolve({}, "/home/me")
const find = (json: unknown, alias = "default") =>
  Effect.flatMap(decode(json, "config.toml"), (file) => Agents.find(file, paths, alias))
const reason = (json: unknown, alias?: string) => Effect.map(Effect.flip(find(json, alias)), ({ message }) => message)

describe("Paths", () => {
  it("takes the first folder that the environment names, else one in the home", () => {
    assert.strictEqual(Paths.resolve({}, "/home/me").root, "/home/me/.zeroclaw")
    assert.strictEqual(Paths.resolve({ ZEROCLAW_CONFIG_DIR: " ", ZEROCLAW_DATA_DIR: "/b" }, "/home/me").root, "/b")
    assert.strictEqual(Paths.resolve({ ZEROCLAW_CONFIG_DIR: "/a", ZEROCLAW_DATA_DIR: "/b" }, "/home/me").root, "/a")
    assert.strictEqual(Paths.resolve({ ZEROCLAW_CONFIG_DIR: "/a" }, "/").database, "/a/data/sessions/acp-sessions.db")
  })
})

describe("Agents", () => {
  it.effect("is the offline agent, supervised, when nothing is configured", () =>
    Effect.gen(function* () {
      const agent = yield* find({})
      assert.strictEqual(agent.provider, undefined)
      assert.strictEqual(agent.profile.level, "supervised")
      assert.strictEqual(agent.workspace, "/home/me/.zeroclaw/agents/default/workspace")
    })
  )

  it.effect("uses the only provider there is, with base_url as another word for uri", () =>
    Effect.gen(function* () {
      const { maxSteps, provider } = yield* find({
        providers: { models: { anthropic: { main: { model: "m", api_key: "secret", base_url: "http://x" } } } }
      })
      assert.strictEqual(provider?.uri, "http://x")
      assert.strictEqual(maxSteps, 10)
      assert.strictEqual(provider?.apiKey && Redacted.value(provider.apiKey), "secret")
      assert.notInclude(JSON.stringify(provider), "secret")
    })
  )

  it.effect("knows all providers that name a model, its own first, with the other models of each", () =>
    Effect.gen(function* () {
      const { provider, providers } = yield* find({
        agents: { default: { model_provider: "b.main" } },
        providers: {
          models: {
            a: { main: { model: "m1", fallback_models: ["m2", " "], models: ["m3"], context_window: 0 }, none: {} },
            b: { main: { model: "m4", context_window: 7 } }
          }
        }
      })
      assert.deepStrictEqual(providers, [
        { type: "b", alias: "main", model: "m4", contextWindow: 7 },
        { type: "a", alias: "main", model: "m1", otherModels: ["m2", "m3"] }
      ])
      assert.deepStrictEqual(providers[0], provider)
      assert.deepStrictEqual((yield* find({})).providers, [])
    })
  )

  const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
    [
      "several providers and none named",
      { providers: { models: { a: { b: { model: "m" }, c: { model: "m" } } } } },
      "a.b, a.c"
    ],
    ["a provider without a model", { providers: { models: { a: { b: {} } } } }, "providers.models.a.b.model"],
    ["a provider that is not there", { agents: { default: { model_provider: "x.y" } } }, "x.y"],
    ["a profile that is not there", { agents: { default: { risk_profile: "none" } } }, "risk_profiles.none"],
    ["a disabled agent", { agents: { default: { enabled: false } } }, "agents.default.enabled"],
    ["an unknown agent", { agents: { other: {} } }, "other"],
    ["a prototype name as agent", { agents: { constructor: 1 } }, "agents"],
    ["an unknown key of a risk profile", { risk_profiles: { x: { allways_ask: [] } } }, "risk_profiles.x.allways_ask"],
    [
      "a list of models that is none",
      { providers: { models: { a: { b: { model: "m", models: "x" } } } } },
      "providers.models.a.b.models"
    ],
    ["an unknown level", { risk_profiles: { x: { level: "read_only" } } }, "risk_profiles.x.level"],
    ["a wrong type", { acp: { max_sessions: "ten" } }, "acp.max_sessions"]
  ]
  it.effect.each(wrong)("names the place of %s", ([, json, place]) =>
    Effect.map(reason(json), (message) => assert.include(message, place))
  )

  it("chooses an agent by what was asked, the process, the configuration, else the only one", () => {
    const file = { acp: { default_agent: "b" }, agents: { a: {}, b: {} } }
    assert.deepStrictEqual(Agents.choose(file, "a", "c"), Either.right("a"))
    assert.deepStrictEqual(Agents.choose(file, " ", "c"), Either.right("c"))
    assert.deepStrictEqual(Agents.choose(file, undefined, undefined), Either.right("b"))
    assert.deepStrictEqual(Agents.choose({ agents: { only: {} } }, undefined, ""), Either.right("only"))
    assert.isTrue(Either.isLeft(Agents.choose({ agents: { a: {}, b: {} } }, undefined, undefined)))
  })

  it.effect.prop("decodes or refuses any value", [fc.jsonValue()], ([json]) =>
    Effect.asVoid(Effect.either(decode(json, "x")))
  )
})

describe("Config", () => {
  const read = (write: (file: string) => void) =>
    Effect.gen(function* () {
      const home = yield* temporary("config")
      write(path.join(home, "config.toml"))
      const { file } = yield* Effect.provide(Config, Config.layer(Paths.resolve({ ZEROCLAW_CONFIG_DIR: home }, "/")))
      return yield* Effect.either(file)
    })

  it.scopedLive("is empty without a file", () =>
    Effect.map(
      read(() => {}),
      (file) => assert.deepStrictEqual(file, Either.right({}))
    )
  )

  it.scopedLive("names line and column of broken TOML, without the text of the line", () =>
    Effect.gen(function* () {
      const result = yield* read((file) => fs.writeFileSync(file, 'a = 1\napi_key = "sk-secret\n'))
      assert.isTrue(Either.isLeft(result))
      if (Either.isLeft(result)) {
        assert.match(result.left.message, /line 2, column \d+/)
        assert.notInclude(result.left.message, "sk-secret")
      }
    })
  )

  it.scopedLive("refuses a folder and a file too large to be one", () =>
    Effect.gen(function* () {
      assert.isTrue(Either.isLeft(yield* read((file) => fs.mkdirSync(file))))
      assert.isTrue(Either.isLeft(yield* read((file) => fs.writeFileSync(file, Buffer.alloc(2 * 1024 * 1024, " ")))))
    })
  )
})
