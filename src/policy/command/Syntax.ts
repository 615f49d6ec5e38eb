// The part of bash in which every word is known before anything runs; the rest is named, not understood. Pure.

import { Either } from "effect"
import type { Command, Redirection, Script, Statement, Word, WordPart } from "unbash"

/** A word of a plain command. */
export interface PlainWord {
  /** As the program gets it, where it holds no pattern; as written otherwise. */
  readonly text: string
  /** Holds a pattern for file names: what the program gets depends on the files. */
  readonly pattern: boolean
}

export interface PlainCommand {
  readonly name: string
  readonly args: ReadonlyArray<PlainWord>
}

/** Why a line is not plain: one sentence for a person. */
type Plain<A> = Either.Either<A, string>

const substitution = "It holds a substitution, so part of it is known only when it runs."

/** Escapes that stand for the character itself, and only where it would mean something else. */
const simpleEscapes = /^(?:[^\\]|\\[ !"#$&'()*;<>?@[\]`{|}~\\.,:=+%/-])*$/

const isLiteral = (part: { readonly text: string }): boolean => simpleEscapes.test(part.text)

const partText = (part: WordPart): Plain<PlainWord> => {
  switch (part.type) {
    case "Literal":
      return isLiteral(part)
        ? Either.right({ text: part.value, pattern: false })
        : Either.left("It holds an escape that can be read in more than one way.")
    case "SingleQuoted":
      return Either.right({ text: part.value, pattern: false })
    case "DoubleQuoted": {
      const children = part.parts.map((child) => (child.type === "Literal" ? child.value : undefined))
      return children.includes(undefined)
        ? Either.left(substitution)
        : Either.right({ text: children.join(""), pattern: false })
    }
    case "Glob":
      return part.parts === undefined || part.parts.every(({ type }) => type === "Literal")
        ? Either.right({ text: part.text, pattern: true })
        : Either.left(substitution)
    default:
      return Either.left(substitution)
  }
}

export const plainWord = (word: Word): Plain<PlainWord> => {
  if (word.parts === undefined) {
    return isLiteral(word)
      ? Either.right({ text: word.value, pattern: false })
      : Either.left("It holds an escape that can be read in more than one way.")
  }
  return Either.map(Either.all(word.parts.map(partText)), (parts) => ({
    text: parts.map(({ text }) => text).join(""),
    pattern: parts.some(({ pattern }) => pattern)
  }))
}

const shown = (word: Word | undefined): string => (word === undefined ? "" : ` ${word.text.slice(0, 80)}`)

const redirect = (it: Redirection): string | undefined => {
  if (it.descriptor?.type === "FileDescriptorVariable") return "It opens a file under a name of its own."
  switch (it.type) {
    case "HereDoc":
      return it.delimiter?.quoted === true || it.body.parts === undefined ? undefined : substitution
    case "HereString":
      return it.target === undefined
        ? substitution
        : Either.match(plainWord(it.target), { onLeft: (why) => why, onRight: () => undefined })
    case "Redirect": {
      const target = it.target?.text ?? ""
      if (it.operator === ">&" || it.operator === "<&") {
        return /^(?:[0-9]|-)$/.test(target) ? undefined : `It writes to a file (${it.operator}${shown(it.target)}).`
      }
      if (target === "/dev/null" && it.operator !== "<>") return undefined
      return it.operator === "<" || it.operator === "<>"
        ? `It opens a file for the command (${it.operator}${shown(it.target)}).`
        : `It writes to a file (${it.operator}${shown(it.target)}).`
    }
  }
}

const namePattern = /^(?:[A-Za-z0-9_][A-Za-z0-9_.+-]*|\[|:)$/

const command = (it: Command): Plain<PlainCommand> =>
  Either.gen(function* () {
    const assignment = it.prefix.find((prefix) => prefix.type === "Assignment")
    if (assignment?.type === "Assignment") {
      return yield* Either.left(`It sets variables for the command (${assignment.name}).`)
    }
    const odd = it.redirects.map(redirect).find((why) => why !== undefined)
    if (odd !== undefined) return yield* Either.left(odd)
    if (it.name === undefined) return yield* Either.left("It names no program.")
    if (!namePattern.test(it.name.text) || it.name.value !== it.name.text) {
      return yield* Either.left("The program is not written as a plain name.")
    }
    const args = yield* Either.all(
      it.args.map((arg) =>
        arg.type === "Word" ? plainWord(arg) : Either.left(`It sets variables for the command (${arg.name}).`)
      )
    )
    return { name: it.name.text, args }
  })

const compounds: Readonly<Record<string, string>> = {
  If: "It holds a condition (if).",
  For: "It holds a loop (for).",
  While: "It holds a loop (while).",
  ArithmeticFor: "It holds a loop (for).",
  Select: "It holds a loop (select).",
  Case: "It holds a choice (case).",
  Subshell: "It holds a group in parentheses.",
  BraceGroup: "It holds a group in braces.",
  Function: "It defines a function.",
  Coproc: "It starts a process in the background (coproc).",
  TestCommand: "It holds a test ([[), which can run what its words hold.",
  ArithmeticCommand: "It calculates, which can run what its words hold.",
  Redirected: "It redirects a group of commands."
}

type Node = Statement["command"]

const node = (it: Node): Plain<ReadonlyArray<PlainCommand>> => {
  switch (it.type) {
    case "Command":
      return Either.map(command(it), (one) => [one])
    case "AndOr":
      return Either.map(Either.all(it.commands.map(node)), (all) => all.flat())
    case "Pipeline":
      return it.prefixes.length > 0
        ? Either.left("It runs under time or a negation.")
        : Either.map(Either.all(it.commands.map(node)), (all) => all.flat())
    default:
      return Either.left(compounds[it.type] ?? "It is more than plain commands.")
  }
}

/** The commands of a line of plain ones, in order; or the first thing that is more. */
export const plainLine = ({ commands }: Script): Plain<ReadonlyArray<PlainCommand>> =>
  Either.map(
    Either.all(
      commands.map((statement) =>
        statement.background === true ? Either.left("It goes on in the background (&).") : node(statement.command)
      )
    ),
    (all) => all.flat()
  )
