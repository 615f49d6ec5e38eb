import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Extract from "../../../src/model/offline/Extract.ts"
import { cite } from "../../../src/model/offline/Steps.ts"

const linesOf = (text: string) => text.split("\n").map((text, at) => ({ line: at + 1, text }))
const outlined = (path: string, text: string) => Extract.outline(path, linesOf(text)).map(({ line }) => line)

const languages: ReadonlyArray<readonly [string, string, ReadonlyArray<number>]> = [
  ["a.md", "# A\n\ntext\n```\n# no\n```\n## B", [1, 7]],
  ["a.ts", "import x\nexport const a = 1\n  const inner = 2\nexport default class B {}\ninterface C {", [2, 4, 5]],
  ["a.ts", "const s = `\n```\n`\nfunction f() {}", [1, 4]],
  ["a.py", "import os\nclass A:\n    async def f(self):\n        x = 1\ndef g():", [2, 3, 5]],
  ["a.rs", "use x;\npub fn a() {}\nimpl A {\n    pub(crate) async fn b() {}\nstruct C;", [2, 3, 4, 5]],
  ["a.go", "package a\nfunc A() {\n\tx := 1\n}\ntype B struct {", [2, 5]],
  ["A.java", "public class A {\n  private int f(int x) {\n    return g(x)\n    if (x) {\n", [1, 2]],
  ["a.c", "#include <a.h>\nint main(void)\n{\n  return f(x);\n}\nstatic void g(int a) {", [2, 6]],
  ["a.sh", "set -e\nmain() {\n  echo\n}\nfunction b {", [2, 5]],
  ["a.json", '{\n    "a": {\n        "b": 1\n    },\n    "c": 2\n}', [2, 5]],
  ["a.toml", "x = 1\n[a]\ny = 2\n[[b]]", [1, 2, 4]],
  ["Makefile", "X := 1\nall: b\n\tcc\nb:", [2, 4]]
]

const document = fc.array(
  fc.oneof(
    fc.lorem({ maxCount: 12 }),
    fc.constantFrom(
      "# Head",
      "## `Head` <b>",
      "```",
      "",
      "- item one two three four",
      "![x](y)",
      "// a comment of words"
    ),
    fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.replaceAll("\n", " "))
  ),
  { maxLength: 60 }
)
const name = fc.constantFrom("a.md", "a.ts", "README", "a.json", "a.py", "a.zzz", "a.toml", "a.c")

describe("Extract", () => {
  it.each(languages)("outlines %s", (path, text, expected) => {
    assert.deepStrictEqual(outlined(path, text), expected)
  })

  it("opens each heading with its first line of prose", () => {
    const lines = linesOf("# A\n\nFirst words here.\nSecond.\n\n## B\n\n- Item of the list.")
    assert.includeMembers(
      Extract.summary("a.md", lines).map(({ line }) => line),
      [1, 3, 6, 8]
    )
  })

  it.prop("cites only lines that stand at the place it names", [name, document], ([path, rows]) => {
    const lines = rows.map((text, at) => ({ line: at + 1, text }))
    const chosen = [...Extract.summary(path, lines), ...Extract.outline(path, lines)]
    for (const line of chosen) {
      const cited = /^- `a?\S*?:(\d+)` ?(.*)$/s.exec(cite(path, line))
      const quote = (rows[Number(cited?.[1]) - 1] ?? "absent").trim()
      assert.include(cited?.[2] ?? "", quote)
    }
    assert.isAtMost(Extract.summary(path, lines).length, 14)
    assert.deepStrictEqual(Extract.summary(path, lines), Extract.summary(path, lines))
  })

  it("looks at long and strange lines only once", () => {
    for (const text of [" ".repeat(395), "a ".repeat(195), "a b(".repeat(95), "export ".repeat(50), '"'.repeat(399)]) {
      const lines = Array.from({ length: 2000 }, (_, at) => ({ line: at + 1, text: `${text}(;` }))
      for (const path of ["a.zzz", "a.c", "a.java", "a.ts", "a.md", "a.json", "a.yml"]) {
        assert.isArray(Extract.outline(path, lines))
        assert.isArray(Extract.summary(path, lines))
      }
    }
  })

  it("counts a diff by its numbers, not by what its lines look like", () => {
    const output =
      " M a.sql\n1\t2\ta.sql\ndiff --git a/a.sql b/a.sql\n--- a/a.sql\n+++ b/a.sql\n@@ -3,2 +3 @@ q\n--- x\n-\t-\tb\n+y"
    assert.deepStrictEqual(Extract.changes(output), [{ path: "a.sql", added: 1, removed: 2, places: ["line 3 q"] }])
  })
})
