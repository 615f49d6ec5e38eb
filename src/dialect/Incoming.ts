// What a client of either dialect sends, as the contract reads it. Pure and total. @see acp-v1 section 6
import {
  Cancel,
  ClientEvent,
  CloseSession,
  DeleteSession,
  ForkSession,
  Initialize,
  LoadSession,
  NewSession,
  Prompt,
  ResumeSession,
  SetConfigOption,
  SetMode,
  SetModel,
  SetTitle,
  StopSession
} from "../contract/AgentMethods.ts"
import type { DialectMode } from "../methods/Agreement.ts"
import { isRecord } from "../wire/JsonText.ts"
import * as Place from "./Place.ts"
import * as PromptParts from "./PromptParts.ts"
import { own, ownString, type Read, unchanged } from "./Read.ts"
import { clientUpdate, methods, sessionKey } from "./Signals.ts"
import * as Version from "./Version.ts"

export interface Speaking extends Place.Ground {
  readonly mode: DialectMode
}

export interface Incoming extends Read {
  /** The route's. */
  readonly method: string
}

const ofOneSession: ReadonlySet<string> = new Set(
  [
    LoadSession,
    ResumeSession,
    ForkSession,
    DeleteSession,
    CloseSession,
    SetTitle,
    SetMode,
    SetModel,
    SetConfigOption,
    Prompt,
    Cancel,
    StopSession,
    ClientEvent
  ].map(({ _tag }) => _tag)
)

/** Hidden by a good `sessionId`; one of another type does not hide it. */
const sessionId = (params: unknown): Read => {
  const alias = ownString(params, sessionKey)
  if (alias === undefined || !isRecord(params)) return unchanged(params)
  return {
    params: ownString(params, "sessionId") === undefined ? { ...params, sessionId: alias } : params,
    sign: true
  }
}

/** The event's type stands in one of two places; nothing else of it is read. */
const event = (params: unknown): Read => {
  if (!isRecord(params) || ownString(params, "type") !== undefined) return { params, sign: true }
  const type = ownString(own(params, "update"), "sessionUpdate")
  return { params: type === undefined ? params : { ...params, type }, sign: true }
}

const details = (method: string, params: unknown, speaking: Speaking): Read => {
  switch (method) {
    case Initialize._tag:
      return Version.read(params, speaking.spoken)
    case NewSession._tag:
      return Place.ofNew(params, speaking)
    case LoadSession._tag:
    case ResumeSession._tag:
      return Place.ofStored(method, params, speaking)
    case Prompt._tag:
      return PromptParts.read(params)
    case ClientEvent._tag:
      return event(params)
    default:
      return { params, sign: methods.has(method) }
  }
}

/** The same value comes back where nothing was to be changed. */
export const read = (speaking: Speaking, method: string, params: unknown): Incoming => {
  const v1 = method === Initialize._tag ? Version.fromV2(params) : params
  if (speaking.mode === "strict") return { method, params: v1, sign: false }
  const route = method === clientUpdate ? ClientEvent._tag : method
  const named = ofOneSession.has(route) ? sessionId(v1) : unchanged(v1)
  const detailed = details(route, named.params, { ...speaking, spoken: speaking.spoken || named.sign })
  return { method: route, params: detailed.params, sign: named.sign || detailed.sign }
}
