// Modes, config options and commands of a session, as a client is told of them. @see acp-v1 section 1.4
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import type { Catalog } from "../../src/model/Models.ts"
import { type Level, levels } from "../../src/policy/Decision.ts"
import * as State from "../../src/session/State.ts"

const models = ["a", "b"].map((value) => ({ value, name: value.toUpperCase() }))
const thoughtLevels = ["off", "low", "high"].map((value) => ({ value, name: value }))
const catalog: Catalog = { models, thoughtLevels }
const view = (more: Partial<State.View> = {}): State.View => ({
  mode: "supervised",
  laxest: "full",
  catalog,
  selection: {},
  ...more
})
const told = (either: Either.Either<State.Setting, string>): unknown => Either.merge(either)
const optionIds = (of: State.View) => State.configOptions(of).map(({ id }) => id)
const level = fc.constantFrom(...levels)

describe("modes", () => {
  it("are those up to the laxest, each with a name and what it does", () => {
    assert.deepStrictEqual(
      State.modes(view({ laxest: "supervised" })).availableModes.map(({ id }) => id),
      ["readonly", "supervised"]
    )
    for (const { description, name } of State.describe(view())) assert.isTrue(name !== "" && description !== "")
  })

  it("a stored mode is never laxer than allowed, and an unknown one is the agent's own", () => {
    assert.strictEqual(State.clamp("full", "supervised", "supervised"), "supervised")
    assert.strictEqual(State.clamp("readonly", "supervised", "full"), "readonly")
    assert.strictEqual(State.clamp("yolo", "supervised", "full"), "supervised")
    assert.strictEqual(State.clamp(undefined, "full", "readonly"), "readonly")
  })

  it("one that is not offered is refused by the name of the field, and told what is", () => {
    assert.deepStrictEqual(told(State.setMode(view(), "full")), { _tag: "Mode", level: "full" })
    assert.strictEqual(
      told(State.setMode(view({ laxest: "supervised" }), "full")),
      "modeId: not offered in this session; offered: readonly, supervised"
    )
    assert.match(String(told(State.setOption(view(), "mode", "FULL"))), /^value: not offered/)
  })
})

describe("config options", () => {
  it("come in the order of their weight: mode, model, thinking", () => {
    assert.deepStrictEqual(optionIds(view()), ["mode", "model", "thought_level"])
  })

  it("there is no thinking for a model without levels, and it cannot be set", () => {
    const none = view({ catalog: { models, thoughtLevels: [] } })
    assert.deepStrictEqual(optionIds(none), ["mode", "model"])
    assert.strictEqual(
      told(State.setOption(none, "thought_level", "high")),
      "configId: no such option; options: mode, model"
    )
  })

  it("each is set by its id and one of its values", () => {
    assert.deepStrictEqual(told(State.setOption(view(), "model", "b")), { _tag: "Model", value: "b" })
    assert.deepStrictEqual(told(State.setOption(view(), "thought_level", "low")), {
      _tag: "ThoughtLevel",
      value: "low"
    })
    assert.deepStrictEqual(told(State.setOption(view(), "mode", "readonly")), { _tag: "Mode", level: "readonly" })
    assert.strictEqual(told(State.setOption(view(), "model", "B")), "value: not offered in this session; offered: a, b")
    assert.match(String(told(State.setOption(view(), "model", true))), /^value: model takes the id/)
    assert.match(String(told(State.setOption(view(), "", "x"))), /^configId: no such option/)
  })

  it.prop(
    "every one always has a current value, which is one of its values",
    [level, level, fc.option(fc.string(), { nil: undefined }), fc.option(fc.string(), { nil: undefined })],
    ([mode, laxest, model, thoughtLevel]) => {
      const of = view({
        mode: State.clamp(mode, "readonly", laxest),
        laxest,
        selection: {
          ...(model === undefined ? {} : { model }),
          ...(thoughtLevel === undefined ? {} : { thoughtLevel })
        }
      })
      for (const option of State.configOptions(of)) {
        if (option.type !== "select") throw new Error(option.type)
        assert.include(
          option.options.map((one) => ("value" in one ? one.value : one.group)),
          option.currentValue
        )
      }
    }
  )
})

describe("updates", () => {
  const modeIn = (updates: ReturnType<typeof State.updates>): ReadonlyArray<unknown> =>
    updates.flatMap((update): ReadonlyArray<unknown> => {
      if (update.sessionUpdate === "current_mode_update") return [update.currentModeId]
      if (update.sessionUpdate !== "config_option_update") return []
      return update.configOptions.filter(({ id }) => id === "mode").map(({ currentValue }) => currentValue)
    })

  it("tell the mode both ways, and the same", () => {
    for (const mode of levels satisfies ReadonlyArray<Level>) {
      assert.deepStrictEqual(modeIn(State.updates(view({ mode }))), [mode, mode])
    }
  })

  it("list /thinking only where there are levels to choose from", () => {
    const names = (catalog: Catalog) => {
      const update = State.commands({ catalog })
      return update.sessionUpdate === "available_commands_update"
        ? update.availableCommands.map(({ name }) => name)
        : []
    }
    const all = ["help", "status", "mode", "model", "thinking", "title", "compact"]
    assert.deepStrictEqual(names(catalog), all)
    assert.deepStrictEqual(
      names({ models, thoughtLevels: [] }),
      all.filter((name) => name !== "thinking")
    )
  })
})
