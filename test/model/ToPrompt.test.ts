// The conversation as a provider package wants it.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { type Message, user } from "../../src/model/Message.ts"
import { type PromptOptions, toPrompt } from "../../src/model/ToPrompt.ts"

const signed: PromptOptions = { reasoning: "signed", cache: false, callIds: "plain", bridge: false }
const call = (input: string): Message => ({
  _tag: "Assistant",
  parts: [{ _tag: "ToolCall", id: "t1", name: "read", input }]
})

const inputOf = (input: string): unknown => {
  const [message] = toPrompt("", [call(input)], signed)
  const part = message?.role === "assistant" ? message.content[0] : undefined
  return part?.type === "tool-call" ? part.input : "no call"
}

describe("prompt", () => {
  it("system, user, assistant and tool results each get their message", () => {
    const messages: ReadonlyArray<Message> = [
      user("go"),
      {
        _tag: "Assistant",
        parts: [
          { _tag: "Text", text: "reading" },
          { _tag: "ToolCall", id: "t1", name: "read", input: '{"path":"a"}' }
        ]
      },
      {
        _tag: "ToolResults",
        results: [
          { id: "t1", name: "read", text: "content", isError: false },
          { id: "t2", name: "shell", text: "denied", isError: true }
        ]
      }
    ]
    assert.deepStrictEqual(toPrompt("be good", messages, signed), [
      { role: "system", content: "be good" },
      { role: "user", content: [{ type: "text", text: "go" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "reading" },
          { type: "tool-call", toolCallId: "t1", toolName: "read", input: { path: "a" } }
        ]
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "t1", toolName: "read", output: { type: "text", value: "content" } },
          { type: "tool-result", toolCallId: "t2", toolName: "shell", output: { type: "error-text", value: "denied" } }
        ]
      }
    ])
  })

  for (const input of ["", "{", "nonsense", "null", "[1]", '"text"', "3"]) {
    it(`an input that is no JSON object becomes an empty object: ${JSON.stringify(input)}`, () => {
      assert.deepStrictEqual(inputOf(input), {})
    })
  }

  it("an input that is a JSON object is kept whole", () => {
    assert.deepStrictEqual(inputOf('{"a":[1,{"b":null}],"c":"\\u00e9"}'), { a: [1, { b: null }], c: "é" })
  })

  it("ids and names outside the providers' alphabet are made to fit, the same in call and result", () => {
    const [asked, answered] = toPrompt(
      "",
      [
        { _tag: "Assistant", parts: [{ _tag: "ToolCall", id: "call:1/x", name: "no such tool!", input: "{}" }] },
        {
          _tag: "ToolResults",
          results: [{ id: "call:1/x", name: "no such tool!", text: "unknown tool", isError: true }]
        }
      ],
      signed
    )
    const from = asked?.role === "assistant" ? asked.content[0] : undefined
    const to = answered?.role === "tool" ? answered.content[0] : undefined
    assert.strictEqual(from?.type === "tool-call" ? from.toolCallId : "", "call_1_x")
    assert.strictEqual(to?.type === "tool-result" ? to.toolCallId : "", "call_1_x")
    assert.strictEqual(from?.type === "tool-call" ? from.toolName : "", "no_such_tool_")
  })

  const thinking: Message = {
    _tag: "Assistant",
    parts: [
      { _tag: "Thought", text: "signed", provider: { anthropic: { signature: "sig" } } },
      { _tag: "Thought", text: "unsigned" },
      { _tag: "Text", text: "so" }
    ]
  }
  const reasonings = (messages: ReadonlyArray<Message>, reasoning: PromptOptions["reasoning"]) =>
    toPrompt("", messages, { ...signed, reasoning }).flatMap((message) =>
      message.role === "assistant" ? message.content.flatMap((part) => (part.type === "reasoning" ? [part] : [])) : []
    )

  it("signed reasoning goes back with its signature, unsigned reasoning does not", () => {
    assert.deepStrictEqual(reasonings([user("go"), thinking], "signed"), [
      { type: "reasoning", text: "signed", providerOptions: { anthropic: { signature: "sig" } } }
    ])
  })

  it("reasoning of the turn goes back only since the last user message", () => {
    assert.strictEqual(reasonings([user("go"), thinking], "turn").length, 2)
    assert.strictEqual(reasonings([user("go"), thinking, user("more")], "turn").length, 0)
    assert.strictEqual(reasonings([user("go"), thinking], "none").length, 0)
  })

  it("marks the system text and the last message for the cache", () => {
    const prompt = toPrompt("be good", [user("a"), call("{}")], { ...signed, cache: true })
    const mark = { anthropic: { cacheControl: { type: "ephemeral" } } }
    assert.deepStrictEqual(
      prompt.map(({ providerOptions }) => providerOptions),
      [mark, undefined, mark]
    )
  })

  const result: Message = { _tag: "ToolResults", results: [{ id: "t1", name: "read", text: "x", isError: false }] }
  const rolesOf = (messages: ReadonlyArray<Message>, bridge: boolean) =>
    toPrompt("", messages, { ...signed, bridge }).map(({ role }) => role)

  it("user messages in a row, as failed turns leave them, become one", () => {
    assert.deepStrictEqual(toPrompt("", [user("first"), user(" "), user("second")], signed), [
      { role: "user", content: [{ type: "text", text: "first\n\nsecond" }] }
    ])
  })

  it("a user message after results, as a stopped turn leaves them, is bridged for those that refuse it", () => {
    const stopped = [user("go"), call("{}"), result, user("more")]
    assert.deepStrictEqual(rolesOf(stopped, true), ["user", "assistant", "tool", "assistant", "user"])
    assert.deepStrictEqual(rolesOf(stopped, false), ["user", "assistant", "tool", "user"])
    assert.deepStrictEqual(rolesOf([user("go"), call("{}"), result], true), ["user", "assistant", "tool"])
  })

  it("call ids of nine letters and digits are kept, others become such, the same in call and result", () => {
    const idsOf = (id: string) =>
      toPrompt(
        "",
        [
          { _tag: "Assistant", parts: [{ _tag: "ToolCall", id, name: "read", input: "{}" }] },
          { _tag: "ToolResults", results: [{ id, name: "read", text: "x", isError: false }] }
        ],
        { ...signed, callIds: "nine" }
      ).flatMap(({ content }) =>
        typeof content === "string" ? [] : content.flatMap((part) => ("toolCallId" in part ? [part.toolCallId] : []))
      )
    assert.deepStrictEqual(idsOf("abcDEF123"), ["abcDEF123", "abcDEF123"])
    const [asked, answered] = idsOf("toolu_01/x")
    assert.match(asked ?? "", /^[A-Za-z0-9]{9}$/)
    assert.strictEqual(asked, answered)
    assert.notStrictEqual(asked, idsOf("toolu_02/x")[0])
  })

  it("half a surrogate pair, as cut texts have them, never goes out", () => {
    const half = "\ud83d"
    const messages: ReadonlyArray<Message> = [
      user(`a${half}`),
      {
        _tag: "Assistant",
        parts: [
          { _tag: "Thought", text: half, provider: { anthropic: { signature: "sig" } } },
          { _tag: "Text", text: `b${half}` },
          { _tag: "ToolCall", id: "t1", name: "read", input: '{"\\ud83d":["\\ud83d"]}' }
        ]
      },
      { _tag: "ToolResults", results: [{ id: "t1", name: "read", text: `c${half}`, isError: false }] }
    ]
    const sent = JSON.stringify(toPrompt(`s${half}`, messages, signed))
    assert.notInclude(sent, "\\ud83d")
    assert.strictEqual(sent.split("\ufffd").length - 1, 7)
  })

  const texts = FastCheck.constantFrom("", " ", "\n", "words")
  const messages = FastCheck.array(
    FastCheck.oneof(
      texts.map(user),
      FastCheck.array(
        FastCheck.oneof(
          texts.map((text) => ({ _tag: "Text" as const, text })),
          texts.map((text) => ({ _tag: "Thought" as const, text })),
          texts.map((input) => ({ _tag: "ToolCall" as const, id: "t", name: input, input }))
        )
      ).map((parts): Message => ({ _tag: "Assistant", parts })),
      FastCheck.array(texts.map((text) => ({ id: "t", name: "n", text, isError: text === "" }))).map(
        (results): Message => ({ _tag: "ToolResults", results })
      )
    )
  )
  it.prop("there is never an empty text and never an empty message", [texts, messages], ([system, said]) => {
    for (const message of toPrompt(system, said, { ...signed, reasoning: "turn" })) {
      assert.isAbove(message.content.length, 0)
      if (message.role === "system") assert.notStrictEqual(message.content.trim(), "")
      else {
        for (const part of message.content) {
          if (part.type === "text") assert.notStrictEqual(part.text.trim(), "")
          if (part.type === "tool-call") assert.notStrictEqual(part.toolName, "")
          if (part.type === "tool-result" && "value" in part.output) assert.notStrictEqual(part.output.value, "")
        }
      }
      if (message.role === "assistant") assert.isTrue(message.content.some(({ type }) => type !== "reasoning"))
    }
  })
})
