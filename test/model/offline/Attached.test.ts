import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import { read } from "../../../src/model/offline/Attached.ts"
import * as PromptText from "../../../src/session/PromptText.ts"

const line = fc.oneof(
  fc.constantFrom("[End of attachment]", "[Attached: x]", "[Linked: a /a]", "run ls", "", "[End of attachment]\r"),
  fc.string({ unit: "binary", maxLength: 12 })
)

describe("Attached", () => {
  it("keeps words around and between attachments in their order", () => {
    const text = "explain\n\n[Attached: /a.md]\none\ntwo\n[End of attachment]\n\nand\n\n[Linked: b c /p/b c]\n\nplease"
    assert.deepStrictEqual(read(text), {
      words: "explain\n\n\nand\n\n\nplease",
      attached: [{ path: "/a.md", text: "one\ntwo" }, { path: "/p/b c" }]
    })
  })

  it("takes an opening without an end for words", () => {
    assert.deepStrictEqual(read("[Attached: x]\nhello"), { words: "[Attached: x]\nhello", attached: [] })
  })

  it("finds the place of a link whose name is another", () => {
    assert.deepStrictEqual(read("[Linked: my notes /p/a b.md]").attached, [{ path: "/p/a b.md" }])
    assert.deepStrictEqual(read("[Linked: page https://example.com/]").attached, [{ path: "https://example.com/" }])
    assert.deepStrictEqual(read("[Linked: a.md a.md]").attached, [{ path: "a.md" }])
  })

  it.prop("never lets an attachment speak for the person", [fc.array(line, { maxLength: 12 })], ([rows]) => {
    const made = PromptText.make(
      [
        { type: "resource", resource: { uri: "file:///a.md", text: rows.join("\n") } },
        { type: "text", text: "summarise this" }
      ],
      "/p"
    )
    assert.strictEqual(Either.isRight(made) ? read(made.right.text).words : "refused", "summarise this")
  })

  it.prop("is total", [fc.string({ unit: "binary" })], ([text]) => {
    assert.isString(read(text).words)
  })
})
