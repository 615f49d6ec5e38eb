// The agent's own files: made once, read with every turn, never more than they are.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Personality from "../../src/prompt/Personality.ts"
import * as Templates from "../../src/prompt/Templates.ts"
import { canary, session, world } from "../policy/World.ts"

const made = ["AGENTS.md", "HEARTBEAT.md", "IDENTITY.md", "MEMORY.md", "SOUL.md", "TOOLS.md", "USER.md"]

const opened = Effect.gen(function* () {
  const at = yield* world
  const policy = yield* session(at)
  const file = (name: string) => path.join(at.agentWorkspace, name)
  return {
    at,
    file,
    parts: Personality.parts(policy, at.agentWorkspace),
    put: (name: string, text: string) => fs.writeFileSync(file(name), text)
  }
})

describe("the files of an agent", () => {
  it.scopedLive("are made from templates, all but BOOTSTRAP, for nobody else to read; and say nothing yet", () =>
    Effect.gen(function* () {
      const { at, file, parts } = yield* opened
      assert.deepStrictEqual(yield* parts, [])
      assert.deepStrictEqual(fs.readdirSync(at.agentWorkspace).sort(), made)
      for (const name of made) assert.strictEqual(fs.statSync(file(name)).mode & 0o777, 0o600)
      assert.deepStrictEqual(yield* parts, [])
    })
  )

  it.scopedLive("are given in the documented order, and never written over", () =>
    Effect.gen(function* () {
      const { file, parts, put } = yield* opened
      const order = Templates.names.map(Templates.fileName)
      for (const name of [...order].reverse()) put(name, `I am ${name}.\n`)
      const expected = order.map((name) => ({ file: name, text: `I am ${name}.` }))
      assert.deepStrictEqual(yield* parts, expected)
      assert.deepStrictEqual(yield* parts, expected)
      for (const name of order) assert.strictEqual(fs.readFileSync(file(name), "utf8"), `I am ${name}.\n`)
    })
  )

  it.scopedLive("are read anew: what a person writes counts from the next turn on", () =>
    Effect.gen(function* () {
      const { file, parts } = yield* opened
      yield* parts
      fs.appendFileSync(file("USER.md"), "\nCall me Ada.\n")
      const [user, ...others] = yield* parts
      assert.deepStrictEqual(others, [])
      assert.strictEqual(user?.file, "USER.md")
      assert.include(user?.text, "Call me Ada.")
    })
  )

  it.scopedLive("are cut at 20 000 characters, never within one", () =>
    Effect.gen(function* () {
      const { parts, put } = yield* opened
      put("SOUL.md", "x".repeat(19_999) + "😀".repeat(10))
      put("USER.md", "y".repeat(20_000))
      const [soul, user] = yield* parts
      assert.strictEqual(user?.text, "y".repeat(20_000))
      assert.strictEqual(soul?.text, `${"x".repeat(19_999)}\n[cut: 19 more characters]`)
    })
  )

  it.scopedLive("lead nowhere else: links, pipes, folders and what is too large are left out, and left alone", () =>
    Effect.gen(function* () {
      const { at, file, parts, put } = yield* opened
      fs.symlinkSync(path.join(at.out, "secret"), file("SOUL.md"))
      fs.symlinkSync(path.join(at.home, ".ssh", "id_ed25519"), file("IDENTITY.md"))
      fs.symlinkSync(at.config, file("MEMORY.md"))
      fs.symlinkSync(path.join(at.out, "planted"), file("TOOLS.md"))
      execFileSync("mkfifo", [file("USER.md")])
      fs.mkdirSync(file("AGENTS.md"))
      put("HEARTBEAT.md", "x".repeat(2 * 1024 * 1024))
      put("BOOTSTRAP.md", "I am left.")
      const found = yield* parts
      assert.deepStrictEqual(found, [{ file: "BOOTSTRAP.md", text: "I am left." }])
      assert.notInclude(JSON.stringify(found), canary)
      assert.isFalse(fs.existsSync(path.join(at.out, "planted")))
      assert.isTrue(fs.lstatSync(file("SOUL.md")).isSymbolicLink())
    })
  )

  it.scopedLive("cost nothing where their folder is gone or can't be written", () =>
    Effect.gen(function* () {
      const { at, parts } = yield* opened
      fs.rmSync(at.agentWorkspace, { recursive: true })
      assert.deepStrictEqual(yield* parts, [])
      assert.isFalse(fs.existsSync(at.agentWorkspace))
    })
  )
})

describe("templates", () => {
  it("say nothing by themselves, and something as soon as a person writes in them", () => {
    for (const text of Object.values(Templates.templates)) {
      assert.isTrue(Templates.isEmpty(text))
      assert.isFalse(Templates.isEmpty(`${text}Be brief.\n`))
      assert.match(text, /^# \w+\n/)
    }
  })
})
