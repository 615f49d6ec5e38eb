// Text from outside, made safe to print: nothing in it can move the cursor, set a title or turn the writing around. Pure.

const codePoint = (char: string): number => char.codePointAt(0) ?? 0

const caret = (char: string): string => {
  const code = codePoint(char)
  if (code === 0x7f) return "^?"
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`
}

/** Control characters but tab and newline, C1 controls, and marks that reorder or hide text. */
const unsafe = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** Keeps tabs and newlines; a carriage return inside a line (a progress bar) starts a new one. */
export const visible = (text: string): string =>
  text
    .replace(/\r+\n|\r+$/g, (match) => (match.endsWith("\n") ? "\n" : ""))
    .replace(/\r|[\u2028\u2029]/g, "\n")
    .replace(unsafe, (char) => (char === "\n" || char === "\t" ? char : caret(char)))

/** One line of at most `max` characters. */
export const oneLine = (text: string, max = 500): string => {
  const line = visible(text).replace(/\s+/g, " ").trim()
  return line.length > max ? `${line.slice(0, max).toWellFormed()}...` : line
}
