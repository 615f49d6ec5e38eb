// Both wires against a server that speaks the providers' real formats.
import { assert, describe, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Either, Fiber, Logger, LogLevel, Redacted, Stream } from "effect"
import type { ProviderSettings } from "../../src/config/Agents.ts"
import { type Message, type TextPart, type ThoughtPart, type ToolCallPart, user } from "../../src/model/Message.ts"
import type { ModelEvent, ModelRequest } from "../../src/model/Model.ts"
import type { ModelError } from "../../src/model/ModelError.ts"
import { type ModelOptions, makeModel } from "../../src/model/Providers.ts"
import * as Mock from "../support/MockModel.ts"

const { anthropic, openai, pick } = Mock

const key = "sk-test-0123456789abcdef"
const quick: ModelOptions = {
  retry: { tries: 3, baseDelayMs: 1, maxDelayMs: 2, maxRetryAfterMs: 5 },
  limits: { timeoutMs: 20_000, idleTimeoutMs: 20_000 }
}
const request: ModelRequest = { system: "be good", messages: [user("go")], tools: [] }

/** The same behaviour, told in each provider's words. */
interface WireCase {
  readonly type: string
  readonly path: string
  /** Where the key is found on the wire. */
  readonly keyHeader: readonly [name: string, value: string]
  readonly text: (text: string) => Mock.Reply
  readonly thinking: (thought: string, text: string) => Mock.Reply
  readonly toolCalls: (calls: ReadonlyArray<Mock.Call>) => Mock.Reply
  readonly finishing: (reason: string) => Mock.Reply
  readonly nothing: Mock.Reply
  readonly error: (status: number, message: string, headers?: Readonly<Record<string, string>>) => Mock.Reply
  readonly breaking: (reply: Mock.Reply, chunks: number) => Mock.Reply
  /** Chunks before the first visible text, and after some but not all of it. */
  readonly beforeText: number
  readonly midText: number
  readonly unknownEvent: string
  readonly finishReasons: ReadonlyArray<readonly [string, string]>
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
}

const wires: ReadonlyArray<WireCase> = [
  {
    type: "anthropic",
    path: "/v1/messages",
    keyHeader: ["x-api-key", key],
    text: (text) => anthropic.text(text),
    thinking: (thought, text) => anthropic.thinking(thought, "sig", text),
    toolCalls: (calls) => anthropic.toolUse(calls),
    finishing: (reason) => anthropic.text("so", reason),
    nothing: anthropic.nothing(),
    error: (status, message, headers) => anthropic.error(status, "some_error", message, headers),
    breaking: (reply, chunks) => anthropic.breaking(reply, chunks, "overloaded_error", "Overloaded"),
    beforeText: 2,
    midText: 4,
    unknownEvent: anthropic.event("brand_new_event", { surprise: true }),
    finishReasons: [
      ["end_turn", "stop"],
      ["max_tokens", "max_tokens"],
      ["refusal", "refusal"],
      ["stop_sequence", "stop"]
    ],
    usage: { inputTokens: 25, outputTokens: 15 }
  },
  {
    type: "custom",
    path: "/v1/chat/completions",
    keyHeader: ["authorization", `Bearer ${key}`],
    text: (text) => openai.text(text),
    thinking: (thought, text) => openai.thinking(thought, text),
    toolCalls: (calls) => openai.toolCalls(calls),
    finishing: (reason) => openai.text("so", reason),
    nothing: openai.nothing(),
    error: (status, message, headers) => openai.error(status, "some_error", message, headers),
    breaking: (reply, chunks) => openai.breaking(reply, chunks, "server_error", "Overloaded"),
    beforeText: 1,
    midText: 2,
    unknownEvent: 'data: {"object":"brand.new","surprise":true}\n\n',
    finishReasons: [
      ["stop", "stop"],
      ["length", "max_tokens"],
      ["content_filter", "refusal"]
    ],
    usage: { inputTokens: 20, outputTokens: 10 }
  }
]

const settingsOf = (wire: WireCase, url: string, more: Partial<ProviderSettings> = {}): ProviderSettings => ({
  type: wire.type,
  alias: "main",
  model: "mock-1",
  uri: `${url}/v1/`,
  apiKey: Redacted.make(key),
  ...more
})

const ask = (settings: ProviderSettings, asked: ModelRequest = request, options: ModelOptions = quick) =>
  Stream.runCollect(makeModel(settings, {}, options).stream(asked)).pipe(
    Effect.map(Chunk.toReadonlyArray),
    Logger.withMinimumLogLevel(LogLevel.Error)
  )

const noKey = (error: ModelError) => {
  assert.notInclude(JSON.stringify(error), key)
  assert.notMatch(error.message, /[\r\n]/)
  assert.isAtMost(error.message.length, 300)
  return error
}

const refused = (settings: ProviderSettings, options: ModelOptions = quick) =>
  Effect.map(Effect.flip(ask(settings, request, options)), noKey)

const textOf = (events: ReadonlyArray<ModelEvent>) =>
  events.flatMap((event) => (event._tag === "Text" ? [event.text] : [])).join("")
const tagsOf = (events: ReadonlyArray<ModelEvent>) => events.map(({ _tag }) => _tag)
const callsOf = (events: ReadonlyArray<ModelEvent>) =>
  events.flatMap((event) => (event._tag === "ToolCall" ? [[event.id, event.name, event.input]] : []))

for (const wire of wires) {
  describe(wire.type, () => {
    it.scopedLive("text comes as deltas, then the finish with its usage; the key is in its header", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(wire.text("Hello you"))
        const events = yield* ask(settingsOf(wire, server.url))
        assert.strictEqual(textOf(events), "Hello you")
        assert.deepStrictEqual(tagsOf(events), ["Text", "Text", "Finish"])
        assert.deepStrictEqual(events.at(-1), { _tag: "Finish", reason: "stop", usage: wire.usage })
        assert.strictEqual(server.requests[0]?.path, wire.path)
        assert.strictEqual(server.requests[0]?.headers[wire.keyHeader[0]], wire.keyHeader[1])
        assert.strictEqual(pick(server.requests[0]?.body, "max_tokens"), 8192)
        assert.strictEqual(pick(server.requests[0]?.body, "stream"), true)
      })
    )

    it.scopedLive("settings go with the request: limit of tokens, temperature, extra headers, tools", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(wire.text("ok"))
        const settings = settingsOf(wire, server.url, {
          maxTokens: 77,
          temperature: 0.5,
          extraHeaders: { "X-Team": "blue" }
        })
        const inputSchema = { type: "object", properties: { path: { type: "string" } } }
        yield* ask(settings, { ...request, tools: [{ name: "read", description: "Reads", inputSchema }] })
        const sent = server.requests[0]
        assert.strictEqual(pick(sent?.body, "max_tokens"), 77)
        assert.strictEqual(pick(sent?.body, "temperature"), 0.5)
        assert.strictEqual(sent?.headers["x-team"], "blue")
        const tool = pick(sent?.body, "tools", 0)
        assert.deepInclude(pick(tool, "input_schema") ?? pick(tool, "function", "parameters"), inputSchema)
      })
    )

    it.scopedLive("reasoning is told as thoughts, before the text", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(wire.thinking("let me see", "done"))
        const events = yield* ask(settingsOf(wire, server.url))
        assert.deepStrictEqual(tagsOf(events), ["Thought", "Thought", "ThoughtEnd", "Text", "Text", "Finish"])
        const end = events.find((event) => event._tag === "ThoughtEnd")
        assert.strictEqual(end?._tag === "ThoughtEnd" ? end.text : "", "let me see")
      })
    )

    it.scopedLive("several calls of one reply arrive whole, whatever the model wrote in them", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        const calls: ReadonlyArray<Mock.Call> = [
          { id: "t1", name: "read", input: { path: "a/b", text: 'quote " and \\ and é' } },
          { id: "t2", name: "no_such_tool", input: '{"broken": ' },
          { id: "t3", name: "list", input: "" }
        ]
        yield* server.script(wire.toolCalls(calls))
        const events = yield* ask(settingsOf(wire, server.url))
        assert.deepStrictEqual(callsOf(events), [
          ["t1", "read", JSON.stringify({ path: "a/b", text: 'quote " and \\ and é' })],
          ["t2", "no_such_tool", '{"broken": '],
          ["t3", "list", "{}"]
        ])
        assert.deepStrictEqual(events.at(-1), { _tag: "Finish", reason: "tool_calls", usage: wire.usage })
      })
    )

    for (const [raw, expected] of wire.finishReasons) {
      it.scopedLive(`finishing with ${raw} is ${expected}`, () =>
        Effect.gen(function* () {
          const server = yield* Mock.start
          yield* server.script(wire.finishing(raw))
          const last = (yield* ask(settingsOf(wire, server.url))).at(-1)
          assert.strictEqual(last?._tag === "Finish" ? last.reason : "", expected)
        })
      )
    }

    it.scopedLive("a reply without text or calls is never a normal end", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(wire.nothing)
        const error = yield* refused(settingsOf(wire, server.url))
        assert.strictEqual(error.reason, "empty_reply")
        assert.strictEqual(server.requests.length, 3)
      })
    )

    it.scopedLive("401 says to set a key, at once, without repeating the old one", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(wire.error(401, `invalid key: ${key}`))
        const error = yield* refused(settingsOf(wire, server.url))
        assert.strictEqual(error.reason, "auth")
        assert.strictEqual(error.status, 401)
        assert.include(error.message, "rejected the API key")
        assert.include(error.message, `api_key in [providers.models.${wire.type}.main]`)
        assert.strictEqual(server.requests.length, 1)
      })
    )

    it.scopedLive("400 is told in the provider's words, at once", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(wire.error(400, "max_tokens: too many"))
        const error = yield* refused(settingsOf(wire, server.url))
        assert.strictEqual(error.reason, "bad_request")
        assert.include(error.message, "max_tokens: too many")
        assert.strictEqual(server.requests.length, 1)
      })
    )

    for (const status of [429, 500, 503, 529]) {
      it.scopedLive(`${status}, then an answer, is an answer`, () =>
        Effect.gen(function* () {
          const server = yield* Mock.start
          yield* server.script(wire.error(status, "slow down", { "retry-after": "3600" }), wire.text("Hello"))
          const events = yield* ask(settingsOf(wire, server.url))
          assert.deepStrictEqual(tagsOf(events), ["Text", "Text", "Finish"])
          assert.strictEqual(server.requests.length, 2)
        })
      )
    }

    it.scopedLive("500 for ever ends with the provider's words after the last try", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(wire.error(500, "kaput"))
        const error = yield* refused(settingsOf(wire, server.url))
        assert.strictEqual(error.reason, "overloaded")
        assert.strictEqual(error.status, 500)
        assert.include(error.message, "kaput")
        assert.strictEqual(server.requests.length, 3)
      })
    )

    it.scopedLive("HTML with status 200 is a bad reply that names the address to check", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(Mock.html(200, "<html><title>Sign in</title><body>wifi</body></html>"))
        const error = yield* refused(settingsOf(wire, server.url))
        assert.strictEqual(error.reason, "bad_reply")
        assert.include(error.message, "Sign in")
        assert.include(error.message, server.url)
        assert.strictEqual(server.requests.length, 1)
      })
    )

    it.scopedLive("HTML with status 404 is a bad reply", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(Mock.html(404, "<h1>nothing here</h1>"))
        const error = yield* refused(settingsOf(wire, server.url))
        assert.strictEqual(error.reason, "bad_reply")
        assert.include(error.message, "nothing here")
      })
    )

    it.scopedLive("a redirect is not followed: the key would go along", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        const elsewhere = yield* Mock.start
        yield* server.script(Mock.http(307, "", { location: `${elsewhere.url}${wire.path}` }))
        const error = yield* refused(settingsOf(wire, server.url))
        assert.strictEqual(error.reason, "bad_request")
        assert.strictEqual(elsewhere.requests.length, 0)
      })
    )

    it.scopedLive("a port at which nothing listens is unreachable, named without query", () =>
      Effect.gen(function* () {
        const url = yield* Mock.deadUrl
        const error = yield* refused(settingsOf(wire, url, { uri: `${url}/v1?token=hush` }))
        assert.strictEqual(error.reason, "unreachable")
        assert.include(error.message, `${url}/v1`)
        assert.include(error.message, "ECONNREFUSED")
        assert.notInclude(error.message, "hush")
      })
    )

    it.scopedLive("a server that never answers times out", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(Mock.stallAfter(wire.text("Hello"), 0))
        const options = { ...quick, limits: { timeoutMs: 60, idleTimeoutMs: 20_000 } }
        const error = yield* refused(settingsOf(wire, server.url), options)
        assert.strictEqual(error.reason, "timeout")
        assert.include(error.message, "timeout_secs")
        assert.strictEqual(server.requests.length, 3)
      })
    )

    it.scopedLive("a server that falls silent in mid-reply times out, and its connection is closed", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(Mock.stallAfter(wire.text("Hello"), wire.midText))
        const options = { retry: { ...quick.retry, tries: 1 }, limits: { timeoutMs: 20_000, idleTimeoutMs: 60 } }
        const error = yield* refused(settingsOf(wire, server.url), options)
        assert.strictEqual(error.reason, "timeout")
        assert.isTrue(yield* (yield* server.nextRequest).hungUp)
      })
    )

    it.scopedLive("a stream cut before any text is asked for again without a word", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(Mock.cutAfter(wire.text("Hello"), wire.beforeText), wire.text("Hello"))
        const events = yield* ask(settingsOf(wire, server.url))
        assert.deepStrictEqual(tagsOf(events), ["Text", "Text", "Finish"])
        assert.strictEqual(server.requests.length, 2)
      })
    )

    for (const [how, shorten] of [
      ["cut", Mock.cutAfter],
      ["ended too early", Mock.endAfter]
    ] as const) {
      it.scopedLive(`a stream ${how} after some text starts over, and says so`, () =>
        Effect.gen(function* () {
          const server = yield* Mock.start
          yield* server.script(shorten(wire.text("Hello"), wire.midText), wire.text("Again"))
          const events = yield* ask(settingsOf(wire, server.url))
          assert.deepStrictEqual(tagsOf(events), ["Text", "Restart", "Text", "Text", "Finish"])
          assert.deepStrictEqual(events[1], {
            _tag: "Restart",
            reason: "The connection to the model broke off; asking again."
          })
        })
      )

      it.scopedLive(`a stream ${how} in the middle of a call, every time, is a failure without a call`, () =>
        Effect.gen(function* () {
          const server = yield* Mock.start
          const calls = wire.toolCalls([{ id: "t1", name: "read", input: { path: "a" } }])
          yield* server.script(shorten(calls, wire.beforeText + 2))
          const events: Array<ModelEvent> = []
          const result = yield* makeModel(settingsOf(wire, server.url), {}, quick)
            .stream(request)
            .pipe(
              Stream.runForEach((event) => Effect.sync(() => events.push(event))),
              Effect.flip
            )
          assert.strictEqual(result.reason, "cut_stream")
          assert.deepStrictEqual(callsOf(events), [])
        })
      )
    }

    it.scopedLive("an event of an unknown kind is skipped", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(Mock.insert(wire.text("Hello"), wire.midText, wire.unknownEvent))
        const events = yield* ask(settingsOf(wire, server.url))
        assert.strictEqual(textOf(events), "Hello")
        assert.deepStrictEqual(events.at(-1), { _tag: "Finish", reason: "stop", usage: wire.usage })
        assert.strictEqual(server.requests.length, 1)
      })
    )

    it.scopedLive("an event that is not JSON is a bad reply", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(Mock.insert(wire.text("Hello"), wire.midText, "data: {nonsense\n\n"))
        assert.strictEqual((yield* refused(settingsOf(wire, server.url))).reason, "bad_reply")
      })
    )

    for (const [when, chunks] of [
      ["first", 0],
      ["before any text", wire.beforeText],
      ["after some text", wire.midText]
    ] as const) {
      it.scopedLive(`an error event ${when} fails with its cause`, () =>
        Effect.gen(function* () {
          const server = yield* Mock.start
          yield* server.script(wire.breaking(wire.text("Hello"), chunks))
          const error = yield* refused(settingsOf(wire, server.url))
          assert.strictEqual(error.reason, "overloaded")
          assert.include(error.message, "Overloaded")
          assert.strictEqual(server.requests.length, 3)
        })
      )
    }

    it.scopedLive("interruption aborts the request: the server sees the client go", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(Mock.stallAfter(wire.text("Hello"), wire.midText))
        const heard = yield* Deferred.make<void>()
        const fiber = yield* makeModel(settingsOf(wire, server.url), {}, quick)
          .stream(request)
          .pipe(
            Stream.runForEach(() => Deferred.succeed(heard, undefined)),
            Effect.fork
          )
        yield* Deferred.await(heard)
        yield* Fiber.interrupt(fiber)
        assert.isTrue(yield* (yield* server.nextRequest).hungUp)
        assert.strictEqual(server.requests.length, 1)
      })
    )

    it.scopedLive("interruption before the answer begins aborts the request too", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script({ ...wire.text("Hello"), steps: [{ _tag: "Stall" }] })
        const fiber = yield* Effect.fork(ask(settingsOf(wire, server.url)))
        const { hungUp } = yield* server.nextRequest
        yield* Fiber.interrupt(fiber)
        assert.isTrue(yield* hungUp)
      })
    )

    it.scopedLive("without a key nothing is sent, and the setting to fill in is named", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        const { apiKey: _, ...keyless } = settingsOf(wire, server.url)
        const type = wire.type === "custom" ? "openai" : wire.type
        const error = yield* refused({ ...keyless, type })
        assert.strictEqual(error.reason, "auth")
        assert.include(
          error.message,
          `Set ${type.toUpperCase()}_API_KEY or api_key in [providers.models.${type}.main].`
        )
        assert.strictEqual(server.requests.length, 0)
      })
    )

    it.scopedLive("a key with characters that no header takes is a failure that does not show it", () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        const bad = `${key}\nmore-secret`
        const error = yield* refused(settingsOf(wire, server.url, { apiKey: Redacted.make(bad) }))
        assert.strictEqual(error.reason, "config")
        assert.notInclude(error.message, "more-secret")
      })
    )
  })
}

describe("the second request of a tool loop", () => {
  const calls: ReadonlyArray<Mock.Call> = [
    { id: "toolu_1", name: "read", input: { path: "a" } },
    { id: "toolu_2", name: "shell", input: "{oops" }
  ]

  /** Keeps a reply as the agent loop does. */
  const keep = (events: ReadonlyArray<ModelEvent>): Message => ({
    _tag: "Assistant",
    parts: events.flatMap((event): ReadonlyArray<TextPart | ThoughtPart | ToolCallPart> => {
      if (event._tag === "ThoughtEnd") return [{ ...event, _tag: "Thought" }]
      return event._tag === "ToolCall" || event._tag === "Text" ? [event] : []
    })
  })
  const results: Message = {
    _tag: "ToolResults",
    results: [
      { id: "toolu_1", name: "read", text: "content of a", isError: false },
      { id: "toolu_2", name: "shell", text: "bad input", isError: true }
    ]
  }
  const loop = (settings: ProviderSettings) =>
    Effect.gen(function* () {
      const first = yield* ask(settings)
      yield* ask(settings, { ...request, messages: [...request.messages, keep(first), results] })
      return first
    })

  it.scopedLive(
    "Anthropic gets its thinking back, signature and redacted blocks unchanged, and the results as one user message",
    () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(
          anthropic.thinkingToolUse("let me see", "c2lnbmF0dXJl", "cmVkYWN0ZWQ=", calls),
          anthropic.text("done")
        )
        yield* loop({
          type: "anthropic",
          alias: "main",
          model: "claude-sonnet-4-5",
          uri: server.url,
          apiKey: Redacted.make(key),
          think: true,
          temperature: 0.5
        })
        const body = server.requests[1]?.body
        assert.deepStrictEqual(pick(body, "messages", 1, "content"), [
          { type: "thinking", thinking: "let me see", signature: "c2lnbmF0dXJl" },
          { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" },
          { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" } },
          { type: "tool_use", id: "toolu_2", name: "shell", input: {} }
        ])
        assert.strictEqual(pick(body, "messages", 2, "role"), "user")
        assert.deepInclude(pick(body, "messages", 2, "content", 0), {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: "content of a"
        })
        assert.deepInclude(pick(body, "messages", 2, "content", 1), {
          type: "tool_result",
          tool_use_id: "toolu_2",
          content: "bad input",
          is_error: true
        })
        assert.deepStrictEqual(pick(body, "thinking"), { type: "enabled", budget_tokens: 4096 })
        assert.strictEqual(pick(body, "max_tokens"), 8192 + 4096)
        assert.strictEqual(pick(body, "temperature"), undefined)
        assert.deepStrictEqual(pick(body, "system", 0, "cache_control"), { type: "ephemeral" })
      })
  )

  it.scopedLive("an OpenAI-compatible server gets the calls and one tool message for each result", () =>
    Effect.gen(function* () {
      const server = yield* Mock.start
      yield* server.script(openai.toolCalls(calls, "reading"), openai.text("done"))
      yield* loop({ type: "vllm", alias: "main", model: "m", uri: server.url })
      const sent = server.requests[1]
      assert.strictEqual(sent?.path, "/v1/chat/completions")
      assert.strictEqual(sent?.headers["authorization"], undefined)
      assert.deepStrictEqual(pick(sent?.body, "messages"), [
        { role: "system", content: "be good" },
        { role: "user", content: "go" },
        {
          role: "assistant",
          content: "reading",
          tool_calls: [
            { id: "toolu_1", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
            { id: "toolu_2", type: "function", function: { name: "shell", arguments: "{}" } }
          ]
        },
        { role: "tool", tool_call_id: "toolu_1", content: "content of a" },
        { role: "tool", tool_call_id: "toolu_2", content: "bad input" }
      ])
    })
  )

  it.scopedLive("reasoning goes back to those that want it within the loop, and to no one else", () =>
    Effect.gen(function* () {
      for (const [type, expected] of [
        ["deepseek", "hmm so"],
        ["groq", undefined]
      ] as const) {
        const server = yield* Mock.start
        yield* server.script(openai.toolCalls(calls, "", "hmm so"), openai.text("done"))
        yield* loop({ type, alias: "main", model: "m", uri: server.url, apiKey: Redacted.make(key) })
        assert.strictEqual(pick(server.requests[1]?.body, "messages", 2, "reasoning_content"), expected)
      }
    })
  )

  it.scopedLive("Gemini gets the signature of its call back", () =>
    Effect.gen(function* () {
      const server = yield* Mock.start
      const signed = openai.chunk({
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [
                {
                  index: 0,
                  id: "toolu_1",
                  type: "function",
                  function: { name: "read", arguments: "{}" },
                  extra_content: { google: { thought_signature: "c2ln" } }
                }
              ]
            },
            finish_reason: null
          }
        ]
      })
      yield* server.script(Mock.insert(openai.nothing("tool_calls"), 1, signed), openai.text("done"))
      yield* loop({ type: "gemini", alias: "main", model: "m", uri: server.url, apiKey: Redacted.make(key) })
      assert.strictEqual(
        pick(server.requests[1]?.body, "messages", 2, "tool_calls", 0, "extra_content", "google", "thought_signature"),
        "c2ln"
      )
    })
  )
})

describe("signs of life", () => {
  it.scopedLive("a provider that pings while it prepares a long reply is not silent", () =>
    Effect.gen(function* () {
      const server = yield* Mock.start
      const pings = Array.from({ length: 10 }, () => anthropic.event("ping", {}))
      const reply = pings.reduce((sofar, ping) => Mock.insert(sofar, 2, ping), anthropic.text("Hello"))
      yield* server.script(Mock.slow(reply, 100))
      const settings: ProviderSettings = {
        type: "anthropic",
        alias: "main",
        model: "m",
        uri: server.url,
        apiKey: Redacted.make(key)
      }
      const options: ModelOptions = { retry: { tries: 1 }, limits: { timeoutMs: 20_000, idleTimeoutMs: 800 } }
      assert.strictEqual(textOf(yield* ask(settings, request, options)), "Hello")
    })
  )
})

describe("errors in the middle of a stream, as compatible servers write them", () => {
  for (const event of [
    { object: "error", message: "out of memory", type: "InternalServerError", code: 500 },
    { error: "out of memory" },
    [{ error: { code: 503, message: "out of memory", status: "UNAVAILABLE" } }]
  ]) {
    it.scopedLive(`${JSON.stringify(event)} fails with its cause`, () =>
      Effect.gen(function* () {
        const server = yield* Mock.start
        yield* server.script(Mock.insert(openai.text("Hello"), 2, `data: ${JSON.stringify(event)}\n\n`))
        const error = yield* refused({ type: "custom", alias: "main", model: "m", uri: server.url })
        assert.strictEqual(error.reason, "overloaded")
        assert.include(error.message, "out of memory")
      })
    )
  }
})

describe("families", () => {
  it.scopedLive("OpenAI is given its limit as max_completion_tokens, and effort when asked to think", () =>
    Effect.gen(function* () {
      const server = yield* Mock.start
      yield* server.script(openai.text("ok"))
      yield* ask({
        type: "openai",
        alias: "main",
        model: "m",
        uri: server.url,
        apiKey: Redacted.make(key),
        think: true,
        temperature: 1
      })
      const body = server.requests[0]?.body
      assert.strictEqual(pick(body, "max_completion_tokens"), 8192)
      assert.strictEqual(pick(body, "max_tokens"), undefined)
      assert.strictEqual(pick(body, "reasoning_effort"), "medium")
      assert.strictEqual(pick(body, "temperature"), undefined)
    })
  )

  it.scopedLive("Mistral is sent no field it does not know, and call ids in its own form", () =>
    Effect.gen(function* () {
      const server = yield* Mock.start
      yield* server.script(openai.text("ok"))
      const messages: ReadonlyArray<Message> = [
        user("go"),
        { _tag: "Assistant", parts: [{ _tag: "ToolCall", id: "toolu_1", name: "read", input: "{}" }] },
        { _tag: "ToolResults", results: [{ id: "toolu_1", name: "read", text: "x", isError: false }] }
      ]
      const events = yield* ask(
        { type: "mistral", alias: "main", model: "m", uri: server.url, apiKey: Redacted.make(key) },
        { ...request, messages }
      )
      const body = server.requests[0]?.body
      assert.hasAllKeys(body, ["model", "max_tokens", "messages", "stream"])
      const id = pick(body, "messages", 2, "tool_calls", 0, "id")
      assert.match(String(id), /^[A-Za-z0-9]{9}$/)
      assert.strictEqual(pick(body, "messages", 3, "tool_call_id"), id)
      assert.deepInclude(events.at(-1), { usage: { inputTokens: 20, outputTokens: 10 } })
    })
  )

  it.scopedLive("a query in uri stays with each request", () =>
    Effect.gen(function* () {
      const server = yield* Mock.start
      yield* server.script(openai.text("ok"))
      yield* ask({ type: "custom", alias: "main", model: "m", uri: `${server.url}/v1?api-version=7` })
      assert.strictEqual(server.requests[0]?.path, "/v1/chat/completions?api-version=7")
    })
  )

  it.scopedLive("Anthropic's usage holds what was read from its cache and written to it", () =>
    Effect.gen(function* () {
      const server = yield* Mock.start
      const reply = anthropic.text("ok")
      const usage = {
        input_tokens: 3,
        cache_creation_input_tokens: 100,
        cache_read_input_tokens: 2000,
        output_tokens: 1
      }
      const opening = anthropic.event("message_start", {
        message: { id: "m", type: "message", role: "assistant", model: "claude-mock", content: [], usage }
      })
      yield* server.script(Mock.insert({ ...reply, steps: reply.steps.slice(1) }, 0, opening))
      const events = yield* ask({
        type: "anthropic",
        alias: "main",
        model: "m",
        uri: server.url,
        apiKey: Redacted.make(key)
      })
      assert.deepInclude(events.at(-1), { usage: { inputTokens: 2103, outputTokens: 15 } })
    })
  )

  it.scopedLive("Anthropic with a header of its own for the key is sent no empty key", () =>
    Effect.gen(function* () {
      const server = yield* Mock.start
      yield* server.script(anthropic.text("ok"))
      yield* ask({
        type: "anthropic",
        alias: "main",
        model: "m",
        uri: server.url,
        extraHeaders: { Authorization: "Bearer t" }
      })
      assert.strictEqual(server.requests[0]?.headers["x-api-key"], undefined)
      assert.strictEqual(server.requests[0]?.headers["authorization"], "Bearer t")
    })
  )

  it.effect("an unknown type fails the first request and names the nearest one", () =>
    Effect.gen(function* () {
      const result = yield* Effect.either(ask({ type: "antropic", alias: "main", model: "m" }))
      assert.strictEqual(Either.isLeft(result) ? result.left.reason : "", "config")
      assert.include(Either.isLeft(result) ? result.left.message : "", '"anthropic"')
    })
  )
})
