// Whatever is done in whatever order: a file and memory tell the same.
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc, TestClock } from "effect"
import { SessionId } from "../../src/contract/AgentMethods.ts"
import type { Change, SessionRow, SessionStore } from "../../src/store/SessionStore.ts"
import { goodText, history, said, turn } from "./support/Samples.ts"
import { kinds } from "./support/Stores.ts"

type Store = typeof SessionStore.Service

const id = fc.constantFrom("a", "b", "c", "A").map((value) => SessionId.make(value))
const cwd = fc.constantFrom("/one", "/two")

const change: fc.Arbitrary<Change> = fc.record(
  {
    additionalDirectories: fc.array(goodText, { maxLength: 2 }),
    title: fc.record({ text: goodText, by: fc.constantFrom("person" as const, "agent" as const) }),
    settings: fc.record({ mode: goodText, model: goodText, thoughtLevel: goodText }, { requiredKeys: [] })
  },
  { requiredKeys: [] }
)

const row: fc.Arbitrary<SessionRow> = fc
  .tuple(id, cwd, change)
  .map(([id, cwd, change]) => ({ id, agentAlias: "default", cwd, ...change }))

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant("create" as const), row }) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant("append" as const),
      id,
      messages: history,
      n: fc.nat(9),
      compacts: fc.boolean()
    })
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("change" as const), id, change }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("fork" as const), id, row }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("remove" as const), id }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("list" as const), cwd: fc.option(cwd, { nil: undefined }) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("load" as const), id }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("wait" as const) }) }
)
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const run = (store: Store, step: Step): Effect.Effect<unknown> => {
  const outcome = <A>(effect: Effect.Effect<A, { readonly reason: string }>) =>
    Effect.merge(Effect.mapError(effect, ({ reason }) => reason))
  switch (step.does) {
    case "create":
      return outcome(store.create(step.row))
    case "append":
      return outcome(
        store.appendTurn(step.id, {
          messages: step.messages,
          updates: [...turn(step.n).updates, said("end")],
          outcome: "end_turn",
          compacts: step.compacts
        })
      )
    case "change":
      return outcome(store.change(step.id, step.change))
    case "fork":
      return outcome(store.fork(step.id, step.row))
    case "remove":
      return outcome(store.remove(step.id))
    case "list":
      return outcome(store.list(step.cwd))
    case "load":
      return outcome(store.load(step.id))
    case "wait":
      return Effect.void
  }
}

describe("file and memory", () => {
  it.effect.prop(
    "agree on every answer and on what is left in the end",
    [fc.array(step, { maxLength: 30 })],
    ([steps]) =>
      Effect.scoped(
        Effect.gen(function* () {
          const [file, memory] = yield* Effect.all([kinds[0][1], kinds[1][1]])
          const last: ReadonlyArray<Step> = [
            { does: "list", cwd: undefined },
            ...["a", "b", "c", "A"].map((value) => ({ does: "load" as const, id: SessionId.make(value) }))
          ]
          for (const one of [...steps, ...last]) {
            assert.deepStrictEqual(yield* run(file.store, one), yield* run(memory.store, one))
            if (one.does === "wait") yield* TestClock.adjust("1 second")
          }
          assert.deepStrictEqual([file.warnings, memory.warnings], [[], []])
        })
      ),
    { fastCheck: { numRuns: 60 } }
  )
})
