// Outlines and summaries by extraction: every line stands in the source, with its place. Pure.
import type { Numbered } from "./Results.ts"

/** One look at each character: lines of code can be long, and patterns that try again on blanks take minutes. */
const isFunction = (text: string): boolean => {
  const open = text.indexOf("(")
  if (open <= 0 || text.includes(";") || !/[){]$/.test(text.trimEnd())) return false
  const head = text.slice(0, open).trim()
  return (
    /^[\w:<>*&,~[\]\s]+$/.test(head) &&
    /\s/.test(head) &&
    !/^(?:return|if|else|while|for|switch|case|do|new|throw|delete|await|yield|catch|using|goto)\b/.test(head)
  )
}

const keyword =
  /^\s*(?:(?:export|default|declare|public|private|protected|internal|static|abstract|async|pub(?:\([^)]*\))?|final|unsafe|override|sealed|data|const(?= fn)) )*(?:function\*?|class|interface|type|enum|namespace|def|fn|fun|struct|trait|impl|mod|func|module|record|object|macro_rules!)(?: |<)/
const script =
  /^(?:export )?(?:default )?(?:declare )?(?:async )?(?:abstract )?(?:function\*?|class|interface|type|enum|namespace|const|let|var) ?[\w$*{[]/

const test = (pattern: RegExp) => (text: string) => pattern.test(text)

const definitions: ReadonlyArray<readonly [name: RegExp, isDefinition: (text: string) => boolean]> = [
  [/\.(?:md|markdown|mdx)$/i, test(/^#{1,6}\s+\S/)],
  [/\.[cm]?[tj]sx?$/i, test(script)],
  [/\.pyi?$/i, test(/^\s*(?:async )?(?:def|class) \w/)],
  [/\.rs$/i, (text) => keyword.test(text) || /^(?:pub(?:\([^)]*\))? )?(?:static|const) \w/.test(text)],
  [/\.go$/i, test(/^(?:func|type|var|const)\s/)],
  [/\.(?:java|kt|kts|cs|scala)$/i, (text) => keyword.test(text) || /^\s*@interface /.test(text) || isFunction(text)],
  [
    /\.(?:c|h|cc|hh|cpp|hpp|cxx)$/i,
    (text) =>
      /^#define \w|^(?:typedef|struct|class|enum|union|namespace|template)\b/.test(text) ||
      (/^\S/.test(text) && isFunction(text))
  ],
  [/\.(?:sh|bash|zsh)$/i, test(/^\s*(?:function \w|\w[\w-]*\s*\(\))/)],
  [/\.(?:toml|ini|cfg)$/i, test(/^\s*\[.+\]\s*$|^[\w.-]+\s*=/)],
  [/\.ya?ml$/i, test(/^[\w"'-][^:]*:(?:\s|$)/)],
  [/(?:^|\/)makefile$|\.mk$/i, test(/^[\w.-]+\s*:(?!=)/)]
]

const isOther = (text: string): boolean => keyword.test(text) || script.test(text) || isFunction(text)
const isMarkdown = test(/\.(?:md|markdown|mdx)$/i)

/** Lines outside the fenced blocks of a document. */
const unfenced = (lines: ReadonlyArray<Numbered>): ReadonlyArray<Numbered> => {
  let fenced = false
  return lines.filter(({ text }) => {
    const isFence = /^\s*(?:```|~~~)/.test(text)
    if (isFence) fenced = !fenced
    return !fenced && !isFence
  })
}

/** In TOML, keys below a table are not at the top. */
const beforeTables = (lines: ReadonlyArray<Numbered>): ReadonlyArray<Numbered> => {
  const table = lines.findIndex(({ text }) => /^\s*\[/.test(text))
  return table === -1 ? lines : lines.filter(({ text }, at) => at < table || /^\s*\[/.test(text))
}

/** Keys as deep as the first one. */
const jsonKeys = (lines: ReadonlyArray<Numbered>): ReadonlyArray<Numbered> => {
  const keys = lines.filter(({ text }) => /^\s*"(?:[^"\\]|\\.)*"\s*:/.test(text))
  const depth = keys[0]?.text.search(/\S/)
  return keys.filter(({ text }) => text.search(/\S/) === depth)
}

/** Longer lines are generated or data. */
const maxDefinition = 400

/** Definitions, headings or top keys. */
export const outline = (path: string, lines: ReadonlyArray<Numbered>): ReadonlyArray<Numbered> => {
  const short = lines.filter(({ text }) => text.length < maxDefinition)
  if (/\.jsonc?$/i.test(path)) return jsonKeys(short)
  const isDefinition = definitions.find(([name]) => name.test(path))?.[1] ?? isOther
  const visible = isMarkdown(path) ? unfenced(short) : /\.(?:toml|ini|cfg)$/i.test(path) ? beforeTables(short) : short
  return visible.filter(({ text }) => isDefinition(text))
}

const stopWords = new Set(
  "a an and are as at be by can for from has have if in into is it its no not of on one only or so than that the their them then there these they this to was we what when which will with you your".split(
    " "
  )
)

const wordsOf = (text: string): ReadonlyArray<string> =>
  (text.toLowerCase().match(/\p{L}[\p{L}\p{N}-]{2,}/gu) ?? []).filter((word) => !stopWords.has(word))

/** The lines that share most words with the rest of the document, in the document's order. */
const telling = (lines: ReadonlyArray<Numbered>, most: number): ReadonlyArray<Numbered> => {
  const frequency = new Map<string, number>()
  for (const { text } of lines)
    for (const word of new Set(wordsOf(text))) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const score = ({ text }: Numbered) => {
    const words = [...new Set(wordsOf(text))]
    return words.length < 4
      ? 0
      : words.reduce((sum, word) => sum + (frequency.get(word) ?? 0), 0) / Math.sqrt(words.length)
  }
  return lines
    .map((line) => ({ line, score: score(line) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.line.line - b.line.line)
    .slice(0, most)
    .map(({ line }) => line)
}

const isProse = (text: string): boolean =>
  /^\s*(?:[-*]\s+)?[\p{L}"'`(*_[]/u.test(text) && /\p{L}{2}/u.test(text) && !/^\s*\[!?\[?[^\]]*\]:/.test(text)

const documentName = /\.(?:md|markdown|mdx|txt|rst|adoc)$|(?:^|\/)(?:readme|license|changelog)[^/]*$/i

/** The first line of prose, and that below each heading. */
const openings = (prose: ReadonlyArray<Numbered>, headings: ReadonlyArray<Numbered>): ReadonlyArray<Numbered> => {
  const below = headings.flatMap(({ line }, at) => {
    const next = headings[at + 1]?.line ?? Number.POSITIVE_INFINITY
    return prose.find((candidate) => candidate.line > line && candidate.line < next) ?? []
  })
  return [...prose.slice(0, 1), ...below]
}

const isComment = (text: string): boolean =>
  /^\s*(?:\/\/|#(?!!|include|define)|\/?\*+\s|"""|--\s)/.test(text) && /\p{L}{3}/u.test(text)

/** Headings with the line that opens each, and the most telling lines; at most `most`, in the document's order. */
export const summary = (path: string, lines: ReadonlyArray<Numbered>, most = 14): ReadonlyArray<Numbered> => {
  const isDocument = documentName.test(path)
  const headings = outline(path, lines)
  const prose = (isDocument ? unfenced(lines) : lines).filter(({ text }) =>
    isDocument ? isProse(text) : isComment(text)
  )
  const chosen = new Map<number, Numbered>()
  const add = (some: ReadonlyArray<Numbered>, room: number) => {
    for (const line of some) if (chosen.size < Math.min(room, most)) chosen.set(line.line, line)
  }
  add(headings, Math.ceil(most / 2))
  const shown = headings.filter(({ line }) => chosen.has(line))
  add(isDocument ? openings(prose, shown) : prose.slice(0, 1), Math.ceil(most * 0.8))
  add(
    telling(
      prose.filter(({ line }) => !chosen.has(line)),
      most
    ),
    most
  )
  return [...chosen.values()].sort((a, b) => a.line - b.line)
}

/** Files that `git status --porcelain` calls untracked. */
export const untracked = (status: string): ReadonlyArray<string> =>
  status.split("\n").flatMap((row) => (row.startsWith("?? ") ? [row.slice(3)] : []))

export interface FileChange {
  readonly path: string
  /** Absent for a binary file. */
  readonly added?: number
  readonly removed?: number
  /** Where it changed, as the diff says it. */
  readonly places: ReadonlyArray<string>
}

/** What `git diff --numstat` followed by the diff itself says; the diff may be cut, the counts come first. */
export const changes = (output: string): ReadonlyArray<FileChange> => {
  const places = new Map<string, Array<string>>()
  const files: Array<FileChange> = []
  let path = ""
  let counting = true
  for (const row of output.split("\n")) {
    if (row.startsWith("diff --git ")) counting = false
    const counted = counting ? /^(\d+|-)\t(\d+|-)\t(.+)$/.exec(row) : null
    const file = /^\+\+\+ (?:b\/)?(.+?)\t?$/.exec(row)
    const hunk = /^@@ -\S+ \+(\d+)\S* @@ ?(.*)$/.exec(row)
    if (counted) {
      const [, added, removed, name = ""] = counted
      const list: Array<string> = []
      places.set(name, list)
      files.push({
        path: name,
        places: list,
        ...(added === "-" ? {} : { added: Number(added), removed: Number(removed) })
      })
    } else if (file) path = file[1] ?? ""
    else if (hunk) places.get(path)?.push(`line ${hunk[1]} ${hunk[2]}`.trim())
  }
  return files
}
