// What a model is asked for a summary: whole turns within a budget, the newest word for word, the first never left out.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as CompactRequest from "../../src/commands/CompactRequest.ts"
import * as Summary from "../../src/commands/Summary.ts"
import { type Message, user } from "../../src/model/Message.ts"

const said = (text: string): Message => ({ _tag: "Assistant", parts: [{ _tag: "Text", text }] })
const called = (id: string, input: string): Message => ({
  _tag: "Assistant",
  parts: [
    { _tag: "Thought", text: "secret thought" },
    { _tag: "ToolCall", id, name: "shell", input }
  ]
})
const result = (id: string, text: string, isError = false): Message => ({
  _tag: "ToolResults",
  results: [{ id, name: "shell", text, isError }]
})

const sizeOf = ({ messages, system }: ReturnType<typeof CompactRequest.make>): number =>
  messages.reduce((sum, message) => sum + (message._tag === "User" ? message.text.length : 0), system.length)
const asked = ({ messages }: ReturnType<typeof CompactRequest.make>): string =>
  messages.flatMap((message) => (message._tag === "User" ? [message.text] : [])).join()

const long = fc
  .tuple(fc.string({ unit: "binary", minLength: 1, maxLength: 8 }), fc.integer({ min: 0, max: 4_000 }))
  .map(([text, times]) => text.repeat(times))
const message: fc.Arbitrary<Message> = fc.oneof(
  long.map(user),
  long.map(said),
  long.map((input) => called("1", input)),
  long.map((text) => result("1", text)),
  long.map((text): Message => Summary.toHistory(text, "the model")[0] ?? user(text))
)
const history = fc.array(message, { maxLength: 12 })

describe("the request", () => {
  it("is one text of the person's with the whole conversation, and offers no tools", () => {
    const request = CompactRequest.make(
      [
        user("Mend it"),
        called("c1", '{"command":"ls"}'),
        result("c1", "a.ts"),
        result("c2", "gone", true),
        said("Done")
      ],
      " the paths ",
      100_000
    )
    assert.deepStrictEqual(request.tools, [])
    assert.strictEqual(request.messages.length, 1)
    assert.strictEqual(
      asked(request),
      [
        "<transcript>",
        "## Person\nMend it\n",
        '## Call of shell (c1)\n{"command":"ls"}\n',
        "## Result of shell (c1)\na.ts\n",
        "## Failure of shell (c2)\ngone\n",
        "## Assistant\nDone",
        "</transcript>",
        "",
        "Write the summary now.",
        "The person asks of the summary: the paths"
      ].join("\n")
    )
  })

  it.prop(
    "is never over its budget, whatever was said and however much is wished of it",
    [history, long, fc.integer({ min: -1, max: 60_000 })],
    ([history, wish, budget]) => {
      const request = CompactRequest.make(history, wish, budget)
      assert.isAtMost(sizeOf(request), Math.max(budget, CompactRequest.minBudget))
    },
    { fastCheck: { numRuns: 300 } }
  )

  it.prop("a smaller budget asks less, so that asking again ends", [history, long], ([history, wish]) => {
    const request = CompactRequest.make(history, wish, 60_000)
    const smaller = Math.floor(sizeOf(request) / 4)
    if (smaller < CompactRequest.minBudget) return
    assert.isBelow(sizeOf(CompactRequest.make(history, wish, smaller)), sizeOf(request))
  })
})

describe("the excerpt", () => {
  const talk = (turns: number, size: number): ReadonlyArray<Message> =>
    Array.from({ length: turns }, (_, at) => [
      user(`prompt-${at} `),
      said(`reply-${at} ${"x".repeat(size)} end-${at}`)
    ]).flat()

  it("is the conversation itself where that fits", () => {
    const { omitted, shortened, text, verbatim } = CompactRequest.excerpt(talk(3, 10), 1_000)
    assert.deepStrictEqual([omitted, shortened.length, verbatim.length], [0, 0, 3])
    for (const n of [0, 1, 2]) assert.include(text, `end-${n}`)
  })

  it("keeps the newest turns word for word and the first one, and says how many it left out", () => {
    const { omitted, text, verbatim } = CompactRequest.excerpt(talk(50, 1_000), 20_000)
    assert.isAtLeast(verbatim.length, 5)
    for (const n of [45, 49]) assert.include(text, `reply-${n} ${"x".repeat(1_000)} end-${n}`)
    assert.include(text, "prompt-0")
    assert.isAbove(omitted, 0)
    assert.include(text, `[… ${omitted} older turns left out …]`)
  })

  it("cuts long parts of older turns in their middle before it leaves turns out", () => {
    const history = [user("start"), called("c", "i".repeat(30_000)), result("c", "o".repeat(30_000)), ...talk(3, 100)]
    const { omitted, text } = CompactRequest.excerpt(history, 20_000)
    assert.strictEqual(omitted, 0)
    assert.match(text, /i{100,}\n\[… 30000 characters, cut here …\]\ni{100,}/)
  })

  it("cuts a newest turn that is too long by itself, and does not leave it out", () => {
    const { text } = CompactRequest.excerpt([...talk(5, 100), user(`newest ${"y".repeat(100_000)} last words`)], 6_000)
    assert.include(text, "newest yyy")
    assert.include(text, "yyy last words")
    assert.include(text, "prompt-0")
  })

  it("cuts one that is too long in its parts, no shorter than need be", () => {
    const one = [
      user("the question"),
      called("c", "i".repeat(30_000)),
      result("c", "o".repeat(200_000)),
      said("the end")
    ]
    for (const history of [one, [...talk(5, 100), ...one]]) {
      const { text } = CompactRequest.excerpt(history, 60_000)
      assert.isAtLeast(text.length, 15_000)
      for (const part of ["the question", "the end", "[… 200000 characters"]) assert.include(text, part)
    }
  })

  it("never leaves out an earlier summary as long as it fits", () => {
    const summary = `kept-from-before ${"s".repeat(4_000)} kept-to-the-end`
    const [first, second] = Summary.toHistory(summary, "the model")
    if (first === undefined || second === undefined) throw new Error("two messages")
    const { text } = CompactRequest.excerpt([first, second, ...talk(40, 1_000)], 30_000)
    assert.include(text, summary)
  })

  it.prop(
    "is within any budget, and counts every turn once",
    [history, fc.integer({ min: 0, max: 40_000 })],
    ([history, budget]) => {
      const { omitted, shortened, text, verbatim } = CompactRequest.excerpt(history, budget)
      assert.isAtMost(text.length, budget)
      assert.strictEqual(verbatim.length + shortened.length + omitted, CompactRequest.turns(history).length)
    }
  )
})

describe("its parts", () => {
  it.prop(
    "turns are the messages in their order, each beginning with a person but the first",
    [history],
    ([history]) => {
      const turns = CompactRequest.turns(history)
      assert.deepStrictEqual(turns.flat(), [...history])
      for (const turn of turns.slice(1)) assert.strictEqual(turn[0]?._tag, "User")
      for (const turn of turns) assert.isFalse(turn.slice(1).some(({ _tag }) => _tag === "User"))
    }
  )

  it.prop(
    "a cut text is within its room and begins and ends as the text",
    [long, fc.integer({ min: 0, max: 9_000 })],
    ([text, max]) => {
      const cut = CompactRequest.cutMiddle(text, max)
      assert.isAtMost(cut.length, max)
      if (text.length <= max) assert.strictEqual(cut, text)
      else if (max > 200) {
        assert.isTrue(text.startsWith(cut.slice(0, 50)))
        assert.isTrue(text.endsWith(cut.slice(-50)))
        assert.include(cut, `[… ${text.length} characters, cut here …]`)
      }
    }
  )
})
