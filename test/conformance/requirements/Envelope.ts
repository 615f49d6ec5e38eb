// Requirements on bytes, envelopes, errors, extensions and the end. @see acp-v1 section 7.1
import { Effect, Option } from "effect"
import { isRecord } from "../../support/OfficialSchema.ts"
import * as Conversation from "../Conversation.ts"
import { type Agent, advisory, informational, mandatory, must, Unmet } from "../Requirement.ts"

const { begin, errorCode, field, newSession, place, prompt, ready, result } = Conversation

/** initialize, a session, a turn with text beyond ASCII. */
const basic = (agent: Agent) =>
  Effect.gen(function* () {
    const talk = yield* ready(agent)
    const sessionId = yield* newSession(talk, agent)
    yield* talk.request("session/prompt", prompt(sessionId, `${agent.prompts.short} Grüße 读 🎉`))
    return { ...talk, sessionId }
  })

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

const isError = (error: unknown): boolean =>
  isRecord(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string"

export const requirements = [
  mandatory("TRANSPORT-001", "every line of output is one JSON-RPC 2.0 object", (agent) =>
    Effect.gen(function* () {
      const { messages } = yield* basic(agent)
      yield* must(messages().length >= 3, "fewer lines than answers")
      for (const { json, text } of messages()) yield* must(json["jsonrpc"] === "2.0", text.slice(0, 300))
    })
  ),
  mandatory("TRANSPORT-002", "every line of output is UTF-8", (agent) =>
    Effect.gen(function* () {
      const { process } = yield* basic(agent)
      for (const { bytes } of process.lines()) yield* must(isUtf8(bytes), Buffer.from(bytes).toString("latin1"))
    })
  ),
  mandatory("JSONRPC-001", "an id comes back as it was sent, number or string", (agent) =>
    Effect.gen(function* () {
      const talk = yield* begin(agent)
      for (const id of [7, "seven", 0, -3, ""]) {
        const { json } = yield* talk.request("initialize", { protocolVersion: 1 }, id)
        yield* must(json["id"] === id, `sent ${JSON.stringify(id)}, got ${JSON.stringify(json["id"])}`)
      }
    })
  ),
  mandatory(
    "JSONRPC-002",
    "an answer has a result or an error, never both; an error has a code and a message",
    (agent) =>
      Effect.gen(function* () {
        const talk = yield* ready(agent)
        const good = yield* talk.request("session/new", place(agent))
        const bad = [
          yield* talk.request("no/such_method", {}),
          yield* talk.request("session/new", { cwd: 42 }),
          yield* talk.request("session/prompt", prompt("never-made", "x"))
        ]
        yield* must("result" in good.json && !("error" in good.json), good.text)
        for (const { json, text } of bad) {
          yield* must(!("result" in json) && isError(json["error"]), text)
        }
      })
  ),
  mandatory("JSONRPC-003", "a notification is never answered", (agent) =>
    Effect.gen(function* () {
      const talk = yield* ready(agent)
      yield* newSession(talk, agent)
      yield* talk.notify("no/such_notification", {})
      yield* talk.notify("session/cancel", { sessionId: "never-made" })
      yield* talk.notify("session/cancel", {})
      yield* talk.notify("$/cancel_request", { requestId: 424242 })
      yield* talk.notify("_custom/note", { a: 1 })
      const answers = (yield* talk.quiet).filter(({ json }) => !("method" in json))
      yield* must(answers.length === 0, `answered: ${answers[0]?.text}`)
    })
  ),
  advisory("JSONRPC-004", "an unknown method is refused with -32601", (agent) =>
    Effect.gen(function* () {
      const talk = yield* ready(agent)
      const answer = yield* talk.request("no/such_method", {})
      yield* must(errorCode(answer) === -32601, answer.text)
    })
  ),
  advisory("JSONRPC-005", "the connection lives on after a request that failed", (agent) =>
    Effect.gen(function* () {
      const talk = yield* ready(agent)
      yield* talk.request("session/new", { cwd: [] })
      yield* talk.request("no/such_method", {})
      yield* newSession(talk, agent)
    })
  ),
  mandatory("SCHEMA-001", "all that is sent in a turn fits the official schema", (agent) =>
    Effect.flatMap(basic(agent), (talk) => Conversation.valid(talk, "open"))
  ),
  advisory("SCHEMA-002", "nothing stands at a root that the schema does not have", (agent) =>
    Effect.flatMap(basic(agent), (talk) => Conversation.valid(talk, "closed"))
  ),
  mandatory("EXT-001", "an unknown custom request gets an answer", (agent) =>
    Effect.gen(function* () {
      const talk = yield* ready(agent)
      const { json } = yield* talk.request("_vendor.example/thing", { a: 1 })
      yield* must("result" in json || isError(json["error"]), JSON.stringify(json))
    })
  ),
  advisory("META-001", "a trace context in _meta disturbs nothing", (agent) =>
    Effect.gen(function* () {
      const talk = yield* ready(agent)
      const sessionId = yield* newSession(talk, agent)
      const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      const answer = yield* talk.request("session/prompt", {
        ...prompt(sessionId, agent.prompts.short),
        _meta: { traceparent }
      })
      yield* must(typeof field(result(answer), "stopReason") === "string", answer.text)
    })
  ),
  advisory("ERROR-001", "an error message is one line that says something", (agent) =>
    Effect.gen(function* () {
      const talk = yield* ready(agent)
      const answers = [
        yield* talk.request("no/such_method", {}),
        yield* talk.request("session/new", { cwd: 5, mcpServers: [] }),
        yield* talk.request("session/prompt", prompt("never-made", "x"))
      ]
      for (const { json, text } of answers) {
        const message = field(json, "error", "message")
        yield* must(typeof message === "string" && message.trim() !== "" && !/[\r\n]/.test(message), text)
      }
    })
  ),
  advisory("SHUTDOWN-001", "it exits by itself at the end of input", (agent) =>
    Effect.gen(function* () {
      const { process } = yield* basic(agent)
      yield* process.closeInput
      const exit = yield* Effect.timeoutOption(process.exit, agent.patience)
      yield* must(Option.isSome(exit) && exit.value !== null, "it is still running, or a signal ended it")
    })
  ),
  informational("STDERR-001", "what is on stderr after a turn", (agent) =>
    Effect.map(basic(agent), ({ process }) => process.stderr())
  ),
  informational("INFO-PARSE-001", "what a line that is not JSON is answered with", (agent) =>
    Effect.gen(function* () {
      const talk = yield* ready(agent)
      yield* talk.process.send('{"jsonrpc":"2.0","id":5,"method":')
      const answer = yield* talk.until("the broken line", 1, (json) => "error" in json)
      return `${errorCode(answer)}, id ${JSON.stringify(answer.json["id"])}`
    })
  ),
  informational("INFO-INVALIDREQ-001", "what an object that is no request is answered with", (agent) =>
    Effect.gen(function* () {
      const talk = yield* ready(agent)
      yield* talk.process.send('{"id":5,"foo":"bar"}')
      yield* talk.process.send('{"jsonrpc":"2.0","id":6,"method":42}')
      const answer = yield* talk.until("a method that is a number", 1, (json) => json["id"] === 6)
      return String(errorCode(answer))
    })
  ),
  informational("INFO-UNKNOWNSESSION-001", "what a prompt to an unknown session is answered with", (agent) =>
    Effect.gen(function* () {
      const talk = yield* ready(agent)
      const answer = yield* talk.request("session/prompt", prompt("never-made", "x"))
      return "error" in answer.json
        ? String(errorCode(answer))
        : yield* new Unmet({ message: `it was answered: ${answer.text}` })
    })
  )
]
