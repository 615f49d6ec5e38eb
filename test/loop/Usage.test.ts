// How full the context is: what is known is told before the answer, once, and nothing else is.
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Schema, Stream } from "effect"
import { SessionId } from "../../src/contract/AgentMethods.ts"
import { SessionUpdate } from "../../src/contract/Update.ts"
import { plain } from "../../src/loop/ClientSide.ts"
import { run } from "../../src/loop/Run.ts"
import * as ContextUsage from "../../src/loop/Usage.ts"
import { user } from "../../src/model/Message.ts"
import type { ModelEvent, Usage } from "../../src/model/Model.ts"
import { ModelError } from "../../src/model/ModelError.ts"
import { FetchError, PathError } from "../../src/policy/PolicyService.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"

const { contextUsage } = ContextUsage

describe("context usage", () => {
  const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -1, 0.4, Number.NaN, Number.POSITIVE_INFINITY))
  const counts = fc.record({ inputTokens: number, outputTokens: number }, { requiredKeys: [] })

  it.prop("is always one that a client accepts, and never more than the window", [counts, number], ([usage, size]) => {
    const counted = contextUsage(usage, size)
    if (counted === undefined) return
    assert.isTrue(Schema.is(SessionUpdate)(ContextUsage.toUpdate(counted)))
    assert.isAtMost(counted.used, counted.size)
  })

  it("is request and reply together, unknown when one of them is", () => {
    assert.deepStrictEqual(contextUsage({ inputTokens: 10, outputTokens: 5 }, 100), { used: 15, size: 100 })
    assert.deepStrictEqual(contextUsage({ inputTokens: 10, outputTokens: 0 }, 100), { used: 10, size: 100 })
    assert.deepStrictEqual(contextUsage({ inputTokens: 99, outputTokens: 5 }, 100), { used: 100, size: 100 })
    const unknown: ReadonlyArray<readonly [Usage, number | undefined]> = [
      [{}, 100],
      [{ inputTokens: 10 }, 100],
      [{ outputTokens: 10 }, 100],
      [{ inputTokens: 0, outputTokens: 0 }, 100],
      [{ inputTokens: 10, outputTokens: 5 }, undefined],
      [{ inputTokens: 10, outputTokens: 5 }, 0]
    ]
    for (const [usage, size] of unknown) assert.strictEqual(contextUsage(usage, size), undefined)
  })
})

const finishing = (usage: Usage, ...calls: ReadonlyArray<string>) => {
  const events: ReadonlyArray<ModelEvent> = [
    { _tag: "Text", text: "so" },
    ...calls.map((id): ModelEvent => ({ _tag: "ToolCall", id, name: "run", input: "{}" })),
    { _tag: "Finish", reason: calls.length === 0 ? "stop" : "tool_calls", usage }
  ]
  return () => Stream.fromIterable(events)
}

/** What the client saw, in order, of one prompt. */
const seen = (contextWindow: number | undefined, ...scripts: ReadonlyArray<Embedded.Script>) =>
  Effect.gen(function* () {
    const model = {
      ...Embedded.scripted(...scripts),
      ...(contextWindow === undefined ? {} : { contextWindow })
    }
    const { peer } = yield* Embedded.start({ model, tools: [Embedded.tool("run", Effect.succeed("x"))] })
    yield* Peer.initialize(peer)
    const sessionId = yield* Peer.newSession(peer, Embedded.cwd)
    const answer = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
    const frames = peer.frames()
    const end = frames.findIndex((frame) => frame._tag === "Response" && frame.id === answer.id)
    const usages = (from: ReadonlyArray<Peer.Frame>) => from.filter(Peer.isUpdateOf("usage_update")).length
    const updates = peer.updates(sessionId)
    return {
      answer,
      order: updates.map(({ sessionUpdate }) => sessionUpdate),
      usage: updates.flatMap((update) =>
        update.sessionUpdate === "usage_update" ? [[update["used"], update["size"]]] : []
      ),
      allBefore: usages(frames.slice(0, end)) === usages(frames)
    }
  })

describe("a turn after another", () => {
  const nowhere = () => new PathError({ reason: "denied", message: "no files in this test" })
  const turn = (usage: ContextUsage.ContextUsage | undefined) =>
    Effect.gen(function* () {
      const updates: Array<SessionUpdate["sessionUpdate"]> = []
      const told: Array<ContextUsage.ContextUsage> = []
      yield* run({
        sessionId: SessionId.make("s"),
        model: { ...Embedded.scripted(finishing({ inputTokens: 10, outputTokens: 5 })), contextWindow: 100 },
        tools: [],
        policy: {
          checkWrite: nowhere,
          level: "supervised",
          setLevel: () => Effect.void,
          cwd: Embedded.cwd,
          offers: () => true,
          decide: () => Effect.succeed({ _tag: "Deny", reason: "test" }),
          searchable: () => false,
          launch: nowhere,
          grant: () => Effect.void,
          absolute: (path) => path,
          readFile: nowhere,
          writeFile: nowhere,
          listDirectory: nowhere,
          openDirectory: nowhere,
          fetchUrl: () => new FetchError({ reason: "unreachable", message: "no web in this test" })
        },
        system: "",
        history: [user("go")],
        maxSteps: 1,
        uniqueCallId: (id) => id,
        record: () => {},
        update: ({ sessionUpdate }) => Effect.sync(() => void updates.push(sessionUpdate)),
        ask: () => Effect.succeed({ outcome: "cancelled" }),
        client: plain,
        ...(usage === undefined ? {} : { usage }),
        onUsage: (usage) => void told.push(usage)
      })
      return { told, shown: updates.includes("usage_update") }
    })

  it.effect("tells what is new, and not what the client was told last", () =>
    Effect.gen(function* () {
      const now = { used: 15, size: 100 }
      assert.deepStrictEqual(yield* turn(undefined), { told: [now], shown: true })
      assert.deepStrictEqual(yield* turn({ used: 9, size: 100 }), { told: [now], shown: true })
      assert.deepStrictEqual(yield* turn(now), { told: [], shown: false })
    })
  )
})

describe("usage_update", () => {
  it.scoped(
    "follows each counted reply, before its calls run and before the answer, which carries no usage itself",
    () =>
      Effect.gen(function* () {
        const { allBefore, answer, order, usage } = yield* seen(
          1000,
          finishing({ inputTokens: 100, outputTokens: 10 }, "a"),
          finishing({ inputTokens: 150, outputTokens: 20 })
        )
        assert.deepStrictEqual(usage, [
          [110, 1000],
          [170, 1000]
        ])
        assert.isTrue(allBefore)
        assert.hasAllKeys(answer.result, ["stopReason", "_meta"])
        assert.deepStrictEqual(order.slice(-2), ["usage_update", "session_info_update"])
        assert.isBelow(order.indexOf("usage_update"), order.indexOf("tool_call_update"))
      })
  )

  it.scoped("is not repeated with the same values", () =>
    Effect.gen(function* () {
      const { usage } = yield* seen(
        100,
        finishing({ inputTokens: 100, outputTokens: 10 }, "a"),
        finishing({ inputTokens: 150, outputTokens: 20 }, "b"),
        finishing({ inputTokens: 10, outputTokens: 2 })
      )
      assert.deepStrictEqual(usage, [
        [100, 100],
        [12, 100]
      ])
    })
  )

  it.scoped("does not come without token counts, nor without a known window", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* seen(1000, finishing({}))).usage, [])
      assert.deepStrictEqual((yield* seen(1000, finishing({ inputTokens: 5 }))).usage, [])
      assert.deepStrictEqual((yield* seen(undefined, finishing({ inputTokens: 5, outputTokens: 5 }))).usage, [])
    })
  )

  it.scoped("does not come of a reply that failed", () =>
    Effect.gen(function* () {
      const { answer, usage } = yield* seen(1000, () =>
        Stream.fail(new ModelError({ reason: "overloaded", message: "too much" }))
      )
      assert.isDefined(answer.error)
      assert.deepStrictEqual(usage, [])
    })
  )
})
