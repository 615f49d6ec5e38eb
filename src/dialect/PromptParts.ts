// Prompts of ZeroClaw's clients: a string, or parts without a type. @see zeroclaw section 5.3
import { isRecord } from "../wire/JsonText.ts"
import { isAbsent, own, ownString, type Read, unchanged } from "./Read.ts"

/** In ZeroClaw's order: a text before a resource. Undefined: not a part that it reads. */
const typed = (part: unknown): unknown => {
  if (!isRecord(part) || !isAbsent(part, "type")) return undefined
  if (ownString(part, "text") !== undefined) return { ...part, type: "text" }
  const resource = own(part, "resource")
  if (!isRecord(resource)) return undefined
  if (ownString(resource, "text") === undefined && ownString(resource, "blob") === undefined) return undefined
  // ZeroClaw needs no name for what is attached; the contract does.
  const named = ownString(resource, "uri") === undefined ? { ...resource, uri: "" } : resource
  return { ...part, type: "resource", resource: named }
}

/** Parts that are neither typed nor known stay as they are: the contract refuses them. */
export const read = (params: unknown): Read => {
  const prompt = own(params, "prompt")
  if (!isRecord(params)) return unchanged(params)
  if (typeof prompt === "string") {
    return { params: { ...params, prompt: [{ type: "text", text: prompt }] }, sign: true }
  }
  if (!Array.isArray(prompt)) return unchanged(params)
  const parts: ReadonlyArray<unknown> = prompt
  const read = parts.map(typed)
  return read.every((part) => part === undefined)
    ? unchanged(params)
    : { params: { ...params, prompt: parts.map((part, at) => read[at] ?? part) }, sign: true }
}
