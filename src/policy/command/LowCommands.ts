// Commands that only read, by the options they may be given. What is not listed is not low. Pure data.
import type { Allowed } from "./Options.ts"

const words = (text: string): ReadonlyArray<string> => text.split(" ")
const none: Allowed = { operands: 0 }
const number = /^[+-]?\d+(?:\.\d+)?$/

const grep: Allowed = {
  letters: "acEFGHhIiLlnoPqRrsTUvwxyZz",
  valued: "ABCDdefm",
  long: words(
    "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp count files-without-match files-with-matches only-matching quiet silent no-messages byte-offset with-filename no-filename line-number initial-tab null text recursive dereference-recursive null-data color colour"
  ),
  longValued: words(
    "regexp file max-count label after-context before-context context binary-files devices directories exclude exclude-from exclude-dir include color colour"
  ),
  number: true,
  readsOnly: true
}

const ripgrep: Allowed = {
  letters: "ivwxclnNHIFSsUoupaL0PqjhV.",
  valued: "egtTABCmrMdf",
  long: words(
    "ignore-case smart-case case-sensitive invert-match word-regexp line-regexp count count-matches files-with-matches files-without-match files line-number no-line-number with-filename no-filename heading no-heading fixed-strings multiline multiline-dotall only-matching unrestricted pretty text follow null pcre2 quiet hidden no-hidden no-ignore no-ignore-vcs json stats type-list column no-column trim vimgrep passthru no-messages no-config version"
  ),
  longValued: words(
    "regexp glob iglob type type-not after-context before-context context max-count replace max-columns max-depth color colors sort sortr max-filesize encoding threads ignore-file path-separator engine"
  ),
  number: false
}

const sums: Allowed = {
  letters: "btcz",
  long: words("check binary text quiet status strict tag warn zero ignore-missing"),
  readsOnly: true
}
const edges: Allowed = {
  letters: "qvz",
  valued: "nc",
  longValued: ["lines", "bytes"],
  long: words("quiet silent verbose zero-terminated"),
  number: true,
  readsOnly: true
}

export const lowCommands: Readonly<Record<string, Allowed>> = {
  ls: {
    letters: "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1",
    valued: "IwT",
    long: words(
      "all almost-all author escape ignore-backups directory dired file-type no-group human-readable si inode kibibytes dereference numeric-uid-gid literal hide-control-chars show-control-chars quote-name reverse recursive size full-time group-directories-first color classify context zero"
    ),
    longValued: words(
      "block-size color format hide hyperlink indicator-style ignore quoting-style sort time time-style width classify"
    ),
    readsOnly: true
  },
  cat: {
    letters: "AbeEnstTuv",
    long: words("show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting"),
    readsOnly: true
  },
  head: edges,
  tail: {
    ...edges,
    letters: "qvzfFr",
    valued: "ncs",
    long: words("quiet silent verbose zero-terminated follow retry"),
    longValued: words("lines bytes sleep-interval pid follow")
  },
  wc: {
    letters: "clLmw",
    long: words("bytes chars lines max-line-length words"),
    longValued: ["total"],
    readsOnly: true
  },
  grep,
  egrep: grep,
  fgrep: grep,
  rg: ripgrep,
  fd: {
    letters: "HIapisgul0",
    valued: "teEdS",
    long: words(
      "hidden no-ignore absolute-path full-path ignore-case case-sensitive glob regex fixed-strings print0 follow unrestricted"
    ),
    longValued: words(
      "type extension exclude max-depth min-depth exact-depth size changed-within changed-before color"
    ),
    operands: 20
  },
  pwd: { letters: "LP", operands: 0 },
  cd: { letters: "LPe", operands: 1 },
  true: {},
  false: {},
  ":": {},
  exit: { operands: 1, operand: /^\d{1,3}$/ },
  set: { letters: "eu", valued: "o", badValue: /^(?!pipefail$)/, operands: 0 },
  sleep: { operands: 1, operand: /^\d+(?:\.\d+)?[smh]?$/ },
  date: {
    letters: "uR",
    valued: "d",
    long: words("utc universal rfc-email"),
    longValued: words("date iso-8601 rfc-3339"),
    operands: 1,
    operand: /^\+/
  },
  cal: { letters: "13jmsy", operands: 2, operand: /^\d+$/ },
  df: {
    letters: "ahHiklPT",
    valued: "Btx",
    long: words("all human-readable inodes local portability print-type total si"),
    longValued: words("block-size type exclude-type output"),
    readsOnly: true
  },
  du: {
    letters: "abcDhHklLmsSx0",
    valued: "dBtX",
    long: words(
      "all apparent-size bytes total dereference human-readable count-links no-dereference separate-dirs si summarize one-file-system null inodes time"
    ),
    longValued: words("block-size max-depth threshold exclude exclude-from time time-style"),
    readsOnly: true
  },
  uname: { letters: "asnrvmpio", long: ["all"], operands: 0 },
  uptime: { letters: "ps", operands: 0 },
  hostname: { letters: "fisIdA", operands: 0 },
  whoami: none,
  logname: none,
  tty: none,
  arch: none,
  nproc: { long: ["all"], operands: 0 },
  id: { letters: "agGnruz", operands: 1 },
  groups: { operands: 1 },
  free: { letters: "bkmghtlw", long: words("human total lohi wide mega giga kilo"), operands: 0 },
  ps: { letters: "aAcdeEfFgGHjlLmMNopPqrsStTuUvVwxyZ", operands: 4, operand: /^[A-Za-z0-9,=%:_-]+$/ },
  pgrep: { letters: "aflnovx", valued: "uUPgt", operands: 1 },
  lscpu: { letters: "abeJpy", operands: 0 },
  locale: { letters: "a", operands: 2, operand: /^[A-Za-z_]+$/ },
  getconf: { letters: "a", operands: 2, operand: /^[A-Z0-9_a-z/.]+$/ },
  env: none,
  printenv: { operands: 1, operand: /^\w+$/ },
  tree: {
    letters: "adfilnpsugDFhtcrvJXCS",
    valued: "LIP",
    long: words("dirsfirst noreport gitignore prune du si inodes matchdirs ignore-case filesfirst"),
    longValued: words("filelimit timefmt sort charset"),
    operands: 50
  },
  stat: {
    letters: "Lft",
    valued: "c",
    long: words("dereference file-system terse"),
    longValued: words("format printf cached"),
    readsOnly: true
  },
  file: {
    letters: "bikhLs0",
    long: words("brief mime mime-type mime-encoding keep-going dereference no-dereference extension"),
    operands: 200
  },
  basename: { letters: "az", valued: "s", long: words("multiple zero"), longValued: ["suffix"], readsOnly: true },
  dirname: { letters: "z", long: ["zero"], readsOnly: true },
  realpath: {
    letters: "emLPqsz",
    long: words("canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero"),
    longValued: words("relative-to relative-base"),
    readsOnly: true
  },
  readlink: {
    letters: "femnqsvz",
    long: words("canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero"),
    readsOnly: true
  },
  sort: {
    letters: "bdfgiMhnRrVcCmsuz",
    valued: "ktS",
    long: words(
      "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort month-sort human-numeric-sort numeric-sort random-sort reverse version-sort check merge stable unique zero-terminated debug"
    ),
    longValued: words("key field-separator buffer-size parallel sort"),
    operands: 50
  },
  uniq: {
    letters: "cdDiuz",
    valued: "fsw",
    long: words("count repeated ignore-case unique zero-terminated"),
    longValued: words("skip-fields skip-chars check-chars"),
    operands: 1
  },
  shuf: { letters: "erz", valued: "ni", operands: 50 },
  cut: {
    letters: "nsz",
    valued: "bcdf",
    long: words("complement only-delimited zero-terminated"),
    longValued: words("bytes characters delimiter fields output-delimiter"),
    readsOnly: true
  },
  tr: { letters: "cCdst", long: words("complement delete squeeze-repeats truncate-set1"), readsOnly: true },
  comm: {
    letters: "123z",
    long: words("check-order nocheck-order total zero-terminated"),
    longValued: ["output-delimiter"],
    readsOnly: true
  },
  diff: {
    letters: "abBcdeEfiHlnNpqrstTuwyZ",
    valued: "UCFIWxXS",
    long: words(
      "brief report-identical-files recursive new-file unified context side-by-side ignore-case ignore-all-space ignore-space-change ignore-blank-lines ignore-trailing-space ignore-tab-expansion strip-trailing-cr text minimal suppress-common-lines show-c-function color normal ed rcs expand-tabs"
    ),
    longValued: words(
      "unified context exclude color label width ignore-matching-lines show-function-line from-file to-file"
    ),
    number: true,
    readsOnly: true
  },
  cmp: {
    letters: "bls",
    valued: "in",
    long: words("print-bytes verbose quiet silent"),
    longValued: words("bytes ignore-initial"),
    readsOnly: true
  },
  nl: { letters: "p", valued: "bdfhilnsvw", readsOnly: true },
  tac: { letters: "br", valued: "s", readsOnly: true },
  rev: { readsOnly: true },
  fold: { letters: "bs", valued: "w", longValued: ["width"], long: words("bytes spaces"), readsOnly: true },
  fmt: { letters: "cstu", valued: "wgp", readsOnly: true },
  expand: { letters: "i", valued: "t", readsOnly: true },
  unexpand: { letters: "a", valued: "t", readsOnly: true },
  column: {
    letters: "txJLenR",
    valued: "csoNHTW",
    long: words("table json fillrows"),
    longValued: words("separator output-separator table-columns output-width"),
    readsOnly: true
  },
  paste: {
    letters: "sz",
    valued: "d",
    long: words("serial zero-terminated"),
    longValued: ["delimiters"],
    readsOnly: true
  },
  join: {
    letters: "iz",
    valued: "12aeotjv",
    long: words("ignore-case header check-order nocheck-order"),
    readsOnly: true
  },
  seq: {
    letters: "w",
    valued: "fs",
    long: ["equal-width"],
    longValued: words("format separator"),
    operands: 3,
    operand: number
  },
  which: { letters: "a", long: ["all"], operands: 20 },
  type: { letters: "aptfP", operands: 20 },
  whereis: { letters: "bmsu", operands: 20 },
  md5sum: sums,
  sha1sum: sums,
  sha224sum: sums,
  sha256sum: sums,
  sha384sum: sums,
  sha512sum: sums,
  b2sum: sums,
  cksum: { letters: "czb", valued: "al", readsOnly: true },
  sum: { letters: "rs", readsOnly: true },
  base64: { letters: "di", valued: "w", long: words("decode ignore-garbage"), longValued: ["wrap"], readsOnly: true },
  strings: {
    letters: "afow",
    valued: "net",
    long: words("all print-file-name"),
    longValued: words("bytes radix encoding"),
    operands: 50
  },
  od: {
    letters: "abcdfhiloOsvx",
    valued: "AjNtwS",
    long: words("output-duplicates traditional"),
    longValued: words("address-radix skip-bytes read-bytes format width"),
    readsOnly: true
  },
  hexdump: { letters: "bcCdovx", valued: "nse", operands: 50 },
  xxd: { letters: "abeiupEd", valued: "clgosn", operands: 1 },
  jq: {
    letters: "rcsneSMCajgR",
    long: words(
      "raw-output compact-output slurp null-input exit-status sort-keys monochrome-output color-output ascii-output join-output raw-input tab stream seq"
    ),
    longValued: ["indent"],
    operands: 50
  }
}

const versionWords: Readonly<Record<string, ReadonlyArray<string>>> = {
  "--version": words(
    "node npm npx deno bun python python2 python3 pip pip3 ruby perl gcc g++ clang clang++ cc cmake make ninja git rg jq bash docker psql sqlite3 kubectl helm openssl zsh tmux vim nvim rsync tar gh uv ruff grep sed awk"
  ),
  "-v": words("node npm perl ruby"),
  "-V": words("python python3 pip pip3"),
  "-version": words("java javac ffmpeg"),
  version: words("docker kubectl helm terraform openssl git")
}

/** Whether all that is asked is a version, which none of these programs runs any code of a project for. */
export const asksVersion = (name: string, args: ReadonlyArray<string>): boolean =>
  args.length === 1 && versionWords[args[0] ?? ""]?.includes(name) === true
