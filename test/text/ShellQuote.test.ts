// What is quoted is read back by a shell as it was.
import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { quote, quoteAll } from "../../src/text/ShellQuote.ts"

const readBack = (line: string): ReadonlyArray<string> =>
  execFileSync("bash", ["--noprofile", "--norc", "-c", `printf '%s\\0' ${line}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1)

describe("ShellQuote", () => {
  it("any words come back as they were", () => {
    const word = fc.oneof(
      fc.string({ unit: "binary" }).filter((text) => !text.includes("\0") && text.isWellFormed()),
      fc.stringMatching(/^['"\\$`!*~ \n;&|<>(){}#-]*$/)
    )
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) =>
        assert.deepStrictEqual(readBack(quoteAll(words)), words)
      ),
      { numRuns: 50 }
    )
  })

  it("what needs no quotes gets none", () => {
    assert.strictEqual(quoteAll(["git", "log", "--format=%H", "a b", ""]), "git log --format=%H 'a b' ''")
    assert.strictEqual(quote("it's"), "'it'\\''s'")
    assert.strictEqual(quote("~"), "'~'")
  })
})
