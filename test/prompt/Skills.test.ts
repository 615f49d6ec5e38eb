// The skills of an agent's bundles, found under the rules for tools.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Skills from "../../src/prompt/Skills.ts"
import { canary, read, refusal, session, world, write } from "../policy/World.ts"

const opened = Effect.gen(function* () {
  const at = yield* world
  const root = path.join(at.base, "cfg", "shared", "skills")
  fs.mkdirSync(root, { recursive: true })
  const policy = yield* session(at, {}, { readOnlyRoots: [root] })
  const put = (place: string, text: string) => {
    const file = path.join(root, place)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, text)
  }
  const names = (...bundles: ReadonlyArray<string>) =>
    Effect.map(Skills.list(policy, root, bundles), (skills) => skills.map(({ name }) => name))
  return { at, root, policy, put, names }
})

describe("skills", () => {
  it.scopedLive("are those of the agent's bundles, by name, each with its file", () =>
    Effect.gen(function* () {
      const { names, policy, put, root } = yield* opened
      put("work/b/SKILL.md", "---\nname: second\ndescription: Two.\n---\n")
      put("work/a/SKILL.md", "First one.")
      put("other/c/SKILL.md", "Not ours.")
      put("work/README.md", "no skill")
      put("work/empty/notes.md", "no skill")
      assert.deepStrictEqual(yield* Skills.list(policy, root, ["work", "work", "missing"]), [
        { name: "a", description: "First one.", path: path.join(root, "work/a/SKILL.md") },
        { name: "second", description: "Two.", path: path.join(root, "work/b/SKILL.md") }
      ])
      assert.deepStrictEqual(yield* names(), [])
      assert.deepStrictEqual(yield* names("other", "work"), ["c", "a", "second"])
    })
  )

  it.scopedLive("can be read by the model, and not changed", () =>
    Effect.gen(function* () {
      const { policy, put, root } = yield* opened
      put("work/a/SKILL.md", "First one.")
      const file = path.join(root, "work/a/SKILL.md")
      assert.strictEqual(yield* read(policy, file), "First one.")
      assert.strictEqual(yield* refusal(write(policy, file, "Mine.")), "denied")
    })
  )

  it.scopedLive("are at most a hundred, of at most 16 KiB each", () =>
    Effect.gen(function* () {
      const { names, put } = yield* opened
      for (let n = 0; n < 120; n++) put(`many/s${String(n).padStart(3, "0")}/SKILL.md`, "One.")
      assert.strictEqual((yield* names("many")).length, Skills.maxSkills)
      put("large/fits/SKILL.md", "x".repeat(Skills.maxBytes))
      put("large/large/SKILL.md", "x".repeat(Skills.maxBytes + 1))
      assert.deepStrictEqual(yield* names("large"), ["fits"])
    })
  )

  it.scopedLive("lead nowhere else: not by the name of a bundle, not by a link", () =>
    Effect.gen(function* () {
      const { at, names, put, root } = yield* opened
      fs.mkdirSync(path.join(at.out, "x"))
      fs.writeFileSync(path.join(at.out, "x", "SKILL.md"), canary)
      put("work/a/SKILL.md", "First one.")
      fs.symlinkSync(path.join(at.out, "x"), path.join(root, "work", "linked"))
      fs.mkdirSync(path.join(root, "work", "z"))
      fs.symlinkSync(path.join(at.out, "x", "SKILL.md"), path.join(root, "work", "z", "SKILL.md"))
      fs.symlinkSync(at.out, path.join(root, "bundle"))
      for (const bundle of ["../../../out", at.out, "..", ".", "", "bundle", "work/../work"]) {
        assert.deepStrictEqual(yield* names(bundle), [], bundle)
      }
      assert.deepStrictEqual(yield* names("work"), ["a"])
    })
  )
})
