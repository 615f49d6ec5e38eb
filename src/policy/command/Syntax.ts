// From the parsed line to its plain commands, or to what else there is in it. Allow-listed: a node that isn't named
// here is something else.
import type { Command, ParsedScript, Redirection, Statement, Word, WordPart } from "unbash"
import { type Plain, plain } from "./Words.ts"

export interface PlainCommand {
  readonly name: Plain
  readonly args: ReadonlyArray<Plain>
  /** Reads what a command before it writes. */
  readonly piped: boolean
  /** Reads a here-document. */
  readonly fed: boolean
}

export type Line =
  | { readonly _tag: "Plain"; readonly commands: ReadonlyArray<PlainCommand> }
  /** `what` is a sentence. */
  | { readonly _tag: "More"; readonly what: string }

/** At most a few words of the line, on one line. */
export const brief = (text: string): string => {
  const flat = text.replace(/\s+/g, " ")
  return flat.length > 60 ? `${flat.slice(0, 60)}…` : flat
}

type Span = readonly [from: number, to: number]

interface Walk {
  readonly source: string
  readonly commands: Array<PlainCommand>
  readonly spans: Array<Span>
}

type Node = Statement["command"]

const compounds: Readonly<Record<string, string>> = {
  Subshell: "It runs commands in a shell of their own ( ).",
  BraceGroup: "It groups commands { }.",
  If: "It holds a condition (if).",
  Case: "It holds a condition (case).",
  For: "It holds a loop (for).",
  ArithmeticFor: "It holds a loop (for).",
  While: "It holds a loop (while).",
  Select: "It holds a menu (select).",
  Function: "It defines a function.",
  Coproc: "It starts a command beside it (coproc).",
  TestCommand: "It evaluates an expression [[ ]].",
  ArithmeticCommand: "It evaluates arithmetic (( )).",
  Redirected: "It redirects a group of commands."
}

const unsettled = "so what it does is known only when it runs."

const partly = (part: WordPart, text: string): string | undefined => {
  switch (part.type) {
    case "CommandExpansion":
    case "ProcessSubstitution":
      return "It holds a substitution, so what runs is known only when it runs."
    case "ArithmeticExpansion":
      return `It holds arithmetic (${brief(part.text)}), ${unsettled}`
    case "SimpleExpansion":
    case "ParameterExpansion":
      return `It uses a variable (${brief(part.text)}), ${unsettled}`
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.map((inner) => partly(inner, text)).find((found) => found !== undefined)
    case "BraceExpansion":
      return `It lets the shell make several words of one (${brief(text)}).`
    default:
      return undefined
  }
}

const wordFault = (word: Word): string =>
  (word.parts ?? []).map((part) => partly(part, word.text)).find((found) => found !== undefined) ??
  `It holds a word that can't be read for certain (${brief(word.text)}).`

const redirectionFault = ({ source, spans }: Walk, node: Redirection): string | undefined => {
  spans.push([node.pos, node.end])
  const shown = brief(source.slice(node.pos, node.end))
  if (node.type === "HereString") return "It feeds a text to a command (<<<)."
  if (node.descriptor?.type === "FileDescriptorVariable") return `It keeps a file open (${shown}).`
  if (node.type === "HereDoc") {
    if (node.closing === undefined || !/^(?:'\w+'|"\w+"|\\\w+)$/.test(node.delimiter?.text ?? "")) {
      return "It holds a here-document that the shell fills in."
    }
    spans.push([node.body.pos, node.closing.end])
    return undefined
  }
  const target = node.target?.text ?? ""
  if (node.operator === ">&" || node.operator === "<&") {
    return /^(?:\d+|-)$/.test(target) ? undefined : `It writes to a file (${shown}).`
  }
  if (target === "/dev/null" && node.operator !== "<>") return undefined
  return node.operator === "<" ? `It reads from a file (${shown}).` : `It writes to a file (${shown}).`
}

const commandFault = (walk: Walk, node: Command, piped: boolean): string | undefined => {
  const assigned = node.prefix.flatMap((part) => (part.type === "Assignment" ? [part.name] : []))
  const sets = brief(assigned.join(", "))
  if (node.name === undefined) return assigned.length > 0 ? `It sets variables (${sets}).` : "It only redirects."
  if (assigned.length > 0) return `It sets variables for the command (${sets}).`
  const words: Array<Plain> = []
  for (const word of [node.name, ...node.args]) {
    if (word.type === "Assignment") return `It sets variables (${brief(word.name)}).`
    const read = plain(word)
    if (read === undefined) return wordFault(word)
    walk.spans.push([word.pos, word.end])
    words.push(read)
  }
  for (const redirection of node.redirects) {
    const fault = redirectionFault(walk, redirection)
    if (fault !== undefined) return fault
  }
  const [name, ...args] = words
  if (name === undefined) return "It only redirects."
  walk.commands.push({ name, args, piped, fed: node.redirects.some(({ type }) => type === "HereDoc") })
  return undefined
}

const first = <A>(nodes: ReadonlyArray<A>, fault: (node: A, at: number) => string | undefined): string | undefined => {
  for (const [at, node] of nodes.entries()) {
    const found = fault(node, at)
    if (found !== undefined) return found
  }
  return undefined
}

const nodeFault = (walk: Walk, node: Node, piped: boolean): string | undefined => {
  switch (node.type) {
    case "Command":
      return commandFault(walk, node, piped)
    case "AndOr":
      return first(node.commands, (inner) => nodeFault(walk, inner, piped))
    case "Pipeline": {
      const [prefix] = node.prefixes
      if (prefix !== undefined) {
        return prefix.type === "Time" ? "It measures a command (time)." : "It turns a command's result around (!)."
      }
      return first(node.commands, (inner, at) => nodeFault(walk, inner, piped || at > 0))
    }
    default:
      return compounds[node.type] ?? "It holds more than plain commands."
  }
}

const between = /^(?:[ \t\n;]|\\\n|&&|\|[|&]?|(?<![^\s;|&])#[^\n]*)*$/
const clear = (source: string, from: number, to: number): boolean =>
  between.test(source.slice(from, to)) && (from === 0 || source[from] !== "#")

/** Between the words there must be nothing but blanks, operators and comments: so nothing was passed over. */
const covered = ({ source, spans }: Walk): boolean => {
  let at = 0
  for (const [from, to] of [...spans].sort(([a], [b]) => a - b)) {
    if (from < at || !clear(source, at, from)) return false
    at = to
  }
  return clear(source, at, source.length)
}

export const read = (source: string, script: ParsedScript): Line => {
  const walk: Walk = { source, commands: [], spans: [] }
  const fault = first(script.commands, ({ background, command }) =>
    background === true ? "It leaves a command running (&)." : nodeFault(walk, command, false)
  )
  if (fault !== undefined) return { _tag: "More", what: fault }
  return covered(walk)
    ? { _tag: "Plain", commands: walk.commands }
    : { _tag: "More", what: "It holds a part that can't be read for certain." }
}
