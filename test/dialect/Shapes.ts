// JSON values that look like messages of either dialect, right and wrong, for properties.
import { FastCheck as fc } from "effect"
import { AgentNotifications, AgentRequests, DialectRequests } from "../../src/contract/AgentMethods.ts"
import { isRecord } from "../../src/wire/JsonText.ts"

export const json: fc.Arbitrary<unknown> = fc.json({ maxDepth: 3 }).map((text): unknown => JSON.parse(text))

export const method = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom(
      ...AgentRequests.requests.keys(),
      ...AgentNotifications.requests.keys(),
      ...DialectRequests.requests.keys(),
      "session/update"
    )
  },
  { weight: 1, arbitrary: fc.oneof(fc.string(), fc.constantFrom("constructor", "__proto__", "toString")) }
)

export const outgoing = fc.oneof(
  fc.constantFrom("session/new", "session/prompt", "session/update", "session/request_permission"),
  method
)

/** Every key that either dialect reads, and those that no object should be asked for. */
const keys = [
  ...["sessionId", "session_id", "cwd", "workspaceDir", "workspace_dir", "mcpServers", "agentAlias", "agent_alias"],
  ...["agent", "prompt", "type", "text", "resource", "blob", "uri", "update", "sessionUpdate", "protocolVersion"],
  ...["clientCapabilities", "elicitation", "capabilities", "info", "_meta", "zeroclaw", "defaultCwd", "storedCwd"],
  ...["toolCall", "kind", "options", "content", "newText", "rawOutput", "entries", "activeForm", "outcome"],
  ...["optionId", "replacementContent", "stopReason"]
]

const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    1,
    2,
    -1,
    "",
    " ",
    ".",
    "..",
    "/",
    "/project",
    "edit",
    "diff",
    "plan",
    "text"
  ),
  fc.constantFrom<unknown>("tool_call", "reject_once", "reject-with-edit", "content", "__proto__"),
  fc.string()
)

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: "medium" },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie("value"), { maxKeys: 6, noNullPrototype: true })
  )
}))

export const params: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 10, noNullPrototype: true })
  },
  { weight: 1, arbitrary: value },
  { weight: 1, arbitrary: json }
)

const prototypeKeys = ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString"]

/** Own members, as JSON.parse makes them; an empty object means something and stays empty. */
export const withPrototypeKeys = (value: unknown, hostile: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => withPrototypeKeys(item, hostile))
  if (!isRecord(value) || Object.keys(value).length === 0) return value
  const members = Object.entries(value).map(([key, member]) => [key, withPrototypeKeys(member, hostile)] as const)
  return Object.fromEntries([...prototypeKeys.map((key) => [key, hostile] as const), ...members])
}

export const withoutPrototypeKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutPrototypeKeys)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      prototypeKeys.includes(key) ? [] : [[key, withoutPrototypeKeys(member)] as const]
    )
  )
}
