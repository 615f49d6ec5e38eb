// Which choice a person means by what they typed, and what they are told when it is none.
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { choose, list } from "../../src/commands/Choose.ts"
import type { Choice } from "../../src/model/Models.ts"

const models: ReadonlyArray<Choice> = [
  { value: "anthropic.main/claude-sonnet-5", name: "claude-sonnet-5", description: "anthropic.main" },
  { value: "anthropic.main/claude-opus-5", name: "claude-opus-5", description: "anthropic.main" },
  { value: "openai.main/gpt-5", name: "gpt-5", description: "openai.main" },
  { value: "openai.main/gpt-5-mini", name: "gpt-5-mini", description: "openai.main" },
  { value: "offline", name: "Offline agent" }
]
const found = (typed: string, choices = models) =>
  Either.getOrUndefined(Either.map(choose("model", choices, typed), ({ value }) => value))
const why = (typed: string, choices = models) => Either.merge(Either.map(choose("model", choices, typed), () => ""))

describe("a choice is found by", () => {
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ["its value", "openai.main/gpt-5", "openai.main/gpt-5"],
    ["its value, though another begins with it", "gpt-5", "openai.main/gpt-5"],
    ["its name in any case", "OFFLINE AGENT", "offline"],
    ["its value in any case", "OpenAI.main/GPT-5", "openai.main/gpt-5"],
    ["the only beginning", "off", "offline"],
    ["the only part", "opus", "anthropic.main/claude-opus-5"],
    ["a part, with white space around it", "  mini\n", "openai.main/gpt-5-mini"]
  ]
  for (const [how, typed, value] of cases) it(how, () => assert.strictEqual(found(typed), value))

  it("the exact spelling, where two differ in their case only", () => {
    const two = ["Fast", "fast"].map((value) => ({ value, name: value }))
    assert.strictEqual(found("fast", two), "fast")
    assert.strictEqual(found("Fast", two), "Fast")
    assert.include(why("FAST", two), "more than one")
  })
})

describe("a choice that is not found", () => {
  it("several fit: those are listed and no others", () => {
    const told = why("claude")
    assert.include(told, "more than one model")
    assert.include(told, "claude-sonnet-5")
    assert.include(told, "claude-opus-5")
    assert.notInclude(told, "gpt-5")
  })

  it("none fits: the nearest is suggested and all are listed", () => {
    const told = why("gtp-5")
    assert.include(told, "There is no model `gtp-5`. Did you mean `openai.main/gpt-5`?")
    for (const { value } of models) assert.include(told, value)
    assert.notInclude(why("something else"), "Did you mean")
  })

  it("nothing typed fits none", () => {
    for (const nothing of ["", " ", "\n"]) assert.isUndefined(found(nothing))
  })

  it("is quoted so that it can neither end its quotes nor fill the screen nor hide", () => {
    const told = why(`\`\`\`\n# Fake\n\u202e${"x".repeat(100_000)}`)
    assert.isBelow(told.length, 2_000)
    assert.notInclude(told, "\n# Fake")
    assert.notInclude(told, "\u202e")
  })

  it.prop("any text is one of the choices or a reason", [fc.string({ unit: "binary" })], ([typed]) => {
    const value = found(typed)
    if (value === undefined) assert.isNotEmpty(why(typed))
    else
      assert.include(
        models.map(({ value }) => value),
        value
      )
  })

  it.prop(
    "every choice is found by its value, whatever the others are called",
    [fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 })],
    ([values]) => {
      const trimmed = [...new Set(values.map((value) => value.trim()).filter((value) => value !== ""))]
      const choices = trimmed.map((value, at) => ({ value, name: `Number ${at}` }))
      for (const { value } of choices) assert.strictEqual(found(value, choices), value)
    }
  )
})

describe("the list", () => {
  it("has every choice on its own line and marks the current one", () => {
    assert.deepStrictEqual(list(models.slice(3), "offline").split("\n"), [
      "- `openai.main/gpt-5-mini` (`gpt-5-mini`): openai.main",
      "- `offline` (`Offline agent`) **← current**"
    ])
    assert.strictEqual(list([], undefined), "")
  })
})
