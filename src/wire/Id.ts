// Request ids: kept as the JSON value they arrived as, so that the answer repeats it exactly.
import * as JsonText from "./JsonText.ts"

/** A number whose text a double cannot repeat, such as 9007199254740993 or -0. */
export interface RawNumber {
  readonly raw: string
}
export type Id = string | number | null | RawNumber

const int64 = (n: bigint): boolean => n >= -(2n ** 63n) && n < 2n ** 63n

/**
 * Reads the `id` member of a message, or another one that names an id: string, 64-bit integer or null.
 * Undefined when it is something else: such a message cannot be answered by id.
 *
 * @see acp-v1 section 1.1
 */
export const read = (value: unknown, text: string, where: ReadonlyArray<string> = ["id"]): Id | undefined => {
  if (value === null || typeof value === "string") return value
  if (typeof value !== "number" || !Number.isInteger(value)) return undefined
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return value
  const raw = JsonText.numberAt(text, where)
  return raw !== undefined && /^-?\d+$/.test(raw) && int64(BigInt(raw)) ? { raw } : undefined
}

export const encode = (id: Id): string =>
  typeof id === "object" && id !== null ? id.raw : typeof id === "string" ? JsonText.stringify(id) : String(id)

/** Equal keys for equal ids: `2` and `"2"` differ, `0` and `-0` do not. */
export const key = (id: Id): string => {
  if (typeof id === "string") return `s${id}`
  if (typeof id === "object" && id !== null) return `n${BigInt(id.raw)}`
  return `n${id}`
}
