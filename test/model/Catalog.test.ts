// What a session may choose, and that each choice leads to what it names.
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer } from "effect"
import { Credentials } from "../../src/auth/Credentials.ts"
import * as Agents from "../../src/config/Agents.ts"
import { decode } from "../../src/config/Config.ts"
import * as Paths from "../../src/config/Paths.ts"
import { Models, type Selection } from "../../src/model/Models.ts"

const models = Layer.provide(Models.layer, Credentials.test())

const paths = Paths.resolve({}, "/home/me")
const agentOf = (json: unknown) => Effect.flatMap(decode(json, "test"), (file) => Agents.find(file, paths, "default"))

const catalog = (agent: Agents.Agent, selection: Selection = {}) =>
  Effect.provide(
    Effect.flatMap(Models, (models) => models.catalog(agent, selection)),
    models
  )
const model = (agent: Agents.Agent, selection: Selection) =>
  Effect.provide(
    Effect.flatMap(Models, (models) => models.forAgent(agent, selection)),
    models
  )

const several = {
  agents: { default: { model_provider: "openai.work" } },
  providers: {
    models: {
      anthropic: { main: { model: "claude-opus-4-1" }, empty: {} },
      openai: {
        work: {
          model: "o3",
          fallback_models: ["gpt-4o", "o3", " "],
          models: ["gpt-5", "gpt-4o"],
          context_window: 1000
        }
      },
      custom: { none: { fallback_models: ["x"] } }
    }
  }
}

describe("catalog", () => {
  it.effect(
    "holds the agent's own model first, then its others, then those of other providers, the offline agent last",
    () =>
      Effect.gen(function* () {
        const { models } = yield* catalog(yield* agentOf(several))
        assert.deepStrictEqual(
          models.map(({ value }) => value),
          ["openai.work/o3", "openai.work/gpt-4o", "openai.work/gpt-5", "anthropic.main/claude-opus-4-1", "offline"]
        )
        assert.deepStrictEqual(models[1], { value: "openai.work/gpt-4o", name: "gpt-4o", description: "openai.work" })
      })
  )

  it.effect("is the offline agent alone when no provider is configured", () =>
    Effect.gen(function* () {
      const agent = yield* agentOf({})
      const { models, thoughtLevels } = yield* catalog(agent)
      assert.strictEqual(models.length, 1)
      assert.deepInclude(models[0], { value: "offline", name: "Offline agent" })
      assert.match(models[0]?.description ?? "", /^[^\n]+$/)
      assert.deepStrictEqual(thoughtLevels, [])
      assert.strictEqual((yield* model(agent, {})).id, "offline")
    })
  )

  it.effect("tells the thought levels of the selected model", () =>
    Effect.gen(function* () {
      const agent = yield* agentOf(several)
      const levels = (selected?: string) =>
        Effect.map(catalog(agent, selected === undefined ? {} : { model: selected }), ({ thoughtLevels }) =>
          thoughtLevels.map(({ value }) => value)
        )
      assert.deepStrictEqual(yield* levels(), ["off", "low", "medium", "high"])
      assert.deepStrictEqual(yield* levels("no.such/model"), ["off", "low", "medium", "high"])
      assert.deepStrictEqual(yield* levels("openai.work/gpt-4o"), [])
      assert.deepStrictEqual(yield* levels("offline"), [])
    })
  )

  const word = fc.oneof(fc.constantFrom("a", "b", "a/b", "a.b", "offline", ""), fc.string({ maxLength: 6 }))
  const entry = fc.record(
    { model: word, fallback_models: fc.array(word, { maxLength: 3 }), models: fc.array(word, { maxLength: 3 }) },
    { requiredKeys: ["model"] }
  )
  const tables = fc.dictionary(
    fc.constantFrom("anthropic", "openai", "ollama", "unknown"),
    fc.dictionary(fc.constantFrom("main", "other", "a/b"), entry, { minKeys: 1 }),
    { minKeys: 1 }
  )

  it.effect.prop(
    "every value leads to the model of that id, once, and what it does not hold to the first",
    [tables, word],
    ([json, unknown]) =>
      Effect.gen(function* () {
        const names = Object.entries(json).flatMap(([type, entries]) => Object.keys(entries).map((a) => `${type}.${a}`))
        const own = names.at(-1)
        const agent = yield* agentOf({
          agents: { default: { model_provider: own } },
          providers: { models: json }
        })
        const { models } = yield* catalog(agent)
        const values = models.map(({ value }) => value)
        assert.strictEqual(new Set(values).size, values.length)
        assert.strictEqual(values[0], `${own}/${agent.provider?.model}`)
        assert.strictEqual(values.at(-1), "offline")
        for (const value of values) assert.strictEqual((yield* model(agent, { model: value })).id, value)
        const other = values.includes(unknown) ? {} : { model: unknown }
        assert.strictEqual((yield* model(agent, other)).id, values[0])
        assert.deepStrictEqual(yield* catalog(agent, other), yield* catalog(agent))
      })
  )
})

describe("a chosen model", () => {
  it.effect("has the steps of the offline agent only when it is that", () =>
    Effect.gen(function* () {
      const agent = yield* agentOf(several)
      assert.strictEqual((yield* model(agent, { model: "offline" })).maxSteps, 500)
      assert.strictEqual((yield* model(agent, {})).maxSteps, undefined)
      assert.strictEqual(agent.maxSteps, 10)
      const bound = yield* agentOf({ ...several, runtime_profiles: { default: { max_tool_iterations: 3 } } })
      assert.strictEqual((yield* model(bound, { model: "offline" })).maxSteps, 3)
    })
  )

  it.effect("has the context window that is configured, else the well-known one, else none", () =>
    Effect.gen(function* () {
      const one = (name: string, more: object = {}) =>
        Effect.flatMap(agentOf({ providers: { models: { custom: { c: { model: name, ...more } } } } }), (agent) =>
          Effect.map(model(agent, {}), ({ contextWindow }) => contextWindow)
        )
      const table: ReadonlyArray<readonly [string, number | undefined]> = [
        ["claude-sonnet-4-5-20250929", 200_000],
        ["claude-sonnet-4-20250514", 200_000],
        ["claude-3-5-haiku-20241022", 200_000],
        ["anthropic/claude-opus-4.7", 1_000_000],
        ["claude-haiku-5-5", 1_000_000],
        ["gpt-4.1-mini", 1_047_576],
        ["gpt-4o-mini", 128_000],
        ["gpt-5", 400_000],
        ["gpt-5.2-codex", 400_000],
        ["gpt-5.4", 1_050_000],
        ["gpt-5.4-mini", 400_000],
        ["gpt-5-chat-latest", 128_000],
        ["openai/o3-mini", 200_000],
        ["o1-preview", 128_000],
        ["gemini-2.5-pro", 1_048_576],
        ["qwen3:8b", undefined],
        ["gpt-50", undefined],
        ["", undefined]
      ]
      for (const [name, tokens] of table) assert.strictEqual(yield* one(name), tokens, name)
      assert.strictEqual(yield* one("gpt-5", { context_window: 1234 }), 1234)
      assert.strictEqual(yield* one("gpt-5", { context_window: 0 }), 400_000)
      assert.strictEqual((yield* model(yield* agentOf({}), {})).contextWindow, undefined)
    })
  )
})
