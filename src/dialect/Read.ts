// Reading JSON values that may be anything: own members only, nothing is changed in place.
import { isRecord } from "../wire/JsonText.ts"

export type Params = Readonly<Record<string, unknown>>

/** Parameters as the contract reads them, and whether only a client of ZeroClaw's dialect sends them as they came. */
export interface Read {
  readonly params: unknown
  readonly sign: boolean
}

export const unchanged = (params: unknown): Read => ({ params, sign: false })

export const own = (value: unknown, key: string): unknown =>
  isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined

export const ownString = (value: unknown, key: string): string | undefined => {
  const member = own(value, key)
  return typeof member === "string" ? member : undefined
}

/** Absent and null are the same to every reader but `Object.hasOwn`. */
export const isAbsent = (value: unknown, key: string): boolean => {
  const member = own(value, key)
  return member === undefined || member === null
}

/** The first of the keys whose value is a string with something in it. */
export const firstText = (value: unknown, keys: ReadonlyArray<string>): string | undefined =>
  keys.map((key) => ownString(value, key)).find((text) => text !== undefined && text.trim() !== "")

/** `_meta.zeroclaw` of anything. */
export const zeroclawMeta = (value: unknown): unknown => own(own(value, "_meta"), "zeroclaw")

/** With members put into `_meta.zeroclaw`, beside what is there. */
export const withZeroclawMeta = (params: Params, members: Params): Params => {
  const meta = own(params, "_meta")
  const zeroclaw = own(meta, "zeroclaw")
  return {
    ...params,
    _meta: { ...(isRecord(meta) ? meta : {}), zeroclaw: { ...(isRecord(zeroclaw) ? zeroclaw : {}), ...members } }
  }
}
