// Program output: plain, bounded, cut on code-point borders, whatever the chunks.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { cutMiddle, makeCapture } from "../../src/tools/Capture.ts"
import { plain } from "../../src/tools/Terminal.ts"

const wellFormed = (text: string) => Buffer.from(text, "utf8").toString("utf8") === text
const feed = (size: number, bytes: Uint8Array, step: number) => {
  const capture = makeCapture(size)
  for (let at = 0; at < bytes.length; at += step) capture.push(bytes.subarray(at, at + step))
  return capture
}

describe("plain", () => {
  it("drops colours, titles, backspaces and other controls, and normalises line ends (H08)", () => {
    assert.strictEqual(plain("\u001b[31mred\u001b[0m \u001b]0;t\u0007 a\bb\r\n"), "red  ab\n")
    assert.strictEqual(plain("good evil \u001b[24D\u001b[K good"), "good evil  good")
    assert.strictEqual(
      plain("\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\ \u001b(B\u001bP1$r\u001b\\end\u0000"),
      "link end"
    )
    assert.strictEqual(plain("10%\r20%\r\n\u009b1mx"), "10%\n20%\nx")
  })
  it("does not let an unterminated string hide what follows", () => {
    assert.strictEqual(plain("\u001b]0;never ended\nnext"), "0;never ended\nnext")
  })
  it.prop("leaves no control character but newline and tab", [fc.string({ unit: "binary" })], ([text]) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must be gone
    assert.notMatch(plain(text), /[\x00-\x08\x0b-\x1f\x7f-\x9f]/)
  })
})

describe("Capture", () => {
  it.prop(
    "joins UTF-8 that is split across chunks",
    [fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 5 })],
    ([text, step]) => {
      assert.strictEqual(feed(4096, Buffer.from(text), step).result(50_000).text, plain(text))
    }
  )
  it.prop(
    "keeps head and tail on code-point borders within the limit and says what is missing",
    [fc.integer({ min: 50, max: 400 }), fc.constantFrom("é", "漢", "😀", "a😀"), fc.integer({ min: 1, max: 300 })],
    ([count, unit, step]) => {
      const text = `${"<"}${unit.repeat(count)}${">"}`
      const { text: shown, truncated } = feed(16, Buffer.from(text), step).result(300)
      assert.isTrue(truncated)
      assert.isAtMost(shown.length, 300)
      assert.isTrue(wellFormed(shown))
      assert.notInclude(shown, "\ufffd")
      assert.isTrue(shown.startsWith("<") && shown.endsWith(">"))
      assert.match(shown, /\n\[… \d+ of \d+ bytes left out here …\]\n/)
    }
  )
  it.prop(
    "cuts the middle on code-point borders",
    [fc.string({ unit: "binary", minLength: 301, maxLength: 800 })],
    ([text]) => {
      const { text: shown } = cutMiddle(text, 300)
      assert.isAtMost(shown.length, 300)
      if (wellFormed(text)) assert.isTrue(wellFormed(shown))
    }
  )
  it("shows what came last, whole code points only", () => {
    const capture = feed(64, Buffer.from(`${"x".repeat(500)}漢字漢字`), 7)
    assert.strictEqual(capture.recent(7), "字漢字".slice(-2))
  })
  it("keeps the last bytes when many small chunks run round the ring", () => {
    const text = Array.from({ length: 1000 }, (_, index) => `${index}\n`).join("")
    const { text: shown } = feed(100, Buffer.from(text), 3).result(1000)
    assert.isTrue(shown.startsWith("0\n1\n2\n"))
    assert.isTrue(shown.endsWith("\n997\n998\n999\n"))
  })
})
