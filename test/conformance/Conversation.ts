// A plain client for the checks: asks, waits with patience, answers questions, remembers every message.
import { Effect, Option, type Scope } from "effect"
import * as OfficialSchema from "../support/OfficialSchema.ts"
import { isRecord, type Json } from "../support/OfficialSchema.ts"
import type { Process } from "./Process.ts"
import { type Agent, must, needs, Unmet } from "./Requirement.ts"

export type Id = string | number

export interface Message {
  /** Which line of the output it was. */
  readonly at: number
  readonly text: string
  readonly json: Json
}

export interface Sent {
  readonly id: Id
  readonly method: string
}

export interface Conversation {
  readonly process: Process
  /** Requests sent, in order. */
  readonly sent: ReadonlyArray<Sent>
  readonly start: (method: string, params: unknown, id?: Id) => Effect.Effect<Id>
  readonly notify: (method: string, params: unknown) => Effect.Effect<void>
  readonly response: (id: Id) => Effect.Effect<Message, Unmet>
  readonly request: (method: string, params: unknown, id?: Id) => Effect.Effect<Message, Unmet>
  /** The first message from line `from` on that fits. */
  readonly until: (what: string, from: number, fits: (json: Json) => boolean) => Effect.Effect<Message, Unmet>
  readonly messages: () => ReadonlyArray<Message>
  /** What arrives within the quiet period. */
  readonly quiet: Effect.Effect<ReadonlyArray<Message>>
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8")

/** An empty object stands for what is none. */
const parse = (text: string): Json => {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

export const field = (json: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), json)

export const result = ({ json }: Message): unknown => json["result"]
export const errorCode = ({ json }: Message): unknown => field(json, "error", "code")
export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const isResponseTo = (id: unknown) => (json: Json) => !("method" in json) && "id" in json && json["id"] === id
export const isUpdate = (json: Json): boolean => json["method"] === "session/update"
export const updateKind = (json: Json): unknown => field(json, "params", "update", "sessionUpdate")

/** Yes to every permission question, once; nothing else is offered. */
const answerTo = (question: Json): Json => {
  if (question["method"] !== "session/request_permission") return { error: { code: -32601, message: "Not offered" } }
  const options = list(field(question, "params", "options"))
  const yes = options.find((option) => field(option, "kind") === "allow_once") ?? options[0]
  return { result: { outcome: { outcome: "selected", optionId: field(yes, "optionId") } } }
}

export const begin = (agent: Agent): Effect.Effect<Conversation, never, Scope.Scope> =>
  Effect.gen(function* () {
    const process = yield* agent.start
    const sent: Array<Sent> = []
    let sequence = 0
    const message = (at: number, bytes: Uint8Array): Message => {
      const text = textOf(bytes)
      return { at, text, json: parse(text) }
    }
    const listen = (at: number): Effect.Effect<void> =>
      Effect.flatMap(
        process.line(at),
        Option.match({
          onNone: () => Effect.void,
          onSome: ({ bytes }) => {
            const { json } = message(at, bytes)
            const isQuestion = "method" in json && "id" in json
            return Effect.zipRight(
              isQuestion
                ? process.send(JSON.stringify({ jsonrpc: "2.0", id: json["id"], ...answerTo(json) }))
                : Effect.void,
              listen(at + 1)
            )
          }
        })
      )
    yield* Effect.forkScoped(listen(0))

    const search = (what: string, at: number, fits: (json: Json) => boolean): Effect.Effect<Message, Unmet> =>
      Effect.flatMap(
        process.line(at),
        Option.match({
          onNone: () => new Unmet({ message: `the output ended before ${what}` }),
          onSome: ({ bytes }) => {
            const found = message(at, bytes)
            return fits(found.json) ? Effect.succeed(found) : search(what, at + 1, fits)
          }
        })
      )
    const until: Conversation["until"] = (what, from, fits) =>
      search(what, from, fits).pipe(
        Effect.timeoutFail({
          duration: agent.patience,
          onTimeout: () => new Unmet({ message: `nothing came of ${what}` })
        })
      )
    const start: Conversation["start"] = (method, params, id = ++sequence) =>
      Effect.suspend(() => {
        sent.push({ id, method })
        return Effect.as(process.send(JSON.stringify({ jsonrpc: "2.0", id, method, params })), id)
      })
    const response: Conversation["response"] = (id) =>
      until(`the answer to ${sent.find((one) => one.id === id)?.method} (id ${id})`, 0, isResponseTo(id))
    const messages = () => process.lines().map(({ bytes }, at) => message(at, bytes))
    return {
      process,
      sent,
      start,
      response,
      until,
      messages,
      notify: (method, params) => process.send(JSON.stringify({ jsonrpc: "2.0", method, params })),
      request: (method, params, id) => Effect.flatMap(start(method, params, id), response),
      quiet: Effect.suspend(() => {
        const before = process.lines().length
        return Effect.map(Effect.sleep(agent.quiet), () => messages().slice(before))
      })
    }
  })

export interface Ready extends Conversation {
  /** The result of initialize. */
  readonly agreed: unknown
  readonly can: (...path: ReadonlyArray<string>) => unknown
}

/** Initialized with the given client capabilities. */
export const ready = (agent: Agent, clientCapabilities: unknown = {}): Effect.Effect<Ready, Unmet, Scope.Scope> =>
  Effect.gen(function* () {
    const talk = yield* begin(agent)
    const agreed = result(yield* talk.request("initialize", { protocolVersion: 1, clientCapabilities }))
    yield* must(isRecord(agreed), "initialize failed")
    return { ...talk, agreed, can: (...path) => field(agreed, "agentCapabilities", ...path) }
  })

/** Ready, and able to do what `path` names. */
export const able = (agent: Agent, ...path: ReadonlyArray<string>) =>
  Effect.tap(ready(agent), ({ can }) => {
    const value = can(...path)
    return needs(value === true || isRecord(value), `${path.join(".")} is not advertised`)
  })

export const place = (agent: Agent) => ({ cwd: agent.cwd, mcpServers: [] })

export const opened = (message: Message): Effect.Effect<string, Unmet> => {
  const id = field(message.json, "result", "sessionId")
  return typeof id === "string" && id !== ""
    ? Effect.succeed(id)
    : new Unmet({ message: `session/new gave no session: ${message.text.slice(0, 300)}` })
}

export const newSession = (talk: Conversation, agent: Agent): Effect.Effect<string, Unmet> =>
  Effect.flatMap(talk.request("session/new", place(agent)), opened)

export const prompt = (sessionId: string, text: string, ...more: ReadonlyArray<unknown>) => ({
  sessionId,
  prompt: [{ type: "text", text }, ...more]
})

/** The session updates among the messages. */
export const updates = (messages: ReadonlyArray<Message>) => messages.filter(({ json }) => isUpdate(json))

/** Checks every line of a conversation against the official schema. */
export const valid = (talk: Conversation, roots: OfficialSchema.Roots): Effect.Effect<void, Unmet> =>
  Effect.suspend(() => {
    const checker = OfficialSchema.make({ roots })
    for (const { id, method } of talk.sent) checker.sent(id, method)
    return Effect.try({
      try: () => {
        for (const { text } of talk.messages()) checker.received(text)
      },
      catch: (error) => new Unmet({ message: error instanceof Error ? error.message : String(error) })
    })
  })
