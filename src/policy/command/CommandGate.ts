// From a command line to what is known of it before it runs. A help for people: the sandbox is the boundary. Pure.
import { Either } from "effect"
import { parse } from "unbash"
import { visible } from "../PathText.ts"
import { type Assessment, type Risk, risks } from "./Assessment.ts"
import { whyHigh } from "./HighCommands.ts"
import { namesIn } from "./Names.ts"
import { judge } from "./Simple.ts"
import { plainLine } from "./Syntax.ts"

/** Longer lines, or more deeply nested ones, are not read. */
const maxLength = 16 * 1024
const maxBrackets = 200

const git = (command: string): boolean => /\bgit\b/.test(command)

const unread = (command: string, reason: string): Assessment => ({
  risk: "high",
  reason,
  names: [],
  highNames: [],
  unknownNames: true,
  git: git(command)
})

const spaces = /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/

/** Why a line is not even parsed. */
const refused = (command: string): string | undefined => {
  if (command.length > maxLength) return `It is longer than ${maxLength} characters.`
  const brackets = command.match(/[({[`]/g)?.length ?? 0
  if (brackets > maxBrackets) return `It holds more than ${maxBrackets} brackets.`
  const shown = command.replaceAll(/[\n\t]/g, " ")
  if (visible(shown) !== shown || spaces.test(command)) return "It holds characters that can't be seen."
  return undefined
}

const forkBomb = (command: string): boolean => command.replaceAll(/\s/g, "").includes(":(){:|:&};:")

const worst = (all: ReadonlyArray<Risk>): Risk =>
  all.reduce((most, risk) => (risks.indexOf(risk) > risks.indexOf(most) ? risk : most), "low")

/** What a command line does, as far as can be told without running it. Never throws. */
export const assess = (command: string): Assessment => {
  const why = refused(command)
  if (why !== undefined) return unread(command, why)
  const script = parse(command)
  if ((script.errors?.length ?? 0) > 0) return unread(command, "It can't be read as a line of bash.")
  if (forkBomb(command)) return unread(command, "It starts itself over and over.")
  const { high, names, unknown } = namesIn(script)
  const seen = { names, highNames: high, unknownNames: unknown, git: git(command) || unknown }
  const [worstName] = high
  if (worstName !== undefined)
    return { ...seen, risk: "high", reason: whyHigh(worstName) ?? `${worstName} is of high risk.` }
  if (unknown) return { ...seen, risk: "high", reason: "What it runs can't be told before it runs." }
  // A line break within a word or between words is read differently by different shells.
  const plain = command.includes("\\\n") ? Either.left("A line of it goes on in the next.") : plainLine(script)
  if (Either.isLeft(plain)) return { ...seen, risk: "medium", reason: plain.left }
  const judged = plain.right.map((one) => ({ one, ...judge(one) }))
  const risk = worst(judged.map(({ risk }) => risk))
  const reason = judged.find((it) => it.risk === risk)?.reason ?? "It does nothing."
  const patterns = plain.right.some(({ args }) => args.some(({ pattern }) => pattern))
  return {
    ...seen,
    risk,
    reason,
    ...(patterns
      ? {}
      : { commands: judged.map(({ one, risk }) => ({ argv: [one.name, ...one.args.map(({ text }) => text)], risk })) })
  }
}
