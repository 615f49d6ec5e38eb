// Every program name that can be seen in a parsed line, wherever it stands. Pure.
import { type Command, forEachChild, parse, type Script, type SyntaxNode, type Word, type WordPart } from "unbash"
import { whyHigh } from "./HighCommands.ts"

export interface Names {
  readonly names: ReadonlyArray<string>
  /** Names that make the line high, by their last path component. */
  readonly high: ReadonlyArray<string>
  /** Some name can't be read. */
  readonly unknown: boolean
}

/** Programs that start the program named after them. */
const wrappers: ReadonlySet<string> = new Set(
  "env nice ionice timeout nohup stdbuf setsid time command exec builtin xargs parallel watch flock strace ltrace gdb unshare nsenter taskset chrt prlimit script unbuffer caffeinate busybox toybox entr ionice systemd-run dbus-run-session xvfb-run fakeroot proot bwrap firejail sudo doas su pkexec runuser chroot".split(
    " "
  )
)
const shells: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "fish", "rbash"])
const runsRest: ReadonlySet<string> = new Set(["-exec", "-execdir", "-ok", "-okdir"])
/** Scripts within scripts. */
const maxDepth = 4
/** A line of more commands is not read to its end. */
const maxNames = 500

/** Programs that start others which their words name. */
const starters: ReadonlySet<string> = new Set([...wrappers, ...shells, "trap", "find"])

const base = (name: string): string => name.slice(name.lastIndexOf("/") + 1)

const partText = (part: WordPart): string | undefined => {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value
    case "DoubleQuoted":
    case "LocaleString": {
      const texts = part.parts.map(partText)
      return texts.includes(undefined) ? undefined : texts.join("")
    }
    default:
      return undefined
  }
}

/** What a word is when nothing in it depends on the run. */
const known = (word: Word): string | undefined => {
  if (word.parts === undefined) return word.value
  const texts = word.parts.map(partText)
  return texts.includes(undefined) ? undefined : texts.join("")
}

interface Found {
  readonly names: Array<string>
  readonly high: Set<string>
  unknown: boolean
}

const addName = (found: Found, name: string): void => {
  found.names.push(name)
  if (whyHigh(name) !== undefined) found.high.add(base(name))
}

/** The program of `words` and, where it only starts another, that one's. */
const resolve = (found: Found, words: ReadonlyArray<string | undefined>, depth: number): void => {
  const [name, ...rest] = words
  if (name === undefined) {
    found.unknown = true
    return
  }
  if (name === "") return
  addName(found, name)
  const program = base(name)
  if (shells.has(program)) script(found, rest, depth)
  if (program === "trap") text(found, rest[0], depth)
  if (program === "find") {
    for (const [at, word] of rest.entries()) {
      if (word !== undefined && runsRest.has(word)) resolve(found, rest.slice(at + 1), depth)
    }
  }
  if (wrappers.has(program)) wrapped(found, program, rest, depth)
}

const wrapped = (found: Found, program: string, rest: ReadonlyArray<string | undefined>, depth: number): void => {
  for (const word of rest) if (word !== undefined && whyHigh(word) !== undefined) found.high.add(base(word))
  if (program === "command" && (rest[0] === "-v" || rest[0] === "-V")) return
  const at = rest.findIndex((word) => word === undefined || !/^(?:-.*|[\d.]+[smhd]?|[A-Za-z_]\w*=.*)$/s.test(word))
  if (at >= 0) resolve(found, rest.slice(at), depth)
}

/** `sh -c TEXT`, also with other letters beside the c. */
const script = (found: Found, args: ReadonlyArray<string | undefined>, depth: number): void => {
  const at = args.findIndex((word) => word !== undefined && /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word))
  if (at < 0) {
    if (args.includes(undefined)) found.unknown = true
    return
  }
  text(
    found,
    args.slice(at + 1).find((word) => word === undefined || !word.startsWith("-")),
    depth
  )
}

const text = (found: Found, source: string | undefined, depth: number): void => {
  if (source === undefined || depth >= maxDepth) {
    found.unknown = true
    return
  }
  const parsed = parse(source)
  if ((parsed.errors?.length ?? 0) > 0) found.unknown = true
  else walk(found, parsed, depth + 1)
}

const command = (found: Found, { args, name }: Command, depth: number): void => {
  if (name === undefined) return
  const program = known(name)
  const takesPrograms = program !== undefined && starters.has(base(program))
  const words = takesPrograms ? args.map((arg) => (arg.type === "Word" ? known(arg) : arg.text)) : []
  resolve(found, [program, ...words], depth)
}

const walk = (found: Found, root: SyntaxNode, depth: number): void => {
  const open: Array<SyntaxNode> = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (found.names.length > maxNames) {
      found.unknown = true
      return
    }
    if (node.type === "Command") command(found, node, depth)
    const children: Array<SyntaxNode> = []
    forEachChild(node, (child) => children.push(child))
    open.push(...children.reverse())
  }
}

export const namesIn = (parsed: Script): Names => {
  const found: Found = { names: [], high: new Set(), unknown: false }
  walk(found, parsed, 0)
  return { names: found.names, high: [...found.high], unknown: found.unknown }
}
