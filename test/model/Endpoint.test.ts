// Where a provider is reached, and what is wrong with its settings.
import { assert, describe, it } from "@effect/vitest"
import { Either, Redacted } from "effect"
import type { ProviderSettings } from "../../src/config/Agents.ts"
import { type Environment, resolve } from "../../src/model/Endpoint.ts"
import { families, nearest } from "../../src/model/Families.ts"

const settings = (type: string, more: Partial<ProviderSettings> = {}): ProviderSettings => ({
  type,
  alias: "main",
  model: "m",
  ...more
})
const base = (type: string, uri: string) =>
  Either.getOrThrow(resolve(settings(type, { uri, apiKey: Redacted.make("key-1234") }), {})).baseUrl
const refused = (provider: ProviderSettings, env: Environment = {}) =>
  Either.getOrThrow(Either.flip(resolve(provider, env)))

describe("base URL", () => {
  const table: ReadonlyArray<readonly [string, string, string]> = [
    ["anthropic", "http://proxy:1", "http://proxy:1/v1"],
    ["anthropic", "http://proxy:1/", "http://proxy:1/v1"],
    ["anthropic", "http://proxy:1/v1", "http://proxy:1/v1"],
    ["anthropic", "http://proxy:1/v1/", "http://proxy:1/v1"],
    ["anthropic", "http://proxy:1/v1/messages", "http://proxy:1/v1"],
    ["anthropic", "http://proxy:1/api/anthropic", "http://proxy:1/api/anthropic/v1"],
    ["custom", "http://box:1/v1///", "http://box:1/v1"],
    ["custom", "http://box:1/v1/chat/completions", "http://box:1/v1"],
    ["custom", "http://box:1", "http://box:1"],
    ["ollama", "http://box:11434", "http://box:11434/v1"],
    ["openai", "https://host/openai/v1?api-version=1", "https://host/openai/v1"]
  ]
  for (const [type, uri, expected] of table) {
    it(`${type} at ${uri} is ${expected}`, () => {
      assert.strictEqual(base(type, uri), expected)
    })
  }

  it("every family has an address of its own or asks for one", () => {
    for (const [type, family] of Object.entries(families)) {
      const result = resolve(settings(type, { apiKey: Redacted.make("key-1234") }), {})
      assert.strictEqual(Either.isRight(result), type !== "custom")
      if (Either.isRight(result)) assert.strictEqual(result.right.baseUrl, family.url)
    }
    const missing = refused(settings("custom"))
    assert.strictEqual(missing.reason, "config")
    assert.include(missing.message, "Set base_url in [providers.models.custom.main]")
  })

  for (const uri of ["not a url", "ftp://host/", "file:///etc/passwd"]) {
    it(`${uri} is refused as uri`, () => {
      assert.strictEqual(refused(settings("custom", { uri })).reason, "config")
    })
  }

  it("credentials in uri are refused and not repeated", () => {
    const error = refused(settings("custom", { uri: "https://me:hunter22@host/v1" }))
    assert.strictEqual(error.reason, "config")
    assert.notInclude(error.message, "hunter22")
  })
})

describe("key", () => {
  it("configuration is preferred to the environment", () => {
    const found = resolve(settings("openai", { apiKey: Redacted.make(" mine\n") }), { OPENAI_API_KEY: "other" })
    assert.strictEqual(Either.getOrThrow(found).key, "mine")
    assert.strictEqual(Either.getOrThrow(resolve(settings("openai"), { OPENAI_API_KEY: "other" })).key, "other")
  })

  it("a missing key names the variable and the table", () => {
    const error = refused(settings("openrouter"), { OPENROUTER_API_KEY: "  " })
    assert.strictEqual(error.reason, "auth")
    assert.include(error.message, "Set OPENROUTER_API_KEY or api_key in [providers.models.openrouter.main].")
  })

  it("a local server needs none, and neither does a provider with a header for it", () => {
    assert.isTrue(Either.isRight(resolve(settings("ollama"), {})))
    assert.isTrue(Either.isRight(resolve(settings("anthropic", { extraHeaders: { Authorization: "Bearer x" } }), {})))
  })
})

describe("unknown type", () => {
  const table: ReadonlyArray<readonly [string, string]> = [
    ["antropic", "anthropic"],
    ["open-ruter", "openrouter"],
    ["olama", "ollama"],
    ["google", "gemini"],
    ["kimi", "moonshot"],
    ["something-else-entirely", "custom"],
    ["constructor", "custom"],
    ["__proto__", "custom"]
  ]
  for (const [type, expected] of table) {
    it(`${type} is nearest to ${expected}`, () => {
      assert.strictEqual(nearest(type), expected)
      const error = refused(settings(type))
      assert.strictEqual(error.reason, "config")
      assert.include(error.message, `"${expected}"`)
    })
  }
})
