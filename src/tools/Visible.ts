// Text a model wrote, made safe to show: nothing hidden, nothing reordered, nothing that moves a cursor. Pure.

/**
 * Controls (C0, DEL, C1), lone surrogates, format characters (bidi, zero width, tags), line separators, and the rest of
 * what is drawn as nothing. Not the two variation selectors that emoji end in.
 */
const hidden = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const spell = (char: string): string => {
  const code = char.codePointAt(0) ?? 0
  return short[char] ?? (code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`)
}

/** One line: every hidden character is spelled out, such as `\u202e` or `\n`. */
export const visible = (text: string): string => text.replace(hidden, spell)

/** Several lines: as `visible`, but newlines and tabs stay what they are. */
export const visibleLines = (text: string): string =>
  text.replace(hidden, (char) => (char === "\n" || char === "\t" ? char : spell(char)))

/** One line without any hidden character. */
export const bare = (text: string): string => text.replace(hidden, "")

const isLow = (code: number) => code >= 0xdc00 && code <= 0xdfff
const isHigh = (code: number) => code >= 0xd800 && code <= 0xdbff

/** Whether a surrogate pair lies across `index`. */
const splits = (text: string, index: number) =>
  index > 0 && index < text.length && isHigh(text.charCodeAt(index - 1)) && isLow(text.charCodeAt(index))

/** The first `max` UTF-16 units at most, whole code points only. */
export const headOf = (text: string, max: number): string =>
  text.length <= max ? text : text.slice(0, splits(text, max) ? max - 1 : Math.max(max, 0))

/** The last `max` UTF-16 units at most, whole code points only. */
export const tailOf = (text: string, max: number): string => {
  if (text.length <= max) return text
  const start = text.length - Math.max(max, 0)
  return text.slice(splits(text, start) ? start + 1 : start)
}

/** A longer run is no word. */
const maxWord = 4096

/** What names, numbers and base64 are made of. */
const inWord = (text: string, at: number): boolean => /[\w+/=.~%-]/.test(text.charAt(at))

/** Without the word at the end, which may be half of one: half a secret cannot be told from a word. */
export const beforeLastWord = (text: string): string => {
  const least = Math.max(text.length - maxWord, 0)
  let end = text.length
  while (end > least && inWord(text, end - 1)) end--
  return end === least && least > 0 ? text : text.slice(0, end)
}

/** Without the word at the beginning, which may be half of one. */
const afterFirstWord = (text: string): string => {
  const most = Math.min(text.length, maxWord)
  let start = 0
  while (start < most && inWord(text, start)) start++
  return start === most && most < text.length ? text : text.slice(start)
}

/** A line that is longer is cut within. */
const maxRest = 1000

/** What is cut behind `text`: nothing of the line that goes on there is kept, or at least nothing of the word. */
export const beforeCut = (text: string): string => {
  const rest = text.length - 1 - text.lastIndexOf("\n")
  return rest < Math.min(maxRest, text.length / 2) ? text.slice(0, text.length - rest) : beforeLastWord(text)
}

/** The same for what is cut before `text`. */
export const afterCut = (text: string): string => {
  const rest = text.indexOf("\n")
  return rest !== -1 && rest < Math.min(maxRest, text.length / 2) ? text.slice(rest + 1) : afterFirstWord(text)
}

/** At most `max` units, the last of them `…` where something was cut. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${headOf(text, Math.max(max - 1, 0))}…`

const longestTicks = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0)

/** Markdown code span that backticks inside cannot end. */
export const codeSpan = (text: string): string => {
  const ticks = "`".repeat(longestTicks(text) + 1)
  return ticks.length === 1 ? `${ticks}${text}${ticks}` : `${ticks} ${text} ${ticks}`
}

/** Markdown code block that backticks inside cannot end. */
export const fence = (text: string): string => {
  const ticks = "`".repeat(Math.max(3, longestTicks(text) + 1))
  return `${ticks}\n${text}${text.endsWith("\n") || text === "" ? "" : "\n"}${ticks}`
}

export const maxTitle = 200

/** A title around a variable part: hidden characters spelled out; the variable part gives way to stay within 200. */
export const title = (before: string, variable: string, after: string): string => {
  const shown = visible(variable)
  const tail = cut(visible(after), 100)
  return `${before}${cut(shown, maxTitle - before.length - tail.length)}${tail}`
}
