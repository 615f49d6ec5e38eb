// session_info_update: a title of the first prompt, never in place of one that a person gave.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import type { SessionUpdate } from "../../src/contract/Update.ts"
import { ModelError } from "../../src/model/ModelError.ts"
import { StoreError } from "../../src/store/SessionStore.ts"
import * as Store from "../../src/store/Store.ts"
import { type Open, open } from "../commands/support.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"

const { say, scripted } = Embedded
const setup = () => ({ model: scripted(say("ok")), store: Store.memoryWith({ durable: true }) })

const titles = (updates: ReadonlyArray<SessionUpdate>): ReadonlyArray<unknown> =>
  updates.flatMap((update) =>
    update.sessionUpdate === "session_info_update" && "title" in update ? [update.title] : []
  )

const listedTitle = ({ peer }: Open) =>
  Effect.map(peer.request("session/list", {}), ({ result }) => {
    const sessions = result?.["sessions"]
    return Array.isArray(sessions) ? sessions[0]?.title : undefined
  })

const setTitle = ({ peer, sessionId }: Open, title: string) => peer.request("session/set_title", { sessionId, title })

/** Answers when the gate opens. */
const gated =
  (asked: Deferred.Deferred<void>, gate: Deferred.Deferred<void>): Embedded.Script =>
  () =>
    Stream.concat(
      Stream.execute(Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(gate))),
      say("ok")()
    )

/** A store that has a title of theirs or ours, and does not say so before it is told to. */
const holding = (by: "person" | "agent") =>
  Effect.map(Effect.all([Deferred.make<void>(), Deferred.make<void>()]), ([storing, stored]) => ({
    storing,
    stored,
    store: Embedded.storeWith((store) => ({
      ...store,
      change: (id, change) =>
        change.title?.by === by
          ? Deferred.succeed(storing, undefined).pipe(
              Effect.zipRight(store.change(id, change)),
              Effect.zipLeft(Deferred.await(stored))
            )
          : store.change(id, change)
    }))
  }))

describe("after the first prompt", () => {
  it.scoped("the session has a title and the time of its last turn; later prompts change the time only", () =>
    Effect.gen(function* () {
      const session = yield* open(setup())
      const first = yield* session.say("# Mend the parser\nIt fails.")
      assert.deepStrictEqual(titles(first.updates), ["Mend the parser"])
      assert.strictEqual(first.updates.at(-1)?.sessionUpdate, "session_info_update")
      const second = yield* session.say("Something else")
      assert.deepStrictEqual(titles(second.updates), [])
      const last = second.updates.at(-1)
      assert.strictEqual(last?.sessionUpdate, "session_info_update")
      if (last?.sessionUpdate === "session_info_update") assert.isFalse(Number.isNaN(Date.parse(last.updatedAt ?? "")))
      assert.strictEqual(yield* listedTitle(session), "Mend the parser")
    })
  )

  it.scoped("a command is none, and neither is one that says nothing", () =>
    Effect.gen(function* () {
      const session = yield* open(setup())
      for (const prompt of ["/help", "/nonsense", "/compact", "---"]) {
        assert.deepStrictEqual(titles((yield* session.say(prompt)).updates), [], prompt)
      }
      assert.deepStrictEqual(titles((yield* session.say("At last")).updates), ["At last"])
    })
  )

  it.scoped("also when the model fails or the turn is cancelled", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const never = yield* Deferred.make<void>()
      const failed = () => Stream.fail(new ModelError({ reason: "auth", message: "No key." }))
      const first = yield* open({ ...setup(), model: scripted(failed) })
      const { error } = yield* first.peer.request("session/prompt", Peer.promptParams(first.sessionId, "One"))
      assert.isDefined(error)
      assert.deepStrictEqual(titles(first.updatesFrom(0)), ["One"])
      const second = yield* open({ ...setup(), model: scripted(gated(asked, never)) })
      const { answer } = yield* second.begin("Two")
      yield* Deferred.await(asked)
      yield* second.peer.notify("session/cancel", { sessionId: second.sessionId })
      assert.deepStrictEqual(titles((yield* answer).updates), ["Two"])
    })
  )
})

describe("a title that a person gave", () => {
  const ways: ReadonlyArray<readonly [string, (session: Open) => Effect.Effect<unknown>]> = [
    ["session/set_title", (session) => setTitle(session, "Mine")],
    ["/title", (session) => session.say("/title Mine")]
  ]
  for (const [how, name] of ways) {
    it.scoped(`by ${how} is told and stays, before and after the first prompt and after a load`, () =>
      Effect.gen(function* () {
        const session = yield* open(setup())
        yield* name(session)
        assert.deepStrictEqual(titles(session.updatesFrom(0)), ["Mine"])
        assert.deepStrictEqual(titles((yield* session.say("First prompt")).updates), [])
        yield* session.reload
        assert.deepStrictEqual(titles((yield* session.say("Second prompt")).updates), [])
        assert.strictEqual(yield* listedTitle(session), "Mine")
      })
    )
  }

  it.scoped("while the first turn runs stays", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const session = yield* open({ ...setup(), model: scripted(gated(asked, gate)) })
      const { answer } = yield* session.begin("First prompt")
      yield* Deferred.await(asked)
      yield* setTitle(session, "Mine")
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(titles((yield* answer).updates), ["Mine"])
      assert.strictEqual(yield* listedTitle(session), "Mine")
    })
  )

  it.scoped("that is still being stored when the first turn ends stays", () =>
    Effect.gen(function* () {
      const { store, stored, storing } = yield* holding("person")
      const session = yield* open({ ...setup(), store })
      const id = yield* session.peer.start("session/set_title", { sessionId: session.sessionId, title: "Mine" })
      yield* Deferred.await(storing)
      assert.deepStrictEqual(titles((yield* session.say("First prompt")).updates), [])
      yield* Deferred.succeed(stored, undefined)
      assert.deepStrictEqual((yield* session.peer.response(id)).result, { title: "Mine" })
      assert.strictEqual(yield* listedTitle(session), "Mine")
    })
  )

  it.scoped("while the title of the first prompt is being stored is the last that is told", () =>
    Effect.gen(function* () {
      const { store, stored, storing } = yield* holding("agent")
      const session = yield* open({ ...setup(), store })
      const { answer } = yield* session.begin("First prompt")
      yield* Deferred.await(storing)
      yield* setTitle(session, "Mine")
      yield* Deferred.succeed(stored, undefined)
      yield* answer
      assert.deepStrictEqual(titles(session.updatesFrom(0)), ["Mine"])
      assert.strictEqual(yield* listedTitle(session), "Mine")
    })
  )

  it.scoped("is not kept when it could not be stored: the first prompt names the session then", () =>
    Effect.gen(function* () {
      const store = Embedded.storeWith((store) => ({
        ...store,
        change: (id, change) =>
          change.title?.by === "person"
            ? Effect.fail(new StoreError({ reason: "full", message: "the disk is full" }))
            : store.change(id, change)
      }))
      const session = yield* open({ ...setup(), store })
      assert.isDefined((yield* setTitle(session, "Mine")).error)
      assert.deepStrictEqual(titles((yield* session.say("First prompt")).updates), ["First prompt"])
    })
  )
})
