// Titles: one visible line of bounded length, from a person or from the first prompt.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc, Option } from "effect"
import { type ContentBlock, text } from "../../src/contract/Content.ts"
import { maxTitle, normalize, ofPrompt } from "../../src/session/Title.ts"

const normal = (typed: string, length?: number) => Option.getOrUndefined(normalize(typed, length))
const first = (...blocks: ReadonlyArray<ContentBlock>) => Option.getOrUndefined(ofPrompt(blocks))
const family = "👨‍👩‍👧"

describe("a title that a person gives", () => {
  const cases: ReadonlyArray<readonly [string, string, string | undefined]> = [
    ["is one line", "  My\n\tparser \r\n", "My parser"],
    ["has no control characters", "a\u0000b\u001b[31mc", "a b [31mc"],
    ["turns no text around", "a\u202eb\u2066c", "a b c"],
    ["has no line separators", "a\u2028b\u2029c", "a b c"],
    ["has no lone surrogates", "a\ud800b", "a\ufffdb"],
    ["keeps emoji whole", `${family} ☀️`, `${family} ☀️`],
    ["keeps scripts that join with the zero-width non-joiner", "می‌خواهم", "می‌خواهم"],
    ["is none when empty", "", undefined],
    ["is none when blank", " \n\u00a0\u3000", undefined],
    ["is none when nothing of it can be seen", "\u200b\u200d\u2060\u3164\ufe0f\u{e0041}", undefined]
  ]
  for (const [what, typed, title] of cases) it(what, () => assert.strictEqual(normal(typed), title))

  it("is cut by code points, and says so", () => {
    const exact = "👋".repeat(maxTitle)
    assert.strictEqual(normal(exact), exact)
    assert.strictEqual(normal(`${exact}!`), `${"👋".repeat(maxTitle - 1)}…`)
    assert.strictEqual(normal("a bc", 3), "a…")
  })

  it.prop(
    "is visible, well formed, one line, never too long, and stays as it is when given again",
    [fc.string({ unit: "binary", maxLength: 300 })],
    ([typed]) => {
      const title = normal(typed)
      if (title === undefined) return
      assert.strictEqual(title, title.trim())
      assert.isTrue(title.isWellFormed())
      assert.isAtMost([...title].length, maxTitle)
      assert.notMatch(title, /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u)
      assert.match(title, /[^\s\p{Default_Ignorable_Code_Point}]/u)
      assert.strictEqual(normal(title), title)
    }
  )
})

describe("a title of the first prompt", () => {
  const cases: ReadonlyArray<readonly [string, string, string | undefined]> = [
    ["is its first line", "Mend the parser\nIt fails.", "Mend the parser"],
    ["is the first line that says something", "\n \n---\n\n# Mend the   parser\nIt fails.", "Mend the parser"],
    ["has no list or quote marks", "> - * Mend it", "Mend it"],
    ["has Windows line ends", "Mend it\r\nnow", "Mend it"],
    ["is none of a prompt that says nothing", " \n\n###\n", undefined]
  ]
  for (const [what, prompt, title] of cases) it(what, () => assert.strictEqual(first(text(prompt)), title))

  it("is at most 60 characters", () => {
    assert.strictEqual(first(text("x".repeat(61))), `${"x".repeat(59)}…`)
    assert.strictEqual(first(text("x".repeat(60))), "x".repeat(60))
  })

  it("is of a text, wherever it stands, never of what is attached", () => {
    const image: ContentBlock = { type: "image", data: "AA==", mimeType: "image/png" }
    const resource: ContentBlock = { type: "resource", resource: { uri: "file:///b", text: "secret" } }
    assert.strictEqual(first(image, resource, text(" "), text("What is this?")), "What is this?")
    assert.isUndefined(first(image, resource))
    assert.isUndefined(first())
  })
})
