// What the placement of mounts and masks asks about the host's files, and the answers of the real file system.
import * as fs from "node:fs"

/** Of the path itself; a link is not followed. Whatever is neither a folder nor a link counts as a file. */
export type Kind = "folder" | "file" | "link" | "missing"

export interface Look {
  readonly kind: (path: string) => Kind
  /** Every link resolved; undefined when there is nothing. */
  readonly real: (path: string) => string | undefined
  /** What a link says. */
  readonly target: (path: string) => string | undefined
  /** The beginning of a small file. */
  readonly text: (path: string) => string | undefined
  /** What a folder holds; empty when it can't be read. */
  readonly names: (path: string) => ReadonlyArray<string>
}

const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** Pointers of git are one path long. */
const maxText = 64 * 1024

const textOf = (path: string): string | undefined => {
  const stats = attempt(() => fs.statSync(path))
  return stats?.isFile() === true && stats.size <= maxText ? attempt(() => fs.readFileSync(path, "utf8")) : undefined
}

/** What can't be looked at counts as missing: nothing of it is shown. */
const kindOf = (path: string): Kind => {
  const stats = attempt(() => fs.lstatSync(path))
  if (stats === undefined) return "missing"
  return stats.isSymbolicLink() ? "link" : stats.isDirectory() ? "folder" : "file"
}

export const host: Look = {
  kind: kindOf,
  real: (path) => attempt(() => fs.realpathSync.native(path)),
  target: (path) => attempt(() => fs.readlinkSync(path)),
  text: textOf,
  names: (path) => attempt(() => fs.readdirSync(path)) ?? []
}
