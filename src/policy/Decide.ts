// From an action, a profile and what the path rules say to a decision with its reason. Pure. @see zeroclaw section 8.1
import type { Action, Decision } from "./Decision.ts"
import type { Verdict } from "./PathRules.ts"
import type { Profile } from "./SessionPolicy.ts"

/** An action with what is known about its path: where it really is, and what the rules say. */
export interface Judged {
  readonly action: Action
  /** Absent when the action has no path. */
  readonly place?: { readonly real: string; readonly verdict: Verdict }
}

const names = (list: ReadonlyArray<string>, tool: string): boolean => list.includes(tool) || list.includes("*")

const whyNotOffered = (profile: Profile, tool: string): string | undefined => {
  if (names(profile.excludedTools, tool)) {
    return `The tool ${tool} is switched off for this agent (excluded_tools). Do it another way.`
  }
  return profile.allowedTools.length > 0 && !names(profile.allowedTools, tool)
    ? `The tool ${tool} is not among the tools of this agent (allowed_tools). Do it another way.`
    : undefined
}

/** Whether the model is told of a tool at all. */
export const offers = (profile: Profile, tool: string): boolean => whyNotOffered(profile, tool) === undefined

/** What "always allow" is remembered by; absent where it can't be. */
export const grantKey = ({ action, place }: Judged): string | undefined => {
  switch (action._tag) {
    case "Execute":
      return JSON.stringify([action.tool, "run", action.command])
    case "Write":
      return place === undefined ? undefined : JSON.stringify([action.tool, "write", place.real])
    default:
      return undefined
  }
}

const covers = ({ action, place }: Judged): string | undefined => {
  switch (action._tag) {
    case "Execute":
      return "this exact command in this folder"
    case "Write":
      return place === undefined ? undefined : `${action.tool} on ${place.real}`
    default:
      return undefined
  }
}

const allow = (reason: string): Decision => ({ _tag: "Allow", reason })
const deny = (reason: string): Decision => ({ _tag: "Deny", reason })
const ask = (reason: string, always: string | undefined): Decision =>
  always === undefined ? { _tag: "Ask", reason } : { _tag: "Ask", reason, always }

const byLevel = (profile: Profile, judged: Judged): Decision => {
  const { action } = judged
  switch (action._tag) {
    case "Read":
    case "Search":
      return allow("Reading is allowed here.")
    case "Converse":
      return allow("It has no effect outside the conversation.")
    case "Write":
      return profile.level === "full"
        ? allow("The autonomy level is full.")
        : ask("Changing files needs your approval at the autonomy level supervised.", covers(judged))
    case "Fetch":
      return ask("What is asked of another computer can carry data away, so it needs your approval.", undefined)
    case "Execute":
      if (profile.level === "full" && !profile.blockHighRisk) {
        return allow("The autonomy level is full and block_high_risk_commands is off.")
      }
      return ask(
        profile.level === "full"
          ? "Commands need your approval: they run without a sandbox and block_high_risk_commands is on."
          : "Commands need your approval: they run without a sandbox.",
        covers(judged)
      )
  }
}

/** First what no answer can change, then `always_ask`, then what was approved before, then the level. */
export const decide = (profile: Profile, granted: (key: string) => boolean, judged: Judged): Decision => {
  const { action, place } = judged
  const { tool } = action
  const switchedOff = whyNotOffered(profile, tool)
  if (switchedOff !== undefined) return deny(switchedOff)
  if (place?.verdict._tag === "Refused") return deny(place.verdict.reason)
  if (profile.level === "readonly" && (action._tag === "Write" || action._tag === "Execute")) {
    return deny(
      action._tag === "Write"
        ? "This agent only reads (autonomy level readonly): files can't be changed. Say what you would change instead."
        : "This agent only reads (autonomy level readonly): commands can't be run. Say what you would run instead."
    )
  }
  if (names(profile.alwaysAsk, tool)) return ask(`Every use of ${tool} needs your approval (always_ask).`, undefined)
  if (names(profile.autoApprove, tool)) return allow(`Uses of ${tool} are approved in the profile (auto_approve).`)
  const key = grantKey(judged)
  if (key !== undefined && granted(key)) return allow("You allowed exactly this for the rest of the session.")
  return byLevel(profile, judged)
}
