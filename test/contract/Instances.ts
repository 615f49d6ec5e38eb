// Values that a definition of the official schema allows, made from the definition itself.
import { FastCheck as fc } from "effect"
import { type Definition, isObject, type Json, type JsonObject, type Official } from "./Official.ts"

/** One value twice: with what the schema declares, and with fields of a later version of the protocol beside it. */
export interface Instance {
  readonly plain: Json
  readonly extended: Json
}

const same = (plain: Json): Instance => ({ plain, extended: plain })

const json: fc.Arbitrary<Json> = fc.json({ maxDepth: 2 }).map((text): Json => JSON.parse(text))
const key = fc.string({ maxLength: 8 }).filter((name) => name !== "__proto__")
const extras: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.string({ maxLength: 4 }).map((name) => `future ${name}`),
  json,
  { maxKeys: 2 }
)

const bounds: Readonly<Record<string, readonly [number, number]>> = {
  uint16: [0, 2 ** 16 - 1],
  uint32: [0, 2 ** 32 - 1],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint64: [0, Number.MAX_SAFE_INTEGER]
}

const integer = (schema: JsonObject): fc.Arbitrary<Json> => {
  const [min, max] = bounds[String(schema["format"])] ?? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]
  return fc.oneof(fc.constantFrom(min, max, 1), fc.integer({ min: Math.max(min, -1e9), max: Math.min(max, 1e9) }))
}

const ofType = (official: Official, schema: JsonObject, type: Json): fc.Arbitrary<Instance> => {
  switch (type) {
    case "string":
      return fc.string({ minLength: Number(schema["minLength"] ?? 0) }).map(same)
    case "integer":
      return integer(schema).map(same)
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map(same)
    case "boolean":
      return fc.boolean().map(same)
    case "null":
      return fc.constant(same(null))
    case "array":
      return fc.array(instances(official, schema["items"] ?? {}), { maxLength: 4 }).map((items) => ({
        plain: items.map(({ plain }) => plain),
        extended: items.map(({ extended }) => extended)
      }))
    case "object":
      return object(official, schema)
    default:
      throw new Error(`type ${JSON.stringify(type)}`)
  }
}

/** A map is the sender's own: nothing in it is from a later version. */
const object = (official: Official, schema: JsonObject): fc.Arbitrary<Instance> => {
  const { additionalProperties, properties, required } = schema
  if (!isObject(properties)) {
    if (additionalProperties === undefined || additionalProperties === true) {
      return fc.dictionary(key, json, { maxKeys: 3 }).map(same)
    }
    return fc
      .dictionary(key, instances(official, additionalProperties), { maxKeys: 3 })
      .map((members) => same(Object.fromEntries(Object.entries(members).map(([name, { plain }]) => [name, plain]))))
  }
  const names = Object.keys(properties)
  const model = Object.fromEntries(names.map((name) => [name, instances(official, properties[name] ?? {})]))
  const requiredKeys = names.filter((name) => Array.isArray(required) && required.includes(name))
  return fc.tuple(fc.record(model, { requiredKeys }), extras).map(([members, more]) => {
    const of = (which: keyof Instance) => Object.entries(members).map(([name, value]) => [name, value[which]])
    return { plain: Object.fromEntries(of("plain")), extended: { ...more, ...Object.fromEntries(of("extended")) } }
  })
}

const merge = (parts: ReadonlyArray<Instance>): Instance => {
  const all = (which: keyof Instance): Json =>
    Object.assign(
      {},
      ...parts.map((part) => {
        if (!isObject(part[which])) throw new Error("only objects have several parts")
        return part[which]
      })
    )
  return { plain: all("plain"), extended: all("extended") }
}

const list = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

/** What `not` excludes is left to a validator. */
export const instances = (official: Official, schema: Json): fc.Arbitrary<Instance> => {
  if (!isObject(schema)) return json.map(same)
  if (schema["const"] !== undefined) return fc.constant(same(schema["const"]))
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...schema["enum"]).map(same)
  if (typeof schema["$ref"] === "string") return instances(official, official.at(schema["$ref"].slice(1)))
  const types = Array.isArray(schema["type"]) ? schema["type"] : list([schema["type"] ?? []].flat())
  const choices = list(schema["anyOf"] ?? schema["oneOf"])
  const parts = [
    ...(types.length === 0 ? [] : [fc.oneof(...types.map((type) => ofType(official, schema, type)))]),
    ...list(schema["allOf"]).map((part) => instances(official, part)),
    ...(choices.length === 0 ? [] : [fc.oneof(...choices.map((choice) => instances(official, choice)))])
  ]
  const [only] = parts
  if (only === undefined) return json.map(same)
  return parts.length === 1 ? only : fc.tuple(...parts).map(merge)
}

export const instancesOf = ({ name, official }: Definition): fc.Arbitrary<Instance> =>
  instances(official, { $ref: `#/$defs/${name}` }).filter(({ plain }) => official.valid(`/$defs/${name}`, plain))
