// Spellings that are a path, spellings that are none, and what a person sees of them.
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { absolute, parse, visible } from "../../src/policy/PathText.ts"

const bases = { cwd: "/ws", home: "/home/u" }
const parsed = (text: string) =>
  Either.getOrElse(parse(text, bases), (message) => ({ absolute: message, folder: false }))
const at = (text: string) => parsed(text).absolute
const refused = (text: string) => Either.match(parse(text, bases), { onLeft: (message) => message, onRight: () => "" })

describe("PathText", () => {
  it("relative paths start at the cwd and are made normal", () => {
    assert.strictEqual(at("a/b"), "/ws/a/b")
    assert.strictEqual(at("a//./b/../c"), "/ws/a/c")
    assert.strictEqual(at("../out"), "/out")
    assert.strictEqual(at("/etc//./shadow"), "/etc/shadow")
  })

  it("~/ is the home folder; ~user is not looked up", () => {
    assert.strictEqual(at("~/x"), "/home/u/x")
    assert.strictEqual(at("~"), "/home/u")
    assert.strictEqual(at("./~x"), "/ws/~x")
    assert.match(refused("~root/.ssh/id"), /^Invalid path "~root.*full path/)
    assert.match(
      Either.getOrElse(Either.flip(parse("~/x", { cwd: "/ws", home: undefined })), () => ""),
      /no home folder/
    )
  })

  it("a file URI is decoded once, and only for this machine", () => {
    assert.strictEqual(at("file:///ws/a%20b"), "/ws/a b")
    assert.strictEqual(at("file://localhost/ws/a"), "/ws/a")
    assert.strictEqual(at("FILE:///etc/passwd"), "/etc/passwd")
    assert.strictEqual(at("file:///ws/%2e%2e/out/secret"), "/out/secret")
    assert.strictEqual(at("file:///ws/%252e%252e/x"), "/ws/%2e%2e/x")
    assert.match(refused("file://evil.example/etc/passwd"), /host evil\.example/)
    for (const text of ["file:../out/secret", "file:/ws/a", "file:///ws/a?b", "file:///ws/a#b", "file:///ws/%ff"]) {
      assert.notStrictEqual(refused(text), "", text)
    }
    assert.match(refused("file:///ws/..%2Fout"), /encoded slash/)
    assert.match(refused("file:///ws/a%00b"), /U\+0000/)
    assert.match(refused("file:///ws/a%E2%80%AEb"), /U\+202E/)
  })

  it("a plain path is never percent-decoded", () => {
    assert.strictEqual(at("%2e%2e/out"), "/ws/%2e%2e/out")
  })

  it("PATH-028 PATH-039 invisible characters are refused and spelled out", () => {
    for (const [text, spelled] of [
      ["ok.txt\u0000/../../out/secret", "U+0000"],
      ["a\nb", "U+000A"],
      ["a\u007f", "U+007F"],
      ["a\u0085", "U+0085"],
      ["safe\u202etxt.sh", "U+202E"],
      ["a\u2066b", "U+2066"],
      ["a\u200bb", "U+200B"],
      ["a\ufeffb", "U+FEFF"],
      ["a\u{e0041}b", "U+E0041"],
      ["a\ud800b", "U+D800"]
    ] as const) {
      const message = refused(text)
      assert.include(message, `<${spelled}>`)
      assert.include(message, `invisible character ${spelled}`)
      assert.strictEqual(visible(message), message)
    }
  })

  it("PATH-037 look-alike dots and slashes stay one odd name", () => {
    assert.strictEqual(at("．．／out／secret"), "/ws/．．／out／secret")
    assert.strictEqual(at("名前/é 😀.txt"), "/ws/名前/é 😀.txt")
  })

  it("PATH-032 a path longer than 4096 bytes is refused, with a short message", () => {
    assert.match(refused("a/".repeat(35_000)), /longer than 4096 bytes/)
    assert.isBelow(refused("a/".repeat(35_000)).length, 400)
    assert.notStrictEqual(refused("é".repeat(2049)), "")
    assert.strictEqual(refused("é".repeat(2048)), "")
  })

  it("empty text is no path", () => {
    assert.match(refused(""), /empty/)
    assert.match(refused("  "), /empty/)
  })

  it("a trailing slash or dot can only mean a folder", () => {
    for (const text of ["a/", ".", "..", "a/.", "a/..", "/", "file:///ws/a/"]) assert.isTrue(parsed(text).folder, text)
    for (const text of ["a", "a.", "a..", ".a", "..."]) assert.isFalse(parsed(text).folder, text)
  })

  it("the spelling for display never fails and hides nothing", () => {
    assert.strictEqual(absolute("a", bases), "/ws/a")
    assert.strictEqual(absolute("safe\u202etxt.sh", bases), "/ws/safe<U+202E>txt.sh")
  })
})
