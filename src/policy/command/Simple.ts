// One plain command to its risk and the reason. Pure.
import type { Risk } from "./Assessment.ts"
import { gitCommand } from "./GitCommands.ts"
import { whyHigh } from "./HighCommands.ts"
import { asksVersion, lowCommands } from "./LowCommands.ts"
import { fits } from "./Options.ts"
import { specialCommands } from "./SpecialCommands.ts"
import type { PlainCommand } from "./Syntax.ts"

export interface Judged {
  readonly risk: Risk
  readonly reason: string
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const about: ReadonlyArray<readonly [names: ReadonlySet<string>, reason: (name: string, first: string) => string]> = [
  [
    words("python python2 python3 node deno bun ruby perl php lua Rscript julia java osascript awk gawk mawk sed"),
    (name) => `${name} runs a program that the line or a file holds.`
  ],
  [words("sh bash dash zsh ksh fish source ."), (name) => `${name} runs a script.`],
  [
    words(
      "npm npx pnpm yarn cargo make cmake ninja go gradle gradlew mvn pip pip3 poetry uv tox pytest jest vitest tsc eslint rake bundle composer dotnet swift bazel meson just task tsx ts-node"
    ),
    (name, first) => `${name}${first === "" ? "" : ` ${first}`} can run code of the project.`
  ],
  [
    words("touch mkdir mv cp ln tee install truncate patch split unlink mktemp rsync tar zip unzip gzip gunzip"),
    (name) => `${name} changes files.`
  ],
  [
    words("env nice ionice timeout nohup stdbuf setsid time command exec builtin xargs parallel watch"),
    (name) => `${name} starts another program.`
  ],
  [
    words(
      "export declare typeset local readonly unset read mapfile readarray let alias unalias trap enable hash shopt"
    ),
    (name) => `${name} changes how what follows is run.`
  ]
]

const medium = (name: string, first: string): string =>
  about.find(([names]) => names.has(name))?.[1](name, first) ?? `${name} may do more than read.`

const reads: Judged = { risk: "low", reason: "It only reads." }

const isLow = ({ args, name }: PlainCommand): boolean => {
  if (
    asksVersion(
      name,
      args.map(({ text }) => text)
    )
  )
    return true
  const special = Object.hasOwn(specialCommands, name) ? specialCommands[name] : undefined
  if (special !== undefined) return special(args)
  const allowed = Object.hasOwn(lowCommands, name) ? lowCommands[name] : undefined
  return allowed !== undefined && fits(allowed, args)
}

export const judge = (command: PlainCommand): Judged => {
  const { args, name } = command
  const high = whyHigh(name)
  if (high !== undefined) return { risk: "high", reason: high }
  if (
    name === "git" &&
    !asksVersion(
      name,
      args.map(({ text }) => text)
    )
  ) {
    const git = gitCommand(args)
    return git.low
      ? reads
      : { risk: "medium", reason: `git${git.name === "" ? "" : ` ${git.name}`} may do more than read.` }
  }
  const first = args[0]?.text ?? ""
  return isLow(command) ? reads : { risk: "medium", reason: medium(name, /^[a-z][a-z:-]*$/.test(first) ? first : "") }
}
