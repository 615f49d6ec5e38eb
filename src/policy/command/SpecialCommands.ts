// Commands of the low set whose words are a small language of their own. Pure.
import { fits, operandsOf } from "./Options.ts"
import type { PlainWord } from "./Syntax.ts"

type Rule = (args: ReadonlyArray<PlainWord>) => boolean

const texts = (args: ReadonlyArray<PlainWord>): ReadonlyArray<string> => args.map(({ text }) => text)

/** How many words each test of find takes behind itself. */
const findTests: ReadonlyMap<string, number> = new Map([
  ...[
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-quit",
    "-empty",
    "-true",
    "-false",
    "-not",
    "!",
    "-a",
    "-and",
    "-o",
    "-or",
    ",",
    "(",
    ")"
  ].map((it) => [it, 0] as const),
  ...[
    "-depth",
    "-d",
    "-xdev",
    "-mount",
    "-follow",
    "-readable",
    "-writable",
    "-executable",
    "-nouser",
    "-nogroup",
    "-daystart",
    "-noleaf",
    "-ignore_readdir_race",
    "-H",
    "-L",
    "-P"
  ].map((it) => [it, 0] as const),
  ...[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-regextype",
    "-lname",
    "-ilname"
  ].map((it) => [it, 1] as const),
  ...[
    "-type",
    "-xtype",
    "-size",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-links",
    "-inum",
    "-samefile",
    "-fstype",
    "-used",
    "-printf"
  ].map((it) => [it, 1] as const),
  ...[
    "-maxdepth",
    "-mindepth",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-newer",
    "-anewer",
    "-cnewer"
  ].map((it) => [it, 1] as const)
])

const find: Rule = (args) => {
  let expected = 0
  for (const { pattern, text } of args) {
    if (expected > 0) {
      expected -= 1
      if (pattern) return false
    } else if (/^[-(),!]/.test(text)) {
      const words = pattern ? undefined : (findTests.get(text) ?? (/^-newer[aBcm][aBcmt]$/.test(text) ? 1 : undefined))
      if (words === undefined) return false
      expected = words
    } else if (pattern && !/^[A-Za-z0-9_./~]/.test(text)) return false
  }
  return true
}

/** `printf -v` and `%n` set variables, whose names can hold code. */
const printf: Rule = ([format]) =>
  format !== undefined && !format.pattern && !format.text.startsWith("-") && !/%[^%A-Za-z]*n/.test(format.text)

const testWords: ReadonlySet<string> = new Set(
  "! -e -f -d -r -w -x -s -L -h -z -n -b -c -p -S -g -u -k -O -G -N = == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef ( ) -a -o".split(
    " "
  )
)
const test: Rule = (args) =>
  args.every(({ pattern, text }) => !pattern && (!text.startsWith("-") || testWords.has(text)))
const bracket: Rule = (args) => args.at(-1)?.text === "]" && test(args.slice(0, -1))

const commandName = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/
/** `command -v NAME` only: without it, it is a wrapper. */
const command: Rule = ([flag, ...rest]) =>
  (flag?.text === "-v" || flag?.text === "-V") && rest.every(({ pattern, text }) => !pattern && commandName.test(text))

const address = String.raw`(?:\d+|\$|/[^/\\\n]*/)`
const sedPrint = new RegExp(
  String.raw`^(?:${address}(?:,(?:${address}|[+]\d+))?)?[pq=](?:;(?:${address}(?:,(?:${address}|[+]\d+))?)?[pq=])*;?$`
)
const sedDelete = new RegExp(String.raw`^(?:${address}(?:,(?:${address}|[+]\d+))?)d$`)
const sedReplace = /^s([/|,#])(?:(?!\1)[^\\\n])*\1(?:(?!\1)[^\\\n])*\1[gpiI0-9]*$/
/** Prints or replaces in what it prints; `w`, `e` and `-i` are not among it. */
const sed: Rule = (args) => {
  const operands = operandsOf({ letters: "nErsuz", long: ["quiet", "silent", "regexp-extended", "posix"] }, args)
  const [script] = operands ?? []
  return (
    script !== undefined &&
    !script.pattern &&
    (sedPrint.test(script.text) || sedDelete.test(script.text) || sedReplace.test(script.text))
  )
}

/** Prints fields and nothing else. */
const awk: Rule = (args) => {
  const operands = operandsOf({ valued: "F" }, args)
  const [script] = operands ?? []
  return (
    script !== undefined &&
    !script.pattern &&
    /^(?:NR ?[=<>]=? ?\d+ ?|NR ?[<>] ?\d+ ?)?(?:\{ ?print(?: \$(?:\d+|NF)(?:, ?\$(?:\d+|NF))*)? ?;? ?\})?$/.test(
      script.text
    ) &&
    script.text.trim() !== "" &&
    // Behind the program awk also takes variables, which may be one of its own.
    (operands ?? []).slice(1).every(({ pattern, text }) => !pattern && !text.includes("="))
  )
}

const unzip: Rule = (args) => /^-[lvZ1]+$/.test(args[0]?.text ?? "") && fits({ operands: 1 }, args.slice(1))

/** Needs words of its own before any file: `-` alone reads what is piped in. */
const echo: Rule = () => true

const shells: Rule = (args) => texts(args).join(" ") === "--version"

export const specialCommands: Readonly<Record<string, Rule>> = {
  find,
  printf,
  test,
  "[": bracket,
  command,
  sed,
  awk,
  unzip,
  echo,
  bash: shells
}
