// Words of a command line as the shell will read them. Read here a second time: a word is plain only where this
// reading and the parser's agree.
import type { Word, WordPart } from "unbash"

export interface Plain {
  /** Quotes and escapes taken off; globs and `~` as written. */
  readonly text: string
  /** Written without quotes, escapes and globs. */
  readonly bare: boolean
  /** The shell may put names of files in its place. */
  readonly glob: boolean
  /** It begins with a glob: what the shell puts there may look like an option. */
  readonly open: boolean
  /** It may begin with a home folder. */
  readonly home: boolean
}

// In order: bare letters, a glob, within single quotes, within double quotes, escaped.
const token = /([^\s'"\\$`|&;()<>*?[]+)|([*?[])|'([^']*)'|"((?:[^"\\$`]|\\[\s\S])*)"|\\([\s\S])/y

const undouble = (text: string): string =>
  text.replace(/\\([\s\S])/g, (both, character: string) =>
    character === "\n" ? "" : /["\\$`]/.test(character) ? character : both
  )

const decode = (raw: string): Plain | undefined => {
  // Alone it is the name of a program, and never a glob.
  if (raw === "[") return { text: raw, bare: true, glob: false, open: false, home: false }
  // Most words.
  if (/^[\w./:@%+-]+$/.test(raw)) return { text: raw, bare: true, glob: false, open: false, home: false }
  let text = ""
  let bare = true
  let glob = false
  let open = false
  token.lastIndex = 0
  while (token.lastIndex < raw.length) {
    const found = token.exec(raw)
    if (found === null) return undefined
    const [, letters, pattern, single, double, escaped] = found
    bare &&= letters !== undefined
    if (pattern !== undefined) {
      glob = true
      open ||= text === ""
    }
    text +=
      letters ??
      pattern ??
      single ??
      (double === undefined ? undefined : undouble(double)) ??
      (escaped === "\n" ? "" : (escaped ?? ""))
  }
  // `{a,b}` and `{1..9}` become several words; a lone `{}` doesn't.
  if (raw.includes("{") && /,|\.\./.test(raw) && !/^(?:'[^']*'|"[^"]*")$/.test(raw)) return undefined
  return { text, bare, glob, open, home: /(?:^|[=:])~/.test(raw) }
}

/** Undefined where the word is more than letters, quotes, escapes, globs and `~`. */
export const plain = (word: Word): Plain | undefined => {
  const read = decode(word.text)
  return read !== undefined && (read.glob || read.text === word.value) ? read : undefined
}

const known = (part: WordPart): boolean => {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return true
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.every((inner) => inner.type === "Literal")
    default:
      return false
  }
}

/** What the word will be, if that can be told; needn't be plain. */
export const literal = (word: Word): string | undefined => ((word.parts ?? []).every(known) ? word.value : undefined)
