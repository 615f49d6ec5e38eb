// The definitions of the official JSON schema, stable and unstable, each with its validator.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"

export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const integer = (min: number, max: number) => ({
  type: "number" as const,
  validate: (value: number) => Number.isInteger(value) && value >= min && value <= max
})

const formats = {
  uint16: integer(0, 2 ** 16 - 1),
  uint32: integer(0, 2 ** 32 - 1),
  uint64: integer(0, 2 ** 64),
  int32: integer(-(2 ** 31), 2 ** 31 - 1),
  int64: integer(-(2 ** 63), 2 ** 63),
  double: { type: "number" as const, validate: Number.isFinite },
  uri: true as const
}

export interface Official {
  readonly schema: JsonObject
  /** The schema at a JSON pointer such as `/$defs/Plan/properties/entries`. */
  readonly at: (pointer: string) => Json
  readonly valid: (pointer: string, value: unknown) => boolean
  /** What is wrong with a value, root keys that the definition does not declare included. */
  readonly complaints: (name: string, value: unknown) => ReadonlyArray<string>
  /** The definition of a method's params or result. */
  readonly find: (method: string, side: Side, suffix: Suffix) => string | undefined
}

export type Side = "agent" | "client" | "protocol"
export type Suffix = "Request" | "Response" | "Notification"

/** No root key outside the definition; each update variant is a root of its own. */
const closed = (name: string, def: Json): Json => {
  if (!isObject(def)) return def
  if (name !== "SessionUpdate" || !Array.isArray(def["oneOf"])) return def
  return { ...def, oneOf: def["oneOf"].map((variant) => ({ ...variant, unevaluatedProperties: false })) }
}

const load = (file: string): Official => {
  const text = readFileSync(
    createRequire(import.meta.url).resolve(`@agentclientprotocol/sdk/schema/v1/${file}`),
    "utf8"
  )
  const schema: JsonObject = JSON.parse(text)
  const defs = isObject(schema["$defs"]) ? schema["$defs"] : {}
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats })
  const entries = Object.entries(defs)
  ajv.addSchema({ $id: "open", $defs: defs })
  ajv.addSchema({ $id: "closed", $defs: Object.fromEntries(entries.map(([name, def]) => [name, closed(name, def)])) })
  const validators = new Map<string, ValidateFunction>()
  const validator = (ref: string, more: JsonObject = {}): ValidateFunction => {
    const known = validators.get(ref)
    if (known) return known
    const made = ajv.compile({ $ref: ref, ...more })
    validators.set(ref, made)
    return made
  }
  return {
    schema,
    at: (pointer) =>
      pointer
        .split("/")
        .slice(1)
        .reduce<Json>((node, key) => {
          const next = Array.isArray(node) ? node[Number(key)] : isObject(node) ? node[key] : undefined
          if (next === undefined) throw new Error(`nothing at ${pointer}`)
          return next
        }, schema),
    valid: (pointer, value) => validator(`open#${pointer}`)(value) === true,
    complaints: (name, value) => {
      const validate = validator(`closed#/$defs/${name}`, { unevaluatedProperties: false })
      return validate(value)
        ? []
        : (validate.errors ?? []).map((it) => `${it.instancePath} ${it.message} ${JSON.stringify(it.params)}`)
    },
    find: (method, side, suffix) =>
      entries.find(
        ([name, def]) => isObject(def) && def["x-method"] === method && def["x-side"] === side && name.endsWith(suffix)
      )?.[0]
  }
}

export const stable: Official = load("schema.json")
export const unstable: Official = load("schema.unstable.json")

export interface Definition {
  readonly official: Official
  readonly name: string
}

/** In the stable schema, else in the unstable one. */
export const definition = (method: string, side: Side, suffix: Suffix): Definition | undefined => {
  for (const official of [stable, unstable]) {
    const name = official.find(method, side, suffix)
    if (name !== undefined) return { official, name }
  }
  return undefined
}
