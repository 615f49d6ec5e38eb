// How full the model's context is after a reply, as the client is told. Pure.
import type { SessionUpdate } from "../contract/Update.ts"
import type { Usage } from "../model/Model.ts"

/** Tokens. `used` is at most `size`. @see acp-v1 section 1.5 */
export interface ContextUsage {
  readonly used: number
  readonly size: number
}

/** A count that is not one is unknown. */
const tokens = (count: number | undefined): number | undefined => {
  const whole = Math.round(count ?? -1)
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : undefined
}

/**
 * The next request holds this one and its reply. Undefined when a count or the size is not known; a request of no
 * tokens is one that was not counted.
 */
export const contextUsage = (
  { inputTokens, outputTokens }: Usage,
  contextWindow: number | undefined
): ContextUsage | undefined => {
  const input = tokens(inputTokens)
  const output = tokens(outputTokens)
  const size = tokens(contextWindow)
  return input === undefined || input === 0 || output === undefined || size === undefined || size === 0
    ? undefined
    : { used: Math.min(input + output, size), size }
}

export const same = (a: ContextUsage | undefined, b: ContextUsage | undefined): boolean =>
  a?.used === b?.used && a?.size === b?.size

export const toUpdate = ({ size, used }: ContextUsage): SessionUpdate => ({ sessionUpdate: "usage_update", used, size })
