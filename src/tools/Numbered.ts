// A range of a file's lines, numbered, within bounds, with a last line that says what is shown. Pure.
import { headOf } from "./Visible.ts"

export interface Range {
  /** 1-based. */
  readonly offset: number
  readonly limit: number
}

const maxLineChars = 2000
const maxChars = 200_000

const shorten = (line: string): string =>
  line.length <= maxLineChars ? line : `${headOf(line, maxLineChars)}… [${line.length - maxLineChars} characters cut]`

/** Lines as `  12: text`. `offset` must not lie behind the last line, but for an empty file. */
export const numbered = (all: ReadonlyArray<string>, { offset, limit }: Range): string => {
  if (all.length === 0) return "(empty file)"
  const shown: Array<string> = []
  let chars = 0
  for (const [index, line] of all.slice(offset - 1, offset - 1 + limit).entries()) {
    const row = `${String(offset + index).padStart(4)}: ${shorten(line)}`
    chars += row.length + 1
    if (chars > maxChars) break
    shown.push(row)
  }
  const last = offset - 1 + shown.length
  const more = last < all.length ? `; go on with offset ${last + 1}` : ""
  return [...shown, `(lines ${offset}-${last} of ${all.length}${more})`].join("\n")
}
