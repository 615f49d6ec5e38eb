// Bytes to lines. Pure state machine: no timers, no Effect, never throws.

/** One line of input: its text, or why there is none. */
export type Line =
  | { readonly _tag: "Text"; readonly text: string }
  | {
      readonly _tag: "TooLong"
      readonly limit: number /** Its first bytes, as far as they are text. */
      readonly head: string
    }
  | { readonly _tag: "NotUtf8" }

/** 32 MiB: a 10 MiB upload in base64 takes 13.4 MiB. */
export const maxLineBytes = 32 * 1024 * 1024

/** Enough to find the id of a message that is too long to be read. */
const headBytes = 1024

const LF = 0x0a
const CR = 0x0d

export interface Splitter {
  /** Takes the next bytes, returns the lines they complete. Blank lines are dropped. */
  readonly push: (bytes: Uint8Array) => ReadonlyArray<Line>
  /** End of input: a last line without a newline counts. */
  readonly end: () => ReadonlyArray<Line>
}

const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === CR)

/**
 * Splits at `\n`; accepts CRLF and a byte order mark at the start. A line over `limit` bytes is skipped to its newline
 * and reported once; bytes that are not UTF-8 spoil only their own line.
 *
 * @see acp-v1 section 1.1
 */
export const make = (limit: number = maxLineBytes): Splitter => {
  // ignoreBOM keeps U+FEFF in the text: only the one at the very start is a mark, and it is cut by hand.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  let parts: Array<Uint8Array> = []
  let size = 0
  let skipping = false
  let first = true

  const decode = (bytes: Uint8Array): Line => {
    try {
      return { _tag: "Text", text: decoder.decode(bytes) }
    } catch {
      return { _tag: "NotUtf8" }
    }
  }
  const finish = (lines: Array<Line>) => {
    let bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, size)
    parts = []
    size = 0
    if (first && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes = bytes.subarray(3)
    first = false
    if (bytes[bytes.length - 1] === CR) bytes = bytes.subarray(0, -1)
    if (!isBlank(bytes)) lines.push(decode(bytes))
  }
  const keep = (bytes: Uint8Array, lines: Array<Line>) => {
    if (skipping || bytes.length === 0) return
    if (size + bytes.length > limit) {
      const head = Buffer.concat([...parts, bytes.subarray(0, headBytes)])
        .subarray(0, headBytes)
        .toString("utf8")
      parts = []
      size = 0
      first = false
      skipping = true
      lines.push({ _tag: "TooLong", limit, head })
      return
    }
    parts.push(bytes)
    size += bytes.length
  }

  return {
    push: (bytes) => {
      const lines: Array<Line> = []
      let from = 0
      for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, from)) {
        keep(bytes.subarray(from, at), lines)
        if (skipping) skipping = false
        else finish(lines)
        from = at + 1
      }
      // A copy: the stream may reuse its buffer before the rest of the line arrives.
      if (from < bytes.length) keep(Uint8Array.from(bytes.subarray(from)), lines)
      return lines
    },
    end: () => {
      const lines: Array<Line> = []
      if (!skipping && size > 0) finish(lines)
      return lines
    }
  }
}
