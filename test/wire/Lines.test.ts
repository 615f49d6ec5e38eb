import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Lines from "../../src/wire/Lines.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (value: string): Lines.Line => ({ _tag: "Text", text: value })
const all = (chunks: ReadonlyArray<Uint8Array>, limit?: number) => {
  const splitter = Lines.make(limit)
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()]
}

describe("Lines", () => {
  it("accepts CRLF, a byte order mark, blank lines and a last line without a newline", () => {
    assert.deepStrictEqual(all([bytes('\ufeff{"a":1}\r\n\r\n  \n{"b":2}')]), [text('{"a":1}'), text('{"b":2}')])
  })

  it("keeps a byte order mark that is not at the start", () => {
    assert.deepStrictEqual(all([bytes("a\n\ufeffb\n")]), [text("a"), text("\ufeffb")])
  })

  it("reports a line over the limit once and goes on at the next newline", () => {
    const lines = all([bytes("aaaa"), bytes("aaaa"), bytes("aaaa\nok\n"), bytes("bbbbbbbbb\n"), bytes("end")], 8)
    assert.deepStrictEqual(lines, [
      { _tag: "TooLong", limit: 8, head: "aaaaaaaaaaaa" },
      text("ok"),
      { _tag: "TooLong", limit: 8, head: "bbbbbbbbb" },
      text("end")
    ])
  })

  it("takes a line of exactly the limit", () => {
    assert.deepStrictEqual(all([bytes("12345678\n")], 8), [text("12345678")])
  })

  it("refuses only the line that is not UTF-8", () => {
    assert.deepStrictEqual(all([Uint8Array.of(0x22, 0xff, 0xfe, 0x22, 0x0a), bytes("ok\n")]), [
      { _tag: "NotUtf8" },
      text("ok")
    ])
  })

  it.prop(
    "gives the same lines however the bytes are cut",
    [
      fc.array(
        fc.string({ unit: "binary" }).map((line) => line.replace(/[\r\n\ufeff]/g, "")),
        { maxLength: 6 }
      ),
      fc.array(fc.nat(40))
    ],
    ([lines, cuts]) => {
      const wellFormed = lines.map((line) => line.toWellFormed())
      const whole = bytes(wellFormed.map((line) => `${line}\n`).join(""))
      const points = cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b)
      const chunks = [0, ...points].map((from, at) => whole.subarray(from, points[at] ?? whole.length))
      const expected = wellFormed.filter((line) => !/^[ \t]*$/.test(line)).map(text)
      assert.deepStrictEqual(all(chunks), expected)
    },
    { fastCheck: { numRuns: 300 } }
  )
})
