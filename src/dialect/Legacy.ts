// ZeroClaw's error codes, by the names that errors carry in `data.zeroclawCode` in both dialects. @see zeroclaw section 4
import { Code } from "../contract/Errors.ts"
import type { ErrorObject } from "../wire/JsonRpc.ts"
import { ownString } from "./Read.ts"

const codes = {
  SESSION_NOT_FOUND: -32000,
  SESSION_LIMIT_REACHED: -32001,
  SESSION_BUSY: -32002,
  SESSION_NOT_OWNED: -32003,
  AUTH_REQUIRED: -32010
} as const

/** `VERSION_MISMATCH` is never raised: every version is answered with ours. */
export type LegacyName = keyof typeof codes

const byName: ReadonlyMap<string, number> = new Map(Object.entries(codes))

/** For errors without a name: left as they are, -32000 and -32002 would say something else in this dialect. */
const byCode: ReadonlyMap<number, LegacyName> = new Map([
  [Code.AuthRequired, "AUTH_REQUIRED"],
  [Code.ResourceNotFound, "SESSION_NOT_FOUND"],
  [Code.SessionBusy, "SESSION_BUSY"],
  [Code.SessionLimit, "SESSION_LIMIT_REACHED"]
])

/** Only the code changes. */
export const error = (error: ErrorObject): ErrorObject => {
  const name = ownString(error.data, "zeroclawCode") ?? byCode.get(error.code)
  const code = name === undefined ? undefined : byName.get(name)
  return code === undefined ? error : { ...error, code }
}
