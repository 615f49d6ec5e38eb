// Judges a command line before it runs. Words are judged here, never effects: the boundary is the sandbox.
import { Either } from "effect"
import type { Assessment, Risk, SimpleCommand } from "./Assessment.ts"
import { baseName, deadlyText, highEffect } from "./HighCommands.ts"
import { refusal } from "./Limits.ts"
import { judgeOf } from "./LowCommands.ts"
import { mediumReason } from "./MediumCommands.ts"
import { hasGit, inPlain, inScript, parsed, type Seen } from "./Names.ts"
import { brief, type Line, type PlainCommand, read } from "./Syntax.ts"

const unreadable = (reason: string): Assessment => ({
  risk: "high",
  reason,
  names: [],
  highNames: [],
  unknownNames: true,
  git: true
})

interface Judged extends SimpleCommand {
  readonly reason: string
}

const judge = (command: PlainCommand): Judged => {
  const { args, name, piped } = command
  const argv = [name.text, ...args.map(({ text }) => text)]
  const seen = inPlain(argv, piped)
  const high = highReason(seen)
  if (high !== undefined) return { argv, risk: "high", reason: high }
  const known = name.bare && !name.home ? judgeOf(name.text) : undefined
  const fault = known?.(args)
  return known !== undefined && fault === undefined
    ? { argv, risk: "low", reason: "It only reads." }
    : { argv, risk: "medium", reason: mediumReason(command, fault) }
}

const highReason = ({ names, unknown }: Seen): string | undefined => {
  const found = names.find((name) => highEffect(name) !== undefined)
  if (found !== undefined) return `${brief(found)} ${highEffect(found)}.`
  if (!unknown) return undefined
  if (names.includes("eval")) return "eval runs a text that is put together only when it runs."
  return "It starts a program whose name is known only when it runs."
}

/** What these change holds for the commands after them, so that those don't do what their words say alone. */
const lasting = new Set(
  "cd pushd popd export declare typeset local readonly unset read mapfile readarray getopts let alias unalias hash trap enable shopt set source . exec eval command builtin umask ulimit printf".split(
    " "
  )
)

/** A line stands for its commands one by one only where each does the same in any other line. */
const separable = (commands: ReadonlyArray<PlainCommand>, judged: ReadonlyArray<Judged>): boolean =>
  commands.every(({ args, fed, name, piped }, at) => {
    const low = judged[at]?.risk === "low"
    const words = [name, ...args]
    return (
      !fed &&
      !words.some(({ glob, home }) => glob || home) &&
      (low || !piped) &&
      (commands.length === 1 ||
        !lasting.has(name.text) ||
        (low && name.text !== "cd" && name.text !== "set") ||
        judged.every(({ risk }) => risk === "low"))
    )
  })

const order: Readonly<Record<Risk, number>> = { low: 0, medium: 1, high: 2 }

const worst = (judged: ReadonlyArray<Judged>): Judged | undefined =>
  judged.reduce<Judged | undefined>(
    (sofar, one) => (sofar && order[sofar.risk] >= order[one.risk] ? sofar : one),
    undefined
  )

const ofLine = (line: Line, seen: Seen): Pick<Assessment, "risk" | "reason" | "commands"> => {
  const high = highReason(seen)
  if (line._tag === "More") return { risk: high === undefined ? "medium" : "high", reason: high ?? line.what }
  const judged = line.commands.map(judge)
  const commands =
    !seen.unknown && separable(line.commands, judged)
      ? { commands: judged.map(({ argv, risk }) => ({ argv, risk })) }
      : {}
  const leading = worst(judged)
  return {
    risk: high === undefined ? (leading?.risk ?? "low") : "high",
    reason: high ?? leading?.reason ?? "It does nothing.",
    ...commands
  }
}

const attempt = (command: string): Assessment => {
  const refused = refusal(command)
  if (refused !== undefined) return unreadable(refused)
  const script = parsed(command)
  if (script === undefined) return unreadable("It can't be read as a line of bash.")
  const seen = inScript(script)
  const deadly = deadlyText(command)
  const line = ofLine(read(command, script), seen)
  return {
    ...line,
    ...(deadly === undefined ? {} : { risk: "high", reason: highReason(seen) ?? deadly }),
    names: seen.names,
    highNames: [...new Set(seen.names.filter((name) => highEffect(name) !== undefined).map(baseName))],
    unknownNames: seen.unknown,
    git: hasGit(seen, command)
  }
}

/** Never fails: what can't be judged is high. */
export const assess = (command: string): Assessment =>
  Either.getOrElse(
    Either.try(() => attempt(command)),
    () => unreadable("It can't be read as a line of bash.")
  )
