// A racer swaps a folder with a link to the outside while the gate works: nothing of the outside is seen or touched.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Console, Effect } from "effect"
import { racer } from "../support/Racer.ts"
import { bytes, openDescriptors, read, session, type World, world, write } from "./World.ts"

const raced = Effect.gen(function* () {
  const made = yield* world
  const a = path.join(made.ws, "a")
  const link = path.join(made.ws, "l")
  fs.mkdirSync(a)
  fs.writeFileSync(path.join(a, "f"), "INSIDE")
  fs.writeFileSync(path.join(made.out, "f"), "SECRET")
  fs.writeFileSync(path.join(made.out, "only-outside"), "SECRET")
  fs.symlinkSync(made.out, link)
  const policy = yield* session(made)
  return { made, policy, race: racer(a, link) }
})

const outsideOf = ({ out }: World) =>
  fs.readdirSync(out, { recursive: true, encoding: "utf8" }).map((name) => {
    const file = path.join(out, name)
    return [name, fs.statSync(file).isFile() ? fs.readFileSync(file, "utf8") : "a folder"]
  })

/** Attempts to read; two fifths of it to write. Absent: as many as fit into a short while. */
const wanted = process.env["ZEROCLAW_RACES"] === undefined ? undefined : Number(process.env["ZEROCLAW_RACES"])
const timeout = wanted === undefined ? 30_000 : 30 * 60_000

/** Runs again and again; gives the different results that were no failures, and how many of both there were. */
const during = <A, E>(name: string, millis: number, share: number, attempt: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + millis
    const results = new Set<string>()
    let done = 0
    let refused = 0
    const more = Effect.map(Clock.currentTimeMillis, (now) =>
      wanted === undefined ? now < end : done + refused < wanted * share
    )
    while (yield* more) {
      const exit = yield* Effect.either(attempt)
      if (exit._tag === "Right") {
        done++
        results.add(JSON.stringify(exit.right))
      } else refused++
    }
    if (wanted !== undefined) yield* Console.log(`${name}: ${done} done, ${refused} refused`)
    return { results: [...results], done, refused }
  })

describe("races", () => {
  it.scopedLive(
    "PATH-015 no raced read returns what is outside",
    () =>
      Effect.gen(function* () {
        const { policy, race } = yield* raced
        yield* race
        const { refused, results } = yield* during("reads", 2000, 1, read(policy, "a/f"))
        assert.deepStrictEqual(results, ['"INSIDE"'])
        assert.isAbove(refused, 0)
      }),
    timeout
  )

  it.scopedLive(
    "PATH-017 no raced listing names what is outside",
    () =>
      Effect.gen(function* () {
        const { policy, race } = yield* raced
        yield* race
        const names = Effect.map(policy.listDirectory("a"), ({ entries }) => entries.map(({ name }) => name))
        const { refused, results } = yield* during("listings", 1500, 0.2, names)
        assert.deepStrictEqual(results, ['["f"]'])
        assert.isAbove(refused, 0)
      }),
    timeout
  )

  it.scopedLive(
    "no raced write changes what is outside, with and without folders to make",
    () =>
      Effect.gen(function* () {
        const { made, policy, race } = yield* raced
        const before = outsideOf(made)
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* race
            const plain = yield* during("writes", 1500, 0.3, write(policy, "a/f", "WRITTEN"))
            assert.isAbove(plain.done, 0)
            assert.isAbove(plain.refused, 0)
            const fresh = Effect.suspend(() => write(policy, `a/${crypto.randomUUID()}/x`, "WRITTEN"))
            const nested = yield* during("writes into new folders", 1000, 0.08, fresh)
            assert.isAbove(nested.done, 0)
            yield* during("writes of new files", 500, 0.02, policy.writeFile("a/new", bytes("WRITTEN"), null))
          })
        )
        assert.deepStrictEqual(outsideOf(made), before)
        const inside = fs.readdirSync(made.ws, { recursive: true, encoding: "utf8" })
        assert.deepStrictEqual(
          inside.filter((name) => name.endsWith(".tmp")),
          []
        )
      }),
    timeout
  )
})

describe("descriptors", () => {
  it.scopedLive("none is left after 500 operations that succeed, fail and are interrupted", () =>
    Effect.gen(function* () {
      const made = yield* world
      fs.symlinkSync(made.out, path.join(made.ws, "d"))
      fs.mkdirSync(path.join(made.ws, "sub"))
      fs.writeFileSync(path.join(made.ws, "big"), Buffer.alloc(300_000))
      const policy = yield* session(made)
      const operations: ReadonlyArray<(i: number) => Effect.Effect<unknown, unknown>> = [
        () => read(policy, "keep"),
        () => read(policy, "missing"),
        () => read(policy, "d/secret"),
        () => read(policy, "sub"),
        () => policy.readFile("big", 100),
        () => read(policy, "big"),
        (i) => write(policy, `made/${i}/x`, "x"),
        () => write(policy, "d/x/y", "x"),
        () => write(policy, "sub", "x"),
        () => policy.writeFile("keep", bytes("x"), bytes("other")),
        (i) => policy.writeFile(`fresh-${i}`, bytes("x"), null),
        () => policy.listDirectory("."),
        () => policy.listDirectory("d"),
        () => Effect.scoped(policy.openDirectory("sub")),
        () => Effect.scoped(policy.openDirectory("d"))
      ]
      const one = (i: number) => operations[i % operations.length]?.(i) ?? Effect.void
      const cut = (i: number) => Effect.timeoutOption(one(i), i % 5)
      yield* Effect.forEach(operations, (_, i) => Effect.exit(one(i)))
      const before = openDescriptors()
      yield* Effect.forEach(
        Array.from({ length: 500 }, (_, i) => i),
        (i) => Effect.exit(i % 2 === 0 ? one(i) : cut(i)),
        { concurrency: 8, discard: true }
      )
      assert.strictEqual(openDescriptors(), before)
      const left = fs.readdirSync(made.ws, { recursive: true, encoding: "utf8" })
      assert.deepStrictEqual(
        left.filter((name) => name.endsWith(".tmp")),
        []
      )
    })
  )

  it.scopedLive("the session's own is closed with the session, a folder's with its scope", () =>
    Effect.gen(function* () {
      const made = yield* world
      yield* Effect.scoped(session(made))
      const before = openDescriptors()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const policy = yield* session(made)
          assert.strictEqual(openDescriptors(), before + 1)
          yield* Effect.scoped(
            Effect.tap(policy.openDirectory("."), () => assert.strictEqual(openDescriptors(), before + 2))
          )
          yield* Effect.exit(policy.openDirectory(".."))
          assert.strictEqual(openDescriptors(), before + 1)
        })
      )
      assert.strictEqual(openDescriptors(), before)
    })
  )
})
