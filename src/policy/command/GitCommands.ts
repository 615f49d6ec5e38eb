// The commands of git that only read, with their options. What the repository's own configuration could start is left
// to the environment git is given and to the sandbox.
import { type Judge, type Options, unfit } from "./Options.ts"
import type { Plain } from "./Words.ts"

// `%G` and `%(signature)` in a format, as --show-signature, start gpg.
const word = /^(?!.*(?:%[-+ ]?G|%\(\*?signature))/s

const diff: Options = {
  short: "puswbRaztW",
  valued: "USGMCBXl",
  long: "patch no-patch raw stat stat= numstat shortstat summary name-only name-status patch-with-stat patch-with-raw minimal patience histogram diff-algorithm= color color= no-color word-diff word-diff= word-diff-regex= color-words color-words= no-renames find-renames find-renames= find-copies find-copies-harder diff-filter= pickaxe-all pickaxe-regex ignore-space-at-eol ignore-space-change ignore-all-space ignore-blank-lines ignore-cr-at-eol function-context unified= inter-hunk-context= exit-code quiet no-ext-diff no-textconv full-index abbrev abbrev= binary text check relative relative= cached staged merge-base no-index ignore-submodules ignore-submodules= src-prefix= dst-prefix= no-prefix compact-summary dirstat cc combined-all-paths ws-error-highlight= color-moved color-moved= indent-heuristic find-object=",
  word
}
const log: Options = {
  short: `${diff.short}iEFPgmcr`,
  valued: `${diff.valued}nL`,
  long: `${diff.long} oneline graph no-graph decorate decorate= no-decorate decorate-refs= all branches branches= tags tags= remotes remotes= format= pretty pretty= abbrev-commit no-abbrev-commit author= committer= since= until= after= before= date= grep= all-match invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp follow first-parent merges no-merges min-parents= max-parents= reverse date-order topo-order author-date-order max-count= skip= left-right cherry cherry-pick cherry-mark left-only right-only boundary simplify-by-decoration full-history ancestry-path sparse dense source show-pulls no-walk walk-reflogs relative-date parents children not exclude= glob= no-notes no-mailmap mailmap log-size objects count`,
  number: true,
  word
}
const refs: Options = {
  short: "avri",
  long: "list all remotes verbose show-current color color= no-color column column= no-column sort= format= contains= no-contains= merged= no-merged= points-at= abbrev abbrev= no-abbrev ignore-case count= exclude=",
  word
}

/** Without a first flag that asks for a list, an operand is the name of a branch or tag to be made. */
const list =
  (options: Options, flag: RegExp): Judge =>
  (args) =>
    unfit(flag.test(args[0]?.text ?? "") ? options : { ...options, most: 0 }, args)

const under =
  (names: RegExp, options: Options): Judge =>
  ([first, ...args]) =>
    first !== undefined && names.test(first.text) ? unfit(options, args) : (first?.text ?? "")

const fits =
  (options: Options): Judge =>
  (args) =>
    unfit({ ...options, word }, args)

const configReads = /^(?:--get|--get-all|--get-regexp|--get-urlmatch|--list|-l)$/
const configOptions: Options = {
  short: "lz",
  long: "get get-all get-regexp list local global system worktree name-only show-origin show-scope null includes bool int path type= default="
}
/** One word alone is asked for; a second one would be set. */
const config: Judge = (args) => {
  const verb = args.find(({ text }) => !/^--(?:local|global|system|worktree)$/.test(text))
  return unfit({ ...configOptions, most: configReads.test(verb?.text ?? "") ? 2 : 1 }, args)
}

const remote: Judge = (args) =>
  args[0]?.text === "get-url"
    ? unfit({ long: "all push", most: 1 }, args.slice(1))
    : unfit({ short: "v", long: "verbose", most: 0 }, args)

const reflog: Judge = (args) =>
  args[0] === undefined || /^(?:show$|HEAD|-)/.test(args[0].text)
    ? unfit(args[0]?.text === "show" || args[0]?.text.startsWith("HEAD") ? log : { ...log, most: 0 }, args)
    : args[0].text

const stash: Judge = ([first, ...args]) =>
  first?.text === "list" || first?.text === "show" ? unfit(log, args) : (first?.text ?? "")

const commands: Readonly<Record<string, Judge>> = {
  status: fits({
    short: "sbvz",
    valued: "u",
    long: "short branch porcelain porcelain= long verbose untracked-files untracked-files= ignored ignored= ignore-submodules ignore-submodules= show-stash ahead-behind no-ahead-behind column no-column renames no-renames find-renames"
  }),
  log: fits(log),
  show: fits(log),
  whatchanged: fits(log),
  "rev-list": fits(log),
  diff: fits(diff),
  "diff-tree": fits({ ...log, long: `${log.long} no-commit-id root` }),
  "diff-index": fits(diff),
  "diff-files": fits(diff),
  branch: list(refs, /^--list$/),
  tag: list({ ...refs, short: "li", valued: "n" }, /^(?:-l|--list)$/),
  "for-each-ref": fits(refs),
  "show-ref": fits({ short: "dqs", long: "head heads tags branches dereference verify quiet hash hash=" }),
  "symbolic-ref": fits({ short: "q", long: "short quiet", most: 1 }),
  remote,
  "rev-parse": fits({
    short: "q",
    long: "abbrev-ref abbrev-ref= short short= show-toplevel show-prefix show-cdup git-dir git-common-dir absolute-git-dir git-path is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository show-superproject-working-tree show-object-format verify quiet symbolic symbolic-full-name all branches tags remotes"
  }),
  describe: fits({
    long: "tags always all long abbrev= dirty dirty= match= exclude= contains exact-match first-parent candidates="
  }),
  blame: fits({
    short: "wsefltbkcMC",
    valued: "LS",
    long: "date= porcelain line-porcelain incremental show-name show-number show-email show-stats root since= ignore-rev= ignore-revs-file= color-lines color-by-age abbrev= first-parent"
  }),
  annotate: fits({ short: "wsefltb", valued: "L" }),
  shortlog: fits({
    ...log,
    short: `${log.short}sne`,
    valued: diff.valued ?? "",
    long: `${log.long} numbered summary email group=`
  }),
  "ls-files": fits({
    short: "cdmoistuvkzf",
    valued: "xX",
    long: "cached deleted modified others ignored stage unmerged killed exclude= exclude-from= exclude-standard directory no-empty-directory error-unmatch full-name abbrev abbrev= eol deduplicate format= with-tree="
  }),
  "ls-tree": fits({
    short: "drtlz",
    long: "name-only name-status object-only full-name full-tree long abbrev abbrev= format="
  }),
  "cat-file": fits({ short: "tsep", most: 2 }),
  stash,
  reflog,
  config,
  grep: fits({
    short: "niwvlLcEFGPhHIopqWzar",
    valued: "eABCmf",
    long: "cached untracked no-index ignore-case word-regexp invert-match files-with-matches name-only files-without-match count extended-regexp fixed-strings basic-regexp perl-regexp line-number column heading break show-function function-context after-context= before-context= context= max-depth= max-count= and or not all-match quiet color color= no-color text full-name only-matching recursive exclude-standard threads=",
    number: true
  }),
  worktree: under(/^list$/, { short: "vz", long: "porcelain verbose", most: 0 }),
  "name-rev": fits({ long: "tags refs= name-only all always no-undefined" }),
  "merge-base": fits({ short: "a", long: "all octopus independent is-ancestor fork-point" }),
  "count-objects": fits({ short: "vH", most: 0 }),
  "check-ignore": fits({ short: "vqn", long: "verbose quiet non-matching no-index" }),
  "check-attr": fits({ short: "a", long: "all cached" }),
  cherry: fits({ short: "v", long: "abbrev abbrev=" }),
  version: fits({ long: "build-options", most: 0 })
}

/** What may stand before the command: another folder, and what only changes the output. */
const afterGlobals = (args: ReadonlyArray<Plain>): ReadonlyArray<Plain> => {
  const [first, second] = args
  if (first === undefined) return args
  if (/^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs)$/.test(first.text)) return afterGlobals(args.slice(1))
  if (first.text === "-C" && second !== undefined && !second.glob) return afterGlobals(args.slice(2))
  return args
}

export const git: Judge = (args) => {
  const [first, ...rest] = afterGlobals(args)
  if (first === undefined) return ""
  if (args.length === 1 && /^(?:--version|-v)$/.test(first.text)) return undefined
  const judge = Object.hasOwn(commands, first.text) ? commands[first.text] : undefined
  return judge === undefined || first.glob ? first.text : judge(rest)
}
