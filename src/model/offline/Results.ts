// What tool results say, read back. Pure; tolerant of small differences in wording.

export interface Numbered {
  readonly line: number
  readonly text: string
}

/** Lines of file_read: `  12: text`. */
export const numbered = (text: string): ReadonlyArray<Numbered> =>
  text.split("\n").flatMap((row) => {
    const found = /^\s*(\d+): ?(.*)$/.exec(row)
    return found ? [{ line: Number(found[1]), text: found[2] ?? "" }] : []
  })

export interface Match extends Numbered {
  readonly path: string
}

/** Lines of content_search: `path:12:text`. */
export const matches = (text: string): ReadonlyArray<Match> =>
  text.split("\n").flatMap((row) => {
    const found = /^(.+?):(\d+):(.*)$/.exec(row)
    return found ? [{ path: found[1] ?? "", line: Number(found[2]), text: found[3] ?? "" }] : []
  })

/** Lines of glob_search that are paths; remarks in brackets or parentheses are not. */
export const paths = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((row) => row.trim() !== "" && !/^[[(]|^No (?:files|matches)|^…|^\d+ more/i.test(row))

/** What glob_search says it left out. */
export const leftOut = (text: string): number => Number(/(\d+) more/.exec(text)?.[1] ?? 0)
