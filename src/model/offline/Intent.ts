// From a person's words to what is wanted. Pure and total: what is not understood is an intent too.

export type Intent =
  | { readonly _tag: "Help" }
  | { readonly _tag: "Echo"; readonly text: string }
  | { readonly _tag: "Repeat"; readonly times: number; readonly text: string }
  | { readonly _tag: "Wait" }
  | { readonly _tag: "List"; readonly path: string }
  | { readonly _tag: "Read"; readonly path: string; readonly from?: number; readonly to?: number }
  | { readonly _tag: "Find"; readonly pattern: string }
  | { readonly _tag: "Search"; readonly text: string; readonly path?: string }
  | { readonly _tag: "Outline"; readonly path?: string }
  | { readonly _tag: "Summarise"; readonly path?: string }
  | { readonly _tag: "SummariseDiff" }
  | { readonly _tag: "CountFiles"; readonly pattern: string; readonly path?: string }
  | { readonly _tag: "CountLines"; readonly path: string }
  | { readonly _tag: "CountMatches"; readonly text: string; readonly path?: string }
  | { readonly _tag: "Run"; readonly command: string }
  | { readonly _tag: "Test" }
  | { readonly _tag: "Todos" }
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

/** A quoted, fenced or bare argument. */
const quoted = String.raw`"[^"]*"|'[^']*'|“[^”]*”|\x60[^\x60]*\x60`
const arg = String.raw`(${quoted}|\S+)`
const content = String.raw`(${quoted}|\x60{3}[\s\S]*?\x60{3}|[\s\S]+)`

const unquote = (text: string | undefined): string => {
  const trimmed = (text ?? "").trim()
  const fence = /^```[^\n]*\n?([\s\S]*?)```$/.exec(trimmed)
  if (fence) return fence[1] ?? ""
  const inner = /^(?:"([^"]*)"|'([^']*)'|“([^”]*)”|`([^`]*)`)$/.exec(trimmed)
  return inner ? (inner[1] ?? inner[2] ?? inner[3] ?? inner[4] ?? "") : trimmed
}

/** A path without the words and marks around it. */
const pathOf = (text: string | undefined): string =>
  unquote(unquote(text).replace(/^(?:the )?(?:file|folder|directory|document)\s+/i, "")).replace(
    /[?!,;]+$|(?<=\w)\.$/g,
    ""
  )

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
  /^(?:this|it|that|the attachment|the attached \w+|this file|this document)$/i.test(text)

const extensions: Readonly<Record<string, string>> = {
  typescript: "ts",
  javascript: "js",
  python: "py",
  rust: "rs",
  go: "go",
  java: "java",
  markdown: "md",
  json: "json",
  shell: "sh",
  css: "css",
  html: "html",
  test: "test.*"
}

const filePattern = (kind: string): string => {
  const word = unquote(kind).toLowerCase().replace(/^\./, "")
  if (word === "" || word === "all") return "**/*"
  if (/[*?[{]/.test(word)) return unquote(kind)
  return `**/*.${extensions[word] ?? word}`
}

/** A bare name is looked for anywhere in a name; a glob is taken as it is. */
const findPattern = (name: string): string => (/[*?[{/]/.test(name) ? name : `**/*${name}*`)

type Rule = readonly [pattern: RegExp, make: (...groups: ReadonlyArray<string | undefined>) => Intent]

const rule = (source: string, make: Rule[1]): Rule => [new RegExp(`^(?:${source})$`, "i"), make]

const path =
  (make: (path: string | undefined) => Intent): Rule[1] =>
  (name) =>
    make(name)
const optionalPath = (name: string | undefined) => {
  const found = pathOf(name)
  return found === "" || isThis(found) ? {} : { path: found }
}

const rules: ReadonlyArray<Rule> = [
  rule(String.raw`help|\?|what can you do|commands`, () => ({ _tag: "Help" })),
  rule(String.raw`(?:echo|say)[ \n]([\s\S]+)`, (text) => ({ _tag: "Echo", text: unquote(text) })),
  rule(String.raw`repeat (\d{1,6}) ([\s\S]+)`, (times, text) => ({
    _tag: "Repeat",
    times: Math.min(Number(times), 100_000),
    text: text ?? ""
  })),
  rule("wait|wait until i cancel", () => ({ _tag: "Wait" })),
  rule(String.raw`(?:make |create |write )?(?:a |the )?plan(?: to|:| for)\s*([\s\S]+)`, (steps) => ({
    _tag: "Plan",
    steps: splitSteps(steps ?? "")
  })),
  rule(String.raw`(?:first )?plan ([\s\S]+)`, (steps) => ({ _tag: "Plan", steps: splitSteps(steps ?? "") })),
  rule(String.raw`run (?:the )?tests?|tests?|test (?:it|this|the project)`, () => ({ _tag: "Test" })),
  rule(String.raw`(?:run|execute)(?: the command)?:? ([\s\S]+)`, (command) => ({
    _tag: "Run",
    command: unquote(command)
  })),
  rule(
    String.raw`(?:summari[sz]e|explain|describe|what is in) (?:the |my )?(?:git )?(?:diff|changes|uncommitted changes)|what (?:has )?changed\??`,
    () => ({ _tag: "SummariseDiff" })
  ),
  rule(
    String.raw`(?:show |summari[sz]e |explain |what (?:is|was) )?(?:me )?the (?:last|latest) commit\??|last commit`,
    () => ({
      _tag: "Run",
      command: "git log -1 --stat"
    })
  ),
  rule(String.raw`git (status|diff|log|show|branch) (.+)`, (what, rest) => ({
    _tag: "Run",
    command: `git ${what?.toLowerCase()} ${rest}`
  })),
  rule(String.raw`(?:show (?:the )?)?git (status|diff|log)`, (what) => ({
    _tag: "Run",
    command: what?.toLowerCase() === "log" ? "git log --oneline -10" : `git ${what?.toLowerCase()}`
  })),
  rule(
    String.raw`(?:list |show |find |collect )?(?:all )?(?:the )?(?:todos?|fixmes?)(?: (?:notes|comments))?(?: and fixmes?)?`,
    () => ({ _tag: "Todos" })
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
  rule(
    String.raw`(?:how many|count)(?: the)? lines (?:are )?(?:in|of) (?!code\b)([\s\S]+?)\??`,
    path((name) => ({ _tag: "CountLines", path: pathOf(name) }))
  ),
  rule(
    String.raw`(?:how many|count)(?: the)?(?: matches (?:of|for))? ${arg}(?: are there)?(?: in ([\s\S]+?))?\??`,
    (text, where) => ({
      _tag: "CountMatches",
      text: unquote(text),
      ...(where === undefined ? {} : { path: place(where) })
    })
  ),
  rule(String.raw`replace (?:all )?${arg} (?:with|by) ${arg} in ${arg}( everywhere| all)?`, (from, to, name, all) => ({
    _tag: "Replace",
    from: unquote(from),
    to: unquote(to),
    path: pathOf(name),
    all: all !== undefined
  })),
  rule(
    String.raw`(?:create|write|make)(?: a)?(?: new)?(?: file)?(?: called| named)? ${arg} (?:with|containing|that says):?\s+${content}`,
    (name, text) => ({
      _tag: "Create",
      path: pathOf(name),
      content: unquote(text)
    })
  ),
  rule(String.raw`(?:append|add) (?:the line )?(${quoted}) to ${arg}`, (text, name) => ({
    _tag: "Append",
    content: unquote(text),
    path: pathOf(name)
  })),
  rule(String.raw`(?:search|grep|look)(?: for)? ${arg}(?: (?:in|under|inside) ([\s\S]+))?`, (text, where) =>
    search(text, where)
  ),
  rule(String.raw`(?:search|grep)(?: for)? ([\s\S]+?) (?:in|under|inside) (\S+)`, (text, where) => search(text, where)),
  rule(String.raw`(?:search|grep)(?: for)? ([\s\S]+)`, (text) => search(text, undefined)),
  rule(
    String.raw`what does ([^\s]+) do\??`,
    path((name) => ({ _tag: "Outline", ...optionalPath(name) }))
  ),
  rule(String.raw`where is ${arg}(?: (?:defined|used))?\??`, (text) => search(text, undefined)),
  rule(
    String.raw`(?:find|locate)(?: the| all)?(?: files?)?(?: (?:named|called|matching|by name))? ${arg}(?: files)?`,
    (name) => ({
      _tag: "Find",
      pattern: findPattern(unquote(name))
    })
  ),
  rule(
    String.raw`(?:ls|list|tree|dir)(?: -\w+)?(?: me)?(?: all)?(?: the)?(?: files| folders?| contents?)?(?: (?:in|of|below|under))?(?: ([\s\S]+))?`,
    path((name) => ({ _tag: "List", path: place(name) }))
  ),
  rule(String.raw`what files are (?:here|there)\??|show (?:me )?(?:the )?(?:files|folder|project)`, () => ({
    _tag: "List",
    path: "."
  })),
  rule(
    String.raw`(?:explain|outline|describe)(?: the outline of)?(?: the structure of)? ([\s\S]+)`,
    path((name) => ({ _tag: "Outline", ...optionalPath(name) }))
  ),
  rule(
    String.raw`(?:summari[sz]e|tl;?dr|sum up)(?: the)? ([\s\S]+)`,
    path((name) => ({ _tag: "Summarise", ...optionalPath(name?.replace(/^readme$/i, "README.md")) }))
  ),
  rule(
    String.raw`(?:read|show|open|cat|print|view|display)(?: me)?(?: the)?(?: contents? of)?(?: file)? ([\s\S]+)`,
    path(readIntent)
  )
]

function search(text: string | undefined, where: string | undefined): Intent {
  return { _tag: "Search", text: unquote(text), ...(where === undefined ? {} : { path: place(where) }) }
}

function readIntent(name: string | undefined): Intent {
  const lines = /^(.*?)(?::| lines? )(\d+)(?:\s*(?:-|–|to)\s*(\d+))?$/i.exec(pathOf(name))
  const from = Number(lines?.[2])
  if (lines === null) return { _tag: "Read", path: pathOf(name) }
  const to = Number(lines[3] ?? from)
  return { _tag: "Read", path: pathOf(lines[1]), from: Math.min(from, to), to: Math.max(from, to) }
}

const isBalanced = (step: string): boolean => ['"', "`"].every((mark) => step.split(mark).length % 2 === 1)

const verbs =
  "list|ls|tree|read|show|open|cat|find|search|grep|count|how many|run|execute|replace|create|write|append|add|summari[sz]e|explain|outline|git|echo|say|todos|test"
const softJoint = new RegExp(
  String.raw`,?\s+(?:and )?(?:then|afterwards)\s+|,\s+(?:and )?(?=(?:${verbs})\b)|\s+and\s+(?=(?:${verbs})\b)`,
  "i"
)

/** Steps of a plan or of a sentence: by lines, semicolons and numbers, else by "then", commas and "and" before a verb. */
function splitSteps(text: string): ReadonlyArray<string> {
  const clean = (steps: ReadonlyArray<string>) =>
    steps
      .map((step) =>
        step
          .trim()
          .replace(/^(?:\d+[.)]|[-*])\s+/, "")
          .replace(/^(?:(?:and|then|first|next|finally|lastly|afterwards),?\s+)+/i, "")
          .replace(/(?<=[\w"'`)])[.!,]$/, "")
          .trim()
      )
      .filter((step) => step !== "")
  const numbered = /^\s*1[.)]\s/.test(text) ? text.split(/\s+(?=\d+[.)]\s)/) : [text]
  const hard = clean(numbered.flatMap((part) => part.split(/\n+|;/)))
  const steps = hard.length > 1 ? hard : clean(text.split(softJoint))
  // A joint inside quotes joins nothing.
  return steps.every((step) => isBalanced(step)) ? steps : clean([text])
}

const politeness = /^(?:please|could you|can you|would you|kindly|hey|ok|now)[, ]+|[, ]+please[.!]?$/gi

/** Never fails. */
export const parse = (text: string): Intent => {
  const whole = text.trim()
  // Some people write commands with a slash.
  const plain = whole.replace(/^\/([a-z]+)(?=\s|$)/i, "$1")
  const words = plain
    .replace(politeness, "")
    .replace(politeness, "")
    .replace(/^first,?\s+/i, "")
    .trim()
  // Text to be repeated may hold anything, also what looks like several steps.
  const verbatim = /^(?:echo|say|repeat|create|write|append|plan|make)\b/i.test(words)
  const steps = verbatim ? [] : splitSteps(words)
  if (steps.length > 1 && steps.filter((step) => parseOne(step)._tag !== "Unknown").length > 1)
    return { _tag: "Plan", steps }
  return parseOne(words)
}

const parseOne = (words: string): Intent => {
  const bare = words.replace(/(?<=[\w"'`)])[.!]$/, "")
  for (const candidate of words === bare ? [words] : [bare, words]) {
    for (const [pattern, make] of rules) {
      const found = pattern.exec(candidate)
      if (found) return make(...found.slice(1))
    }
  }
  return { _tag: "Unknown", text: words }
}

/** Whether a step of a plan can be done. */
export const isUnderstood = (step: string): boolean => parseOne(step.trim())._tag !== "Unknown"
