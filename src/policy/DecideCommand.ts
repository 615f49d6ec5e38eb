// From a command line's assessment, a profile and the sandbox to a decision with its reason. Pure. @see zeroclaw section 8
import type { Status } from "../sandbox/Sandbox.ts"
import type { Assessment } from "./command/Assessment.ts"
import { type Action, allow, ask, type Decision, deny } from "./Decision.ts"
import type { Profile } from "./SessionPolicy.ts"

/** A command line with what is known of it, and of the place it would run in. */
export interface JudgedCommand {
  readonly assessment: Assessment
  readonly sandbox: Status
}

type Line = Pick<Extract<Action, { readonly _tag: "Execute" }>, "tool" | "command">

type Rules = Pick<
  Profile,
  | "level"
  | "blockHighRisk"
  | "requireApprovalForMediumRisk"
  | "allowedCommands"
  | "autoApprove"
  | "alwaysAsk"
  | "sandbox"
>

const any = "*"

const list = (names: ReadonlyArray<string>): string => [...new Set(names)].join(", ")

const baseName = (name: string): string => name.slice(name.lastIndexOf("/") + 1)

/** `allowed_commands` is a list of the only programs there are, once a person has written it. */
const notListed = ({ allowedCommands }: Rules, { names, unknownNames }: Assessment): string | undefined => {
  if (allowedCommands === undefined || allowedCommands.includes(any)) return undefined
  const others = names.filter((name) => !allowedCommands.includes(name))
  if (others.length > 0) {
    return `${list(others)} is not in allowed_commands of this agent. Use what is listed (${list(allowedCommands)}), or another tool.`
  }
  return unknownNames || names.length === 0
    ? "allowed_commands of this agent names the only programs that may run, and which ones this line runs is known only when it runs. Write the programs out."
    : undefined
}

/** No approval lifts it: only a person who names the program in the configuration does. */
const blocked = ({ allowedCommands, blockHighRisk }: Rules, { highNames, reason, risk }: Assessment) => {
  if (risk !== "high" || !blockHighRisk) return undefined
  const unnamed = highNames.filter((name) => !(allowedCommands ?? []).includes(baseName(name)))
  if (unnamed.length > 0) {
    return `${reason} It is of high risk and not run (block_high_risk_commands); a person can name ${list(unnamed)} in allowed_commands. Do it another way, or say what you would run.`
  }
  return highNames.length > 0
    ? undefined
    : `${reason} It is of high risk and not run (block_high_risk_commands). Write it as plain commands.`
}

const unconfined = ({ level, sandbox }: Rules, status: Status): string | undefined => {
  if (status._tag !== "Missing") return undefined
  return status.asked || level !== "full"
    ? `Commands are not run: the sandbox they must run in is missing (sandbox_backend ${sandbox.backend}). ${status.reason}`
    : undefined
}

const placeOf = ({ sandbox }: Rules, status: Status): string => {
  switch (status._tag) {
    case "Ready":
      return sandbox.network
        ? "It runs in the sandbox: it can change only this session's folders, and it can use the network."
        : "It runs in the sandbox: it can change only this session's folders, without network."
    case "Off":
      return "It runs without a sandbox (sandbox_backend is none): it can do whatever you can."
    case "Missing":
      return `It runs without a sandbox: it can do whatever you can. ${status.reason}`
  }
}

const grantable = ({ assessment }: JudgedCommand): boolean => assessment.risk !== "high"

const coverage = ({ assessment }: JudgedCommand): string =>
  (assessment.commands?.filter(({ risk }) => risk !== "low").length ?? 0) > 1
    ? "these exact commands in this folder"
    : "this exact command in this folder"

/** What "always allow" is remembered by: each command that does more than read; the line itself where it is not plain. */
export const grantKeys = ({ command, tool }: Line, judged: JudgedCommand): ReadonlyArray<string> => {
  if (!grantable(judged)) return []
  const more = judged.assessment.commands?.filter(({ risk }) => risk !== "low") ?? []
  return more.length === 0
    ? [JSON.stringify([tool, "line", command])]
    : more.map(({ argv }) => JSON.stringify([tool, "argv", ...argv]))
}

const named = (names: ReadonlyArray<string>, tool: string) => names.includes(tool) || names.includes(any)

/** First what no answer can change, then `always_ask`, what was approved before, and the level. */
export const decideCommand = (
  rules: Rules,
  line: Line,
  granted: (key: string) => boolean,
  judged: JudgedCommand
): Decision => {
  const { tool } = line
  const { assessment, sandbox } = judged
  if (rules.level === "readonly") {
    return deny(
      "This agent only reads (autonomy level readonly): commands can't be run. Say what you would run instead."
    )
  }
  const refusal = notListed(rules, assessment) ?? unconfined(rules, sandbox) ?? blocked(rules, assessment)
  if (refusal !== undefined) return deny(refusal)
  const place = placeOf(rules, sandbox)
  const why = (sentence: string) => `${assessment.reason} ${sentence} ${place}`
  if (named(rules.alwaysAsk, tool)) return ask(why(`Every use of ${tool} needs your approval (always_ask).`))
  const always = grantable(judged) ? coverage(judged) : undefined
  if (rules.level === "full") {
    return sandbox._tag === "Missing" && rules.blockHighRisk
      ? ask(why("Without a sandbox commands need your approval at the autonomy level full too."), always)
      : allow("The autonomy level is full.")
  }
  if (assessment.risk === "high") {
    return ask(why("It is of high risk, so every run of it needs your approval."))
  }
  if (named(rules.autoApprove, tool)) return allow(`Uses of ${tool} are approved in the profile (auto_approve).`)
  const keys = grantKeys(line, judged)
  if (keys.length > 0 && keys.every(granted)) return allow("You allowed exactly this for the rest of the session.")
  if (sandbox._tag !== "Ready") return ask(why("Without a sandbox every command needs your approval."), always)
  if (assessment.risk === "low") return allow(assessment.reason)
  return rules.requireApprovalForMediumRisk
    ? ask(why("Commands that do more than read need your approval at the autonomy level supervised."), always)
    : allow("Medium risk needs no question here (require_approval_for_medium_risk is off).")
}
