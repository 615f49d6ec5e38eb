// A model provider on a loopback port: scripted answers in the providers' real wire formats, and what was asked of it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Deferred, Effect, FiberSet, Predicate, Queue, type Scope } from "effect"

export type Step =
  | { readonly _tag: "Send"; readonly text: string }
  | { readonly _tag: "Wait"; readonly ms: number }
  /** Destroys the socket. */
  | { readonly _tag: "Cut" }
  /** Sends nothing more, and does not end. */
  | { readonly _tag: "Stall" }

/** One scripted answer. An event stream unless the headers say otherwise. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly steps: ReadonlyArray<Step>
}

export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON; the text when it is none. */
  readonly body: unknown
  /** Done when the exchange is over: true when the client hung up before the answer was whole. */
  readonly hungUp: Effect.Effect<boolean>
}

export interface MockModelServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** All requests so far, in order of arrival. */
  readonly requests: ReadonlyArray<RecordedRequest>
  /** Waits for the next request that nobody took yet. */
  readonly nextRequest: Effect.Effect<RecordedRequest>
  /** The answers to the coming requests; the last one serves all that follow. */
  readonly script: (...replies: ReadonlyArray<Reply>) => Effect.Effect<void>
}

const send = (text: string): Step => ({ _tag: "Send", text })
const stream = (chunks: ReadonlyArray<string>): Reply => ({
  status: 200,
  headers: { "content-type": "text/event-stream; charset=utf-8" },
  steps: chunks.map(send)
})

/** An answer with this status and body. */
export const http = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = { "content-type": "application/json" }
): Reply => ({ status, headers, steps: [send(typeof body === "string" ? body : JSON.stringify(body))] })

export const html = (status: number, body: string): Reply => http(status, body, { "content-type": "text/html" })

/** The first `chunks` chunks, then the socket is destroyed. */
export const cutAfter = (reply: Reply, chunks: number): Reply => ({
  ...reply,
  steps: [...reply.steps.slice(0, chunks), { _tag: "Cut" }]
})

/** The first `chunks` chunks, then a proper end. */
export const endAfter = (reply: Reply, chunks: number): Reply => ({ ...reply, steps: reply.steps.slice(0, chunks) })

/** The first `chunks` chunks, then silence. */
export const stallAfter = (reply: Reply, chunks: number): Reply => ({
  ...reply,
  steps: [...reply.steps.slice(0, chunks), { _tag: "Stall" }]
})

/** Waits before each chunk. */
export const slow = (reply: Reply, ms: number): Reply => ({
  ...reply,
  steps: reply.steps.flatMap((step): ReadonlyArray<Step> => [{ _tag: "Wait", ms }, step])
})

/** Puts a raw chunk before chunk number `at`. */
export const insert = (reply: Reply, at: number, text: string): Reply => ({
  ...reply,
  steps: [...reply.steps.slice(0, at), send(text), ...reply.steps.slice(at)]
})

const halves = (text: string): ReadonlyArray<string> => {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "")
}

export interface Call {
  readonly id: string
  readonly name: string
  /** Raw text, or a value that becomes JSON. */
  readonly input: unknown
}

const raw = (input: unknown): string => (typeof input === "string" ? input : JSON.stringify(input))

/** Anthropic Messages. */
const anthropicEvent = (type: string, fields: Readonly<Record<string, unknown>>): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

type Block = ReadonlyArray<string>

const block = (index: number, start: unknown, deltas: ReadonlyArray<unknown>): Block => [
  anthropicEvent("content_block_start", { index, content_block: start }),
  ...deltas.map((delta) => anthropicEvent("content_block_delta", { index, delta })),
  anthropicEvent("content_block_stop", { index })
]

const textBlock =
  (text: string) =>
  (index: number): Block =>
    block(
      index,
      { type: "text", text: "" },
      halves(text).map((half) => ({ type: "text_delta", text: half }))
    )

const thinkingBlock =
  (thinking: string, signature: string) =>
  (index: number): Block =>
    block(index, { type: "thinking", thinking: "", signature: "" }, [
      ...halves(thinking).map((half) => ({ type: "thinking_delta", thinking: half })),
      { type: "signature_delta", signature }
    ])

const redactedBlock =
  (data: string) =>
  (index: number): Block =>
    block(index, { type: "redacted_thinking", data }, [])

const toolBlock =
  ({ id, name, input }: Call) =>
  (index: number): Block =>
    block(
      index,
      { type: "tool_use", id, name, input: {} },
      ["", ...halves(raw(input))].map((partial_json) => ({ type: "input_json_delta", partial_json }))
    )

const anthropicMessage = (stopReason: string, ...blocks: ReadonlyArray<(index: number) => Block>): Reply =>
  stream([
    anthropicEvent("message_start", {
      message: {
        id: "msg_mock",
        type: "message",
        role: "assistant",
        model: "claude-mock",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 25, output_tokens: 1 }
      }
    }),
    anthropicEvent("ping", {}),
    ...blocks.flatMap((make, index) => make(index)),
    anthropicEvent("message_delta", {
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: 15 }
    }),
    anthropicEvent("message_stop", {})
  ])

/** Answers of the Anthropic Messages API. Chunk 0 is `message_start`, chunk 1 `ping`, chunk 2 opens the first block. */
export const anthropic = {
  text: (text: string, stopReason = "end_turn"): Reply => anthropicMessage(stopReason, textBlock(text)),
  nothing: (stopReason = "end_turn"): Reply => anthropicMessage(stopReason),
  thinking: (thinking: string, signature: string, text: string): Reply =>
    anthropicMessage("end_turn", thinkingBlock(thinking, signature), textBlock(text)),
  toolUse: (calls: ReadonlyArray<Call>, text = ""): Reply =>
    anthropicMessage("tool_use", ...(text === "" ? [] : [textBlock(text)]), ...calls.map(toolBlock)),
  thinkingToolUse: (thinking: string, signature: string, redacted: string, calls: ReadonlyArray<Call>): Reply =>
    anthropicMessage("tool_use", thinkingBlock(thinking, signature), redactedBlock(redacted), ...calls.map(toolBlock)),
  error: (status: number, type: string, message: string, headers: Readonly<Record<string, string>> = {}): Reply =>
    http(status, { type: "error", error: { type, message } }, { "content-type": "application/json", ...headers }),
  /** An error in the middle of a stream, after `chunks` chunks. */
  breaking: (reply: Reply, chunks: number, type: string, message: string): Reply => ({
    ...reply,
    steps: [...reply.steps.slice(0, chunks), send(anthropicEvent("error", { error: { type, message } }))]
  }),
  event: anthropicEvent
}

/** OpenAI chat completions. */
const openaiChunk = (fields: Readonly<Record<string, unknown>>): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-mock", object: "chat.completion.chunk", created: 1, model: "gpt-mock", ...fields })}\n\n`

const delta = (fields: Readonly<Record<string, unknown>>, finishReason: string | null = null): string =>
  openaiChunk({ choices: [{ index: 0, delta: fields, finish_reason: finishReason }] })

const completion = (finishReason: string, deltas: ReadonlyArray<Readonly<Record<string, unknown>>>): Reply =>
  stream([
    delta({ role: "assistant", content: "" }),
    ...deltas.map((fields) => delta(fields)),
    delta({}, finishReason),
    openaiChunk({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 } }),
    "data: [DONE]\n\n"
  ])

const callDeltas = (call: Call, index: number): ReadonlyArray<Readonly<Record<string, unknown>>> => [
  { tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }] },
  ...halves(raw(call.input)).map((half) => ({ tool_calls: [{ index, function: { arguments: half } }] }))
]

const contentDeltas = (text: string) => halves(text).map((content) => ({ content }))

/** Answers of an OpenAI-compatible server. Chunk 0 gives the role; content begins with chunk 1. */
export const openai = {
  text: (text: string, finishReason = "stop"): Reply => completion(finishReason, contentDeltas(text)),
  nothing: (finishReason = "stop"): Reply => completion(finishReason, []),
  thinking: (reasoning: string, text: string): Reply =>
    completion("stop", [
      ...halves(reasoning).map((reasoning_content) => ({ reasoning_content })),
      ...contentDeltas(text)
    ]),
  toolCalls: (calls: ReadonlyArray<Call>, text = "", reasoning = ""): Reply =>
    completion("tool_calls", [
      ...halves(reasoning).map((reasoning_content) => ({ reasoning_content })),
      ...contentDeltas(text),
      ...calls.flatMap(callDeltas)
    ]),
  error: (status: number, type: string, message: string, headers: Readonly<Record<string, string>> = {}): Reply =>
    http(status, { error: { message, type, code: null } }, { "content-type": "application/json", ...headers }),
  /** An error in the middle of a stream, after `chunks` chunks. */
  breaking: (reply: Reply, chunks: number, type: string, message: string): Reply => ({
    ...reply,
    steps: [...reply.steps.slice(0, chunks), send(`data: ${JSON.stringify({ error: { message, type } })}\n\n`)]
  }),
  chunk: openaiChunk
}

/** What is at a path of keys and indexes in a recorded body. */
export const pick = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((at, key) => (Predicate.hasProperty(at, key) ? at[key] : undefined), value)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const readBody = (request: IncomingMessage): Effect.Effect<unknown> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => resume(Effect.succeed(parse(Buffer.concat(chunks).toString("utf8")))))
    request.on("error", () => resume(Effect.succeed("")))
  })

const play = (response: ServerResponse, reply: Reply): Effect.Effect<void> =>
  Effect.gen(function* () {
    response.writeHead(reply.status, reply.headers)
    response.flushHeaders()
    for (const step of reply.steps) {
      switch (step._tag) {
        case "Send":
          // One chunk, one read of the client's, as far as a network can promise that.
          yield* Effect.async<void>((resume) => {
            response.write(step.text, () => setImmediate(() => resume(Effect.void)))
          })
          break
        case "Wait":
          yield* Effect.sleep(step.ms)
          break
        case "Cut":
          response.socket?.destroy()
          return
        case "Stall":
          return yield* Effect.never
      }
    }
    response.end()
  })

const unscripted = http(500, { error: { type: "mock", message: "no answer is scripted" } })

/** Listens until the scope closes. */
export const start: Effect.Effect<MockModelServer, never, Scope.Scope> = Effect.gen(function* () {
  const requests: Array<RecordedRequest> = []
  const arrived = yield* Queue.dropping<RecordedRequest>(1024)
  let replies: ReadonlyArray<Reply> = [unscripted]
  const fork = yield* FiberSet.makeRuntime<never>()

  const serve = (request: IncomingMessage, response: ServerResponse) =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<boolean>()
      response.on("close", () => Deferred.unsafeDone(closed, Effect.succeed(!response.writableFinished)))
      const body = yield* readBody(request)
      const recorded: RecordedRequest = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [
            name,
            Array.isArray(value) ? value.join(", ") : (value ?? "")
          ])
        ),
        body,
        hungUp: Deferred.await(closed)
      }
      requests.push(recorded)
      yield* Queue.offer(arrived, recorded)
      const reply = replies[0] ?? unscripted
      if (replies.length > 1) replies = replies.slice(1)
      yield* Effect.raceFirst(play(response, reply), Deferred.await(closed))
    })

  const server = yield* Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) => {
        fork(serve(request, response))
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const address = server.address()
  const port = address !== null && typeof address === "object" ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    nextRequest: Queue.take(arrived),
    script: (...next) =>
      Effect.sync(() => {
        replies = next
      })
  }
})

/** A base URL at which nothing listens. */
export const deadUrl: Effect.Effect<string> = Effect.scoped(Effect.map(start, ({ url }) => url))
