// Bytes of a file as text, and back: only what is UTF-8 is text. Pure.
import { Either } from "effect"

export interface TextFile {
  /** Without the byte order mark. */
  readonly text: string
  readonly bom: boolean
}

const mark = "\ufeff"
const sniffBytes = 8 * 1024

/** Left: why it is not text. */
export const decode = (bytes: Uint8Array): Either.Either<TextFile, string> => {
  if (bytes.subarray(0, sniffBytes).includes(0)) return Either.left("it is a binary file (it holds NUL bytes)")
  return Either.try({
    try: () => {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
      return text.startsWith(mark) ? { text: text.slice(1), bom: true } : { text, bom: false }
    },
    catch: () => "it is not UTF-8 text (binary, or another encoding)"
  })
}

export const encode = ({ text, bom }: TextFile): Uint8Array => new TextEncoder().encode(bom ? mark + text : text)

/** Lines without their ends; a newline at the very end begins no further line. */
export const lines = (text: string): ReadonlyArray<string> => {
  if (text === "") return []
  const all = text.split("\n")
  if (all.at(-1) === "") all.pop()
  return all.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
}

/** 1-based line of an offset. */
export const lineAt = (text: string, offset: number): number => {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}
