// Requirements on prompts, cancellation and what prompts may carry. @see acp-v1 section 7.1
import { Effect } from "effect"
import * as Conversation from "../Conversation.ts"
import { type Agent, advisory, capability, mandatory, must, needs } from "../Requirement.ts"

const { field, isUpdate, newSession, prompt, ready, result } = Conversation

const stopReasons = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
const stopReason = (answer: Conversation.Message) => field(result(answer), "stopReason")

const turn = (agent: Agent, text: string, ...more: ReadonlyArray<unknown>) =>
  Effect.gen(function* () {
    const talk = yield* ready(agent)
    const sessionId = yield* newSession(talk, agent)
    const answer = yield* talk.request("session/prompt", prompt(sessionId, text, ...more))
    return { ...talk, answer, sessionId }
  })

/** A turn that is running: something of it was seen, its answer not. */
export const running = (agent: Agent) =>
  Effect.gen(function* () {
    const talk = yield* ready(agent)
    const sessionId = yield* newSession(talk, agent)
    yield* talk.quiet
    const before = talk.messages().length
    const id = yield* talk.start("session/prompt", prompt(sessionId, agent.prompts.long))
    const seen = yield* talk.until("the running prompt", before, (json) => isUpdate(json) || json["id"] === id)
    yield* needs(isUpdate(seen.json), "the turn ended before it could be cancelled")
    return { ...talk, id, sessionId }
  })

const cancelled = (agent: Agent) =>
  Effect.gen(function* () {
    const talk = yield* running(agent)
    yield* talk.notify("session/cancel", { sessionId: talk.sessionId })
    return { ...talk, answer: yield* talk.response(talk.id) }
  })

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="

const accepts = (agent: Agent, kind: string, block: unknown) =>
  Effect.gen(function* () {
    const talk = yield* Conversation.able(agent, "promptCapabilities", kind)
    const sessionId = yield* newSession(talk, agent)
    const answer = yield* talk.request("session/prompt", prompt(sessionId, agent.prompts.short, block))
    yield* must(stopReasons.includes(String(stopReason(answer))), answer.text)
  })

export const requirements = [
  mandatory("PROMPT-001", "a prompt of text ends with a reason of the schema", (agent) =>
    Effect.gen(function* () {
      const { answer } = yield* turn(agent, agent.prompts.short)
      yield* must(stopReasons.includes(String(stopReason(answer))), answer.text)
    })
  ),
  mandatory("PROMPT-002", "each update of a turn fits the schema and names its session", (agent) =>
    Effect.gen(function* () {
      const talk = yield* turn(agent, agent.prompts.tools)
      yield* Conversation.valid(talk, "open")
      for (const { json, text } of Conversation.updates(talk.messages())) {
        yield* must(field(json, "params", "sessionId") === talk.sessionId, text.slice(0, 300))
      }
    })
  ),
  advisory("PROMPT-003", "a resource link is taken beside text", (agent) =>
    Effect.gen(function* () {
      const link = { type: "resource_link", uri: `file://${agent.cwd}/notes.md`, name: "notes.md" }
      const { answer } = yield* turn(agent, agent.prompts.short, link)
      yield* must(stopReasons.includes(String(stopReason(answer))), answer.text)
    })
  ),
  mandatory("CANCEL-001", "a prompt that is cancelled while it runs ends as cancelled", (agent) =>
    Effect.gen(function* () {
      const { answer } = yield* cancelled(agent)
      yield* must(stopReason(answer) === "cancelled", answer.text)
    })
  ),
  mandatory("CANCEL-002", "nothing of a cancelled turn comes after its answer", (agent) =>
    Effect.gen(function* () {
      const talk = yield* cancelled(agent)
      yield* talk.quiet
      const late = Conversation.updates(talk.messages().slice(talk.answer.at + 1))
      yield* must(late.length === 0, `after the answer: ${late[0]?.text.slice(0, 300)}`)
    })
  ),
  capability("PROMPTCAP-001", "images are taken where that is advertised", (agent) =>
    accepts(agent, "image", { type: "image", mimeType: "image/png", data: pixel })
  ),
  capability("PROMPTCAP-002", "sound is taken where that is advertised", (agent) =>
    accepts(agent, "audio", { type: "audio", mimeType: "audio/wav", data: silence })
  ),
  capability("PROMPTCAP-003", "embedded resources are taken where that is advertised", (agent) =>
    accepts(agent, "embeddedContext", {
      type: "resource",
      resource: { uri: "file:///notes.md", mimeType: "text/markdown", text: "# Notes" }
    })
  )
]
