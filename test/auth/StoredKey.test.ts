// When a model looks for its stored key, and how long it keeps it.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import type { Message } from "../../src/model/Message.ts"
import type { ModelService } from "../../src/model/Model.ts"
import { configuredModel } from "../../src/model/Providers.ts"
import { withStoredKey } from "../../src/model/StoredKey.ts"

const world = (first: string | undefined) => {
  let key = first
  let looks = 0
  const made: Array<string | undefined> = []
  const used: Array<string | undefined> = []
  const model = withStoredKey(
    "x",
    Effect.sync(() => {
      looks++
      return key === undefined ? undefined : Redacted.make(key)
    }),
    (found): ModelService => {
      const plain = found === undefined ? undefined : Redacted.value(found)
      made.push(plain)
      return { id: "x", stream: () => Stream.drain(Stream.fromEffect(Effect.sync(() => used.push(plain)))) }
    }
  )
  const ask = (...messages: ReadonlyArray<Message>) =>
    Stream.runDrain(model.stream({ system: "", messages, tools: [] }))
  return {
    ask,
    made,
    used,
    looks: () => looks,
    set: (next: string | undefined) => {
      key = next
    }
  }
}

const question: Message = { _tag: "User", text: "?" }
const results: Message = { _tag: "ToolResults", results: [] }

describe("a stored key", () => {
  it.effect("is not looked for before the first request", () =>
    Effect.gen(function* () {
      const { ask, looks, made, used } = world("a")
      assert.deepStrictEqual([looks(), made.length], [0, 0])
      yield* ask(question)
      yield* ask(question)
      assert.deepStrictEqual([made, used], [["a"], ["a", "a"]])
    })
  )

  it.effect("that was removed serves the turn that runs, not the next one; a new one is found", () =>
    Effect.gen(function* () {
      const { ask, set, used } = world("a")
      yield* ask(question)
      set(undefined)
      yield* ask(question, results)
      yield* ask(question)
      set("b")
      yield* ask(question)
      assert.deepStrictEqual(used, ["a", "a", undefined, "b"])
    })
  )

  it.effect("is not looked for when configuration or environment hold one", () =>
    Effect.gen(function* () {
      let looks = 0
      const find = () =>
        Effect.sync(() => {
          looks++
          return undefined
        })
      const settings = { type: "groq", alias: "main", model: "m", uri: "http://127.0.0.1:9" }
      const error = (env: Record<string, string>) =>
        configuredModel(settings, env, find)
          .stream({ system: "", messages: [], tools: [] })
          .pipe(Stream.runDrain, Effect.flip)
      assert.strictEqual((yield* error({})).reason, "auth")
      assert.strictEqual(looks, 1)
      configuredModel(settings, { GROQ_API_KEY: "k" }, find)
      configuredModel({ ...settings, apiKey: Redacted.make("k") }, {}, find)
      assert.strictEqual(looks, 1)
    })
  )
})
