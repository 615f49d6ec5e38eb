// Turns that could not be written are written later, in order, once.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { SessionId } from "../../src/contract/AgentMethods.ts"
import * as Backlog from "../../src/store/Backlog.ts"
import type { Database } from "../../src/store/Database.ts"
import * as Memory from "../../src/store/Memory.ts"
import { StoreError } from "../../src/store/SessionStore.ts"
import { row, sessionId, turn } from "./support/Samples.ts"

type Reason = StoreError["reason"]

/** Memory whose writes fail while there is a reason to. */
const faulty = () => {
  const memory = Memory.make()
  const written: Array<string> = []
  const failing = new Map<SessionId | "all", Reason>()
  const database: Database = {
    ...memory,
    append: (id, turn) =>
      Effect.suspend(() => {
        const reason = failing.get("all") ?? failing.get(id)
        if (reason !== undefined) return new StoreError({ reason, message: reason })
        const first = turn.messages[0]
        written.push(first?._tag === "User" ? first.text : "?")
        return memory.append(id, turn)
      })
  }
  return { database, written, failing }
}

const reasonOf = <A>(effect: Effect.Effect<A, StoreError>) => Effect.map(Effect.flip(effect), ({ reason }) => reason)

describe("backlog", () => {
  for (const reason of ["busy", "full", "io"] as const) {
    it.effect(`keeps turns while the database is out of order (${reason}) and writes them before the next one`, () =>
      Effect.gen(function* () {
        const { database, failing, written } = faulty()
        const backlog = yield* Backlog.make(database)
        const [a, b] = [sessionId(), sessionId()]
        yield* Effect.forEach([a, b], (id) => backlog.create(row(id)))
        failing.set("all", reason)
        assert.strictEqual(yield* reasonOf(backlog.append(a, turn(1))), reason)
        assert.strictEqual(yield* reasonOf(backlog.append(b, turn(2))), reason)
        assert.strictEqual(yield* reasonOf(backlog.append(a, turn(3))), reason)
        failing.clear()
        yield* backlog.append(b, turn(4))
        assert.deepStrictEqual(written, ["ask 1", "ask 2", "ask 3", "ask 4"])
        yield* backlog.append(b, turn(5))
        assert.deepStrictEqual(written, ["ask 1", "ask 2", "ask 3", "ask 4", "ask 5"])
      })
    )
  }

  it.effect("writes what waits when a session is loaded", () =>
    Effect.gen(function* () {
      const { database, failing, written } = faulty()
      const backlog = yield* Backlog.make(database)
      const id = sessionId()
      yield* backlog.create(row(id))
      failing.set("all", "full")
      yield* Effect.flip(backlog.append(id, turn(1)))
      failing.clear()
      yield* backlog.load(sessionId())
      assert.deepStrictEqual(written, ["ask 1"])
    })
  )

  it.effect("loads what waits as if it were written", () =>
    Effect.gen(function* () {
      const { database, failing } = faulty()
      const backlog = yield* Backlog.make(database)
      const id = sessionId()
      yield* backlog.create(row(id))
      yield* backlog.append(id, turn(1))
      failing.set("all", "full")
      yield* Effect.flip(backlog.append(id, turn(2)))
      const found = Option.getOrThrow(yield* backlog.load(id))
      assert.deepStrictEqual(found.messages, [...turn(1).messages, ...turn(2).messages])
      assert.deepStrictEqual(found.updates, [...turn(1).updates, ...turn(2).updates])
      assert.strictEqual(found.turns, 2)
      failing.clear()
      assert.deepStrictEqual(Option.getOrThrow(yield* backlog.load(id)), found)
    })
  )

  it.effect("lets one damaged session stop its own turns only", () =>
    Effect.gen(function* () {
      const { database, failing, written } = faulty()
      const backlog = yield* Backlog.make(database)
      const [a, b] = [sessionId(), sessionId()]
      yield* Effect.forEach([a, b], (id) => backlog.create(row(id)))
      failing.set(a, "corrupt")
      yield* Effect.flip(backlog.append(a, turn(1)))
      yield* backlog.append(b, turn(2))
      assert.strictEqual(yield* reasonOf(backlog.append(a, turn(3))), "corrupt")
      failing.clear()
      yield* backlog.flush
      assert.deepStrictEqual(written, ["ask 2", "ask 1", "ask 3"])
    })
  )

  it.effect("does not keep turns of sessions that do not exist", () =>
    Effect.gen(function* () {
      const { database, written } = faulty()
      const backlog = yield* Backlog.make(database)
      const id = sessionId()
      assert.strictEqual(yield* reasonOf(backlog.append(id, turn(1))), "unknown_session")
      yield* backlog.create(row(id))
      written.length = 0
      yield* backlog.flush
      assert.deepStrictEqual(written, [])
    })
  )

  it.effect("keeps no more than its limits and says which turn is lost", () =>
    Effect.gen(function* () {
      const { database, failing, written } = faulty()
      const backlog = yield* Backlog.make(database, { turns: 2, characters: 1_000_000 })
      const id = sessionId()
      yield* backlog.create(row(id))
      failing.set("all", "full")
      assert.include((yield* Effect.flip(backlog.append(id, turn(1)))).message, "kept in memory")
      yield* Effect.flip(backlog.append(id, turn(2)))
      assert.include((yield* Effect.flip(backlog.append(id, turn(3)))).message, "lost")
      failing.clear()
      yield* backlog.flush
      assert.deepStrictEqual(written, ["ask 1", "ask 2"])
    })
  )
})
