// Why a command isn't known to only read, in a sentence.
import { baseName } from "./HighCommands.ts"
import { brief, type PlainCommand } from "./Syntax.ts"
import { startsOthers } from "./Wrappers.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const interpreters = set(
  "sh bash dash zsh ksh fish python python2 python3 pypy node nodejs deno bun perl ruby php lua awk gawk mawk osascript Rscript julia tclsh expect ed vim vi emacs gdb source . sqlite3 psql mysql"
)
const builders = set(
  "npm pnpm yarn npx pnpx bunx make gmake cmake ninja cargo rustc go gradle gradlew mvn mvnw ant bazel dotnet swift mix rake bundle tox nox pytest jest vitest mocha tsc eslint prettier biome webpack vite rollup turbo nx lerna just task composer phpunit poetry pipenv uv pip pip3 docker docker-compose podman"
)
const writers = set(
  "cp mv touch mkdir ln tee install truncate patch rsync tar gzip gunzip bzip2 xz zip unzip sponge split csplit mktemp mkfifo mknod"
)
const shellWords = set(
  "export declare typeset local readonly unset read mapfile readarray getopts let alias unalias hash trap enable shopt set source . ulimit umask bind complete compgen history pushd popd"
)
const gitChanges = set(
  "add commit push pull fetch reset clean rebase merge cherry-pick revert branch checkout switch restore tag rm mv stash config init clone apply am worktree submodule remote notes bisect gc prune reflog update-ref symbolic-ref"
)

/** `fault` is the word that doesn't fit; undefined for programs that aren't known to only read. */
export const mediumReason = ({ args, name }: PlainCommand, fault: string | undefined): string => {
  const shown = brief(name.text)
  const base = baseName(name.text)
  const [first] = args
  const whole = brief([shown, ...(first === undefined || first.text.startsWith("-") ? [] : [first.text])].join(" "))
  if (!name.bare) return `It spells a program's name with quotes or escapes (${shown}).`
  if (name.text.includes("/") && !interpreters.has(base)) return `It starts a program by its path (${shown}).`
  if (base === "git" && gitChanges.has(fault ?? "")) return `git ${fault} may change the repository.`
  if (shellWords.has(base)) return `${shown} changes how the shell goes on.`
  if (startsOthers(base)) return `${shown} starts another program.`
  if (interpreters.has(base)) return `${shown} runs code that isn't judged beforehand.`
  if (builders.has(base)) return `${whole} runs code of the project, or changes what is installed.`
  if (writers.has(base)) return `${shown} changes files.`
  if (fault !== undefined && fault !== "") return `${shown} isn't known to only read with ${brief(fault)}.`
  return `${shown} isn't known to only read.`
}
