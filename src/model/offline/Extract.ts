// Outlines and summaries by extraction: every line stands in the source, with its place. Pure.
import type { Numbered } from "./Results.ts"

const codeDefinition =
  /^\s*(?:export\s+)?(?:default\s+)?(?:public|private|protected|static|abstract|async|pub(?:\([^)]*\))?|final|unsafe|const\s+(?=fn))*\s*(?:(?:function\*?|class|interface|type|enum|namespace|def|fn|struct|trait|impl|mod|func|module|record|object)\b|(?:const|let|var)\s+\w+\s*[:=]|[\w:<>*&,\s]+\s+\w+\s*\([^;]*\)\s*\{?$|\w+\s*\(\)\s*\{)/

const patterns: ReadonlyArray<readonly [extension: RegExp, definition: RegExp]> = [
  [/\.(?:md|markdown|mdx)$/i, /^#{1,6}\s+\S/],
  [
    /\.(?:ts|tsx|js|jsx|mjs|cjs)$/i,
    /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?(?:abstract\s+)?(?:function\*?|class|interface|type|enum|namespace|const|let|var)\s+\w+/
  ],
  [/\.py$/i, /^\s*(?:async\s+)?(?:def|class)\s+\w+/],
  [
    /\.rs$/i,
    /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+|const\s+)*(?:fn|struct|enum|trait|impl|mod|type|static|macro_rules!)\b/
  ],
  [/\.go$/i, /^(?:func|type|var|const)\s+/],
  [
    /\.(?:java|kt|cs|scala)$/i,
    /^\s*(?:(?:public|private|protected|static|final|abstract|override|internal)\s+)*(?:class|interface|enum|record|object|fun|void|[\w<>[\]]+)\s+\w+\s*[({<]/
  ],
  [
    /\.(?:c|h|cc|cpp|hpp)$/i,
    /^(?:#define\s+\w+|(?:typedef|struct|class|enum|union|namespace|static|inline|extern)\b.*|[\w:*&<>\s]+\s+[\w:*&]+\([^;]*\)\s*\{?)$/
  ],
  [/\.(?:sh|bash|zsh)$/i, /^\s*(?:function\s+\w+|\w[\w-]*\s*\(\))/],
  [/\.(?:toml|ini|cfg)$/i, /^\s*\[.+\]\s*$/],
  [/\.ya?ml$/i, /^[\w"'-]+\s*:/],
  [/\.json$/i, /^ {0,2}"[^"]+"\s*:/]
]

/** Definitions or headings. */
export const outline = (path: string, lines: ReadonlyArray<Numbered>): ReadonlyArray<Numbered> => {
  const pattern = patterns.find(([extension]) => extension.test(path))?.[1] ?? codeDefinition
  let fenced = false
  return lines.filter(({ text }) => {
    if (/^\s*```/.test(text)) fenced = !fenced
    return !fenced && text.length < 400 && pattern.test(text)
  })
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
  /^\s*(?:[-*]\s+)?[\p{L}"'`(*_[]/u.test(text) && !/^\s*(?:#|```|\||<|[{}])/.test(text)

/** Headings, the first line of prose, and the most telling lines; at most `most`. */
export const summary = (path: string, lines: ReadonlyArray<Numbered>, most = 14): ReadonlyArray<Numbered> => {
  const isDocument = /\.(?:md|markdown|mdx|txt|rst|adoc)$|(?:^|\/)(?:readme|license|changelog)[^/]*$/i.test(path)
  const headings = outline(path, lines).slice(0, Math.ceil(most / 2))
  let fenced = false
  const prose = lines.filter(({ text }) => {
    if (/^\s*```/.test(text)) fenced = !fenced
    return !fenced && isProse(text)
  })
  const first = prose.slice(0, 1)
  const rest = telling(
    isDocument ? prose : prose.filter(({ text }) => /^\s*(?:\/\/|#|\*|"""|--)/.test(text)),
    most - headings.length - first.length
  )
  const chosen = new Map([...headings, ...first, ...rest].map((line) => [line.line, line]))
  return [...chosen.values()].sort((a, b) => a.line - b.line).slice(0, most)
}

/** Files that `git status --porcelain` calls untracked. */
export const untracked = (status: string): ReadonlyArray<string> =>
  status.split("\n").flatMap((row) => (row.startsWith("?? ") ? [row.slice(3)] : []))

export interface FileChange {
  readonly path: string
  readonly added: number
  readonly removed: number
  readonly places: ReadonlyArray<string>
}

/** What a unified diff changes, file by file. */
export const changes = (diff: string): ReadonlyArray<FileChange> => {
  const files: Array<{ path: string; added: number; removed: number; places: Array<string> }> = []
  for (const row of diff.split("\n")) {
    const file = /^diff --git a\/.+ b\/(.+)$/.exec(row)
    const current = files.at(-1)
    if (file) files.push({ path: file[1] ?? "", added: 0, removed: 0, places: [] })
    else if (current && /^@@/.test(row)) current.places.push(row.replace(/^@@ -\S+ \+(\d+)\S* @@ ?/, "line $1 ").trim())
    else if (current && /^\+(?!\+\+ )/.test(row)) current.added++
    else if (current && /^-(?!-- )/.test(row)) current.removed++
  }
  return files
}
