// Where the official schema marks how a bad value is to be read, found in a value that fits it.
import { isObject, type Json, type JsonObject, type Official } from "./Official.ts"

export type Path = ReadonlyArray<string | number>

export interface Mark {
  readonly kind: "default-on-error" | "skip-invalid-items" | "default-on-null"
  /** The property's schema. */
  readonly pointer: string
  readonly path: Path
  readonly required: boolean
  readonly schema: JsonObject
}

const kinds = ["default-on-error", "skip-invalid-items", "default-on-null"] as const

const escaped = (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1")

export const marks = (official: Official, pointer: string, value: Json, path: Path = []): ReadonlyArray<Mark> => {
  const schema = official.at(pointer)
  if (!isObject(schema)) return []
  const { $ref, allOf, items, properties, required } = schema
  const branches = (["anyOf", "oneOf"] as const).flatMap((word) => {
    const choices = schema[word]
    return Array.isArray(choices) ? choices.map((_, at) => `${pointer}/${word}/${at}`) : []
  })
  const members = isObject(properties) && isObject(value) ? Object.entries(properties) : []
  return [
    ...(typeof $ref === "string" ? marks(official, $ref.slice(1), value, path) : []),
    ...(Array.isArray(allOf) ? allOf.flatMap((_, at) => marks(official, `${pointer}/allOf/${at}`, value, path)) : []),
    ...branches
      .filter((branch) => official.valid(branch, value))
      .flatMap((branch) => marks(official, branch, value, path)),
    ...(items !== undefined && Array.isArray(value)
      ? value.flatMap((item: Json, at) => marks(official, `${pointer}/items`, item, [...path, at]))
      : []),
    ...members.flatMap(([key, property]) => {
      const member = isObject(value) ? value[key] : undefined
      const at = `${pointer}/properties/${escaped(key)}`
      if (member === undefined || !isObject(property)) return []
      const own = kinds
        .filter((kind) => property[`x-deserialize-${kind}`] === true)
        .map((kind) => ({
          kind,
          pointer: at,
          path: [...path, key],
          required: Array.isArray(required) && required.includes(key),
          schema: property
        }))
      return [...own, ...marks(official, at, member, [...path, key])]
    })
  ]
}

/** The value with another one at a path; undefined takes the member away. */
export const replace = (value: Json, path: Path, by: Json | undefined): Json => {
  const [key, ...rest] = path
  if (key === undefined) return by ?? null
  if (Array.isArray(value)) return value.map((item: Json, at) => (at === key ? replace(item, rest, by) : item))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      name !== key ? [[name, member]] : rest.length === 0 && by === undefined ? [] : [[name, replace(member, rest, by)]]
    )
  )
}

export const get = (value: Json, path: Path): Json | undefined =>
  path.reduce<Json | undefined>(
    (node, key) =>
      Array.isArray(node) ? node[Number(key)] : isObject(node) && typeof key === "string" ? node[key] : undefined,
    value
  )
