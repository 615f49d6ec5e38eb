// The fourth answer to a permission question: offered for edits, read from the outcome.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as RejectWithEdit from "../../src/dialect/RejectWithEdit.ts"

const allow = { optionId: "allow-once", name: "Allow once", kind: "allow_once" }
const reject = { optionId: "reject-once", name: "Reject", kind: "reject_once" }
const edited = { optionId: "reject-with-edit", name: "Reject with edit", kind: "reject_with_edit" }
const diff = (newText: string) => ({ type: "diff", path: "/a", oldText: null, newText })
const question = (toolCall: unknown, options: ReadonlyArray<unknown> = [allow, reject]) => ({
  sessionId: "s",
  toolCall,
  options
})
const selected = (optionId: string, zeroclaw?: unknown) => ({
  outcome: "selected" as const,
  optionId,
  ...(zeroclaw === undefined ? {} : { _meta: { zeroclaw } })
})
const replacement = (text: unknown) =>
  RejectWithEdit.toAnswer(selected("reject-with-edit", { replacementContent: text }), true)

describe("the offer", () => {
  it("stands before the plain no, with the proposed text on the card", () => {
    const toolCall = {
      toolCallId: "c",
      name: "file_edit",
      kind: "edit",
      content: [{ type: "content" }, diff("new"), diff("other")]
    }
    assert.deepStrictEqual(RejectWithEdit.offer(question(toolCall)), {
      sessionId: "s",
      toolCall: { ...toolCall, proposedEdit: "new" },
      options: [allow, edited, reject]
    })
  })

  it("stands last where there is no plain no, and has no text where there is no diff", () => {
    const toolCall = { toolCallId: "c", name: "file_edit", kind: "edit" }
    assert.deepStrictEqual(RejectWithEdit.offer(question(toolCall, [allow])), question(toolCall, [allow, edited]))
  })

  it.each([
    { kind: "edit" },
    { kind: "edit", name: "memory_store" },
    { kind: "execute", content: [diff("x")] },
    { kind: null },
    {},
    null,
    "edit",
    [{ kind: "edit" }]
  ])("is not made for %j", (toolCall) => {
    const params = question(toolCall)
    assert.strictEqual(RejectWithEdit.offer(params), params)
    assert.isFalse(RejectWithEdit.isOffered(true, { toolCallId: "c", kind: "execute" }))
  })

  it("is made only in the dialect", () => {
    assert.isTrue(RejectWithEdit.isOffered(true, { toolCallId: "c", name: "file_edit", kind: "edit" }))
    assert.isFalse(RejectWithEdit.isOffered(false, { toolCallId: "c", name: "file_edit", kind: "edit" }))
  })
})

describe("the answer", () => {
  it("carries its text in the outcome, and is read where the contract keeps what is custom", () => {
    const outcome = { outcome: "selected", optionId: "reject-with-edit", replacementContent: "mine" }
    assert.deepStrictEqual(RejectWithEdit.accept({ outcome, _meta: {} }), {
      outcome: { ...outcome, _meta: { zeroclaw: { replacementContent: "mine" } } },
      _meta: {}
    })
  })

  it.each([{ outcome: { outcome: "cancelled" } }, { outcome: { replacementContent: 5 } }, { outcome: "x" }, null, []])(
    "without such a text, %j, is left as it came",
    (result) => {
      assert.strictEqual(RejectWithEdit.accept(result), result)
    }
  )

  it("is the replacement, empty where none is given", () => {
    assert.deepStrictEqual(replacement("mine"), { outcome: "edited", replacement: "mine" })
    for (const none of ["", undefined, null, 5]) {
      assert.deepStrictEqual(replacement(none), { outcome: "edited", replacement: "" })
    }
    assert.deepStrictEqual(RejectWithEdit.toAnswer(selected("reject-with-edit"), true), {
      outcome: "edited",
      replacement: ""
    })
  })

  it("is any other outcome where the option was not offered, or not chosen", () => {
    const chosen = selected("reject-with-edit", { replacementContent: "mine" })
    assert.strictEqual(RejectWithEdit.toAnswer(chosen, false), chosen)
    const other = selected("allow-once", { replacementContent: "mine" })
    assert.strictEqual(RejectWithEdit.toAnswer(other, true), other)
    const cancelled = { outcome: "cancelled" as const }
    assert.strictEqual(RejectWithEdit.toAnswer(cancelled, true), cancelled)
  })

  it("loses control characters but tab and line ends, and lone surrogates", () => {
    assert.deepStrictEqual(replacement("a\u0000b\u001b[31m\tc\r\nd\u007f\u009b\ud800"), {
      outcome: "edited",
      replacement: "ab[31m\tc\r\nd\ufffd"
    })
  })

  it.prop(
    "is at most 64 KiB, and a whole prefix of what was given",
    [fc.constantFrom("a", "é", "€", "😀"), fc.nat(3)],
    ([char, shift]) => {
      const given = "x".repeat(shift) + char.repeat(RejectWithEdit.maxReplacementBytes)
      const answer = replacement(given)
      const text = answer.outcome === "edited" ? answer.replacement : assert.fail()
      const bytes = Buffer.byteLength(text)
      assert.isTrue(given.startsWith(text))
      assert.isTrue(text.isWellFormed())
      assert.isAtMost(bytes, RejectWithEdit.maxReplacementBytes)
      assert.isAbove(bytes, RejectWithEdit.maxReplacementBytes - Buffer.byteLength(char))
    }
  )
})
