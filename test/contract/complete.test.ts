// Nothing of the official stable schema is missing here by oversight: each part is known, or named as unused with why.
import { assert, describe, it } from "@effect/vitest"
import { AgentNotifications, AgentRequests, StopReason } from "../../src/contract/AgentMethods.ts"
import { ClientNotifications, ClientRequests, PermissionOption } from "../../src/contract/ClientMethods.ts"
import { ContentBlock } from "../../src/contract/Content.ts"
import { Code } from "../../src/contract/Errors.ts"
import { ToolCallContent, ToolCallStatus, ToolKind } from "../../src/contract/ToolCall.ts"
import { SessionUpdate } from "../../src/contract/Update.ts"
import { isObject, type Json, stable } from "./Official.ts"

/** `kind side method` of every method of the schema. */
const methods = Object.entries(stable.schema["$defs"] ?? {}).flatMap(([name, def]) => {
  const kind = /(Request|Notification)$/.exec(name)?.[1]
  return isObject(def) && typeof def["x-method"] === "string" && kind !== undefined
    ? [`${kind} ${def["x-side"]} ${def["x-method"]}`]
    : []
})

/** The constants that a definition lists, by their own or as the value of a property of each variant. */
const constants = (name: string, property?: string): ReadonlyArray<Json> => {
  const def = stable.at(`/$defs/${name}`)
  const choices = isObject(def) ? (def["oneOf"] ?? def["anyOf"]) : undefined
  if (!Array.isArray(choices)) throw new Error(`${name} lists nothing`)
  return choices.flatMap((choice: Json) => {
    const properties = isObject(choice) ? choice["properties"] : undefined
    const node = property === undefined ? choice : isObject(properties) ? properties[property] : undefined
    return isObject(node) && node["const"] !== undefined ? [node["const"]] : []
  })
}

const sorted = (values: Iterable<unknown>) => [...values].sort()

describe("the contract is complete", () => {
  it("knows every method of the stable schema, on its side", () => {
    const ours = [
      ...[...AgentRequests.requests.keys()].map((method) => `Request agent ${method}`),
      ...[...AgentNotifications.requests.keys()].map((method) => `Notification agent ${method}`),
      ...[...ClientRequests.requests.keys()].map((method) => `Request client ${method}`),
      ...[...ClientNotifications.requests.keys()].map((method) => `Notification client ${method}`)
    ]
    const beside = [
      // Of JSON-RPC itself: the peer reads and writes it, for requests of either side.
      "Notification protocol $/cancel_request"
    ]
    const unstable = [
      "Request agent session/fork",
      "Request agent session/set_title",
      // Of clients from before the config option `model`; in no schema any more.
      "Request agent session/set_model"
    ]
    assert.isAbove(methods.length, 20)
    assert.deepStrictEqual(sorted([...ours, ...beside]), sorted([...methods, ...unstable]))
  })

  it("knows every session update", () => {
    const ours = SessionUpdate.members.map(({ fields }) => fields.sessionUpdate.literals[0])
    assert.deepStrictEqual(sorted(ours), sorted(constants("SessionUpdate", "sessionUpdate")))
  })

  it("knows every content block and tool call content", () => {
    const blocks = ContentBlock.members.map(({ fields }) => fields.type.literals[0])
    assert.deepStrictEqual(sorted(blocks), sorted(constants("ContentBlock", "type")))
    const content = ToolCallContent.members.map(({ fields }) => fields.type.literals[0])
    assert.deepStrictEqual(sorted(content), sorted(constants("ToolCallContent", "type")))
  })

  it.each([
    ["StopReason", StopReason.literals],
    ["ToolKind", ToolKind.literals],
    ["ToolCallStatus", ToolCallStatus.literals],
    ["PermissionOptionKind", PermissionOption.fields.kind.literals]
  ] as const)("knows every %s", (name, literals) => {
    assert.deepStrictEqual(sorted(literals), sorted(constants(name)))
  })

  it("knows every error code, and its own are outside the reserved ranges", () => {
    const reserved = (code: number) => (code >= -32768 && code <= -32000) || (code >= -32899 && code <= -32800)
    const official = constants("ErrorCode")
    const ours = Object.values(Code)
    assert.deepStrictEqual(sorted(ours.filter((code) => official.includes(code))), sorted(official))
    assert.deepStrictEqual(
      ours.filter((code) => !official.includes(code) && reserved(code)),
      []
    )
  })
})
