// What tool results say, read back. Pure; tolerant of small differences in wording.

export interface Numbered {
  /** Counted from 1. */
  readonly line: number
  readonly text: string
}

/** Lines of file_read: `  12: text`. */
export const numbered = (text: string): ReadonlyArray<Numbered> =>
  text.split("\n").flatMap((row) => {
    const found = /^\s*(\d+): ?(.*)$/s.exec(row)
    return found ? [{ line: Number(found[1]), text: found[2] ?? "" }] : []
  })

/** Lines the file has, from file_read's last line; undefined when it does not say. */
export const total = (text: string): number | undefined => {
  const last = text.trimEnd().split("\n").at(-1) ?? ""
  if (/^\s*\d+:/.test(last)) return undefined
  if (/empty file/i.test(last)) return 0
  const found = /of (\d+)|(\d+) lines?/.exec(last)
  return found ? Number(found[1] ?? found[2]) : undefined
}

/** Whether file_read left out the end of this line. */
export const isCut = (text: string): boolean => /… \[\d+ characters cut\]$/.test(text)

export interface Match extends Numbered {
  readonly path: string
}

/** Lines of content_search: `path:12:text`. */
export const matches = (text: string): ReadonlyArray<Match> =>
  text.split("\n").flatMap((row) => {
    const found = /^(.+?):(\d+):(.*)$/s.exec(row)
    return found ? [{ path: found[1] ?? "", line: Number(found[2]), text: found[3] ?? "" }] : []
  })

export interface FileCount {
  readonly path: string
  readonly lines: number
}

/** Lines of content_search in its count mode, `path:12`; matches themselves are counted too. */
export const counts = (text: string): ReadonlyArray<FileCount> => {
  const files = new Map<string, number>()
  for (const { path } of matches(text)) files.set(path, (files.get(path) ?? 0) + 1)
  if (files.size > 0) return [...files].map(([path, lines]) => ({ path, lines }))
  return text.split("\n").flatMap((row) => {
    const found = /^(.+):(\d+)$/.exec(row)
    return found ? [{ path: found[1] ?? "", lines: Number(found[2]) }] : []
  })
}

/** Lines of glob_search that are paths; remarks are not. */
export const paths = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .filter((row) => row.trim() !== "" && !/^\((?:\d+ more|stopped)|^No (?:files|matches)\b|^…|^\d+ more/i.test(row))

/** Remarks stand at the end. */
const remarks = (text: string): ReadonlyArray<string> => text.trimEnd().split("\n").slice(-2)

/** What a search says it left out. */
export const leftOut = (text: string): number =>
  remarks(text).reduce((count, row) => count + Number(/^\(?(?:… )?(\d+) more/.exec(row)?.[1] ?? 0), 0)

/** Whether a search did not look everywhere. */
export const isPartial = (text: string): boolean => remarks(text).some((row) => row.startsWith("(stopped early"))
