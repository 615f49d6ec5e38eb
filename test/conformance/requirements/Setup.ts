// Requirements on initialize, authentication and what is advertised. @see acp-v1 section 7.1
import { Effect } from "effect"
import * as Conversation from "../Conversation.ts"
import { type Agent, advisory, capability, mandatory, must, needs } from "../Requirement.ts"

const { begin, errorCode, field, list, newSession, place, prompt, ready, result } = Conversation

const version = (agent: Agent, params: unknown) =>
  Effect.gen(function* () {
    const talk = yield* begin(agent)
    const answer = yield* talk.request("initialize", params)
    return { answer, talk, version: field(result(answer), "protocolVersion") }
  })

const methods = (agreed: unknown) => list(field(agreed, "authMethods"))

/** A turn that uses tools, with a client that can do nothing: none of these may be called. */
const neverCalled = (agent: Agent, calls: RegExp) =>
  Effect.gen(function* () {
    const talk = yield* ready(agent, {})
    const sessionId = yield* newSession(talk, agent)
    yield* talk.request("session/prompt", prompt(sessionId, agent.prompts.tools))
    const called = talk.messages().find(({ json }) => calls.test(String(json["method"])))
    yield* must(called === undefined, `called: ${called?.text.slice(0, 300)}`)
    const used = talk.messages().some(({ json }) => Conversation.updateKind(json) === "tool_call")
    yield* needs(used, "the prompt made the agent use no tool")
  })

export const requirements = [
  mandatory("INIT-001", "initialize gives a result of the schema's shape", (agent) =>
    Effect.gen(function* () {
      const { answer, talk, version: got } = yield* version(agent, { protocolVersion: 1, clientCapabilities: {} })
      yield* must(Number.isInteger(got), answer.text)
      yield* Conversation.valid(talk, "open")
    })
  ),
  mandatory("INIT-002", "asked for version 1 it answers 1", (agent) =>
    Effect.gen(function* () {
      const { answer, version: got } = yield* version(agent, { protocolVersion: 1 })
      yield* must(got === 1, answer.text)
    })
  ),
  mandatory("INIT-003", "asked for a version that nobody has it answers its own latest", (agent) =>
    Effect.gen(function* () {
      const own = yield* version(agent, { protocolVersion: 1 })
      const future = yield* version(agent, {
        protocolVersion: 65535,
        clientCapabilities: {},
        info: { name: "probe", version: "1" }
      })
      yield* must(Number.isInteger(future.version) && future.version !== 65535, future.answer.text)
      yield* must(future.version === own.version, `${future.version} is not ${own.version}`)
    })
  ),
  advisory("INIT-004", "it says its name and version", (agent) =>
    Effect.gen(function* () {
      const { agreed } = yield* ready(agent)
      for (const key of ["name", "version"]) {
        const value = field(agreed, "agentInfo", key)
        yield* must(typeof value === "string" && value !== "", `agentInfo.${key} is missing`)
      }
    })
  ),
  advisory("AUTH-001", "the ids of the sign-in methods differ", (agent) =>
    Effect.gen(function* () {
      const ids = methods((yield* ready(agent)).agreed).map((method) => field(method, "id"))
      yield* must(new Set(ids).size === ids.length, ids.join(", "))
    })
  ),
  mandatory("AUTH-002", "no terminal sign-in is offered to a client without a terminal for it", (agent) =>
    Effect.gen(function* () {
      for (const capabilities of [{}, { auth: { terminal: false } }, { auth: null }]) {
        const { agreed } = yield* ready(agent, capabilities)
        const terminal = methods(agreed).filter((method) => field(method, "type") === "terminal")
        yield* must(terminal.length === 0, JSON.stringify(terminal))
      }
    })
  ),
  capability("AUTH-003", "after a sign-in session/new does not ask for one", (agent) =>
    Effect.gen(function* () {
      const talk = yield* ready(agent)
      const own = methods(talk.agreed).find((method) => field(method, "type") === undefined)
      yield* needs(own !== undefined, "no sign-in method of the agent's own")
      const signedIn = yield* talk.request("authenticate", { methodId: field(own, "id") })
      yield* needs("result" in signedIn.json, `authenticate failed: ${signedIn.text}`)
      const answer = yield* talk.request("session/new", place(agent))
      yield* must(errorCode(answer) !== -32000, answer.text)
    })
  ),
  capability("AUTH-004", "logout gives an object", (agent) =>
    Effect.gen(function* () {
      const talk = yield* Conversation.able(agent, "auth", "logout")
      yield* needs(agent.allowLogout, "signing out is not allowed here")
      yield* talk.request("logout", {})
      yield* Conversation.valid(talk, "open")
      const answer = talk.messages().at(-1)
      yield* must(answer !== undefined && "result" in answer.json, `${answer?.text}`)
    })
  ),
  advisory("AUTH-005", "without sign-in methods nothing asks for a sign-in", (agent) =>
    Effect.gen(function* () {
      const talk = yield* ready(agent)
      yield* needs(methods(talk.agreed).length === 0, "sign-in methods are offered")
      const answer = yield* talk.request("session/new", place(agent))
      yield* must(errorCode(answer) !== -32000, answer.text)
    })
  ),
  mandatory("CLIENTCAP-001", "the client's files are left alone unless it offers them", (agent) =>
    neverCalled(agent, /^fs\//)
  ),
  mandatory("CLIENTCAP-002", "the client's terminal is left alone unless it offers it", (agent) =>
    neverCalled(agent, /^terminal\//)
  ),
  mandatory("CLIENTCAP-003", "the person is asked nothing by form unless the client offers it", (agent) =>
    neverCalled(agent, /^elicitation\//)
  )
]
