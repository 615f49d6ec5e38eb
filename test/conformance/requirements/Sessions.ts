// Requirements on sessions: new, load, resume, list, delete, close, folders, modes, options. @see acp-v1 section 7.1
import { Effect } from "effect"
import { isRecord } from "../../support/OfficialSchema.ts"
import * as Conversation from "../Conversation.ts"
import { type Agent, advisory, capability, mandatory, must, needs } from "../Requirement.ts"
import { running } from "./Turns.ts"

const { able, errorCode, field, list, newSession, place, prompt, ready, result, updateKind } = Conversation

const sessionCapabilities = "sessionCapabilities"
const chunks = ["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"]

/** A session with one turn behind it, on an agent that can do what `path` names. */
const withTurn = (agent: Agent, ...path: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const talk = yield* able(agent, ...path)
    const sessionId = yield* newSession(talk, agent)
    yield* talk.request("session/prompt", prompt(sessionId, agent.prompts.short))
    yield* talk.quiet
    return { ...talk, before: talk.messages().length, sessionId }
  })

const load = (agent: Agent) =>
  Effect.gen(function* () {
    const talk = yield* withTurn(agent, "loadSession")
    const answer = yield* talk.request("session/load", { sessionId: talk.sessionId, ...place(agent) })
    return { ...talk, answer }
  })

const created = (agent: Agent, clientCapabilities: unknown = {}) =>
  Effect.gen(function* () {
    const talk = yield* ready(agent, clientCapabilities)
    const answer = yield* talk.request("session/new", place(agent))
    return { ...talk, answer, sessionId: yield* Conversation.opened(answer) }
  })

const deleted = (agent: Agent) =>
  Effect.gen(function* () {
    const talk = yield* able(agent, sessionCapabilities, "delete")
    const sessionId = yield* newSession(talk, agent)
    return { ...talk, sessionId, answer: yield* talk.request("session/delete", { sessionId }) }
  })

const modes = (agent: Agent) =>
  Effect.gen(function* () {
    const talk = yield* created(agent)
    const state = field(result(talk.answer), "modes")
    yield* needs(isRecord(state), "session/new gives no modes")
    const ids = list(field(state, "availableModes")).map((mode) => field(mode, "id"))
    return { ...talk, current: field(state, "currentModeId"), ids }
  })

const options = (agent: Agent, clientCapabilities: unknown = {}) =>
  Effect.gen(function* () {
    const talk = yield* created(agent, clientCapabilities)
    const all = field(result(talk.answer), "configOptions")
    yield* needs(Array.isArray(all) && all.length > 0, "session/new gives no config options")
    return { ...talk, all: list(all) }
  })

/** The values of a select, groups opened. */
const values = (option: unknown): ReadonlyArray<unknown> =>
  list(field(option, "options")).flatMap((entry) =>
    Array.isArray(field(entry, "options")) ? values(entry) : [field(entry, "value")]
  )

/** What an option can be set to other than what it is, with how that is sent. */
const another = (option: unknown): { readonly value: unknown; readonly type?: "boolean" } | undefined => {
  const current = field(option, "currentValue")
  if (field(option, "type") === "boolean") return { type: "boolean", value: current !== true }
  const value = values(option).find((one) => one !== current)
  return value === undefined ? undefined : { value }
}

export const requirements = [
  mandatory("SESSION-001", "an absolute folder and no MCP servers make a session with an id", (agent) =>
    Effect.gen(function* () {
      const talk = yield* created(agent)
      yield* Conversation.valid(talk, "open")
    })
  ),
  mandatory("SESSION-002", "two sessions have two ids", (agent) =>
    Effect.gen(function* () {
      const talk = yield* ready(agent)
      const ids = [yield* newSession(talk, agent), yield* newSession(talk, agent)]
      yield* must(ids[0] !== ids[1], `twice ${ids[0]}`)
    })
  ),
  capability("LOAD-001", "a session can be loaded; the answer fits the schema", (agent) =>
    Effect.gen(function* () {
      const talk = yield* load(agent)
      yield* must("result" in talk.answer.json, talk.answer.text)
      yield* Conversation.valid(talk, "open")
    })
  ),
  capability("LOAD-002", "all of a replay comes before the answer, nothing after it", (agent) =>
    Effect.gen(function* () {
      const talk = yield* load(agent)
      yield* talk.quiet
      const replay = talk.messages().slice(talk.before)
      const late = Conversation.updates(replay.filter(({ at }) => at > talk.answer.at))
      yield* must(late.length === 0, `after the answer: ${late[0]?.text.slice(0, 300)}`)
      const shown = replay.map(({ json }) => updateKind(json))
      yield* must(shown.includes("user_message_chunk"), "the replay has no word of the person's")
    })
  ),
  advisory("LOAD-003", "what load has nothing to say in is {}, not null", (agent) =>
    Effect.gen(function* () {
      const { answer } = yield* load(agent)
      yield* must(isRecord(result(answer)), answer.text)
    })
  ),
  capability("RESUME-001", "a session can be resumed, also without mcpServers", (agent) =>
    Effect.gen(function* () {
      const talk = yield* withTurn(agent, sessionCapabilities, "resume")
      const answer = yield* talk.request("session/resume", { sessionId: talk.sessionId, cwd: agent.cwd })
      yield* must("result" in answer.json, answer.text)
      yield* Conversation.valid(talk, "open")
    })
  ),
  capability("RESUME-002", "a resumed session is not shown again before the answer", (agent) =>
    Effect.gen(function* () {
      const talk = yield* withTurn(agent, sessionCapabilities, "resume")
      const answer = yield* talk.request("session/resume", { sessionId: talk.sessionId, ...place(agent) })
      const early = talk.messages().slice(talk.before, answer.at)
      const replayed = early.filter(({ json }) => chunks.includes(String(updateKind(json))))
      yield* must("result" in answer.json && replayed.length === 0, `${replayed[0]?.text ?? answer.text}`)
    })
  ),
  capability("LIST-001", "sessions can be listed without any params", (agent) =>
    Effect.gen(function* () {
      const talk = yield* able(agent, sessionCapabilities, "list")
      const sessionId = yield* newSession(talk, agent)
      const answer = yield* talk.request("session/list", {})
      const sessions = field(result(answer), "sessions")
      yield* must(Array.isArray(sessions), answer.text)
      yield* must(
        list(sessions).some((session) => field(session, "sessionId") === sessionId),
        "the session just made is missing"
      )
      yield* Conversation.valid(talk, "open")
    })
  ),
  capability("LIST-002", "a folder without sessions lists none, without an error", (agent) =>
    Effect.gen(function* () {
      const talk = yield* able(agent, sessionCapabilities, "list")
      const answer = yield* talk.request("session/list", { cwd: "/no/session/was/ever/here" })
      const sessions = field(result(answer), "sessions")
      yield* must(Array.isArray(sessions) && sessions.length === 0, answer.text)
    })
  ),
  capability("DELETE-001", "a session just made can be deleted", (agent) =>
    Effect.gen(function* () {
      const talk = yield* deleted(agent)
      yield* must(isRecord(result(talk.answer)), talk.answer.text)
      yield* Conversation.valid(talk, "open")
    })
  ),
  advisory("DELETE-002", "deleting again, or what never was, succeeds", (agent) =>
    Effect.gen(function* () {
      const talk = yield* deleted(agent)
      for (const sessionId of [talk.sessionId, "never-made"]) {
        const answer = yield* talk.request("session/delete", { sessionId })
        yield* must(isRecord(result(answer)), answer.text)
      }
    })
  ),
  capability("CLOSE-001", "an idle session can be closed", (agent) =>
    Effect.gen(function* () {
      const talk = yield* able(agent, sessionCapabilities, "close")
      const sessionId = yield* newSession(talk, agent)
      const answer = yield* talk.request("session/close", { sessionId })
      yield* must(isRecord(result(answer)), answer.text)
      yield* Conversation.valid(talk, "open")
    })
  ),
  capability("CLOSE-002", "a prompt whose session is closed ends as cancelled", (agent) =>
    Effect.gen(function* () {
      const talk = yield* running(agent)
      const can = talk.can(sessionCapabilities, "close")
      yield* needs(isRecord(can), "sessionCapabilities.close is not advertised")
      yield* talk.start("session/close", { sessionId: talk.sessionId })
      const answer = yield* talk.response(talk.id)
      yield* must(field(result(answer), "stopReason") === "cancelled", answer.text)
    })
  ),
  capability("ADDDIRS-001", "a session takes another absolute folder", (agent) =>
    Effect.gen(function* () {
      const talk = yield* able(agent, sessionCapabilities, "additionalDirectories")
      const answer = yield* talk.request("session/new", {
        ...place(agent),
        additionalDirectories: [agent.otherFolder]
      })
      yield* Conversation.opened(answer)
    })
  ),
  capability("MODES-001", "the current mode is one of those offered", (agent) =>
    Effect.gen(function* () {
      const { current, ids } = yield* modes(agent)
      yield* must(ids.includes(current), `${current} is not in ${ids.join(", ")}`)
    })
  ),
  capability("MODES-002", "another mode can be set; what is told of it has the schema's names", (agent) =>
    Effect.gen(function* () {
      const talk = yield* modes(agent)
      const other = talk.ids.find((id) => id !== talk.current)
      yield* needs(other !== undefined, "there is one mode only")
      const answer = yield* talk.request("session/set_mode", { sessionId: talk.sessionId, modeId: other })
      yield* must(isRecord(result(answer)), answer.text)
      yield* talk.quiet
      yield* Conversation.valid(talk, "open")
      const told = talk.messages().filter(({ json }) => updateKind(json) === "current_mode_update")
      for (const { json, text } of told) {
        yield* must(field(json, "params", "update", "currentModeId") === other, text)
      }
    })
  ),
  capability("CONFIG-001", "each config option has a value that fits its type", (agent) =>
    Effect.gen(function* () {
      const { all } = yield* options(agent, { session: { configOptions: { boolean: {} } } })
      for (const option of all) {
        const current = field(option, "currentValue")
        const fits =
          field(option, "type") === "boolean" ? typeof current === "boolean" : values(option).includes(current)
        yield* must(fits, JSON.stringify(option))
      }
    })
  ),
  capability("CONFIG-002", "setting an option gives all of them, with the new value", (agent) =>
    Effect.gen(function* () {
      const talk = yield* options(agent)
      const option = talk.all.find((one) => another(one) !== undefined)
      const wanted = another(option)
      yield* needs(wanted !== undefined, "no option has a second value")
      const configId = field(option, "id")
      const answer = yield* talk.request("session/set_config_option", {
        sessionId: talk.sessionId,
        configId,
        ...wanted
      })
      const now = list(field(result(answer), "configOptions"))
      for (const { id } of talk.all.filter(isRecord)) {
        const same = now.find((one) => field(one, "id") === id)
        yield* must(same !== undefined, `${id} is missing: ${answer.text.slice(0, 300)}`)
        if (id === configId) yield* must(field(same, "currentValue") === wanted?.value, answer.text.slice(0, 300))
      }
    })
  ),
  mandatory("CONFIG-003", "no boolean option for a client that does not know them", (agent) =>
    Effect.gen(function* () {
      const { answer } = yield* created(agent, {})
      const all = list(field(result(answer), "configOptions"))
      const boolean = all.find((option) => field(option, "type") === "boolean")
      yield* must(boolean === undefined && errorCode(answer) === undefined, JSON.stringify(boolean))
    })
  )
]
