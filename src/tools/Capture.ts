// Keeps the beginning and the end of what a program prints, in fixed memory however much that is.
import { plain } from "./Terminal.ts"
import { afterCut, beforeCut, beforeLastWord, headOf, tailOf } from "./Visible.ts"

export interface Captured {
  /** Plain text, at most `maxChars`; a line in it says what was left out. */
  readonly text: string
  readonly truncated: boolean
}

export interface Capture {
  readonly push: (chunk: Uint8Array) => void
  /** Everything, cut in the middle where it is too long. */
  readonly result: (maxChars: number) => Captured
  /** The last of it, plain, at most `maxChars`; words that are cut or may go on are left away. */
  readonly recent: (maxChars: number) => string
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

/** Bytes from the first code point that begins in them. */
const fromBorder = (bytes: Uint8Array): Uint8Array => {
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start++
  return bytes.subarray(start)
}

/** A code point that is not complete at the end is left away. */
const decodeOpen = (bytes: Uint8Array): string => new TextDecoder("utf-8").decode(bytes, { stream: true })

const join = (head: string, notice: string, tail: string) =>
  `${head}${head === "" || head.endsWith("\n") ? "" : "\n"}${notice}\n${tail}`

/** Room for the line that says what is missing. */
const noticeRoom = 100

/** Cuts the middle out of a text, on borders of lines or words, never within a code point. */
export const cutMiddle = (text: string, maxChars: number): Captured => {
  if (text.length <= maxChars) return { text, truncated: false }
  const side = Math.max(0, Math.floor((maxChars - noticeRoom) / 2))
  const head = beforeCut(headOf(text, side))
  const tail = afterCut(tailOf(text, side))
  const missing = text.length - head.length - tail.length
  return { text: join(head, `[… ${missing} characters left out here …]`, tail), truncated: true }
}

/** `size` bytes are kept of each end. */
export const makeCapture = (size: number): Capture => {
  const head = new Uint8Array(size)
  const ring = new Uint8Array(size)
  let total = 0

  const ringPush = (bytes: Uint8Array, at: number) => {
    const kept = bytes.length > size ? bytes.subarray(bytes.length - size) : bytes
    const start = (at + bytes.length - kept.length) % size
    const first = Math.min(kept.length, size - start)
    ring.set(kept.subarray(0, first), start)
    ring.set(kept.subarray(first), 0)
  }

  const push = (chunk: Uint8Array) => {
    const room = Math.max(0, size - total)
    if (room > 0) head.set(chunk.subarray(0, room), total)
    if (chunk.length > room) ringPush(chunk.subarray(room), Math.max(0, total - size))
    total += chunk.length
  }

  /** What came after the head, the last `size` bytes of it. */
  const tail = (): Uint8Array => {
    const after = Math.max(0, total - size)
    const end = after % size
    return after <= size ? ring.slice(0, after) : Buffer.concat([ring.subarray(end), ring.subarray(0, end)])
  }

  const headBytes = () => head.subarray(0, Math.min(total, size))

  const result = (maxChars: number): Captured => {
    if (total <= size * 2) {
      return cutMiddle(plain(new TextDecoder("utf-8").decode(Buffer.concat([headBytes(), tail()]))), maxChars)
    }
    const side = Math.max(0, Math.floor((maxChars - noticeRoom) / 2))
    const first = beforeCut(headOf(plain(decodeOpen(head)), side))
    const last = afterCut(tailOf(plain(new TextDecoder("utf-8").decode(fromBorder(tail()))), side))
    const missing = total - Buffer.byteLength(first) - Buffer.byteLength(last)
    return { text: join(first, `[… ${missing} of ${total} bytes left out here …]`, last), truncated: true }
  }

  const recent = (maxChars: number): string => {
    const after = tail()
    const bytes = total <= size * 2 ? Buffer.concat([headBytes(), after]) : after
    if (bytes.length <= maxChars && total <= size * 2) return beforeLastWord(plain(decodeOpen(bytes)))
    const some = plain(decodeOpen(fromBorder(bytes.subarray(Math.max(0, bytes.length - maxChars)))))
    return beforeLastWord(afterCut(some))
  }

  return { push, result, recent }
}
