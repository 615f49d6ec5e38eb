// Git's commands that only read, by the options they may be given. Pure data and one rule. @see zeroclaw section 8.2
import { type Allowed, fits, operandsOf } from "./Options.ts"
import type { PlainWord } from "./Syntax.ts"

const words = (text: string): ReadonlyArray<string> => text.split(" ")

/** `%G` in a format asks a program of the repository's choice about signatures. */
const badValue = /%G/

const diffLong = words(
  "patch no-patch stat numstat shortstat name-only name-status summary raw patch-with-stat cached staged check color no-color color-words word-diff exit-code quiet ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines minimal patience histogram no-renames find-renames find-copies full-index binary text function-context no-ext-diff no-textconv merge-base no-prefix compact-summary pickaxe-all pickaxe-regex"
)
const diffValued = words(
  "unified stat diff-filter color word-diff word-diff-regex relative diff-algorithm abbrev inter-hunk-context find-renames find-copies submodule src-prefix dst-prefix ignore-submodules dirstat"
)

const diff: Allowed = {
  letters: "puszbwaRMCDWB",
  valued: "USGlO",
  long: diffLong,
  longValued: diffValued,
  readsOnly: false
}
/** `-O FILE` reads an order of files; in `git grep` the same letter starts a program. */
const log: Allowed = {
  letters: "puszbwaRMCDWBicgmFEPtr",
  valued: "USGlnL",
  long: [
    ...diffLong,
    ...words(
      "oneline graph all decorate no-decorate abbrev-commit no-abbrev-commit reverse follow merges no-merges first-parent branches tags remotes cherry-pick cherry-mark cherry left-right left-only right-only topo-order date-order author-date-order boundary simplify-by-decoration full-history dense sparse parents children walk-reflogs no-walk all-match invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp relative-date log-size no-notes source count no-expand-tabs"
    )
  ],
  longValued: [
    ...diffValued,
    ...words(
      "format pretty date since until after before author committer grep max-count skip decorate abbrev branches tags remotes glob exclude min-parents max-parents decorate-refs decorate-refs-exclude encoding"
    )
  ],
  number: true,
  badValue
}

const commands: Readonly<Record<string, Allowed>> = {
  status: {
    letters: "sbvzu",
    long: words(
      "short branch verbose long show-stash ahead-behind no-ahead-behind renames no-renames porcelain untracked-files ignored null"
    ),
    longValued: words("porcelain untracked-files ignored ignore-submodules find-renames")
  },
  diff,
  log,
  show: log,
  shortlog: {
    letters: "sneczg",
    long: words("summary numbered email committer all no-merges"),
    longValued: words("since until after before author group format"),
    badValue,
    operands: 20
  },
  "rev-parse": {
    letters: "q",
    long: words(
      "abbrev-ref short show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository verify quiet symbolic symbolic-full-name all branches tags remotes show-superproject-working-tree"
    ),
    longValued: words("abbrev-ref short")
  },
  "rev-list": { ...log, long: [...(log.long ?? []), "objects", "disk-usage"] },
  describe: {
    long: words("all tags always long dirty broken contains first-parent exact-match"),
    longValued: words("abbrev match exclude candidates dirty")
  },
  blame: {
    letters: "bceflMnpstwC",
    valued: "L",
    long: words(
      "root line-porcelain porcelain incremental show-name show-number show-email color-lines color-by-age first-parent"
    ),
    longValued: words("since date abbrev ignore-rev")
  },
  annotate: { letters: "bcefls", valued: "L" },
  "ls-files": {
    letters: "cdmoistkuzv",
    valued: "x",
    long: words(
      "cached deleted modified others ignored stage unmerged killed directory no-empty-directory eol full-name exclude-standard error-unmatch abbrev deduplicate debug"
    ),
    longValued: words("exclude abbrev format")
  },
  "ls-tree": {
    letters: "drtlz",
    long: words("name-only name-status long full-name full-tree object-only abbrev"),
    longValued: words("abbrev format")
  },
  "cat-file": { letters: "pets", operands: 2 },
  "name-rev": { long: words("tags all name-only always"), longValued: words("refs exclude") },
  "merge-base": { letters: "a", long: words("all octopus is-ancestor fork-point independent") },
  "for-each-ref": {
    long: ["ignore-case"],
    longValued: words("count sort format points-at merged no-merged contains no-contains exclude"),
    badValue: /%\(?(?:G|signature)/
  },
  "show-ref": {
    letters: "dqs",
    long: words("head tags heads verify quiet dereference hash abbrev branches"),
    longValued: words("hash abbrev")
  },
  "show-branch": { letters: "ar", long: words("all remotes list current topo-order") },
  "diff-tree": { ...diff, letters: "puszbwaRMCDWBrtmcv" },
  "diff-index": diff,
  "diff-files": diff,
  whatchanged: log,
  "count-objects": { letters: "vH", long: words("verbose human-readable") },
  "check-ignore": { letters: "vnq", long: words("verbose non-matching quiet no-index") },
  "check-attr": { letters: "a", long: words("all cached") },
  grep: {
    letters: "niIlLcwvhHoqFEGPaWpz",
    valued: "eABCmf",
    long: words(
      "line-number ignore-case files-with-matches files-without-match name-only count word-regexp invert-match no-index untracked cached fixed-strings extended-regexp basic-regexp perl-regexp heading break only-matching column show-function function-context all-match quiet color no-color text full-name and or not recursive no-recursive exclude-standard"
    ),
    longValued: words("after-context before-context context max-depth max-count color threads"),
    number: true
  },
  version: { long: ["build-options"], operands: 0 }
}

const listing: Allowed = {
  letters: "arvlqi",
  long: words("all remotes list verbose show-current color no-color no-column ignore-case omit-empty"),
  longValued: words("sort format contains no-contains merged no-merged points-at color abbrev"),
  badValue: /%\(?(?:G|signature)/
}

type Rule = (args: ReadonlyArray<PlainWord>) => boolean

const has = (args: ReadonlyArray<PlainWord>, names: ReadonlyArray<string>): boolean =>
  args.some(({ text }) => names.some((name) => text === name || text.startsWith(`${name}=`)))

/** Names without a listing option would make a branch or tag. */
const lists: Rule = (args) => fits({ ...listing, ...(has(args, ["--list", "-l"]) ? {} : { operands: 0 }) }, args)

const first =
  (table: Readonly<Record<string, Allowed>>): Rule =>
  ([head, ...rest]) => {
    const allowed = head === undefined || !Object.hasOwn(table, head.text) ? undefined : table[head.text]
    return allowed !== undefined && fits(allowed, rest)
  }

const getting: Allowed = {
  letters: "z",
  long: words("get get-all get-regexp show-origin show-scope name-only global local system worktree null includes"),
  longValued: words("type default"),
  operands: 1
}

const rules: Readonly<Record<string, Rule>> = {
  branch: lists,
  tag: (args) =>
    fits({ ...listing, letters: "lin", number: true, ...(has(args, ["--list", "-l"]) ? {} : { operands: 0 }) }, args),
  remote: (args) =>
    args.length === 0 ||
    fits({ letters: "v", long: ["verbose"], operands: 0 }, args) ||
    first({ "get-url": { long: ["all", "push"], operands: 1 } })(args),
  stash: first({ list: { ...log, operands: 0 }, show: { ...diff, operands: 1 } }),
  worktree: first({ list: { letters: "vz", long: ["porcelain", "verbose"], operands: 0 } }),
  reflog: (args) =>
    args.length === 0 || first({ show: log })(args) || (args[0]?.text.startsWith("-") === true && fits(log, args)),
  bisect: first({ log: { operands: 0 } }),
  notes: first({ list: { operands: 1 }, show: { operands: 1 } }),
  config: (args) =>
    fits(
      {
        letters: "lz",
        long: words("list show-origin show-scope name-only global local system worktree null includes"),
        operands: 0
      },
      args
    )
      ? has(args, ["-l", "--list"])
      : first({ get: getting, list: { ...getting, operands: 0 } })(args) || fits(getting, args),
  "symbolic-ref": (args) => fits({ letters: "q", long: ["short", "quiet"], operands: 1 }, args)
}

const globals: Allowed = { letters: "P", valued: "C", long: ["no-pager", "no-optional-locks", "literal-pathspecs"] }

/** The words from git's own command on; undefined when something before it is not allowed. */
const afterGlobals = (args: ReadonlyArray<PlainWord>): ReadonlyArray<PlainWord> | undefined => {
  const at = args.findIndex(({ text }, i) => !text.startsWith("-") && args[i - 1]?.text !== "-C")
  if (at < 0) return undefined
  return operandsOf(globals, args.slice(0, at))?.length === 0 ? args.slice(at) : undefined
}

/** Git's own command and whether it only reads. */
export const gitCommand = (args: ReadonlyArray<PlainWord>): { readonly name: string; readonly low: boolean } => {
  const [command, ...rest] = afterGlobals(args) ?? []
  if (command === undefined || command.pattern) return { name: "", low: false }
  const name = command.text
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
  const allowed = Object.hasOwn(commands, name) ? commands[name] : undefined
  return { name, low: rule?.(rest) ?? (allowed !== undefined && fits(allowed, rest)) }
}
