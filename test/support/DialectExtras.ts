// What ZeroClaw's dialect adds to the protocol, member by member: taken off a message before the official schema sees it.

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Without the member; throws where it is there and no string. */
const without = (value: Json, keys: ReadonlyArray<string>): Json => {
  for (const key of keys) {
    if (key in value && typeof value[key] !== "string")
      throw new Error(`${key} is not a string: ${JSON.stringify(value)}`)
  }
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)))
}

const each = (list: unknown, change: (item: Json) => Json): unknown =>
  Array.isArray(list) ? list.map((item) => (isRecord(item) ? change(item) : item)) : list

const update = (value: Json): Json => {
  const kind = value["sessionUpdate"]
  if (kind === "tool_call" || kind === "tool_call_update") return without(value, ["body"])
  return kind === "plan"
    ? { ...value, entries: each(value["entries"], (entry) => without(entry, ["activeForm"])) }
    : value
}

const permission = (params: Json): Json => {
  const { options, toolCall } = params
  if (!isRecord(toolCall) || toolCall["kind"] !== "edit") return params
  return {
    ...params,
    toolCall: without(toolCall, ["proposedEdit"]),
    options: each(options, (option) =>
      option["optionId"] === "reject-with-edit" && option["kind"] === "reject_with_edit"
        ? { ...option, kind: "reject_once" }
        : option
    )
  }
}

export const ofParams = (method: string, params: Json): Json => {
  if (method === "session/request_permission") return permission(params)
  return method === "session/update" && isRecord(params["update"])
    ? { ...params, update: update(params["update"]) }
    : params
}

export const ofResult = (method: string, result: unknown): unknown => {
  if (!isRecord(result)) return result
  if (method === "session/new") return without(result, ["workspaceDir"])
  return method === "session/prompt" ? without(result, ["sessionId", "content"]) : result
}

/** Results of methods that are the dialect's own, by member. Undefined: the protocol's method. */
export const ownResults: Readonly<Record<string, (result: Json) => boolean>> = {
  "session/stop": ({ sessionId, stopped }) => typeof sessionId === "string" && stopped === true,
  "session/event": ({ sessionId, status, type }) =>
    typeof sessionId === "string" && typeof type === "string" && status === "processed",
  "session/update": ({ sessionId, status, type }) =>
    typeof sessionId === "string" && typeof type === "string" && status === "processed"
}

export const ownNotifications: ReadonlyArray<string> = ["_zeroclaw/history_trimmed"]

/** ZeroClaw's codes for what the protocol says otherwise; none is ever seen by a client of the protocol. */
export const isLegacy = (code: number, data: unknown): boolean => {
  const name = isRecord(data) ? data["zeroclawCode"] : undefined
  if (code === -32000) return name !== undefined && name !== "AUTH_REQUIRED"
  if (code === -32002) return name === "SESSION_BUSY"
  return code === -32001 || code === -32003 || code === -32010 || code === -32011
}

/** Codes that only a client of the protocol reads. */
export const isCanonicalOnly = (code: number): boolean => code === -31001 || code === -31002
