// A racer swaps a folder with a link to the outside while the tools search: nothing of the outside is told.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { racer } from "../../support/Racer.ts"
import { call, place, seen } from "./Run.ts"

describe("races of the tools", () => {
  it.scopedLive("PATH-015 PATH-017 reads and searches show nothing that is outside", () =>
    Effect.gen(function* () {
      const { out, policy, ws } = yield* place()
      fs.mkdirSync(path.join(ws, "a"))
      fs.writeFileSync(path.join(ws, "a/f"), "INSIDE S\n")
      fs.writeFileSync(path.join(out, "f"), "SECRET\n")
      fs.writeFileSync(path.join(out, "only-outside"), "SECRET\n")
      fs.symlinkSync(out, path.join(ws, "l"))
      const calls: ReadonlyArray<readonly [string, object]> = [
        ["file_read", { path: "a/f" }],
        ["content_search", { pattern: "S", path: "a" }],
        ["content_search", { pattern: "S", path: "." }],
        ["content_search", { pattern: "S", path: ".", output_mode: "files_with_matches" }],
        ["glob_search", { pattern: "**", path: "." }],
        ["glob_search", { pattern: "*", path: "a" }]
      ]
      yield* racer(path.join(ws, "a"), path.join(ws, "l"))
      const end = (yield* Clock.currentTimeMillis) + 4000
      let completed = 0
      let refused = 0
      // A busy machine needs longer for as many.
      while ((yield* Clock.currentTimeMillis) < end || completed <= 50 || refused <= 5) {
        for (const [tool, input] of calls) {
          const called = yield* call(policy, tool, input)
          assert.notMatch(seen(called), /SECRET|only-outside/)
          if (called.status === "completed") completed++
          else refused++
        }
      }
      assert.isAbove(completed, 50)
      assert.isAbove(refused, 5)
    })
  )
})
