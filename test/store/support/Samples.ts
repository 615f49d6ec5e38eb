// Turns and messages to store.
import { FastCheck as fc } from "effect"
import { SessionId } from "../../../src/contract/AgentMethods.ts"
import { text } from "../../../src/contract/Content.ts"
import type { SessionUpdate } from "../../../src/contract/Update.ts"
import type { Message, ToolCallPart } from "../../../src/model/Message.ts"
import type { SessionRow, Turn } from "../../../src/store/SessionStore.ts"

export const awkward = [
  "",
  "a\u0000b",
  "\u2028 \u2029",
  "👩‍👩‍👧 é",
  "line\r\nline",
  "'; DROP TABLE acp_sessions; --",
  '{"a":1}'
]

export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...awkward, "\ud800", "x\udc00y"),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string()
)

export const goodText: fc.Arbitrary<string> = anyText.map((value) => value.toWellFormed())
const someText = goodText.filter((value) => value !== "")

const call: fc.Arbitrary<ToolCallPart> = fc.record({
  _tag: fc.constant("ToolCall" as const),
  id: someText,
  name: someText,
  input: goodText
})

const exchange = fc
  .record({
    thought: fc.option(someText),
    said: fc.option(someText),
    calls: fc.uniqueArray(call, { maxLength: 4, selector: ({ id }) => id }),
    results: fc.array(fc.record({ text: goodText, isError: fc.boolean() }), { minLength: 4, maxLength: 4 })
  })
  .map(({ calls, results, said, thought }): ReadonlyArray<Message> => {
    const parts = [
      ...(thought === null ? [] : [{ _tag: "Thought" as const, text: thought }]),
      ...(said === null ? [] : [{ _tag: "Text" as const, text: said }]),
      ...calls
    ]
    const answers = calls.map(({ id, name }, at) => ({
      id,
      name,
      text: results[at]?.text ?? "",
      isError: results[at]?.isError ?? false
    }))
    return [
      ...(parts.length === 0 ? [] : [{ _tag: "Assistant" as const, parts }]),
      ...(answers.length === 0 ? [] : [{ _tag: "ToolResults" as const, results: answers }])
    ]
  })

/** A history as the agent loop writes it: one thought, one text, calls that are all answered. */
export const history: fc.Arbitrary<ReadonlyArray<Message>> = fc
  .tuple(goodText, fc.array(exchange, { maxLength: 4 }))
  .map(([said, rest]) => [{ _tag: "User", text: said }, ...rest.flat()])

/** Anything that the types allow. */
export const anyMessages: fc.Arbitrary<ReadonlyArray<Message>> = fc.array(
  fc.oneof(
    fc.record({ _tag: fc.constant("User" as const), text: anyText }),
    fc.record({
      _tag: fc.constant("Assistant" as const),
      parts: fc.array(
        fc.oneof(
          fc.record({ _tag: fc.constantFrom("Text" as const, "Thought" as const), text: anyText }),
          fc.record({ _tag: fc.constant("ToolCall" as const), id: anyText, name: anyText, input: anyText })
        ),
        { maxLength: 5 }
      )
    }),
    fc.record({
      _tag: fc.constant("ToolResults" as const),
      results: fc.array(fc.record({ id: anyText, name: anyText, text: anyText, isError: fc.boolean() }), {
        maxLength: 3
      })
    })
  ),
  { maxLength: 8 }
)

export const sessionId = (): SessionId => SessionId.make(crypto.randomUUID())

export const row = (id = sessionId()): SessionRow => ({ id, agentAlias: "default", cwd: "/work space/é" })

export const said = (value: string): SessionUpdate => ({ sessionUpdate: "agent_message_chunk", content: text(value) })
export const asked = (value: string): SessionUpdate => ({ sessionUpdate: "user_message_chunk", content: text(value) })

/** A turn that is recognised by its number, in the history and in what was seen. */
export const turn = (n: number): Turn => ({
  messages: [
    { _tag: "User", text: `ask ${n}` },
    {
      _tag: "Assistant",
      parts: [
        { _tag: "Thought", text: `thought ${n}` },
        { _tag: "Text", text: `look ${n}` },
        { _tag: "ToolCall", id: `a${n}`, name: "file_read", input: '{"path":"x"}' },
        { _tag: "ToolCall", id: `b${n}`, name: "shell", input: "{}" }
      ]
    },
    {
      _tag: "ToolResults",
      results: [
        { id: `a${n}`, name: "file_read", text: `content\u0000of ${n}`, isError: false },
        { id: `b${n}`, name: "shell", text: `no ${n}`, isError: true }
      ]
    },
    { _tag: "Assistant", parts: [{ _tag: "Text", text: `answer ${n}` }] }
  ],
  updates: [
    asked(`ask ${n}`),
    {
      sessionUpdate: "tool_call",
      toolCallId: `a${n}`,
      title: "Read x",
      kind: "read",
      status: "completed",
      rawInput: { path: "x", nested: [null, { deep: "\u2028" }] },
      content: [{ type: "diff", path: "x", oldText: null, newText: "y\u0000z" }]
    },
    { sessionUpdate: "plan", entries: [{ content: "do", priority: "high", status: "pending" }] },
    said(`answer ${n}`)
  ],
  outcome: n % 2 === 0 ? "end_turn" : "cancelled"
})
