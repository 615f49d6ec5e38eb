// Hidden characters are spelled out, and cuts fall between code points.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Visible from "../../src/tools/Visible.ts"

const wellFormed = (text: string) => Buffer.from(text, "utf8").toString("utf8") === text

describe("Visible", () => {
  it("spells out controls, bidi overrides, zero-width characters and tags", () => {
    assert.strictEqual(
      Visible.visible("a\u202eb\u200bc\u001b[2Kd\u009b\ne\u{e0041}\ufeff\u2066\u00ad"),
      "a\\u202eb\\u200bc\\u001b[2Kd\\u009b\\ne\\u{e0041}\\ufeff\\u2066\\u00ad"
    )
  })
  it("leaves ordinary text of any script and emoji alone", () => {
    const text = "naïve 漢字 привет 😀 ❤\ufe0f café"
    assert.strictEqual(Visible.visible(text), text)
  })
  it("keeps newlines and tabs of a block", () => {
    assert.strictEqual(Visible.visibleLines("a\n\tb\r\u0008"), "a\n\tb\\r\\u0008")
  })
  it("ends no code span or block early", () => {
    assert.strictEqual(Visible.codeSpan("npm test"), "`npm test`")
    assert.strictEqual(Visible.codeSpan("echo `date`"), "`` echo `date` ``")
    assert.strictEqual(Visible.fence("a\n```\nb"), "````\na\n```\nb\n````")
  })
  it("cuts a long title on a code-point border within 200", () => {
    const title = Visible.title("Read ", "😀".repeat(200), ":1-9")
    assert.isAtMost(title.length, 200)
    assert.isTrue(wellFormed(title))
    assert.isTrue(title.endsWith("…:1-9"))
  })
  it.prop(
    "heads and tails are whole code points and never longer than asked",
    [fc.string({ unit: "binary" }), fc.nat(40)],
    ([text, max]) => {
      const head = Visible.headOf(text, max)
      const tail = Visible.tailOf(text, max)
      assert.isTrue(text.startsWith(head) && text.endsWith(tail))
      assert.isAtMost(head.length, max)
      assert.isAtMost(tail.length, max)
      if (wellFormed(text)) assert.isTrue(wellFormed(head) && wellFormed(tail))
    }
  )
  it.prop("nothing hidden is left in a title", [fc.string({ unit: "binary" })], ([text]) => {
    assert.notMatch(Visible.title("Find ", text, ""), /[\p{Cc}\p{Cf}\p{Cs}]/u)
  })
})
