// Whether sessions can be kept in a file, told without opening it: initialize does not wait for a database.
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"

/** As `PRAGMA user_version` of the newest schema this program knows. */
export const knownVersion = 1

const magic = "SQLite format 3\0"

const driverProblem = (): string | undefined => {
  try {
    const home = path.dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"))
    return fs.existsSync(path.join(home, "build", "Release", "better_sqlite3.node"))
      ? undefined
      : "the native part of better-sqlite3 was not built (npm rebuild better-sqlite3)"
  } catch {
    return "the package better-sqlite3 is not installed"
  }
}

const headerProblem = (file: string): string | undefined => {
  const descriptor = fs.openSync(file, "r")
  try {
    const header = Buffer.alloc(100)
    const size = fs.readSync(descriptor, header, 0, header.length, 0)
    if (size === 0) return undefined
    if (size < header.length || header.toString("latin1", 0, 16) !== magic) return "it is not a SQLite database"
    const version = header.readUInt32BE(60)
    return version > knownVersion ? `it was made by a newer version of this program (schema ${version})` : undefined
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Undefined: nothing speaks against it. Makes the folder. */
export const problem = (file: string): string | undefined => {
  try {
    const folder = path.dirname(file)
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    fs.accessSync(folder, fs.constants.W_OK)
    const stat = fs.statSync(file, { throwIfNoEntry: false })
    if (stat !== undefined && !stat.isFile()) return "it is not a regular file"
    if (stat !== undefined) fs.accessSync(file, fs.constants.W_OK)
    return driverProblem() ?? (stat === undefined ? undefined : headerProblem(file))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Keeps what is there under another name. */
export const setAside = (file: string, stamp: string): string => {
  const aside = `${file}.corrupt-${stamp}`
  for (const suffix of ["", "-wal", "-shm"]) {
    if (fs.existsSync(file + suffix)) fs.renameSync(file + suffix, aside + suffix)
  }
  return aside
}
