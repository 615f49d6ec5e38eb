// What is cut is cut between characters, and what is shown hides nothing.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { cutMiddle, makeCapture } from "../../src/tools/Capture.ts"
import { plain } from "../../src/tools/Terminal.ts"
import { codeSpan, fence, headOf, tailOf, title, visible, visibleLines } from "../../src/tools/Visible.ts"

const text = fc.string({ unit: "binary", maxLength: 400 })

describe("cutting", () => {
  it.prop(
    "a head is a prefix, a tail a suffix, both whole characters within the limit",
    [text, fc.nat(450)],
    ([it, max]) => {
      const head = headOf(it, max)
      const tail = tailOf(it, max)
      assert.isTrue(it.startsWith(head) && it.endsWith(tail))
      assert.isTrue(head.isWellFormed() && tail.isWellFormed())
      assert.isAtMost(head.length, max)
      assert.isAtMost(tail.length, max)
      assert.isAtLeast(head.length, Math.min(it.length, max) - 1)
      assert.isAtLeast(tail.length, Math.min(it.length, max) - 1)
    }
  )

  it.prop("the middle is cut from a long text only", [text, fc.integer({ min: 120, max: 400 })], ([it, max]) => {
    const { text: cut, truncated } = cutMiddle(it, max)
    assert.strictEqual(truncated, it.length > max)
    assert.isAtMost(cut.length, max)
    assert.isTrue(cut.isWellFormed())
    if (!truncated) assert.strictEqual(cut, it)
  })

  it.prop(
    "a capture shows the same however the bytes arrive, and never half a character",
    [fc.string({ unit: "binary", maxLength: 600 }), fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 50 })],
    ([it, sizes]) => {
      const bytes = new TextEncoder().encode(it)
      const whole = makeCapture(64)
      whole.push(bytes)
      const pieces = makeCapture(64)
      let at = 0
      for (const size of sizes) {
        pieces.push(bytes.subarray(at, at + size))
        at += size
        assert.notInclude(it.includes("\ufffd") ? "" : pieces.recent(50), "\ufffd")
      }
      pieces.push(bytes.subarray(Math.min(at, bytes.length)))
      const result = pieces.result(1000)
      assert.deepStrictEqual(result, whole.result(1000))
      if (!it.includes("\ufffd")) assert.notInclude(result.text, "\ufffd")
      assert.strictEqual(result.truncated, bytes.length > 128)
      if (!result.truncated) assert.strictEqual(result.text, plain(it))
    }
  )
})

describe("showing", () => {
  it("spells out bidirectional, zero-width and control characters", () => {
    assert.strictEqual(visible("a\u202eb\u200bc\u001bd\ne\u{e0041}"), "a\\u202eb\\u200bc\\u001bd\\ne\\u{e0041}")
    assert.strictEqual(visibleLines("a\n\tb\r\u0007"), "a\n\tb\\r\\u0007")
  })

  it.prop("a title is one line of at most 200 without hidden characters", [text, text], ([variable, after]) => {
    const made = title("Read ", variable, after)
    assert.isAtMost(made.length, 200)
    assert.notMatch(made, /[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u)
  })

  it.prop(
    "backticks inside end neither a code span nor a code block",
    [fc.string({ unit: fc.constantFrom("`", "a", "\n", " ") })],
    ([it]) => {
      const span = /^`+/.exec(codeSpan(it))?.[0].length ?? 0
      const runs = (it.match(/`+/g) ?? []).map((run) => run.length)
      if (!it.startsWith("`")) assert.notInclude(runs, span)
      const fenceTicks = /^`+/.exec(fence(it))?.[0].length ?? 0
      for (const run of runs) assert.isBelow(run, fenceTicks)
    }
  )

  it.prop(
    "plain text holds no escape and no control but newline and tab",
    [
      fc.string({
        unit: fc.constantFrom("\u001b", "[", "]", "0", ";", "m", "\u0007", "\\", "\r", "\n", "a", "\u009b", "\b", "P")
      })
    ],
    ([it]) => {
      const shown = plain(it)
      assert.notMatch(shown.replace(/[\n\t]/g, ""), /\p{Cc}/u)
    }
  )
})
