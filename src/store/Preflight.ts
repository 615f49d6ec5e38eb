// Whether the database file can be used, found out without loading SQLite.
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { Option } from "effect"
import { failure, reasonOf } from "./Failures.ts"
import type { StoreError } from "./SessionStore.ts"

/** Kept in `PRAGMA user_version`: a file with a greater one belongs to a newer release and is left alone. */
export const schemaVersion = 2

const magic = "SQLite format 3\u0000"

/** Where the native part of SQLite is, when it was installed. */
const nativeFile = (): string | undefined => {
  try {
    const folder = path.dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"))
    return ["build/Release", "build", "build/Debug"]
      .map((place) => path.join(folder, place, "better_sqlite3.node"))
      .find((file) => fs.existsSync(file))
  } catch {
    return undefined
  }
}

export const newerSchema = (file: string, version: number): StoreError =>
  failure(
    file,
    "unavailable",
    `was written by a newer release (schema ${version}, this one knows ${schemaVersion})`,
    "update this program, or give it another data folder"
  )

/** @see https://www.sqlite.org/fileformat2.html section 1.3 */
export const readHeader = (file: string, header: Buffer): Option.Option<StoreError> => {
  if (header.length === 0) return Option.none()
  if (header.length < 100 || header.toString("latin1", 0, 16) !== magic) {
    return Option.some(failure(file, "corrupt", "is not a SQLite database"))
  }
  const version = header.readInt32BE(60)
  return version > schemaVersion ? Option.some(newerSchema(file, version)) : Option.none()
}

const head = (file: string): Buffer => {
  const handle = fs.openSync(file, "r")
  try {
    const bytes = Buffer.alloc(100)
    return bytes.subarray(0, fs.readSync(handle, bytes, 0, 100, 0))
  } finally {
    fs.closeSync(handle)
  }
}

const errnoOf = (error: unknown): { readonly code: string; readonly text: string } =>
  error instanceof Error && "code" in error && typeof error.code === "string"
    ? { code: error.code, text: error.message }
    : { code: "", text: String(error) }

/** Makes the folder when it is missing; changes nothing else. None when all is well. */
export const check = (file: string): Option.Option<StoreError> => {
  const folder = path.dirname(file)
  try {
    // The mode is asked for and then set: a umask may have taken bits from it.
    if (fs.mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) fs.chmodSync(folder, 0o700)
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
    const found = fs.statSync(file, { throwIfNoEntry: false })
    if (found !== undefined) {
      if (!found.isFile()) return Option.some(failure(file, "unavailable", "is not a regular file", "move it away"))
      fs.accessSync(file, fs.constants.R_OK | fs.constants.W_OK)
      const problem = readHeader(file, head(file))
      if (Option.isSome(problem)) return problem
    }
  } catch (error) {
    const { code, text } = errnoOf(error)
    return Option.some(failure(file, reasonOf(code), text))
  }
  return nativeFile() === undefined
    ? Option.some(
        failure(file, "unavailable", "the native part of better-sqlite3 is missing", "run npm rebuild better-sqlite3")
      )
    : Option.none()
}

/** The database and the files that SQLite keeps beside it. */
export const files = (file: string): ReadonlyArray<string> => [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]

/** Makes the file when it is missing, readable for nobody else; SQLite gives its side files the same mode. */
export const makePrivate = (file: string): void => {
  fs.closeSync(fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600))
  for (const one of files(file)) {
    const found = fs.statSync(one, { throwIfNoEntry: false })
    if (found?.isFile() && (found.mode & 0o777) !== 0o600) fs.chmodSync(one, 0o600)
  }
}

/** Which file it is, whatever its name: a database that another process has put there meanwhile is another one. */
export const identity = (file: string): string | undefined => {
  try {
    const found = fs.statSync(file, { bigint: true })
    return found.isFile() ? `${found.dev}:${found.ino}` : undefined
  } catch {
    return undefined
  }
}

/** Renames a damaged database with its side files; gives the new name, or none when it is no longer that file. */
export const quarantine = (file: string, seen: string | undefined, now: Date): Option.Option<string> => {
  const kept = `${file}.corrupt-${now.toISOString().replace(/[:.]/g, "-")}`
  try {
    if (seen === undefined || identity(file) !== seen || fs.existsSync(kept)) return Option.none()
    for (const one of files(file)) {
      if (fs.existsSync(one)) fs.renameSync(one, kept + one.slice(file.length))
    }
    return Option.some(kept)
  } catch {
    return Option.none()
  }
}
