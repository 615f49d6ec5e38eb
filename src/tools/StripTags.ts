// The text of a page by a scanner that looks at each character once: for pages that no parser can be trusted with. Pure.

const dropped: ReadonlySet<string> = new Set(["script", "style", "noscript", "template", "svg", "iframe", "head"])

const inline =
  /^(?:a|abbr|b|bdi|bdo|cite|code|data|del|dfn|em|font|i|img|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|u|var|wbr)$/

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©"
}

const character = (code: number): string =>
  code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : "\ufffd"

const decode = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,8}));/gi, (whole, hex, decimal, name) => {
    if (typeof hex === "string") return character(Number.parseInt(hex, 16))
    if (typeof decimal === "string") return character(Number.parseInt(decimal, 10))
    return (typeof name === "string" ? entities[name.toLowerCase()] : undefined) ?? whole
  })

/** Position behind the end tag of a dropped element; the end where there is none. */
const behind = (lower: string, name: string, from: number): number => {
  const at = lower.indexOf(`</${name}`, from)
  if (at === -1) return lower.length
  const end = lower.indexOf(">", at)
  return end === -1 ? lower.length : end + 1
}

const tidy = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()

export const stripTags = (html: string): string => {
  // ASCII only: other letters may change the length.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const out: Array<string> = []
  let at = 0
  while (at < html.length) {
    const open = html.indexOf("<", at)
    if (open === -1) {
      out.push(html.slice(at))
      break
    }
    out.push(html.slice(at, open))
    if (lower.startsWith("<!--", open)) {
      const end = lower.indexOf("-->", open)
      at = end === -1 ? html.length : end + 3
      continue
    }
    const name = /^<\/?([a-z][a-z0-9]*)/.exec(lower.slice(open, open + 20))?.[1]
    if (name === undefined && !/[!?]/.test(lower[open + 1] ?? "")) {
      out.push("<")
      at = open + 1
      continue
    }
    const end = html.indexOf(">", open)
    if (end === -1) {
      // There is no further tag.
      out.push(html.slice(open))
      break
    }
    if (name !== undefined && dropped.has(name) && lower[open + 1] !== "/") at = behind(lower, name, end)
    else at = end + 1
    if (name !== undefined && !inline.test(name)) out.push("\n")
  }
  return tidy(decode(out.join("")))
}
