// What stands in for something missing is there while it is held, and then gone, unless it became somebody's.
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import * as Placeholders from "../../src/sandbox/Placeholders.ts"
import { tree } from "./Sandboxed.ts"

const opened = Effect.gen(function* () {
  const { at, ws } = yield* tree
  const { hold } = Placeholders.make()
  const all = [
    { path: at("ws/.git/commondir"), kind: "file" as const, text: ".\n" },
    { path: at("ws/.git"), kind: "folder" as const },
    { path: at("ws/.netrc"), kind: "file" as const }
  ]
  const take = Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* Scope.extend(hold(all), scope)
    return Scope.close(scope, Exit.void)
  })
  return { at, take, names: () => fs.readdirSync(ws).sort() }
})

describe("what stands in for missing things", () => {
  it.scopedLive("is made, outer first, with what is to be read in it, and removed, inner first", () =>
    Effect.gen(function* () {
      const { at, names, take } = yield* opened
      const give = yield* take
      assert.deepStrictEqual(names(), [".git", ".netrc"])
      assert.strictEqual(fs.readFileSync(at("ws/.git/commondir"), "utf8"), ".\n")
      yield* give
      assert.deepStrictEqual(names(), [])
    })
  )

  it.scopedLive("stays until the last holder is done", () =>
    Effect.gen(function* () {
      const { names, take } = yield* opened
      const [first, second] = [yield* take, yield* take]
      yield* first
      assert.deepStrictEqual(names(), [".git", ".netrc"])
      yield* second
      assert.deepStrictEqual(names(), [])
    })
  )

  it.scopedLive("is left alone once somebody has put something there", () =>
    Effect.gen(function* () {
      const { at, names, take } = yield* opened
      const give = yield* take
      fs.writeFileSync(at("ws/.git/mine"), "mine")
      fs.writeFileSync(at("ws/.netrc"), "mine")
      yield* give
      assert.deepStrictEqual(names(), [".git", ".netrc"])
      assert.deepStrictEqual(fs.readdirSync(at("ws/.git")), ["mine"])
      assert.strictEqual(fs.readFileSync(at("ws/.netrc"), "utf8"), "mine")
    })
  )

  it.scopedLive("never takes the place of what is there", () =>
    Effect.gen(function* () {
      const { at, take } = yield* opened
      fs.writeFileSync(at("ws/.netrc"), "mine")
      const give = yield* take
      yield* give
      assert.strictEqual(fs.readFileSync(at("ws/.netrc"), "utf8"), "mine")
    })
  )
})
