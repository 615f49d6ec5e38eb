// Programs that only read, with the options and operands for which that is known.
import { git } from "./GitCommands.ts"
import { type Judge, type Options, unfit } from "./Options.ts"
import { special } from "./SpecialCommands.ts"
import { tools } from "./ToolCommands.ts"

const grep: Options = {
  short: "niwvlLcoqshHrRxEFPGIabzTUuZy",
  valued: "ABCmefdD",
  long: "regexp= file= ignore-case no-ignore-case invert-match word-regexp line-regexp count color color= colour colour= files-with-matches files-without-match max-count= only-matching quiet silent no-messages byte-offset with-filename no-filename label= line-number initial-tab null after-context= before-context= context= text binary-files= exclude= exclude-from= exclude-dir= include= recursive dereference-recursive extended-regexp fixed-strings basic-regexp perl-regexp null-data line-buffered",
  number: true,
  harmless: true
}
const hash: Options = {
  short: "bctwz",
  valued: "a",
  long: "binary check text tag zero ignore-missing quiet status strict warn algorithm=",
  harmless: true
}
const lines: Options = {
  short: "qvzfF",
  valued: "nc",
  long: "lines= bytes= quiet silent verbose zero-terminated follow",
  number: true,
  harmless: true
}
const any: Options = { harmless: true, short: "", number: true }
const none: Options = { most: 0 }

const plainCommands: Readonly<Record<string, Options>> = {
  ls: {
    short: "aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1",
    valued: "ITw",
    long: "all almost-all author escape block-size= ignore-backups color color= directory dired classify classify= file-type format= full-time group-directories-first no-group human-readable si dereference dereference-command-line hide= hyperlink hyperlink= indicator-style= inode ignore= kibibytes numeric-uid-gid literal hide-control-chars quote-name quoting-style= reverse recursive size sort= time= time-style= tabsize= width= context zero",
    harmless: true
  },
  cat: {
    short: "AbeEnstTuv",
    long: "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
    harmless: true
  },
  head: lines,
  tail: { ...lines, valued: "ncs", long: `${lines.long} follow= retry sleep-interval=` },
  wc: { short: "cmlLw", long: "bytes chars lines max-line-length words total=", harmless: true },
  grep,
  egrep: grep,
  fgrep: grep,
  rg: {
    short: "niwvlcoqhHFPSsuUxINL.pa0",
    valued: "ABCmefgtTMdjrE",
    long: "files files-with-matches files-without-match count count-matches ignore-case smart-case case-sensitive invert-match word-regexp line-regexp line-number no-line-number column heading no-heading hidden no-ignore no-ignore-vcs only-matching fixed-strings pcre2 multiline multiline-dotall vimgrep json stats trim text follow null sort= sortr= glob= iglob= type= type-not= type-list max-count= max-depth= max-columns= max-filesize= after-context= before-context= context= color= colors= replace= regexp= passthru with-filename no-filename no-messages no-config unrestricted pretty debug encoding= crlf one-file-system threads="
  },
  fd: {
    short: "HIsiFagL0p1q",
    valued: "tedEcjS",
    long: "hidden no-ignore case-sensitive ignore-case glob regex fixed-strings absolute-path follow full-path print0 max-depth= min-depth= exact-depth= type= extension= exclude= size= changed-within= changed-before= color= max-results= quiet"
  },
  pwd: { short: "LP", most: 0 },
  cd: { short: "LPe", most: 1 },
  df: {
    short: "aBhHiklPT",
    valued: "tx",
    long: "all human-readable si inodes local portability type= exclude-type= print-type total output output= block-size=",
    harmless: true
  },
  du: {
    short: "0abcDhHklLmPsSx",
    valued: "dtBX",
    long: "all apparent-size bytes total max-depth= human-readable si count-links dereference separate-dirs summarize threshold= time time= time-style= exclude= exclude-from= one-file-system block-size= inodes null",
    harmless: true
  },
  uname: {
    short: "asnrvmpio",
    long: "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system",
    most: 0
  },
  uptime: { short: "ps", long: "pretty since", most: 0 },
  hostname: { short: "fsidIAy", long: "fqdn long short ip-address all-ip-addresses domain", most: 0 },
  whoami: none,
  id: { short: "aGgnruzZ", long: "group groups name real user zero", harmless: true },
  groups: any,
  users: none,
  who: { short: "abdHlmpqrstTuw", long: "all boot heading", most: 0 },
  w: { short: "hsfoi", most: 0 },
  tty: { short: "s", most: 0 },
  logname: none,
  tree: {
    short: "adfilsphugDFqNQrtUvxACnSXJc",
    valued: "LPI",
    long: "gitignore dirsfirst filesfirst prune noreport charset= filelimit matchdirs ignore-case du si sort= inodes device info"
  },
  stat: { short: "LftZ", valued: "c", long: "dereference file-system terse format= printf= cached=", harmless: true },
  file: {
    short: "bhikLNnrsv0",
    long: "brief mime mime-type mime-encoding dereference no-dereference keep-going raw extension"
  },
  basename: { short: "az", valued: "s", long: "multiple suffix= zero", harmless: true },
  dirname: { short: "z", long: "zero", harmless: true },
  realpath: {
    short: "emLPqsz",
    long: "canonicalize-existing canonicalize-missing logical physical quiet relative-to= relative-base= strip no-symlinks zero",
    harmless: true
  },
  readlink: {
    short: "femnqsvz",
    long: "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero",
    harmless: true
  },
  sort: {
    short: "bdfgiMhnRrVcCmsuz",
    valued: "kt",
    long: "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse sort= version-sort check check= key= merge stable field-separator= unique zero-terminated debug"
  },
  uniq: {
    short: "cdDiuz",
    valued: "fsw",
    long: "count repeated all-repeated all-repeated= skip-fields= group group= ignore-case skip-chars= unique zero-terminated check-chars=",
    most: 1
  },
  cut: {
    short: "nsz",
    valued: "bcdf",
    long: "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= zero-terminated",
    harmless: true
  },
  tr: { short: "cCdst", long: "complement delete squeeze-repeats truncate-set1", most: 2 },
  comm: { short: "123z", long: "check-order nocheck-order output-delimiter= total zero-terminated", harmless: true },
  diff: {
    short: "abBcdeEfHinNpqrstTuwyZ",
    valued: "CUxIFWS",
    long: "brief report-identical-files context context= unified unified= ed normal rcs side-by-side width= left-column suppress-common-lines show-c-function show-function-line= label= expand-tabs recursive no-dereference new-file unidirectional-new-file ignore-file-name-case exclude= exclude-from= starting-file= ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines= text strip-trailing-cr minimal horizon-lines= speed-large-files color color= palette="
  },
  cmp: { short: "bls", valued: "in", long: "print-bytes ignore-initial= verbose bytes= quiet silent", harmless: true },
  nl: { short: "p", valued: "bdfhilnsvw", harmless: true },
  tac: { short: "br", valued: "s", harmless: true },
  rev: any,
  fold: { short: "bs", valued: "w", long: "bytes spaces width=", harmless: true },
  fmt: { short: "cstu", valued: "wgp", number: true, harmless: true },
  column: {
    short: "txeJnLR",
    valued: "cosNHTOr",
    long: "table separator= output-separator= json table-columns= table-name= columns= fillrows"
  },
  paste: { short: "sz", valued: "d", long: "delimiters= serial zero-terminated", harmless: true },
  join: {
    short: "iz",
    valued: "aeo12jtv",
    long: "ignore-case check-order nocheck-order header zero-terminated",
    harmless: true
  },
  expand: { short: "i", valued: "t", harmless: true },
  seq: { short: "w", valued: "fs", long: "format= separator= equal-width", number: true },
  sleep: { operand: /^\d+(?:\.\d+)?[smh]?$/ },
  which: { short: "as", harmless: true },
  type: { short: "afptP", operand: /^[\w.+@-]+$/ },
  md5sum: hash,
  sha1sum: hash,
  sha224sum: hash,
  sha256sum: hash,
  sha384sum: hash,
  sha512sum: hash,
  b2sum: hash,
  shasum: hash,
  cksum: { short: "abc", valued: "al", long: "algorithm=", harmless: true },
  sum: { short: "rs", harmless: true },
  strings: { short: "afdow", valued: "netT", long: "all bytes= radix= encoding=", number: true },
  od: {
    short: "abcdfiloxsv",
    valued: "AjNtSw",
    long: "address-radix= skip-bytes= read-bytes= format= output-duplicates width=",
    operand: /^[^+]/
  },
  hexdump: { short: "bcCdovx", valued: "ns", long: "canonical length= skip= no-squeezing" },
  hd: { short: "bcCdovx", valued: "ns" },
  free: { short: "bkmghtwlv", long: "bytes kibi mebi gibi human lohi total wide si", most: 0 },
  ps: {
    short: "AaefFlHjLMTxuwyZ",
    valued: "opCGgtUN",
    long: "forest sort= pid= ppid= format= no-headers headers user= width= cols=",
    operand: /^(?:[a-zA-Z]+|[\d,]+)$/
  },
  pgrep: { short: "flaxnoicv", valued: "uPg", long: "full list-name list-full exact newest oldest ignore-case count" },
  pstree: { short: "aclnpuhA", operand: /^\w+$/ },
  nproc: { long: "all ignore=", most: 0 },
  arch: none,
  lscpu: { short: "ae", most: 0 },
  lsblk: { short: "abdfilmnpt", valued: "o", long: "all fs json output=", most: 0 },
  getconf: { short: "a", operand: /^[\w/.]+$/ },
  // `-m` unpacks character maps with gzip.
  locale: { short: "a", long: "all-locales", operand: /^\w+$/ },
  cal: { short: "13jymshw", operand: /^\w+$/ },
  ncal: { short: "13jymshwb", operand: /^\w+$/ },
  env: none,
  printenv: { short: "0", long: "null", operand: /^\w+$/ },
  jq: {
    short: "acCeijMnrRsS",
    long: "null-input raw-input slurp compact-output raw-output join-output ascii-output sort-keys color-output monochrome-output tab exit-status arg argjson args jsonargs indent="
  },
  umask: { short: "S", most: 0 },
  exit: { operand: /^\d{1,3}$/, most: 1 },
  numfmt: {
    short: "z",
    valued: "d",
    long: "from= to= suffix= field= delimiter= format= padding= grouping header header= round="
  },
  shuf: { short: "erz", valued: "ni" },
  bc: { short: "lq", most: 0 },
  base64: { short: "di", valued: "w", long: "decode wrap= ignore-garbage", most: 1 },
  base32: { short: "di", valued: "w", long: "decode wrap= ignore-garbage", most: 1 },
  iconv: { short: "l", valued: "ft", long: "from-code= to-code= list" },
  ss: { short: "tlnpuaxseimo046HO", most: 0 },
  netstat: { short: "tlnpuaxrisgec46W", most: 0 },
  lsof: { short: "nPtUwl", valued: "ip" },
  vmstat: { short: "asw", most: 0 },
  ulimit: { short: "aSH", most: 0 },
  dirs: { short: "lpv", most: 0 },
  jobs: { short: "lpr", most: 0 },
  times: none,
  tsort: any,
  factor: any
}

const byOptions = new Map<string, Judge>(
  Object.entries(plainCommands).map(([name, options]) => [name, (args) => unfit(options, args)])
)
const all = new Map<string, Judge>([...byOptions, ...tools, ...special, ["git", git]])

const about = new Set(["--help", "--version"])

/** The judge of a program; undefined for a program that isn't known to only read. */
export const judgeOf = (name: string): Judge | undefined => {
  const judge = all.get(name)
  if (judge === undefined) return undefined
  return (args) =>
    byOptions.has(name) && args.length === 1 && about.has(args[0]?.text ?? "") ? undefined : judge(args)
}
