// The command lines of login and logout, and the provider that a word means.
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { loginWords, parse } from "../../src/program/LoginArguments.ts"
import * as Target from "../../src/program/LoginTarget.ts"

describe("zeroclaw acp with a login in it", () => {
  const table: ReadonlyArray<readonly [string, string | undefined]> = [
    ["", undefined],
    ["--verbose", undefined],
    ["login", ""],
    ["--login", ""],
    ["--verbose login", "--verbose"],
    ["--config-dir /x --agent a login anthropic", "--config-dir /x --agent a anthropic"],
    ["--agent login", undefined],
    ["--agent=login", undefined],
    ["--agent login login", "--agent login"]
  ]
  it.each(table)("%j is for login with %j", (line, expected) => {
    const words = line === "" ? [] : line.split(" ")
    assert.strictEqual(loginWords(words)?.join(" "), expected)
  })
})

describe("arguments", () => {
  it("keep what means something and let the server's flags be", () => {
    assert.deepStrictEqual(
      parse(["login", "-v", "--max-sessions", "3", "--agent=a", "--config-dir", "/x", "groq", "--stdin"]),
      Either.right({ _tag: "Login", stdin: true, provider: "groq", agent: "a", configDir: "/x" })
    )
    assert.deepStrictEqual(parse(["logout"]), Either.right({ _tag: "Logout", stdin: false }))
  })

  it.each([
    ["login", "groq", "sk-secret"],
    ["login", "--key=sk-secret"],
    ["logout", "--stdin"],
    ["login", "--config-dir="]
  ])("refuse %s %s in one line, without the key", (...argv) => {
    const result = parse(argv)
    assert.isTrue(Either.isLeft(result))
    if (Either.isLeft(result)) assert.notMatch(result.left, /secret|\n/)
  })
})

describe("a provider", () => {
  const known = ["anthropic.work", "openai.a", "openai.b", "custom.my-server"]
  const right: ReadonlyArray<readonly [string, string]> = [
    ["openai.b", "openai.b"],
    ["anthropic", "anthropic.work"],
    ["anthropic.home", "anthropic.home"],
    ["groq", "groq.main"],
    ["Groq", "groq.main"],
    ["custom", "custom.my-server"]
  ]
  it.each(right)("%s is %s", (word, name) => assert.deepStrictEqual(Target.read(word, known), Either.right(name)))

  const wrong: ReadonlyArray<readonly [string, string]> = [
    ["openai", "openai.a, openai.b"],
    ["antropic", "anthropic"],
    ["google", "gemini"],
    ["openai.a.b", "anthropic.main"],
    ["openai.", "anthropic.main"],
    ["openai.a]\nx", "anthropic.main"],
    ["__proto__", "custom"],
    ["sk-live-0123456789", "custom"]
  ]
  it.each(wrong)("%j is none: the line names %s and does not repeat the word", (word, hint) => {
    const result = Target.read(word, known)
    assert.isTrue(Either.isLeft(result))
    if (Either.isLeft(result)) {
      assert.include(result.left, hint)
      assert.notMatch(result.left, /sk-live|antropic|\n/)
    }
  })

  it("that is not configured yet takes three lines", () => {
    assert.deepStrictEqual(Target.configLines("groq.main"), [
      "[providers.models.groq.main]",
      'uri = "https://api.groq.com/openai/v1"',
      'model = "llama-3.3-70b-versatile"'
    ])
    for (const { type } of Target.offers)
      assert.match(Target.configLines(Target.nameOf(type))[1] ?? "", /^uri = "https?:/)
  })
})
