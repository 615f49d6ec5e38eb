// What a model is told, section by section.
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Prompt from "../../src/prompt/Prompt.ts"

const input: Prompt.PromptInput = {
  date: "2026-12-04",
  personality: [{ file: "SOUL.md", text: "Be kind." }],
  tools: ["file_read", "file_edit", "shell", "TodoWrite"],
  level: "supervised",
  sandbox: { backend: "auto", network: false },
  skills: [{ name: "release", description: "How to release.", path: "/config/shared/skills/b/release/SKILL.md" }],
  cwd: "/project",
  workspace: "/config/agents/default/workspace",
  platform: "linux",
  notes: "Use tabs."
}

const titles = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^##+ (.*)$/gm)].map(([, title = ""]) => title)

describe("the system prompt", () => {
  it("has its sections in the documented order", () => {
    assert.deepStrictEqual(titles(Prompt.make(input)), [
      "Date",
      "Identity",
      "SOUL.md",
      "Honesty",
      "Tools",
      "Safety",
      "Shell",
      "Skills",
      "Workspace",
      "Runtime",
      "Attachments",
      "Notes of the project"
    ])
  })

  it("leaves out what there is nothing to say about", () => {
    const text = Prompt.make({ ...input, personality: [], skills: [], tools: ["file_read"], notes: undefined })
    assert.deepStrictEqual(titles(text), [
      "Date",
      "Identity",
      "Honesty",
      "Tools",
      "Safety",
      "Workspace",
      "Runtime",
      "Attachments"
    ])
    assert.notInclude(text, "TodoWrite")
    assert.notInclude(text, "file_edit")
    assert.include(Prompt.make({ ...input, tools: [] }), "no tools in this session")
  })

  it("names the session's folder as the working directory, and the agent's own beside it", () => {
    const text = Prompt.make(input)
    assert.match(text, /^Working directory: \/project$/m)
    assert.match(text, /^Your own folder.*: \/config\/agents\/default\/workspace$/m)
    assert.notInclude(Prompt.make({ ...input, cwd: input.workspace }), "Your own folder")
  })

  it("says what may be done, and where commands run", () => {
    const of = (changes: Partial<Prompt.PromptInput>) => Prompt.make({ ...input, ...changes })
    assert.include(of({}), "a refusal is an answer")
    assert.include(of({}), "no network")
    assert.include(of({ level: "readonly" }), "running commands will be refused")
    assert.include(of({ level: "full" }), "without asking")
    assert.include(of({ sandbox: { backend: "auto", network: true } }), "they have the network")
    assert.include(of({ sandbox: { backend: "none", network: false } }), "without a sandbox")
  })

  it("names tools, and skills with their file", () => {
    const text = Prompt.make(input)
    assert.include(text, "You have file_read, file_edit, shell, TodoWrite.")
    assert.include(text, "- release: How to release. (/config/shared/skills/b/release/SKILL.md)")
  })

  it("says nothing of a memory that a session of an editor does not have", () => {
    assert.notMatch(Prompt.make(input), /memory|recall/i)
  })

  it("holds the project's notes in a fence that they can't end", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("`", "```", "````markdown", "\n", "a"), { maxLength: 40 }), (parts) => {
        const notes = parts.join("")
        const text = Prompt.make({ ...input, notes })
        const opening = /^(`{3,})markdown\n/m.exec(text.slice(text.indexOf("## Notes of the project")))?.[1] ?? ""
        assert.isTrue(text.endsWith(`${opening}markdown\n${notes}\n${opening}`))
        assert.notInclude(notes, opening)
      })
    )
  })
})
