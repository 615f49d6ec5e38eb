// What must hold of every conversation, whatever was asked: read off the lines alone, knowing nothing of the server.
// @see acp-v1 sections 1.1, 1.5 and 1.6
import * as OfficialSchema from "../support/OfficialSchema.ts"
import { answeredId, type Entry, idKey, type Meaning } from "./Wire.ts"

type Json = OfficialSchema.Json
type Asked = Extract<Meaning, { readonly _tag: "Request" }>

const { isRecord } = OfficialSchema

const textIn = (value: unknown, ...path: ReadonlyArray<string>): string => {
  const found = path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), value)
  return typeof found === "string" ? found : ""
}

const opens = ["session/new", "session/load", "session/resume", "session/fork"]
const ends = ["session/close", "session/delete"]
/** They may come at any time in the life of a session; all else belongs to a turn or to a replay. */
const ofSession = ["available_commands_update", "current_mode_update", "config_option_update", "session_info_update"]
const order = ["pending", "in_progress", "completed", "failed"]
const isTerminal = (status: string): boolean => status === "completed" || status === "failed"

interface Conversation {
  live: boolean
  /** Prompts and loads in flight: while there is one, the conversation may be told. */
  telling: number
  loading: number
  /** Statuses of the calls shown since it was opened last. */
  readonly calls: Map<string, string>
  /** What was shown live, and what the load in flight shows: chunks by message, calls by their last state. */
  shown: ReadonlyArray<readonly [key: string, text: string]>
  replayed: ReadonlyArray<readonly [key: string, text: string]>
  /** A load and a prompt were in flight together: it can't be told which of them an update belongs to. */
  mixed: boolean
  /** A fork has a past of its own, and a turn that was still running when it was read is not in it. */
  comparable: boolean
}

const merged = (
  shown: Conversation["shown"],
  key: string,
  text: string,
  joins: boolean
): ReadonlyArray<readonly [string, string]> => {
  const at = shown.findIndex(([known]) => known === key)
  const known = shown[at]
  return known === undefined ? [...shown, [key, text]] : shown.with(at, [key, joins ? known[1] + text : text])
}

/** The first thing that is wrong, as a sentence; undefined when all holds so far. `ended`: nothing more will come. */
export const complaint = (entries: ReadonlyArray<Entry>, ended = false): string | undefined => {
  let checker = OfficialSchema.make()
  const asked = new Map<string, ReadonlyArray<Asked>>()
  const malformed = new Map<string, ReadonlyArray<number>>()
  const sessions = new Map<string, Conversation>()
  const questions = new Map<string, { readonly sessionId: string; readonly id: string }>()
  let hungUp = false
  const everAsked = new Set<string>()

  const conversation = (id: string): Conversation => {
    const known = sessions.get(id)
    if (known !== undefined) return known
    const made: Conversation = {
      live: false,
      telling: 0,
      loading: 0,
      calls: new Map(),
      shown: [],
      replayed: [],
      mixed: false,
      comparable: true
    }
    sessions.set(id, made)
    return made
  }
  const tells = (method: string) => method === "session/prompt" || method === "session/load"

  const sent = (meaning: Meaning): string | undefined => {
    switch (meaning._tag) {
      case "Request": {
        const key = idKey(meaning.id)
        asked.set(key, [...(asked.get(key) ?? []), meaning])
        checker.sent(JSON.parse(meaning.id), meaning.method)
        if (meaning.sessionId === undefined) return undefined
        const session = conversation(meaning.sessionId)
        if (tells(meaning.method)) {
          if (session.telling > 0 && (session.loading > 0 || meaning.method === "session/load")) session.mixed = true
          session.telling++
        }
        if (meaning.method === "session/load") {
          session.loading++
          session.replayed = []
        }
        return undefined
      }
      case "Malformed": {
        const key = idKey(meaning.id)
        malformed.set(key, [...(malformed.get(key) ?? []), meaning.code])
        return undefined
      }
      case "Answer":
        questions.delete(meaning.id)
        return undefined
      case "Notification":
        return undefined
    }
  }

  const response = (text: string, raw: string, result: Json | undefined, code: number | undefined) => {
    const key = idKey(raw)
    const wanted = malformed.get(key) ?? []
    if (code !== undefined && wanted.includes(code)) {
      malformed.set(key, wanted.toSpliced(wanted.indexOf(code), 1))
      return undefined
    }
    const [request, ...rest] = asked.get(key) ?? []
    if (request === undefined) return `an answer that nobody waits for, or a second one: ${text}`
    asked.set(key, rest)
    const { method, sessionId } = request
    if (sessionId !== undefined) {
      const session = conversation(sessionId)
      if (tells(method)) session.telling--
      if (method === "session/load") session.loading--
      if (session.mixed && session.telling === 0) {
        session.mixed = false
        session.comparable = false
        session.calls.clear()
      }
      if (method === "session/prompt" && session.telling === 0 && !hungUp) {
        const open = [...questions.values()].find((question) => question.sessionId === sessionId)
        if (open !== undefined) return `the turn is over and the question ${open.id} is neither answered nor withdrawn`
      }
      if (result === undefined) return undefined
      if (method === "session/load" && session.comparable && session.telling === 0) {
        const [live, replay] = [session.shown, session.replayed].map((list) => JSON.stringify(list))
        if (live !== replay) return `a load shows ${replay}, live was ${live}`
      }
      if (ends.includes(method)) session.live = false
    }
    if (result !== undefined && opens.includes(method)) {
      const session = conversation(textIn(result, "sessionId") || (sessionId ?? ""))
      session.live = true
      if (method === "session/fork") session.comparable = false
    }
    return undefined
  }

  const update = (text: string, sessionId: string, update: Json): string | undefined => {
    const kind = textIn(update, "sessionUpdate")
    const session = conversation(sessionId)
    if (!session.live && session.telling === 0) return `an update of a session that is not open: ${text}`
    if (ofSession.includes(kind)) return undefined
    if (session.telling === 0) return `an update outside of a turn: ${text}`
    const note = (key: string, words: string, joins: boolean) => {
      if (session.loading > 0) session.replayed = merged(session.replayed, key, words, joins)
      else session.shown = merged(session.shown, key, words, joins)
    }
    if (kind === "agent_message_chunk") {
      note(`message ${textIn(update, "messageId")}`, textIn(update, "content", "text"), true)
    }
    if (session.mixed || (kind !== "tool_call" && kind !== "tool_call_update")) return undefined
    const id = textIn(update, "toolCallId")
    const before = session.loading > 0 ? undefined : session.calls.get(id)
    const status = textIn(update, "status") || (kind === "tool_call" ? "pending" : (before ?? ""))
    if (session.loading === 0) {
      if (kind === "tool_call" && before !== undefined) return `a second card for the call ${id}: ${text}`
      if (kind === "tool_call_update" && before === undefined) return `a call that has no card: ${text}`
      if (before !== undefined && isTerminal(before)) return `the call ${id} had ended: ${text}`
      if (before !== undefined && order.indexOf(status) < order.indexOf(before)) return `a status goes back: ${text}`
    }
    session.calls.set(id, status)
    if (isTerminal(status)) note(`call ${id}`, status, false)
    return undefined
  }

  const received = (text: string): string | undefined => {
    const raw = answeredId(text)
    const refusal = raw === undefined ? [] : (malformed.get(idKey(raw)) ?? [])
    // A refused line was no request, so no schema is known for its answer but that of errors.
    const frame = checker.received(text)
    switch (frame._tag) {
      case "Response":
        if (raw === undefined) return `a response without an id in its place: ${text}`
        // The checker took the newest request of this id for refused.
        if (frame.error !== undefined && refusal.includes(frame.error.code)) {
          const open = asked.get(idKey(raw))?.[0]
          if (open !== undefined) checker.sent(JSON.parse(raw), open.method)
        }
        return response(text, raw, frame.result, frame.error?.code)
      case "Request": {
        const id = JSON.stringify(frame.id)
        if (everAsked.has(id)) return `two questions with one id: ${text}`
        everAsked.add(id)
        const sessionId = textIn(frame.params, "sessionId")
        const call = textIn(frame.params, "toolCall", "toolCallId")
        const session = conversation(sessionId)
        if (session.telling === 0) return `a question outside of a turn: ${text}`
        if (!session.mixed && session.calls.get(call) !== "pending")
          return `a question about a call that does not wait for it: ${text}`
        questions.set(id, { sessionId, id })
        return undefined
      }
      case "Notification": {
        if (frame.method === "$/cancel_request") {
          questions.delete(JSON.stringify(frame.params["requestId"]))
          return undefined
        }
        const { sessionId, update: told } = frame.params
        return typeof sessionId === "string" && isRecord(told) ? update(text, sessionId, told) : undefined
      }
    }
  }

  const unanswered = (): string | undefined => {
    const [open] = [...asked.values()].flat()
    if (open !== undefined) return `${open.method} with the id ${open.id} was never answered`
    const wanted = [...malformed].find(([, codes]) => codes.length > 0)
    return wanted === undefined ? undefined : `a broken line was not answered (${wanted.join(": ")})`
  }

  for (const entry of entries) {
    if (entry._tag === "End") {
      const open = unanswered()
      if (open !== undefined) return open
      checker = OfficialSchema.make()
      hungUp = false
      everAsked.clear()
      questions.clear()
      for (const session of sessions.values()) {
        session.live = false
        session.calls.clear()
      }
      continue
    }
    if (entry._tag === "HungUp") {
      hungUp = true
      continue
    }
    try {
      const wrong = entry._tag === "Sent" ? sent(entry.meaning) : received(entry.text)
      if (wrong !== undefined) return wrong
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  return ended ? unanswered() : undefined
}

const clipped = (text: string): string => (text.length <= 300 ? text : `${text.slice(0, 300)}…`)

/** The conversation as a person reads it. */
export const transcript = (entries: ReadonlyArray<Entry>): string =>
  entries
    .map((entry) =>
      entry._tag === "End" || entry._tag === "HungUp"
        ? `-- ${entry._tag}`
        : `${entry._tag === "Sent" ? ">" : "<"} ${clipped(entry.text)}`
    )
    .join("\n")
