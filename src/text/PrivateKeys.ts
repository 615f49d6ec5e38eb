// Private keys in text: the whole block, also where line numbers stand before it or one of its ends was cut away. Pure.

const begin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const endAnywhere = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/
const end = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g

export const replacement = "[redacted: private key]"

/** Longer ones do not exist. */
const maxLines = 400
const maxLineChars = 1000
/** Of a line, beside the marker. */
const maxRest = 100

const header = /(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash|Content-\w+): ?[\w .,:/+=@()-]{1,200}$/
const data = /^["'`>|+-]{0,3}[A-Za-z0-9+/]{1,200}={0,2}(?:\\[nr])*["'`,;+\\]{0,4}$/

/** The last word of a line is its data; before it there may be a path and a number. */
const wordOf = (line: string): string => line.slice(line.trimEnd().lastIndexOf(" ") + 1).trim()

const isData = (line: string, least: number): boolean => {
  if (line.length > maxLineChars) return false
  const word = wordOf(line)
  return word.length >= least && data.test(word)
}

/** A line of the inside: data, a header, or nothing but a number. */
const isInside = (line: string): boolean =>
  line.length <= maxLineChars && (isData(line, 1) || header.test(line.trimEnd()) || /^[\s\d:|>+-]*$/.test(line))

/** The same in one line, with line ends spelled out. */
const spelled = /(?:\\{1,2}[nr]|[A-Za-z0-9+/=])+/y
const endHere = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y

interface Span {
  readonly from: number
  readonly to: number
}

const lineEnd = (text: string, from: number): number => {
  const at = text.indexOf("\n", from)
  return at === -1 ? text.length : at
}

const insideOneLine = (text: string, from: number): number => {
  spelled.lastIndex = from
  const found = spelled.exec(text)
  return found !== null && found[0].length >= 32 ? from + found[0].length : from
}

/** Where the block that begins at `start` ends; undefined where nothing like a key follows. */
const blockFrom = (text: string, start: number, head: number): Span | undefined => {
  const oneLine = insideOneLine(text, head)
  if (oneLine > head) {
    endHere.lastIndex = oneLine
    return { from: start, to: endHere.test(text) ? endHere.lastIndex : oneLine }
  }
  let to = head
  let seen = false
  let at = head + text.slice(head, head + maxRest).indexOf("\n")
  for (let line = 0; line < maxLines && at >= head && at < text.length; line++) {
    const next = lineEnd(text, at + 1)
    const content = text.slice(at + 1, Math.min(next, at + 2 + maxLineChars))
    const closing = content.match(endAnywhere)
    if (closing?.index !== undefined) {
      return seen ? { from: start, to: at + 1 + closing.index + closing[0].length } : undefined
    }
    if (!isInside(content)) break
    if (isData(content, seen ? 1 : 16)) {
      seen = true
      to = next
    }
    at = next
  }
  return seen ? { from: start, to } : undefined
}

/** A block whose beginning is missing. */
const blockBefore = (text: string, stop: number, done: number): number | undefined => {
  let from: number | undefined
  const rest = text.slice(Math.max(0, stop - maxRest), stop)
  let at = rest.includes("\n") ? stop - rest.length + rest.lastIndexOf("\n") : -1
  for (let line = 0; line < maxLines && at > done; line++) {
    const before = text.lastIndexOf("\n", at - 1)
    if (!isData(text.slice(Math.max(before + 1, at - maxLineChars - 1), at), from === undefined ? 1 : 40)) break
    from = Math.max(before + 1, done)
    at = before
  }
  return from
}

export const scrub = (text: string): string => {
  if (!text.includes("PRIVATE KEY")) return text
  const spans: Array<Span> = []
  let done = 0
  for (const found of text.matchAll(begin)) {
    if (found.index < done) continue
    const span = blockFrom(text, found.index, found.index + found[0].length)
    if (span === undefined) continue
    spans.push(span)
    done = span.to
  }
  const ends = text.matchAll(end)
  let next = ends.next()
  let out = ""
  let at = 0
  const orphans = (upTo: number) => {
    for (; next.done !== true && next.value.index < upTo; next = ends.next()) {
      const { index } = next.value
      const from = index < at ? undefined : blockBefore(text, index, at)
      if (from === undefined) continue
      out += text.slice(at, from) + replacement
      at = index + next.value[0].length
    }
  }
  for (const { from, to } of spans) {
    orphans(from)
    out += text.slice(at, from) + replacement
    at = to
  }
  orphans(text.length)
  return out + text.slice(at)
}
