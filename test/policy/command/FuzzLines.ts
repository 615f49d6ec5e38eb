// Lines for the differential fuzz: a marked program hidden in whatever bash runs, options of every kind, broken by mutation.

/** A small seeded generator: the same seed gives the same lines. @see https://en.wikipedia.org/wiki/Linear_congruential_generator */
export const makeRandom = (seed: number) => {
  let state = seed >>> 0
  const below = (n: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  return { below, pick: <A>(from: readonly [A, ...ReadonlyArray<A>]): A => from[below(from.length)] ?? from[0] }
}
export type Random = ReturnType<typeof makeRandom>

/** What must not run: programs that only a record is kept of. */
const marked = [
  "rm x",
  '"rm" x',
  "r\\m x",
  "r''m x",
  "$'rm' x",
  "$'\\x72m' x",
  "{rm,x}",
  "\\rm x",
  "r\\\nm x",
  "touch new",
  "python3 -c 1",
  "tee new",
  "sh f",
  "cp f new",
  "A=1 rm x",
  "env rm x",
  "command rm x",
  "timeout 1 rm x",
  "nice rm x",
  "exec rm x",
  "xargs rm < f",
  "find . -maxdepth 0 -exec rm {} ;",
  "find . -maxdepth 0 -execdir rm {} \\;",
  "bash -c 'rm x'",
  "eval rm x"
] as const

const harmless = [
  "ls",
  "ls -la",
  "echo a",
  "echo 'a;b'",
  'echo "a && b"',
  "cat f",
  "head -1 f",
  "grep x f",
  "sort f",
  "uniq f",
  "find . -name f",
  "sed -n 1p f",
  "wc -l f",
  "cut -c1 f",
  "tr a b",
  "date",
  "test -f f",
  "[ -d d ]",
  "printf '%s' a",
  "git log -1",
  "git status",
  "true",
  "cd d",
  "diff f g",
  "stat f",
  "awk '{print $1}' f",
  "sed 's/a/b/' f"
] as const

/** `P` is the marked command. */
const hidden = [
  "P",
  "$(P)",
  "`P`",
  'echo "$(P)"',
  'echo "`P`"',
  "cat <(P)",
  "echo > >(P)",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: bash, not JavaScript
  "echo ${A:-$(P)}",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: bash, not JavaScript
  "echo ${A:=`P`}",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: bash, not JavaScript
  "echo ${A/$(P)/}",
  "echo $((a[$(P)]))",
  "echo $(( x='a[$(P)]', x ))",
  "echo $[ x='a[$(P)]', x ]",
  "{ P; }",
  "(P)",
  "! P",
  "time P",
  "coproc P",
  "if P; then :; fi",
  "if true; then P; fi",
  "for i in 1; do P; done",
  "while P; do break; done",
  "until false; do P; break; done",
  "case a in a) P;; esac",
  "case $(P) in *) ;; esac",
  "f(){ P; }; f",
  "function f { P; }; f",
  "trap 'P' EXIT",
  "cat <<E\n$(P)\nE",
  "cat <<'E'\nx\nE\nP",
  "cat <<E\nx\nE\nP",
  "cat <<-E\n\tx\n\tE\nP",
  "cat <<\\E\n$(P)\nE\nP",
  'cat <<"E"\nx\nE\nP',
  "cat <<E; P\nx\nE",
  "cat <<'E F'\nx\nE F\nP",
  "cat <<< $(P)",
  "[[ -v 'a[$(P)]' ]]",
  "[[ 'a[$(P)]' -eq 1 ]]",
  "printf -v 'a[$(P)]' x",
  "test -v 'a[$(P)]'",
  "[ -v 'a[$(P)]' ]",
  "[ 'a[$(P)]' -eq 1 ]",
  "let 'a[$(P)]'",
  "(( a[$(P)] ))",
  "declare 'a[$(P)]=1'",
  "read 'a[$(P)]' <<< x",
  "unset 'a[$(P)]'",
  "A=$(P) ls",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: bash, not JavaScript
  "A='$(P)'; echo ${A@P}",
  "ls(){ P; }; ls",
  "alias ls='P'; ls",
  "mapfile -C 'P;' -c 1 <<< x",
  "compgen -C 'P'",
  "# x\nP",
  "echo '#' # '\nP",
  "echo a#b; P",
  "echo \\# ; P",
  "echo 'a\nb'; P",
  'echo "a\'b"; P',
  "echo 'a\"b'; P",
  "echo $'a\\'b'; P",
  'echo $"a"; P',
  "ls &>/dev/null; P",
  "ls 2>&1; P",
  "ls >/dev/null & P",
  "echo a\\\n; P"
] as const

const connectors = ["; ", " && ", " || ", " | ", " |& ", " & ", "\n", " ;", "&&", "||", "|"] as const

const programs = [
  "ls",
  "cat",
  "head",
  "tail",
  "wc",
  "grep",
  "rg",
  "find",
  "sort",
  "uniq",
  "cut",
  "tr",
  "diff",
  "cmp",
  "comm",
  "sed",
  "awk",
  "xxd",
  "od",
  "base64",
  "file",
  "stat",
  "date",
  "tree",
  "jq",
  "printf",
  "echo",
  "test",
  "shuf",
  "column",
  "paste",
  "join",
  "nl",
  "fold",
  "tac",
  "seq",
  "git log",
  "git diff",
  "git show",
  "git grep",
  "git branch",
  "git tag",
  "git config",
  "git stash",
  "git status",
  "git ls-files",
  "git remote",
  "git rev-parse",
  "git reflog",
  "git worktree",
  "git blame",
  "hostname",
  "env",
  "set",
  "unzip",
  "command",
  "type",
  "realpath"
] as const

const dangerous = [
  "-o new",
  "-onew",
  "--output=new",
  "--output new",
  "-O new",
  "-Otouch",
  "--open-files-in-pager=touch",
  "-exec touch new ;",
  "-execdir touch new ;",
  "-fprintf new x",
  "-fls new",
  "-fprint new",
  "-delete",
  "-ok touch new ;",
  "--compress-program=touch",
  "-T .",
  "-i",
  "-i.bak",
  "-n 'w new'",
  "-e 'w new'",
  "'1e touch new'",
  "'s/.*/touch new/e'",
  "'s/a/b/w new'",
  "-f f",
  "--pre touch",
  "-c core.pager=touch",
  "--ext-diff",
  "--textconv",
  "-v 'a[$(touch new)]'",
  "-r f new",
  "f new",
  "-C -m f",
  "-s now",
  "--in-place",
  "-g 'x' new",
  "-d x",
  "-D x",
  "-m x",
  "name value",
  "--add a b",
  "add x",
  "pop",
  "-lv",
  "--exec-path=.",
  "-p",
  "-P"
] as const

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
const meta = "'\"\\$`;|&<>(){}[]!#~*?\n\t =-:,.@%+^x"

const withOptions = (random: Random): string => {
  const options = Array.from({ length: 1 + random.below(3) }, () =>
    random.below(2) === 0
      ? random.pick(dangerous)
      : `-${Array.from({ length: 1 + random.below(3) }, () => letters[random.below(letters.length)]).join("")}`
  )
  const operands = random.pick(["", " f", " f g", " .", " new", " -- f", " x f", " d"])
  return `${random.pick(programs)} ${options.join(" ")}${operands}`
}

const hide = (random: Random): string => {
  const line = random.pick(hidden).replaceAll("P", () => random.pick(marked))
  return random.below(4) === 0 ? random.pick(hidden).replaceAll("P", () => line) : line
}

const compose = (random: Random): string => {
  const parts = Array.from({ length: 1 + random.below(3) }, () => {
    const kind = random.below(4)
    return kind === 0 ? random.pick(harmless) : kind === 1 ? withOptions(random) : hide(random)
  })
  return parts.reduce((line, part) => `${line}${random.pick(connectors)}${part}`)
}

const mutate = (random: Random, line: string): string => {
  const at = random.below(line.length + 1)
  const character = meta[random.below(meta.length)] ?? ""
  switch (random.below(4)) {
    case 0:
      return line.slice(0, at) + line.slice(at + 1)
    case 1:
      return line.slice(0, at) + character + line.slice(at + 1)
    case 2:
      return line.slice(0, at) + line.slice(at, at + 3) + line.slice(at)
    default:
      return line.slice(0, at) + character + line.slice(at)
  }
}

export const makeLine = (random: Random): string => {
  let line = random.below(3) === 0 ? withOptions(random) : compose(random)
  for (let n = random.below(4); n > 0; n--) line = mutate(random, line)
  return line
}
