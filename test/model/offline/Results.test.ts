import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { uniqueTail } from "../../../src/model/offline/Doing.ts"
import * as Results from "../../../src/model/offline/Results.ts"
import { numbered } from "../../../src/tools/Numbered.ts"

const row = fc.string({ maxLength: 20 }).map((text) => text.replace(/[\r\n]/g, " "))

describe("Results", () => {
  it.prop("reads back what file_read shows", [fc.array(row, { minLength: 1, maxLength: 30 })], ([rows]) => {
    const shown = numbered(rows, { offset: 1, limit: 2000 })
    assert.deepStrictEqual(
      Results.numbered(shown),
      rows.map((text, at) => ({ line: at + 1, text }))
    )
    assert.strictEqual(Results.total(shown), rows.length)
  })

  it("knows the size of a file from the last line, in other words too", () => {
    assert.strictEqual(Results.total("(empty file)"), 0)
    assert.strictEqual(Results.total("1: a\n(lines 1-1 of 30; go on with offset 2)"), 30)
    assert.strictEqual(Results.total("1: a\n(1 line)"), 1)
    assert.isUndefined(Results.total("1: 5 of 9 lines"))
  })

  it("reads matches, counts and paths, and no remark for one", () => {
    const text = "src/a.ts:4:x: 1\n(3 more matches left out; narrow the search or raise max_results)"
    assert.deepStrictEqual(Results.matches(text), [{ path: "src/a.ts", line: 4, text: "x: 1" }])
    assert.strictEqual(Results.leftOut(text), 3)
    assert.deepStrictEqual(Results.counts("a.ts:4\nb:c.ts:2\nNo"), [
      { path: "a.ts", lines: 4 },
      { path: "b:c.ts", lines: 2 }
    ])
    const files = "(group)/page.tsx\na.ts\n(2 more files fit; narrow the pattern)\n(stopped early: it took too long)"
    assert.deepStrictEqual(Results.paths(files), ["(group)/page.tsx", "a.ts"])
    assert.strictEqual(Results.leftOut(files), 2)
    assert.isTrue(Results.isPartial(files))
    assert.deepStrictEqual(Results.paths("No files found."), [])
  })

  it.prop(
    "finds an end of a file that stands in it once",
    [fc.array(fc.constantFrom("a", "b", "", "a b"), { minLength: 1, maxLength: 12 })],
    ([rows]) => {
      const tail = uniqueTail(rows.map((text, at) => ({ line: at + 1, text })))
      const whole = rows.join("\n")
      if (tail === undefined) assert.strictEqual(whole.trim(), "")
      else {
        assert.isTrue(whole.endsWith(tail))
        assert.strictEqual(whole.indexOf(tail), whole.lastIndexOf(tail))
      }
    }
  )

  it.prop("is total", [fc.string({ unit: "binary" })], ([text]) => {
    assert.isArray(Results.numbered(text))
    assert.isArray(Results.matches(text))
    assert.isArray(Results.counts(text))
    assert.isArray(Results.paths(text))
    assert.isFalse(Number.isNaN(Results.leftOut(text)))
    assert.isFalse(Number.isNaN(Results.total(text) ?? 0))
  })
})
