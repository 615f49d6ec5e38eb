// The text of the file of stored keys, and what counts as a key.
import { assert, describe, it } from "@effect/vitest"
import { Either, FastCheck as fc, Redacted } from "effect"
import * as Text from "../../src/auth/CredentialsText.ts"

const plain = (keys: Text.Keys) => [...keys].map(([name, key]) => [name, Redacted.value(key)])

describe("the file's text", () => {
  const name = fc.stringMatching(/^[a-z]{1,8}\.[a-z0-9_-]{1,12}$/)
  const key = fc.stringMatching(/^[\x21-\x7e]{1,60}$/)
  it.prop(
    "is read as it was written",
    [fc.uniqueArray(fc.tuple(name, key), { selector: ([name]) => name })],
    ([pairs]) => {
      const keys = new Map(pairs.map(([name, key]) => [name, Redacted.make(key)]))
      assert.deepStrictEqual(plain(Either.getOrThrow(Text.decode(Text.encode(keys)))), pairs)
    }
  )

  it("has the documented shape", () => {
    assert.deepStrictEqual(JSON.parse(Text.encode(new Map([["anthropic.main", Redacted.make("k")]]))), {
      version: 1,
      keys: { "anthropic.main": "k" }
    })
  })

  it("stays below the bound when it is as large as it can get", () => {
    const worst = Redacted.make("\\".repeat(Text.maxKeyLength))
    const keys = new Map(
      Array.from({ length: Text.maxKeys }, (_, at) => [`${"t".repeat(40)}.${"a".repeat(60)}${at}`, worst])
    )
    assert.isBelow(Text.encode(keys).length, Text.maxFileBytes)
  })

  it.each([
    "",
    "{",
    "[]",
    "null",
    '{"keys":{}}',
    '{"version":2,"keys":{}}',
    '{"version":1,"keys":{"a.b":1}}',
    '{"version":1,"keys":{"a.b":""}}',
    '{"version":1,"keys":{},"more":1}'
  ])("refuses %s", (text) => assert.deepStrictEqual(Text.decode(text), Either.left("malformed")))

  it.prop("is refused or read, whatever it is", [fc.json()], ([text]) => {
    assert.isTrue(Either.isEither(Text.decode(text)))
  })

  it("never shows a key when it is printed", () => {
    const keys = Either.getOrThrow(Text.decode('{"version":1,"keys":{"a.b":"sk-hidden"}}'))
    assert.notInclude(`${JSON.stringify([...keys])} ${String(keys.get("a.b"))}`, "hidden")
  })
})

describe("a key", () => {
  it.each(["sk-abc", "  sk-abc\r\n", "\ufeffsk-abc"])("is taken from %j", (text) =>
    assert.strictEqual(Redacted.value(Either.getOrThrow(Text.readKey(text))), "sk-abc")
  )

  it.each(["", " \n", "two words", "a\nb", "schlüssel", "a\u0000b", "x".repeat(Text.maxKeyLength + 1)])(
    "is not %j, and the reason does not repeat it",
    (text) => {
      const result = Text.readKey(text)
      assert.isTrue(Either.isLeft(result))
      if (Either.isLeft(result) && text.trim() !== "") assert.notInclude(result.left, text)
    }
  )
})
