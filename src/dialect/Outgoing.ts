// Results and updates with what ZeroClaw's clients read beside the protocol's members. Pure. @see acp-v1 section 6
import { NewSession, Prompt } from "../contract/AgentMethods.ts"
import { RequestPermission, Update } from "../contract/ClientMethods.ts"
import { isRecord } from "../wire/JsonText.ts"
import { own, ownString, type Params, zeroclawMeta } from "./Read.ts"
import * as RejectWithEdit from "./RejectWithEdit.ts"

/** Copied to the root from `_meta.zeroclaw`, where every client finds them. */
const rootKeys: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  [NewSession._tag, ["workspaceDir"]],
  [Prompt._tag, ["sessionId", "content"]]
])

const copied = (value: Params, keys: ReadonlyArray<string>): Params => {
  const meta = zeroclawMeta(value)
  const found = keys.flatMap((key) => {
    const text = ownString(meta, key)
    return text === undefined || Object.hasOwn(value, key) ? [] : [[key, text] as const]
  })
  return found.length === 0 ? value : { ...value, ...Object.fromEntries(found) }
}

export const result = (method: string, result: unknown): unknown =>
  isRecord(result) ? copied(result, rootKeys.get(method) ?? []) : result

/** What a tool had to say, as one text: what it gave as such, or the text blocks of its card. */
const body = (update: unknown): string | undefined => {
  const raw = ownString(update, "rawOutput")
  if (raw !== undefined) return raw
  const content = own(update, "content")
  const blocks: ReadonlyArray<unknown> = Array.isArray(content) ? content : []
  const texts = blocks.flatMap((block) => {
    const text = own(block, "type") === "content" ? ownString(own(block, "content"), "text") : undefined
    return text === undefined ? [] : [text]
  })
  return texts.length === 0 ? undefined : texts.join("\n")
}

const withBody = (update: Params): Params => {
  const text = body(update)
  return text === undefined ? update : { ...update, body: text }
}

const planEntry = (entry: unknown): unknown => (isRecord(entry) ? copied(entry, ["activeForm"]) : entry)

const update = (update: Params): Params => {
  switch (own(update, "sessionUpdate")) {
    case "tool_call":
    case "tool_call_update":
      return withBody(update)
    case "plan": {
      const entries = own(update, "entries")
      return Array.isArray(entries) ? { ...update, entries: entries.map(planEntry) } : update
    }
    default:
      return update
  }
}

export const params = (method: string, params: unknown): unknown => {
  switch (method) {
    case Update._tag: {
      const given = own(params, "update")
      return isRecord(params) && isRecord(given) ? { ...params, update: update(given) } : params
    }
    case RequestPermission._tag:
      return RejectWithEdit.offer(params)
    default:
      return params
  }
}

export const answer = (method: string, result: unknown): unknown =>
  method === RequestPermission._tag ? RejectWithEdit.accept(result) : result
