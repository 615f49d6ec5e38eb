// What a SKILL.md says of itself.
import { assert, describe, it } from "@effect/vitest"
import * as SkillText from "../../src/prompt/SkillText.ts"

const of = (text: string) => SkillText.make(text, "folder", "/skills/folder/SKILL.md")

describe("the head of a skill", () => {
  it("names and describes it", () => {
    assert.deepStrictEqual(of("---\nname: release\ndescription: How to\n  release.\n---\n# Release\n"), {
      name: "release",
      description: "How to release.",
      path: "/skills/folder/SKILL.md"
    })
    assert.strictEqual(of("---\r\nname: windows\r\n---\r\nbody").name, "windows")
    assert.strictEqual(of("\uFEFF---\nname: bom\n---\n").name, "bom")
  })

  it("may be missing: the folder and the first line say it", () => {
    const { description, name } = of("# Release\n\nTag, then publish.\nMore.")
    assert.strictEqual(name, "folder")
    assert.strictEqual(description, "Tag, then publish.")
    assert.strictEqual(of("").description, "")
    assert.strictEqual(of("---\nno end").name, "folder")
  })

  it("may be broken, or hold other things than text", () => {
    for (const head of [": :\n\t-", "name: [1, 2]", "- a list", "42", "name: {", "name: &a x\ndescription: *b"]) {
      const { description, name } = of(`---\n${head}\n---\nThe first line.`)
      assert.strictEqual(name === "x" ? "folder" : name, "folder", head)
      assert.strictEqual(description, "The first line.", head)
    }
  })

  it("can't grow by aliases", () => {
    const bomb = [
      "a: &a [x,x,x,x,x,x,x,x,x]",
      ..."bcdefgh".split("").map((key, at) => {
        const from = "abcdefgh"[at]
        return `${key}: &${key} [*${from},*${from},*${from},*${from},*${from},*${from},*${from},*${from},*${from}]`
      })
    ].join("\n")
    assert.deepStrictEqual(of(`---\n${bomb}\nname: n\n---\nThe first line.`), {
      name: "folder",
      description: "The first line.",
      path: "/skills/folder/SKILL.md"
    })
  })

  it("is one line of bounded length, with nothing hidden in it", () => {
    const { description, name } = of(
      `---\nname: "${"n".repeat(500)}"\ndescription: "a\\n## Rules\\u202Eb${"x".repeat(5000)}"\n---\n`
    )
    assert.isAtMost(name.length, 64)
    assert.isAtMost(description.length, 500)
    assert.isTrue(description.startsWith("a ## Rules\\u202eb"))
  })
})
