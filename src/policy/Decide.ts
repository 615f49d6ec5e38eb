// From an action, a profile and what the rules say to a decision with its reason. Pure. @see zeroclaw section 8.1

import { grantKeys as commandKeys, decideCommand, type JudgedCommand } from "./DecideCommand.ts"
import { type Action, allow, ask, type Decision, deny } from "./Decision.ts"
import type { Verdict } from "./PathRules.ts"
import type { Profile } from "./SessionPolicy.ts"

type With<Tag extends Action["_tag"]> = Extract<Action, { readonly _tag: Tag }>
export type PathAction = With<"Read" | "Search" | "Write">

/** Where an action's path really is, and what the rules say. */
export interface JudgedPlace {
  readonly real: string
  readonly verdict: Verdict
}

/** What an address names, or why it may not be fetched. */
export type JudgedAddress = { readonly host: string } | { readonly refused: string }

/** An action with what is known about it. */
export type Judged =
  | { readonly action: PathAction; readonly place: JudgedPlace }
  | { readonly action: With<"Execute">; readonly command: JudgedCommand }
  | { readonly action: With<"Fetch">; readonly address: JudgedAddress }
  | { readonly action: With<"Converse"> }

const names = (list: ReadonlyArray<string>, tool: string): boolean => list.includes(tool) || list.includes("*")

/** Sessions of editors have no memory of their own: no such tool, whoever brings it and whatever the profile lists. */
const memoryTools: ReadonlyArray<string> = [
  "memory_recall",
  "memory_store",
  "memory_forget",
  "memory_export",
  "memory_purge"
]

const whyNotOffered = (profile: Profile, tool: string): string | undefined => {
  if (memoryTools.includes(tool))
    return `There is no ${tool} in this session. Write down in a file what should be kept.`
  if (names(profile.excludedTools, tool)) {
    return `The tool ${tool} is switched off for this agent (excluded_tools). Do it another way.`
  }
  return profile.allowedTools.length > 0 && !names(profile.allowedTools, tool)
    ? `The tool ${tool} is not among the tools of this agent (allowed_tools). Do it another way.`
    : undefined
}

/** Whether the model is told of a tool at all. */
export const offers = (profile: Profile, tool: string): boolean => whyNotOffered(profile, tool) === undefined

const hostOf = (address: JudgedAddress): string | undefined => ("host" in address ? address.host : undefined)

/** What "always allow" is remembered by, all of it together; empty where it can't be. */
export const grantKeys = (judged: Judged): ReadonlyArray<string> => {
  const { tool } = judged.action
  if ("command" in judged) return commandKeys(judged.action, judged.command)
  if ("address" in judged) {
    const host = hostOf(judged.address)
    return host === undefined ? [] : [JSON.stringify([tool, "host", host])]
  }
  return "place" in judged && judged.action._tag === "Write" ? [JSON.stringify([tool, "write", judged.place.real])] : []
}

/** What no answer can change. */
const refusal = (profile: Profile, judged: Judged): string | undefined => {
  if ("place" in judged) {
    if (judged.place.verdict._tag === "Refused") return judged.place.verdict.reason
    return profile.level === "readonly" && judged.action._tag === "Write"
      ? "This agent only reads (autonomy level readonly): files can't be changed. Say what you would change instead."
      : undefined
  }
  return "address" in judged && "refused" in judged.address ? judged.address.refused : undefined
}

const byLevel = ({ level }: Profile, judged: Judged): Decision => {
  switch (judged.action._tag) {
    case "Write":
      return level === "full"
        ? allow("The autonomy level is full.")
        : ask(
            "Changing files needs your approval at the autonomy level supervised.",
            "place" in judged ? `${judged.action.tool} on ${judged.place.real}` : undefined
          )
    case "Fetch": {
      const host = "address" in judged ? hostOf(judged.address) : undefined
      return level === "full"
        ? allow("The autonomy level is full.")
        : ask(
            "What is asked of another computer can carry data away, so it needs your approval.",
            host === undefined ? undefined : `${judged.action.tool} from ${host}`
          )
    }
    case "Converse":
      return allow("It has no effect outside the conversation.")
    default:
      return allow("Reading is allowed here.")
  }
}

/** First what no answer can change, then `always_ask`, then what was approved before, then the level. */
export const decide = (profile: Profile, granted: (key: string) => boolean, judged: Judged): Decision => {
  const { tool } = judged.action
  const switchedOff = whyNotOffered(profile, tool)
  if (switchedOff !== undefined) return deny(switchedOff)
  if ("command" in judged) return decideCommand(profile, judged.action, granted, judged.command)
  const refused = refusal(profile, judged)
  if (refused !== undefined) return deny(refused)
  if (names(profile.alwaysAsk, tool)) return ask(`Every use of ${tool} needs your approval (always_ask).`)
  if (names(profile.autoApprove, tool)) return allow(`Uses of ${tool} are approved in the profile (auto_approve).`)
  const keys = grantKeys(judged)
  if (keys.length > 0 && keys.every(granted)) return allow("You allowed exactly this for the rest of the session.")
  return byLevel(profile, judged)
}
