// Thought levels: which models have them, and what each is on both wires.
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Layer, Redacted, Stream } from "effect"
import { Credentials } from "../../src/auth/Credentials.ts"
import type { Agent, ProviderSettings } from "../../src/config/Agents.ts"
import { user } from "../../src/model/Message.ts"
import { Models } from "../../src/model/Models.ts"
import * as Thinking from "../../src/model/Thinking.ts"
import { profile } from "../policy/World.ts"
import * as Mock from "../support/MockModel.ts"

const models = Layer.provide(Models.layer, Credentials.test())

const { pick } = Mock

const settings = (type: string, model: string, more: Partial<ProviderSettings> = {}): ProviderSettings => ({
  type,
  alias: "main",
  model,
  ...more
})
const values = (of: ProviderSettings) => Thinking.levels(of).map(({ value }) => value)
const all = ["off", "low", "medium", "high"]

describe("thought levels", () => {
  const able: ReadonlyArray<readonly [string, string]> = [
    ["anthropic", "claude-3-7-sonnet-20250219"],
    ["anthropic", "claude-3.7-sonnet"],
    ["anthropic", "claude-sonnet-4-20250514"],
    ["anthropic", "claude-opus-4-1"],
    ["anthropic", "claude-sonnet-5-5"],
    ["anthropic", "claude-brandnew"],
    ["anthropic", "glm-4.7"],
    ["openai", "o1"],
    ["openai", "o3-mini"],
    ["openai", "o4-mini-2025-04-16"],
    ["openai", "gpt-5"],
    ["openai", "gpt-5.4-mini"],
    ["openrouter", "openai/gpt-5"]
  ]
  it.each(able)("%s %s has all, off first", (type, model) => {
    assert.deepStrictEqual(values(settings(type, model)), all)
  })

  const unable: ReadonlyArray<readonly [string, string]> = [
    ["anthropic", "claude-3-5-sonnet-20241022"],
    ["anthropic", "claude-3.5-haiku"],
    ["anthropic", "claude-3-haiku-20240307"],
    ["anthropic", "claude-instant-1.2"],
    ["anthropic", "claude-2.1"],
    ["openai", "gpt-4o"],
    ["openai", "gpt-5-chat-latest"],
    ["openai", "o1-mini"],
    ["ollama", "olmo"],
    ["ollama", "o-one"],
    ["mistral", "mistral-large"],
    ["no-such-family", "o3"]
  ]
  it.each(unable)("%s %s has none", (type, model) => {
    assert.deepStrictEqual(values(settings(type, model)), [])
    assert.deepStrictEqual(Thinking.ask(settings(type, model), "high"), { thinks: false })
  })

  it("has the configured default first, and any OpenAI-compatible model has them that is configured to think", () => {
    assert.deepStrictEqual(values(settings("ollama", "qwen3", { think: true })), ["medium", "off", "low", "high"])
    assert.deepStrictEqual(values(settings("ollama", "qwen3", { think: false })), all)
    assert.deepStrictEqual(values(settings("anthropic", "claude-opus-4-1", { think: true }))[0], "medium")
    assert.deepStrictEqual(values(settings("openai", "gpt-4o", { think: true })), [])
  })

  it.prop(
    "counts what is no level as not chosen",
    [fc.constantFrom("claude-opus-4-1", "claude-opus-5", "o3", "gpt-4o"), fc.option(fc.boolean()), fc.string()],
    ([model, think, chosen]) => {
      fc.pre(!all.includes(chosen))
      const of = settings(model.startsWith("claude") ? "anthropic" : "openai", model, think === null ? {} : { think })
      assert.deepStrictEqual(Thinking.ask(of, chosen), Thinking.ask(of, undefined))
    }
  )
})

/** The body of the request that a session with this choice sends. */
const sent = (provider: ProviderSettings, thoughtLevel: string | undefined) =>
  Effect.gen(function* () {
    const server = yield* Mock.start
    yield* server.script(provider.type === "anthropic" ? Mock.anthropic.text("ok") : Mock.openai.text("ok"))
    const configured = { ...provider, uri: `${server.url}/v1`, apiKey: Redacted.make("sk-test-0123456789") }
    const agent: Agent = {
      alias: "default",
      provider: configured,
      providers: [configured],
      profile,
      skillBundles: [],
      workspace: "/nowhere",
      maxSteps: 10,
      offlineMaxSteps: 500,
      shellTimeoutSecs: 60
    }
    const models = yield* Models
    const model = yield* models.forAgent(agent, thoughtLevel === undefined ? {} : { thoughtLevel })
    yield* Stream.runDrain(model.stream({ system: "be good", messages: [user("go")], tools: [] }))
    assert.strictEqual(server.requests.length, 1)
    const body = server.requests[0]?.body
    return {
      thinking: pick(body, "thinking"),
      effort: pick(body, "output_config", "effort") ?? pick(body, "reasoning_effort"),
      temperature: pick(body, "temperature"),
      maxTokens: Number(pick(body, "max_tokens") ?? pick(body, "max_completion_tokens"))
    }
  }).pipe(Effect.provide(models))

describe("on the wire", () => {
  const budgeted = settings("anthropic", "claude-sonnet-4-5", { temperature: 0.5, maxTokens: 100 })
  for (const level of ["low", "medium", "high"] as const) {
    it.scopedLive(
      `a Claude model with a budget is given one for ${level}, within its limit of tokens, and no temperature`,
      () =>
        Effect.gen(function* () {
          const { effort, maxTokens, temperature, thinking } = yield* sent(budgeted, level)
          assert.deepStrictEqual(thinking, { type: "enabled", budget_tokens: Thinking.budgets[level] })
          assert.isAtLeast(Thinking.budgets[level], 1024)
          assert.strictEqual(maxTokens, 100 + Thinking.budgets[level])
          assert.strictEqual(temperature, undefined)
          assert.strictEqual(effort, undefined)
        })
    )

    it.scopedLive(`a Claude model that decides itself is told the effort ${level}`, () =>
      Effect.gen(function* () {
        const { effort, temperature, thinking } = yield* sent(
          settings("anthropic", "claude-opus-4-6", { temperature: 0.5 }),
          level
        )
        assert.deepStrictEqual(thinking, { type: "adaptive", display: "summarized" })
        assert.strictEqual(effort, level)
        assert.strictEqual(temperature, undefined)
      })
    )

    it.scopedLive(`an OpenAI reasoning model is told the effort ${level}, and no temperature`, () =>
      Effect.gen(function* () {
        const { effort, temperature, thinking } = yield* sent(settings("openai", "o3", { temperature: 0.5 }), level)
        assert.strictEqual(effort, level)
        assert.strictEqual(temperature, undefined)
        assert.strictEqual(thinking, undefined)
      })
    )

    it.scopedLive(`Gemini is told the effort ${level}`, () =>
      Effect.map(sent(settings("gemini", "gemini-2.5-pro", { think: false }), level), ({ effort }) =>
        assert.strictEqual(effort, level)
      )
    )
  }

  it.scopedLive("the most thinking stays below the limit of tokens where the model's own limit is near", () =>
    Effect.gen(function* () {
      const { maxTokens } = yield* sent(settings("anthropic", "claude-opus-4-1", { maxTokens: 32_000 }), "high")
      assert.isAbove(maxTokens, Thinking.budgets.high)
    })
  )

  for (const provider of [
    settings("anthropic", "claude-sonnet-4-5", { think: true, temperature: 0.5 }),
    settings("openai", "o3", { think: true, temperature: 0.5 })
  ]) {
    it.scopedLive(
      `${provider.type}: off asks for no thinking, whatever is configured, and the temperature is sent`,
      () =>
        Effect.map(sent(provider, "off"), ({ effort, temperature, thinking }) =>
          assert.deepStrictEqual(
            { effort, temperature, thinking },
            { effort: undefined, temperature: 0.5, thinking: undefined }
          )
        )
    )
  }

  it.scopedLive("off tells a Claude model that decides itself not to think; nothing chosen tells it nothing", () =>
    Effect.gen(function* () {
      const opus = settings("anthropic", "claude-opus-4-6")
      assert.deepStrictEqual((yield* sent(opus, "off")).thinking, { type: "disabled" })
      assert.deepStrictEqual((yield* sent({ ...opus, think: false }, undefined)).thinking, { type: "disabled" })
      assert.strictEqual((yield* sent(opus, undefined)).thinking, undefined)
    })
  )

  it.scopedLive("what is configured counts when nothing, or no level, is chosen", () =>
    Effect.gen(function* () {
      for (const chosen of [undefined, "extreme"]) {
        assert.strictEqual((yield* sent(settings("ollama", "qwen3", { think: true }), chosen)).effort, "medium")
        assert.strictEqual((yield* sent(settings("openai", "gpt-5"), chosen)).effort, undefined)
        assert.deepStrictEqual((yield* sent({ ...budgeted, think: true }, chosen)).thinking, {
          type: "enabled",
          budget_tokens: 4096
        })
      }
    })
  )

  it.scopedLive("a model without levels is told nothing of them", () =>
    Effect.gen(function* () {
      for (const provider of [settings("openai", "gpt-4o"), settings("anthropic", "claude-3-5-haiku-20241022")]) {
        const { effort, thinking } = yield* sent(provider, "high")
        assert.deepStrictEqual({ effort, thinking }, { effort: undefined, thinking: undefined })
      }
    })
  )
})
