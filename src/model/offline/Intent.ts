// From a person's words to what is wanted. Pure and total: what is not understood is an intent too.
import { hasQuote, quoted, split, unquote } from "./Words.ts"

export type Intent =
  | { readonly _tag: "Help" }
  | { readonly _tag: "Echo"; readonly text: string }
  | { readonly _tag: "Repeat"; readonly times: number; readonly text: string }
  | { readonly _tag: "Wait" }
  | { readonly _tag: "List"; readonly path: string }
  | { readonly _tag: "Read"; readonly path: string; readonly from?: number; readonly to?: number }
  | { readonly _tag: "Find"; readonly pattern: string; readonly path?: string }
  | { readonly _tag: "Search"; readonly text: string; readonly path?: string }
  | { readonly _tag: "Outline"; readonly path?: string }
  | { readonly _tag: "Summarise"; readonly path?: string }
  | { readonly _tag: "SummariseDiff" }
  | { readonly _tag: "CountFiles"; readonly pattern: string; readonly path?: string }
  | { readonly _tag: "CountLines"; readonly path: string }
  | { readonly _tag: "CountMatches"; readonly text: string; readonly path?: string }
  | { readonly _tag: "Run"; readonly command: string }
  | { readonly _tag: "Test" }
  | { readonly _tag: "Todos"; readonly path?: string }
  | {
      readonly _tag: "Replace"
      readonly from: string
      readonly to: string
      readonly path: string
      readonly all: boolean
    }
  | { readonly _tag: "Create"; readonly path: string; readonly content: string }
  | { readonly _tag: "Append"; readonly path: string; readonly content: string }
  | { readonly _tag: "Plan"; readonly steps: ReadonlyArray<string> }
  | { readonly _tag: "Unknown"; readonly text: string }

/** A quoted or bare argument. */
const arg = String.raw`(${quoted}|\S+)`
/** As the last word of a question, without its mark. */
const asked = String.raw`(${quoted}|\S+?)`
const content = String.raw`(${quoted}|\x60{3}[\s\S]*?\x60{3}|[\s\S]+)`

/** A path without the words and marks around it. */
const pathOf = (text: string | undefined): string => {
  const path = unquote(unquote(text).replace(/^(?:the )?(?:file|folder|directory|document)\s+/i, "")).replace(
    /[?!,;]{1,9}$|(?<=\w)\.$/g,
    ""
  )
  return /^(?:the )?readme$/i.test(path) ? "README.md" : path
}

/** Words that are not quoted and look like no path name nothing: "show me how it works". */
const isPath = (text: string | undefined): boolean => {
  const path = pathOf(text)
  return !/\s/.test(path) || /[./\\]/.test(path) || hasQuote(text ?? "")
}

const place = (text: string | undefined): string => {
  const path = pathOf(text).replace(
    /^(?:the |this )?(?:current )?(?:project|repo|repository|folder|directory|workspace|here)$/i,
    "."
  )
  return path === "" ? "." : path
}

const placeOf = (text: string | undefined): { readonly path?: string } => {
  const path = text === undefined ? "." : place(text)
  return path === "." ? {} : { path }
}

const isThis = (text: string): boolean =>
  /^(?:this|it|that|document|file|attachment|(?:the|this) (?:attachment|attached \w+|file|document|page|text))$/i.test(
    text
  )

const extensions: Readonly<Record<string, string>> = {
  typescript: "ts",
  javascript: "js",
  python: "py",
  rust: "rs",
  go: "go",
  java: "java",
  c: "c",
  "c++": "cpp",
  markdown: "md",
  json: "json",
  toml: "toml",
  yaml: "{yml,yaml}",
  shell: "sh",
  css: "css",
  html: "html",
  text: "txt",
  test: "test.*"
}
const kinds = String.raw`typescript|javascript|python|rust|go|java|c\+\+|c|markdown|json|toml|yaml|shell|css|html|text|test`

const filePattern = (kind: string): string => {
  const word = unquote(kind).toLowerCase().replace(/^\./, "")
  if (word === "" || word === "all") return "**/*"
  if (/[*?[{]/.test(word)) return unquote(kind)
  return `**/*.${extensions[word] ?? word}`
}

/** A bare name is looked for anywhere in a name; a glob is taken as it is. */
const findPattern = (name: string): string => (/[*?[{/]/.test(name) ? name : `**/*${name}*`)

/** Undefined: these words fit the form but mean something else. */
type Make = (...groups: ReadonlyArray<string | undefined>) => Intent | undefined
type Rule = readonly [pattern: RegExp, make: Make]

const rule = (source: string, make: Make): Rule => [new RegExp(`^(?:${source})$`, "i"), make]

const optionalPath = (name: string | undefined): { readonly path?: string } => {
  const found = pathOf(name)
  return found === "" || isThis(found) ? {} : { path: found }
}

const command = (line: string): Intent => ({ _tag: "Run", command: line })
const create = (name: string | undefined, text: string): Intent => ({
  _tag: "Create",
  path: pathOf(name),
  content: text
})
const replace = (from: string | undefined, to: string | undefined, name: string | undefined, all: boolean): Intent => ({
  _tag: "Replace",
  from: unquote(from),
  to: unquote(to),
  path: pathOf(name),
  all
})
const countMatches = (text: string | undefined, where: string | undefined): Intent => ({
  _tag: "CountMatches",
  // The notes are written so, however they are spoken of.
  text: unquote(text).replace(/^(todo|fixme)s$/i, (_, note: string) => note.toUpperCase()),
  ...(where === undefined ? {} : { path: place(where) })
})
const outline = (name: string | undefined): Intent | undefined =>
  isThis(pathOf(name)) || isPath(name) ? { _tag: "Outline", ...optionalPath(name) } : undefined
const summarise = (name: string | undefined): Intent | undefined =>
  isThis(pathOf(name)) || isPath(name) ? { _tag: "Summarise", ...optionalPath(name) } : undefined
const list = (name: string | undefined): Intent | undefined =>
  place(name) === "." || isPath(name) ? { _tag: "List", path: place(name) } : undefined

/** What may hold text of any length: the text is quoted, never searched for meaning. */
const verbatimRules: ReadonlyArray<Rule> = [
  rule(String.raw`(?:echo|say)[ \n]([\s\S]+)`, (text) => ({ _tag: "Echo", text: unquote(text) })),
  rule(String.raw`repeat (\d{1,9}) ([\s\S]+)`, (times, text) => ({
    _tag: "Repeat",
    times: Math.min(Number(times), 100_000),
    text: text ?? ""
  })),
  rule(
    String.raw`(?:create|write|make)(?: a)?(?: new)?(?: file)?(?: called| named)? ${arg} (?:with|containing|that says)(?: the (?:text|content|line))?:?\s+${content}`,
    (name, text) => create(name, unquote(text))
  ),
  rule(String.raw`write (${quoted}) (?:to|into) ${arg}`, (text, name) => create(name, unquote(text))),
  rule(
    String.raw`(?:append|add) (?:the (?:line|text) )?(${quoted}|\x60{3}[\s\S]*\x60{3}) to (?:the end of )?${arg}`,
    (text, name) => ({ _tag: "Append", content: unquote(text), path: pathOf(name) })
  )
]

const rules: ReadonlyArray<Rule> = [
  rule(String.raw`help(?: me)?|\?|what can (?:you|i) do\??|commands|who are you\??`, () => ({ _tag: "Help" })),
  ...verbatimRules,
  rule("wait|wait until i cancel", () => ({ _tag: "Wait" })),
  rule(String.raw`(?:make |create |write )?(?:a |the )?plan(?: to|:| for)\s*([\s\S]+)`, (steps) => plan(steps)),
  rule(String.raw`(?:first )?plan ([\s\S]+)`, (steps) => plan(steps)),
  rule(String.raw`(?:run )?(?:the |all |all the )?tests?(?: suite)?|test (?:it|this|the project)`, () => ({
    _tag: "Test"
  })),
  rule(String.raw`(?:run|execute)(?: the command)?:? ([\s\S]+)`, (line) => command(unquote(line))),
  rule(String.raw`(npm test|npm run [\w:-]+|cargo (?:test|build|check)|pytest)`, (line) => command(line ?? "")),
  rule(
    String.raw`(?:summari[sz]e|explain|describe|what is in) (?:the |my )?(?:git )?(?:diff|changes|uncommitted changes)|what (?:has )?changed\??`,
    () => ({ _tag: "SummariseDiff" })
  ),
  rule(
    String.raw`(?:show |summari[sz]e |explain |describe |what (?:is|was) )?(?:me )?(?:the )?(?:last|latest) commit\??|what did the (?:last|latest) commit (?:change|do)\??`,
    () => command("git log -1 --stat")
  ),
  rule(String.raw`git (status|diff|log|show|branch) (.+)`, (what, rest) =>
    command(`git ${what?.toLowerCase()} ${rest}`)
  ),
  rule(String.raw`git show`, () => command("git show --stat")),
  rule(String.raw`(?:show )?(?:me )?(?:the )?(?:git )?(status|diff|log)`, (what) =>
    command(what?.toLowerCase() === "log" ? "git log --oneline -10" : `git ${what?.toLowerCase()}`)
  ),
  rule(
    String.raw`(?:list |show |find |collect )?(?:me )?(?:all )?(?:the )?(?:todos?|fixmes?)(?: (?:notes|comments))?(?: and fixmes?)?(?: (?:in|under|below) ([\s\S]+))?`,
    (where) => ({ _tag: "Todos", ...placeOf(where) })
  ),
  rule(
    String.raw`(?:how many|count)(?: the| all)? ?(?:${arg} )?files(?: are)?(?: there| here)?(?: (?:in|below|under) ([\s\S]+?))?\??`,
    (kind, where) => ({ _tag: "CountFiles", pattern: filePattern(kind ?? ""), ...placeOf(where) })
  ),
  rule(String.raw`count ([^\s"']*[*?][^\s"']*)(?: (?:in|below|under) ([\s\S]+?))?\??`, (glob, where) => ({
    _tag: "CountFiles",
    pattern: glob ?? "",
    ...placeOf(where)
  })),
  rule(String.raw`(?:how many|count)(?: the)? lines (?:are )?(?:in|of) (?!code\b)([\s\S]+?)\??`, (name) => ({
    _tag: "CountLines",
    path: pathOf(name)
  })),
  rule(String.raw`how many lines (?:does|has) ${arg}(?: have)?\??`, (name) => ({
    _tag: "CountLines",
    path: pathOf(name)
  })),
  rule(
    String.raw`how (?:many times|often) (?:does|is) ${arg} (?:appear|occur|stand|used)(?: (?:in|below|under) ([\s\S]+?))?\??`,
    countMatches
  ),
  rule(
    String.raw`(?:how many|count)(?: the)?(?: matches (?:of|for))? ${asked}(?: are there| are)?(?: in ([\s\S]+?))?\??`,
    countMatches
  ),
  rule(
    String.raw`replace (all |every )?(?:occurrences? of )?${arg} (?:with|by) ${arg} (?:(everywhere|all) )?in ${arg}( everywhere| all)?`,
    (all, from, to, inner, name, outer) => replace(from, to, name, (all ?? inner ?? outer) !== undefined)
  ),
  rule(
    String.raw`in ${arg},? replace (all |every )?${arg} (?:with|by) ${arg}( everywhere)?`,
    (name, all, from, to, outer) => replace(from, to, name, (all ?? outer) !== undefined)
  ),
  rule(String.raw`(?:create|make)(?: an?)?(?: new)? empty file(?: called| named)? ${arg}`, (name) => create(name, "")),
  rule(String.raw`append ([\s\S]+?) to ${arg}`, (text, name) => ({
    _tag: "Append",
    content: unquote(text),
    path: pathOf(name)
  })),
  rule(
    String.raw`(?:search|grep|look)(?: for)?(?: the (?:word|text))? ${arg}(?: (?:in|under|inside) ([\s\S]+))?`,
    search
  ),
  rule(String.raw`grep ${arg} (\.|\S*\/\S*|\S+\.\w{1,5})`, search),
  rule(String.raw`(?:search|grep)(?: for)? ([\s\S]+?) (?:in|under|inside) (\S+)`, search),
  rule(String.raw`(?:search|grep)(?: for)? ([\s\S]+)`, (text) => search(text, undefined)),
  rule(String.raw`(?:which|what) files (?:contain|hold|mention|use) ${asked}(?: in ([\s\S]+?))?\??`, search),
  rule(String.raw`what does ([^\s]+) do\??`, outline),
  rule(
    String.raw`what (?:functions|classes|definitions|types|headings|keys) (?:are|does) (?:in )?([\s\S]+?)(?: have)?\??`,
    outline
  ),
  rule(String.raw`where is ${asked}(?: (?:defined|used))?\??`, (text) => search(text, undefined)),
  rule(
    String.raw`(?:find|locate|list|show)(?: me)?(?: all)?(?: the)? (${kinds}) files(?: (?:in|below|under) ([\s\S]+))?`,
    (kind, where) => ({ _tag: "Find", pattern: filePattern(kind ?? ""), ...placeOf(where) })
  ),
  rule(
    String.raw`(?:find|locate)(?: the| all)?(?: files?)?(?: (?:named|called|matching|by name))? ${arg}(?: files)?(?: (?:in|below|under) ([\s\S]+))?`,
    (name, where) => ({ _tag: "Find", pattern: findPattern(unquote(name)), ...placeOf(where) })
  ),
  rule(
    String.raw`(?:ls|list|tree|dir)(?: -\w+)?(?: me)?(?: all)?(?: the)?(?: files| folders?| contents?)?(?: (?:in|of|below|under))?(?: ([\s\S]+))?`,
    list
  ),
  rule(String.raw`what files are (?:here|there)\??|show (?:me )?(?:the )?(?:files|folder|project)`, () => ({
    _tag: "List",
    path: "."
  })),
  rule(String.raw`(?:what is|what's) in ${arg}\??`, (name) =>
    /\.\w{1,8}$|^readme/i.test(pathOf(name)) ? summarise(name) : list(name)
  ),
  rule(String.raw`(?:explain|outline|describe)(?: the outline of| of)?(?: the structure of)? ([\s\S]+)`, outline),
  rule("explain|outline", () => ({ _tag: "Outline" })),
  rule(
    String.raw`(?:(?:summari[sz]e|tl;?dr|sum up)(?: the)?|(?:give me |show me )?(?:a |the )?summary of) ([\s\S]+)`,
    summarise
  ),
  rule("summari[sz]e|tl;?dr", () => ({ _tag: "Summarise" })),
  rule(
    String.raw`(?:read|show|open|cat|print|view|display)(?: me)?(?: the)?(?: contents? of)?(?: file)? ([\s\S]+)`,
    (name) => (isPath(name) || /\blines? \d/.test(name ?? "") ? readIntent(name) : undefined)
  )
]

function plan(text: string | undefined): Intent {
  return { _tag: "Plan", steps: split(text ?? "", true, isUnderstood).steps }
}

function search(text: string | undefined, where: string | undefined): Intent {
  return { _tag: "Search", text: unquote(text), ...(where === undefined ? {} : { path: place(where) }) }
}

function readIntent(name: string | undefined): Intent {
  const lines = /^(.*?)(?::| (?:from )?lines? )(\d+)(?:\s*(-|–|to)\s*(\d*))?$/i.exec(pathOf(name))
  if (lines === null) return { _tag: "Read", path: pathOf(name) }
  // Lines are counted from 1.
  const from = Math.max(1, Number(lines[2]))
  if (lines[3] !== undefined && lines[4] === "") return { _tag: "Read", path: pathOf(lines[1]), from }
  const to = Math.max(1, Number(lines[4] ?? from))
  return { _tag: "Read", path: pathOf(lines[1]), from: Math.min(from, to), to: Math.max(from, to) }
}

const politeness = /^(?:please|could you|can you|would you|kindly|hey|ok|now)[, ]+|[, ]{1,9}please[.!]?$/gi

/** All of it belongs to one request; content of a file does unless its quotes say where it ends. */
const isVerbatim = (words: string): boolean =>
  /^(?:echo|say|repeat|(?:make |create |write )?(?:a |the )?plan)\b/i.test(words) ||
  (/^(?:create|write|append|make)\b/i.test(words) &&
    !/^(?:(?:append|write)|[^\n]*? (?:with|containing|that says)(?: the (?:text|content|line))?:?)\s+["'`“]/i.test(
      words
    ))

/** Longer words hold no command but one that takes any text: reading them for meaning would take too long. */
const maxWords = 8000

/** Never fails. */
export const parse = (text: string): Intent => {
  const whole = text.trim()
  // Some people write commands with a slash.
  const plain = whole.replace(/^\/([a-z]+)(?=\s|$)/i, "$1")
  if (plain.length > maxWords) return first(verbatimRules, plain) ?? { _tag: "Unknown", text: plain }
  const words = plain
    .replace(politeness, "")
    .replace(politeness, "")
    .replace(/^first,?\s+/i, "")
    .trim()
  if (isVerbatim(words)) return parseOne(words)
  const { marked, steps } = split(words, false, isUnderstood)
  const known = steps.filter((step) => isUnderstood(step)).length
  return steps.length > 1 && known >= (marked ? 1 : 2) ? { _tag: "Plan", steps } : parseOne(words)
}

const first = (candidates: ReadonlyArray<Rule>, words: string): Intent | undefined => {
  for (const [pattern, make] of candidates) {
    const found = pattern.exec(words)
    const intent = found === null ? undefined : make(...found.slice(1))
    if (intent !== undefined) return intent
  }
  return undefined
}

function parseOne(words: string): Intent {
  const bare = words.replace(/(?<=[\w"'`)])[.!]$/, "")
  return first(rules, bare) ?? first(rules, words) ?? { _tag: "Unknown", text: words }
}

/** One step of a plan; a plan inside a plan is not understood. */
export const parseStep = (step: string): Intent => {
  const words = step.trim()
  const isPlan = /^(?:(?:make|create|write) )?(?:a |the |first )?plan\b/i.test(words)
  return isPlan ? { _tag: "Unknown", text: words } : parseOne(words.replace(politeness, "").trim())
}

/** Whether a step of a plan can be done. */
function isUnderstood(step: string): boolean {
  return parseStep(step)._tag !== "Unknown"
}
