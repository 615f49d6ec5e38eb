// Glob patterns mean what people expect, and cannot be made slow.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { compileGlob, expandBraces, isBroad } from "../../src/tools/Glob.ts"

const fits = (pattern: string, path: string) => compileGlob(pattern)(path)

describe("Glob", () => {
  it.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "src/deep/a.ts", true],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/*.ts", "lib/src/a.ts", false],
    ["**/*.ts", "a.ts", true],
    ["**/*.ts", "x/y/a.ts", true],
    ["src/**/a.ts", "src/a.ts", true],
    ["src/**/a.ts", "src/x/y/a.ts", true],
    ["src/**/a.ts", "srcx/a.ts", false],
    ["src/**", "src/x/y", true],
    ["src/**", "src", false],
    ["**", "anything/at/all", true],
    ["*", "x/y", true],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["[a-c]x", "bx", true],
    ["[!a-c]x", "bx", false],
    ["[a-c", "[a-c", true],
    ["*.{ts,tsx}", "a.tsx", true],
    ["*.{ts,{js,mjs}}", "a.mjs", true],
    ["*.{ts,tsx}", "a.js", false],
    ["\\*.ts", "*.ts", true],
    ["\\*.ts", "a.ts", false],
    ["./src/a.ts", "src/a.ts", true],
    ["a.ts", "aXts", false]
  ] as const)("%s on %s: %s", (pattern, path, expected) => {
    assert.strictEqual(fits(pattern, path), expected)
  })
  it("expands braces up to a bound", () => {
    assert.sameMembers([...expandBraces("{a,b}{c,d}")], ["ac", "ad", "bc", "bd"])
    assert.isAtMost(expandBraces("{a,b}".repeat(20)).length, 256)
    assert.deepStrictEqual(expandBraces("{a"), ["{a"])
  })
  it("does not take exponential time", () => {
    assert.isFalse(fits(`${"*a".repeat(60)}*b`, "a".repeat(2000)))
  })
  it("knows which patterns fit directories as well", () => {
    assert.deepStrictEqual(["**", "*", "src/**", "**/*", "*.ts", ".env"].map(isBroad), [
      true,
      true,
      true,
      true,
      false,
      false
    ])
  })
  it.prop(
    "a path fits itself when its special characters are escaped",
    [fc.string({ minLength: 1, maxLength: 20 })],
    ([path]) => {
      fc.pre(!/^[./]/.test(path))
      assert.isTrue(fits(`/${path.replace(/[*?[\]{}\\,!]/g, "\\$&")}`, path))
    }
  )
})
