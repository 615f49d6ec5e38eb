// Every program name in a line: in plain commands, in substitutions, after wrappers, in texts that a shell is given.

import { Either } from "effect"
import { type Command, forEachChild, type ParsedScript, parse, type SyntaxNode } from "unbash"
import { baseName } from "./HighCommands.ts"
import { literal } from "./Words.ts"
import { type Argv, type Inner, innerOf } from "./Wrappers.ts"

export interface Seen {
  readonly names: ReadonlyArray<string>
  /** Some name is known only when the shell runs. */
  readonly unknown: boolean
}

interface Sink {
  readonly names: Array<string>
  unknown: boolean
  /** How many more words are looked at. */
  left: number
}

/** Lines within lines; deeper ones count as unknown. */
const maxDepth = 5
/** Words of programs within programs. A line of the greatest length has fewer, unless it nests. */
const maxWords = 20_000

/** Undefined where the line can't be read as bash. */
export const parsed = (line: string): ParsedScript | undefined =>
  Either.match(
    Either.try(() => parse(line)),
    {
      onLeft: () => undefined,
      onRight: (script) => (script.errors !== undefined && script.errors.length > 0 ? undefined : script)
    }
  )

const inText = (sink: Sink, text: string | undefined, depth: number): void => {
  // To parse costs more than to look at a word.
  sink.left -= 20
  const script = text === undefined || depth >= maxDepth || sink.left < 0 ? undefined : parsed(text)
  if (script === undefined) sink.unknown = true
  else visit(sink, script, false, depth + 1)
}

const inInner = (sink: Sink, inner: Inner, depth: number): void =>
  inner._tag === "Text" ? inText(sink, inner.text, depth) : inArgv(sink, inner.argv, false, undefined, depth + 1)

/** These evaluate what stands in the subscripts of the names they are given. */
const evaluating = new Set(
  "printf test [ read declare typeset local export readonly unset let mapfile readarray getopts wait".split(" ")
)

/** Substitutions that quotes hold back, until arithmetic or a subscript is evaluated. */
const inHeldBack = (sink: Sink, text: string, depth: number): void => {
  for (const [, round, back] of text.matchAll(/\$\(([^()]+)\)|`([^`]+)`/g)) {
    const script = depth < maxDepth ? parsed(round ?? back ?? "") : undefined
    if (script !== undefined) visit(sink, script, false, depth + 1)
  }
}

/** `input` is what the command is given to read, where that stands in the line. */
const inArgv = (sink: Sink, argv: Argv, piped: boolean, input: string | undefined, depth: number): void => {
  const [name] = argv
  if (argv.length === 0 || name === "") return
  sink.left -= argv.length
  if (name === undefined || /[{}%]/.test(name) || depth > 50 || sink.left < 0) {
    sink.unknown = true
    return
  }
  sink.names.push(name)
  // What eval runs is put together before it runs.
  if (name === "eval") sink.unknown = true
  if (evaluating.has(name)) for (const word of argv.slice(1)) inHeldBack(sink, word ?? "", depth)
  const inner = innerOf(argv)
  if (inner !== undefined) for (const one of inner) inInner(sink, one, depth)
  else if (input !== undefined) inText(sink, input, depth)
  else if (piped) sink.unknown = true
}

/** The literal text of a here-document or here-string; undefined without one. */
const inputOf = ({ redirects }: Command): { readonly text: string | undefined } | undefined => {
  for (const node of redirects) {
    if (node.type === "HereString") return { text: node.target === undefined ? undefined : literal(node.target) }
    if (node.type === "HereDoc") return { text: node.body.parts === undefined ? node.body.text : undefined }
  }
  return undefined
}

const inCommand = (sink: Sink, node: Command, piped: boolean, depth: number): void => {
  if (node.name === undefined) return
  const argv: Argv = [
    literal(node.name),
    ...node.args.map((word) => (word.type === "Assignment" ? word.text : literal(word)))
  ]
  const input = inputOf(node)
  // A here-document that the shell fills in, or a file, is as unknown as a pipe.
  const reads = input !== undefined || node.redirects.some(({ operator }) => operator === "<")
  inArgv(sink, argv, piped || reads, input?.text, depth)
}

const visit = (sink: Sink, node: SyntaxNode, piped: boolean, depth: number): void => {
  if (node.type === "Script" && (node.errors?.length ?? 0) > 0) sink.unknown = true
  if ((node.type === "CommandExpansion" || node.type === "ProcessSubstitution") && node.script === undefined) {
    sink.unknown = true
  }
  if (node.type === "Assignment" || node.type === "ArithmeticExpansion" || node.type === "ArithmeticCommand") {
    inHeldBack(sink, node.type === "ArithmeticCommand" ? node.body : node.text, depth)
  }
  if (node.type === "Command") inCommand(sink, node, piped, depth)
  const first = node.type === "Pipeline" ? node.commands[0] : undefined
  forEachChild(node, (child) => visit(sink, child, piped || (first !== undefined && child !== first), depth))
}

const result = ({ names, unknown }: Sink): Seen => ({ names: [...new Set(names)], unknown })

/** Fails where the tree is deeper than the stack. */
export const inScript = (script: ParsedScript): Seen => {
  const sink: Sink = { names: [], unknown: false, left: maxWords }
  visit(sink, script, false, 0)
  return result(sink)
}

/** Of one plain command. */
export const inPlain = (argv: Argv, piped: boolean): Seen => {
  const sink: Sink = { names: [], unknown: false, left: maxWords }
  inArgv(sink, argv, piped, undefined, 0)
  return result(sink)
}

export const hasGit = ({ names, unknown }: Seen, line: string): boolean =>
  unknown || /\bgit\b/i.test(line) || names.some((name) => baseName(name) === "git")
