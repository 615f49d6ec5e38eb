// A command written in one string, split as a shell would without running one. Pure.

/** Words of a line: blanks part them, quotes and backslashes keep them together; undefined when a quote stays open. */
export const split = (line: string): ReadonlyArray<string> | undefined => {
  const words: Array<string> = []
  let word: string | undefined
  let quote = ""
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? ""
    if (quote !== "") {
      if (char === quote) quote = ""
      else if (char === "\\" && quote === '"' && /["\\]/.test(line[at + 1] ?? "")) word = `${word}${line[++at]}`
      else word += char
    } else if (char === "'" || char === '"') {
      quote = char
      word ??= ""
    } else if (char === "\\" && /[\s"'\\]/.test(line[at + 1] ?? "")) {
      word = `${word ?? ""}${line[++at]}`
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      word = `${word ?? ""}${char}`
    }
  }
  if (quote !== "") return undefined
  return word === undefined ? words : [...words, word]
}
