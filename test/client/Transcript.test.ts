import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import * as DiffText from "../../src/client/DiffText.ts"
import { newPart } from "../../src/client/Overlap.ts"
import { detect, plain, type Style } from "../../src/client/Style.ts"
import * as Transcript from "../../src/client/Transcript.ts"
import { oneLine, visible } from "../../src/client/Visible.ts"
import { text } from "../../src/contract/Content.ts"
import type { ToolCallContent } from "../../src/contract/ToolCall.ts"
import type { SessionUpdate } from "../../src/contract/Update.ts"

const rich: Style = { colours: false, unicode: true }

const show = (updates: ReadonlyArray<SessionUpdate>, style: Style = plain) =>
  Effect.map(DiffText.load, (hunks) => {
    const context: Transcript.Context = { style, hunks, cwd: "/project" }
    let state = Transcript.initial
    let out = ""
    for (const update of updates) {
      state = Transcript.step(context, state, update)
      out += state.page.text
    }
    return out + Transcript.close(state).page.text
  })

const answer = (words: string): SessionUpdate => ({ sessionUpdate: "agent_message_chunk", content: text(words) })
const thought = (words: string): SessionUpdate => ({ sessionUpdate: "agent_thought_chunk", content: text(words) })
const block = (words: string): ToolCallContent => ({ type: "content", content: text(words) })
const call = (rest: Partial<Extract<SessionUpdate, { sessionUpdate: "tool_call" }>>): SessionUpdate => ({
  sessionUpdate: "tool_call",
  toolCallId: "t",
  title: "Run `make`",
  ...rest
})
const change = (rest: Partial<Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>>): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId: "t",
  ...rest
})

describe("the transcript", () => {
  it.effect("lets text stream, and prefixes each line of a thought", () =>
    Effect.gen(function* () {
      const out = yield* show([thought("let me\nsee"), thought(" it"), answer("It "), answer("is."), thought("ok")])
      assert.strictEqual(out, ": let me\n: see it\nIt is.\n: ok\n")
    })
  )

  it.effect("starts a new line for a new message id", () =>
    Effect.gen(function* () {
      const chunk = (messageId: string, words: string): SessionUpdate => ({
        sessionUpdate: "agent_message_chunk",
        content: text(words),
        messageId
      })
      assert.strictEqual(yield* show([chunk("1", "a"), chunk("1", "b"), chunk("2", "c")]), "ab\nc\n")
    })
  )

  it.effect("shows thinking by its plan only, unless it failed, and repeats nothing", () =>
    Effect.gen(function* () {
      const quiet = [
        answer("Plan\n"),
        call({ kind: "think", title: "Update the plan" }),
        change({ status: "completed" })
      ]
      assert.strictEqual(yield* show(quiet), "Plan\n")
      const failed = yield* show([call({ kind: "think", title: "Update the plan" }), change({ status: "failed" })])
      assert.include(failed, "Update the plan")
    })
  )

  it.effect("gives a tool call a sign for each status", () =>
    Effect.gen(function* () {
      const updates = [call({}), change({ status: "in_progress" }), change({ status: "completed" })]
      const failed = [...updates.slice(0, 2), change({ status: "failed" })]
      assert.strictEqual(yield* show(updates, rich), "○ Run `make`\n◐ Run `make`\n✓ Run `make`\n")
      assert.strictEqual(yield* show(failed, rich), "○ Run `make`\n◐ Run `make`\n✗ Run `make`\n")
      assert.strictEqual(yield* show(updates), "o Run `make`\n* Run `make`\n+ Run `make`\n")
    })
  )

  it.effect("shows only the new part of a running command's output", () =>
    Effect.gen(function* () {
      const out = yield* show([
        call({ kind: "execute", status: "in_progress" }),
        change({ content: [block("one\n")] }),
        change({ content: [block("one\ntw")] }),
        change({ content: [block("one\ntwo\n")] }),
        // The window slides: what came first is no longer sent.
        change({ content: [block("two\nthree\n")] }),
        change({ status: "completed" })
      ])
      assert.strictEqual(out, "* Run `make`\n  | one\n  | two\n  | three\n+ Run `make`\n")
    })
  )

  it.effect("names the call again when output of several is mixed", () =>
    Effect.gen(function* () {
      const out = yield* show([
        call({ toolCallId: "a", title: "A" }),
        call({ toolCallId: "b", title: "B" }),
        change({ toolCallId: "a", content: [block("from a")] }),
        change({ toolCallId: "b", content: [block("from b")] })
      ])
      assert.strictEqual(out, "o A\no B\no A\n  | from a\no B\n  | from b\n")
    })
  )

  it.effect("shows a diff as hunks, once, with the path relative to the folder", () =>
    Effect.gen(function* () {
      const diff: ToolCallContent = {
        type: "diff",
        path: "/project/src/a.ts",
        oldText: "a\nb\nc\n",
        newText: "a\nB\nc\n"
      }
      const out = yield* show([
        call({ title: "Edit", content: [diff] }),
        change({ status: "completed", content: [diff], locations: [{ path: "/project/src/a.ts", line: 2 }] })
      ])
      assert.strictEqual(
        out,
        [
          "o Edit",
          "  --- src/a.ts",
          "  +++ src/a.ts",
          "  @@ -1,3 +1,3 @@",
          "   a",
          "  -b",
          "  +B",
          "   c",
          "  at src/a.ts:2",
          "+ Edit",
          ""
        ].join("\n")
      )
    })
  )

  it.effect("shows a new file against /dev/null, and says when nothing changes", () =>
    Effect.gen(function* () {
      const made = yield* show([
        call({ content: [{ type: "diff", path: "/project/n", oldText: null, newText: "x\n" }] })
      ])
      assert.include(made, "  --- /dev/null\n  +++ n\n  @@ -0,0 +1,1 @@\n  +x\n")
      const same = yield* show([call({ content: [{ type: "diff", path: "/project/n", oldText: "x", newText: "x" }] })])
      assert.include(same, "(no change)")
    })
  )

  it.effect("gives up comparing texts that differ in thousands of lines", () =>
    Effect.gen(function* () {
      const lines = (word: string) => Array.from({ length: 6000 }, (_, at) => `${word} ${at}\n`).join("")
      const diff: ToolCallContent = { type: "diff", path: "/project/n", oldText: lines("a"), newText: lines("b") }
      assert.include(yield* show([call({ content: [diff] })]), "6000 lines become 6000")
    })
  )

  it.effect("shows the plan as a checklist, again only when it changes", () =>
    Effect.gen(function* () {
      const plan = (status: "pending" | "in_progress"): SessionUpdate => ({
        sessionUpdate: "plan",
        entries: [
          { content: "look", priority: "high", status: "completed" },
          { content: "act", priority: "low", status }
        ]
      })
      assert.strictEqual(
        yield* show([plan("pending"), plan("pending"), plan("in_progress")]),
        "Plan\n  [x] look\n  [ ] act\nPlan\n  [x] look\n  [~] act\n"
      )
    })
  )

  it.effect("cuts a long file, never the output of a command", () =>
    Effect.gen(function* () {
      const long = Array.from({ length: 100 }, (_, at) => `l${at}`).join("\n")
      assert.include(yield* show([call({ kind: "read", content: [block(long)] })]), "  | (60 more lines)\n")
      assert.include(yield* show([call({ kind: "execute", content: [block(long)] })]), "  | l99\n")
    })
  )

  it.effect("stands for what is not text", () =>
    Effect.gen(function* () {
      const out = yield* show([
        { sessionUpdate: "agent_message_chunk", content: { type: "image", data: "", mimeType: "image/png" } },
        { sessionUpdate: "notice", severity: "warning", title: "low on disk", description: "2%" }
      ])
      assert.strictEqual(out, "[image image/png]\nwarning: low on disk: 2%\n")
    })
  )

  it.effect("colours only what it is told to, and ends each colour on its line", () =>
    Effect.gen(function* () {
      const updates = [thought("a\nb"), call({ status: "failed" })]
      const coloured = yield* show(updates, { colours: true, unicode: false })
      assert.include(coloured, "\u001b[2m: a\u001b[0m\n\u001b[2m: b\u001b[0m\n")
      assert.notInclude(yield* show(updates), "\u001b")
    })
  )
})

describe("text from outside", () => {
  it.prop("never keeps a control character but tab and newline", [FastCheck.string({ unit: "binary" })], ([words]) => {
    assert.notMatch(visible(words).replace(/[\n\t]/g, ""), /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
    assert.notMatch(oneLine(words), /[\n\t]/)
  })

  it("keeps ordinary text of any language", () => {
    assert.strictEqual(visible("héllo\tмир\r\n日本 👩‍💻"), "héllo\tмир\n日本 👩‍💻")
    assert.strictEqual(visible("10%\r20%\r30%"), "10%\n20%\n30%")
    assert.strictEqual(visible("a\u202Eb"), "a<U+202E>b")
  })
})

describe("newPart", () => {
  it.prop(
    "continues what was shown",
    [FastCheck.string({ unit: FastCheck.constantFrom("a", "b", "\n") }), FastCheck.string()],
    ([shown, more]) => {
      assert.strictEqual(newPart(shown, shown + more), more)
    }
  )

  it.prop(
    "of a window that slid by whole lines is what follows the longest overlap",
    [FastCheck.string({ unit: FastCheck.constantFrom("a", "b"), minLength: 1 }), FastCheck.nat(20)],
    ([words, by]) => {
      const now = words.slice(by)
      const added = newPart(words, `${now}Z`)
      assert.isTrue(`${now}Z`.endsWith(added))
      assert.isTrue(words.endsWith(`${now}Z`.slice(0, `${now}Z`.length - added.length)))
      assert.strictEqual(added, "Z")
    }
  )

  it("is everything when nothing is shared, and nothing when it shrinks", () => {
    assert.strictEqual(newPart("abc", "xyz"), "xyz")
    assert.strictEqual(newPart("abc", "ab"), "")
    assert.strictEqual(newPart("abc", ""), "")
  })
})

describe("detect", () => {
  const colours = (env: Record<string, string>, isTty: boolean) => detect(env, isTty, "linux").colours
  it("colours a terminal, not a pipe", () => {
    assert.isTrue(colours({}, true))
    assert.isFalse(colours({}, false))
    assert.isFalse(colours({ TERM: "dumb" }, true))
  })
  it("honours NO_COLOR and FORCE_COLOR", () => {
    assert.isFalse(colours({ NO_COLOR: "1" }, true))
    assert.isTrue(colours({ NO_COLOR: "" }, true))
    assert.isTrue(colours({ FORCE_COLOR: "1" }, false))
    assert.isFalse(colours({ FORCE_COLOR: "0" }, true))
    assert.isFalse(colours({ FORCE_COLOR: "1", NO_COLOR: "1" }, true))
  })
  it("uses ASCII where the locale is not UTF-8", () => {
    const unicode = (env: Record<string, string>) => detect(env, true, "linux").unicode
    assert.isTrue(unicode({ LANG: "en_US.UTF-8" }))
    assert.isTrue(unicode({ LANG: "C", LC_ALL: "C.utf8" }))
    assert.isFalse(unicode({ LANG: "C" }))
    assert.isFalse(unicode({}))
  })
})
