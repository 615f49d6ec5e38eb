// The offline agent driven as the loop drives it, with tools that answer from memory.
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Effect, FastCheck as fc, Stream } from "effect"
import { type Message, type ToolCallPart, user } from "../../../src/model/Message.ts"
import type { ModelEvent } from "../../../src/model/Model.ts"
import * as Extract from "../../../src/model/offline/Extract.ts"
import { offlineModel, readPrompt } from "../../../src/model/offline/Offline.ts"

type Run = (name: string, input: Readonly<Record<string, unknown>>) => { text: string; isError?: boolean }

const names = ["shell", "file_read", "file_write", "file_edit", "glob_search", "content_search", "TodoWrite"]
const specs = (offered: ReadonlyArray<string>) => offered.map((name) => ({ name, description: name, inputSchema: {} }))

/** Plays one turn; gives the text said, the calls made and the conversation after it. */
const play = (prompt: string, run: Run, history: ReadonlyArray<Message> = [], offered = names) =>
  Effect.gen(function* () {
    const messages: Array<Message> = [...history, user(prompt)]
    const calls: Array<{ id: string; name: string; input: Record<string, unknown> }> = []
    let said = ""
    for (let step = 0; step < 50; step++) {
      const events = Chunk.toReadonlyArray(
        yield* Stream.runCollect(offlineModel.stream({ system: "", messages, tools: specs(offered) }))
      )
      const text = events.map((event) => (event._tag === "Text" ? event.text : "")).join("")
      said += text
      const asked = events.flatMap((event): ReadonlyArray<ToolCallPart> => (event._tag === "ToolCall" ? [event] : []))
      messages.push({ _tag: "Assistant", parts: [...(text === "" ? [] : [{ _tag: "Text" as const, text }]), ...asked] })
      const last: ModelEvent | undefined = events.at(-1)
      assert.deepStrictEqual(last, { _tag: "Finish", reason: asked.length > 0 ? "tool_calls" : "stop", usage: {} })
      if (asked.length === 0) break
      const results = asked.map(({ id, input, name }) => {
        const parsed: Record<string, unknown> = JSON.parse(input)
        calls.push({ id, name, input: parsed })
        const { isError = false, text } = name === "TodoWrite" ? { text: "ok" } : run(name, parsed)
        return { id, name, text, isError }
      })
      messages.push({ _tag: "ToolResults", results })
    }
    return { said, calls, messages }
  })

const never: Run = (name) => assert.fail(`unexpected call of ${name}`)
const honest = "not a language model"
const statusesOf = (input: Record<string, unknown>) =>
  Array.isArray(input["todos"]) ? input["todos"].map((todo: { status: string }) => todo.status) : []

describe("offline agent", () => {
  it.effect("says once in a conversation that it is not a language model", () =>
    Effect.gen(function* () {
      const first = yield* play("echo hi", never)
      assert.strictEqual(first.said.split(honest).length, 2)
      assert.isTrue(first.said.endsWith("hi"))
      const second = yield* play("echo again", never, first.messages)
      assert.strictEqual(second.said, "again")
    })
  )

  it.effect("reads a range and quotes it", () =>
    Effect.gen(function* () {
      const { calls, said } = yield* play("read README.md:2-3", () => ({
        text: "     2: two\n     3: three\n(lines 2-3 of 9)"
      }))
      assert.deepStrictEqual(calls[0]?.input, { path: "README.md", offset: 2, limit: 2 })
      assert.include(said, "2: two")
    })
  )

  it.effect("lists, finds and counts files", () =>
    Effect.gen(function* () {
      const run: Run = () => ({ text: "a.ts\nsrc/b.ts\n(5 more not shown)" })
      assert.include((yield* play("list", run)).said, "src/b.ts")
      assert.include((yield* play("find *.ts", run)).said, "2 files match")
      assert.include((yield* play("how many TypeScript files are there?", run)).said, "7 files match")
    })
  )

  it.effect("cites each line it found, and says when there is none", () =>
    Effect.gen(function* () {
      const found = yield* play('search "x" in src', () => ({ text: "src/a.ts:4:const x = 1" }))
      assert.include(found.said, "`src/a.ts:4` const x = 1")
      const none = yield* play("search zzz", () => ({ text: "No matches." }))
      assert.include(none.said, 'No line holds "zzz"')
    })
  )

  it.effect("runs commands only through the shell tool and reports a refusal as not done", () =>
    Effect.gen(function* () {
      const ok = yield* play("run ls", () => ({ text: "a\nexit code 0" }))
      assert.deepStrictEqual(
        ok.calls.map(({ input, name }) => [name, input]),
        [["shell", { command: "ls" }]]
      )
      const denied = yield* play('replace "a" with "b" in x.md', () => ({ text: "Denied by user.", isError: true }))
      assert.include(denied.said, "Not done")
      assert.include(denied.said, "Denied by user.")
    })
  )

  it.effect("says which tool is missing", () =>
    Effect.gen(function* () {
      const { said } = yield* play("run ls", never, [], ["file_read"])
      assert.include(said, "the tool shell is not offered")
    })
  )

  it.effect(
    "does the steps of a plan in order, publishes each change, and leaves open what failed or is not understood",
    () =>
      Effect.gen(function* () {
        const run: Run = (name) => (name === "shell" ? { text: "Denied by user.", isError: true } : { text: "a.ts" })
        const { calls, said } = yield* play("plan: list src; run ls; dance; count files", run)
        assert.deepStrictEqual(
          calls.map(({ name }) => name),
          ["TodoWrite", "glob_search", "TodoWrite", "shell", "TodoWrite", "glob_search", "TodoWrite"]
        )
        const plans = calls.filter(({ name }) => name === "TodoWrite").map(({ input }) => statusesOf(input))
        assert.deepStrictEqual(plans, [
          ["in_progress", "pending", "pending", "pending"],
          ["completed", "in_progress", "pending", "pending"],
          ["completed", "pending", "pending", "in_progress"],
          ["completed", "pending", "pending", "completed"]
        ])
        assert.include(said, "2 of 4 steps done")
        assert.include(said, '"dance"')
        assert.strictEqual(new Set(calls.map(({ id }) => id)).size, calls.length)
      })
  )

  it.effect("keeps tool call ids apart over several turns", () =>
    Effect.gen(function* () {
      const run: Run = () => ({ text: "a.ts" })
      const first = yield* play("list", run)
      const second = yield* play("list", run, first.messages)
      assert.notStrictEqual(first.calls[0]?.id, second.calls[0]?.id)
    })
  )

  it.effect("summarises an attachment without reading, and a link by reading it", () =>
    Effect.gen(function* () {
      const text =
        "[Attached: /p/notes.md]\n# Title\n\nThe parser keeps every token of the source.\n[End of attachment]\n\nsummarise this"
      const attached = yield* play(text, never)
      assert.include(attached.said, "`/p/notes.md:1` # Title")
      const linked = yield* play("[Linked: notes.md /p/notes.md]\n\noutline this", () => ({
        text: "     1: # Title\n(1 line)"
      }))
      assert.deepStrictEqual(linked.calls[0]?.input, { path: "/p/notes.md" })
      assert.include(linked.said, "`/p/notes.md:1` # Title")
    })
  )

  it.effect("finds the project's test command", () =>
    Effect.gen(function* () {
      const { calls } = yield* play("run the tests", (name) => ({ text: name === "glob_search" ? "Cargo.toml" : "ok" }))
      assert.deepStrictEqual(calls.at(-1)?.input, { command: "cargo test" })
    })
  )

  it.effect("summarises a diff by files, counts and places", () =>
    Effect.gen(function* () {
      const diff = "diff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n@@ -1,2 +1,3 @@ function f\n-a\n+b\n+c\n"
      const { said } = yield* play("summarise the diff", () => ({ text: diff }))
      assert.include(said, "`x.ts` +2 −1")
      assert.include(said, "line 1 function f")
    })
  )

  it.effect("appends after the last lines and edits nothing else", () =>
    Effect.gen(function* () {
      const run: Run = (name) => ({ text: name === "file_read" ? "     1: a\n     2: b\n     3: a\n(3 lines)" : "ok" })
      const { calls } = yield* play('append "c" to x.md', run)
      assert.deepStrictEqual(calls.at(-1)?.input, { path: "x.md", old_string: "b\na", new_string: "b\na\nc" })
    })
  )

  it.effect("answers what it does not understand with the nearest commands, briefly", () =>
    Effect.gen(function* () {
      const { said } = yield* play("sumarize of readme", never)
      assert.include(said, "I did not understand")
      assert.isBelow(said.length, 500)
    })
  )

  it.effect("streams a repeated text in as many deltas", () =>
    Effect.gen(function* () {
      const events = yield* Stream.runCollect(
        offlineModel.stream({
          system: "",
          messages: [{ _tag: "Assistant", parts: [] }, user("repeat 1000 ab")],
          tools: []
        })
      )
      assert.strictEqual(
        Chunk.toReadonlyArray(events).filter((event) => event._tag === "Text" && event.text === "ab").length,
        1000
      )
    })
  )

  it.prop(
    "quotes only lines that stand at the place it names",
    [
      fc.array(
        fc.oneof(fc.lorem({ maxCount: 12 }), fc.constantFrom("# Head", "```", "", "- item one two three four")),
        { maxLength: 40 }
      )
    ],
    ([rows]) => {
      const lines = rows.map((text, at) => ({ line: at + 1, text }))
      for (const { line, text } of [...Extract.summary("a.md", lines), ...Extract.outline("a.md", lines)]) {
        assert.strictEqual(rows[line - 1], text)
      }
      assert.isAtMost(Extract.summary("a.md", lines).length, 14)
    }
  )

  it.prop("reads any prompt", [fc.string({ unit: "binary" })], ([text]) => {
    assert.isString(readPrompt(text).words)
  })
})
