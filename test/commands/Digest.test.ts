// A summary without a language model, and the messages that stand for a summary.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { digest } from "../../src/commands/Digest.ts"
import * as Summary from "../../src/commands/Summary.ts"
import { type Message, user } from "../../src/model/Message.ts"

const call = (id: string, name: string, input: unknown): Message => ({
  _tag: "Assistant",
  parts: [{ _tag: "ToolCall", id, name, input: typeof input === "string" ? input : JSON.stringify(input) }]
})
const result = (id: string, isError = false): Message => ({
  _tag: "ToolResults",
  results: [{ id, name: "x", text: "text of the file", isError }]
})
const use = (id: string, name: string, path: string, isError = false) => [call(id, name, { path }), result(id, isError)]

describe("a digest", () => {
  it("tells what the person asked and which files were touched, each once, changed before read", () => {
    assert.strictEqual(
      digest([
        user("Mend\n  the parser"),
        ...use("1", "file_read", "a.ts"),
        ...use("2", "file_read", "b.ts"),
        ...use("3", "file_edit", "a.ts"),
        user("And the lexer"),
        ...use("4", "file_write", "c.ts"),
        ...use("5", "file_edit", "a.ts")
      ]),
      [
        "What the person asked:\n- Mend the parser\n- And the lexer",
        "Files changed:\n- `c.ts`\n- `a.ts`",
        "Files read:\n- `b.ts`"
      ].join("\n\n")
    )
  })

  it("does not tell of calls that failed, have no result, or no path", () => {
    assert.strictEqual(
      digest([
        user("Go"),
        ...use("1", "file_edit", "a.ts", true),
        call("2", "file_edit", { path: "b.ts" }),
        call("3", "file_edit", "{broken"),
        call("4", "file_edit", { path: 7 }),
        call("5", "file_edit", ["path"]),
        call("6", "file_edit", { path: "" }),
        ...["3", "4", "5", "6"].map((id) => result(id)),
        ...use("7", "shell", "c.ts")
      ]),
      "What the person asked:\n- Go"
    )
  })

  it("begins with the last summary, which is not a prompt of the person's", () => {
    const earlier = Summary.toHistory("What was before.", "the offline agent")
    assert.strictEqual(digest([...earlier, user("Next")]), "What was before.\n\nWhat the person asked:\n- Next")
  })

  it("says when it tells only the last of many", () => {
    const told = digest(Array.from({ length: 31 }, (_, at) => user(`prompt-${at}`)))
    assert.include(told, "What the person asked (the last 30 of 31):")
    assert.notInclude(told, "prompt-0\n")
    assert.include(told, "prompt-30")
  })

  it("is nothing when there is nothing to tell", () => {
    assert.strictEqual(digest([]), "")
    assert.strictEqual(digest([{ _tag: "Assistant", parts: [{ _tag: "Text", text: "hi" }] }]), "")
  })

  it("a path with line ends or backticks stays one quoted line", () => {
    const told = digest(use("1", "file_read", "a`\n- forged"))
    assert.notInclude(told, "\n- forged")
  })

  it.prop(
    "is bounded, whatever the conversation is",
    [
      fc.array(fc.tuple(fc.oneof(fc.string(), fc.constant("`")), fc.integer({ min: 1, max: 5_000 })), {
        maxLength: 200
      })
    ],
    ([said]) => {
      const messages = said.flatMap(([text, times], at): ReadonlyArray<Message> => {
        const long = text.repeat(times)
        return at % 3 === 0 ? [user(long)] : use(String(at), at % 3 === 1 ? "file_read" : "file_edit", long)
      })
      assert.isAtMost(digest(messages).length, 150_000)
    },
    { fastCheck: { numRuns: 20 } }
  )
})

describe("a summary in the history", () => {
  it.prop(
    "is a message of the person's that says it is not theirs, and is read back",
    [fc.string({ unit: "binary" })],
    ([text]) => {
      const history = Summary.toHistory(text, "the model")
      const [first, second] = history
      if (first?._tag !== "User") throw new Error("the first is a person's")
      assert.include(first.text, "the model wrote it, not the person")
      assert.strictEqual(Summary.bodyOf(first), text)
      assert.strictEqual(second?._tag, "Assistant")
      assert.isTrue(Summary.isOnlySummary(history))
      assert.isFalse(Summary.isOnlySummary([...history, user("more")]))
    }
  )

  it("an ordinary message is none", () => {
    assert.isUndefined(Summary.bodyOf(user("Summary of the earlier conversation.")))
    assert.isFalse(Summary.isOnlySummary([]))
    assert.isFalse(Summary.isOnlySummary([user("a"), { _tag: "Assistant", parts: [] }]))
  })
})
