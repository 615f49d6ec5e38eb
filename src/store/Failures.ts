// From what SQLite or the file system threw to a StoreError. Pure.
import { Cause, Option } from "effect"
import { StoreError } from "./SessionStore.ts"

type Reason = StoreError["reason"]

const codeOf = (value: unknown, depth = 0): string | undefined => {
  if (typeof value !== "object" || value === null || depth > 8) return undefined
  if ("code" in value && typeof value.code === "string") return value.code
  return "cause" in value ? codeOf(value.cause, depth + 1) : undefined
}

const messageOf = (value: unknown, depth = 0): string => {
  if (typeof value === "object" && value !== null && depth <= 8) {
    if ("cause" in value && value.cause instanceof Error) return messageOf(value.cause, depth + 1)
    if ("message" in value && typeof value.message === "string") return value.message
  }
  return String(value)
}

/** @see https://www.sqlite.org/rescode.html */
export const reasonOf = (code: string): Reason => {
  if (/^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(code)) return "busy"
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return "corrupt"
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) return "full"
  if (/^SQLITE_/.test(code) && !/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/.test(code)) return "io"
  return "unavailable"
}

const advice: Readonly<Record<Reason, string>> = {
  unavailable: "check that its folder exists and can be written",
  busy: "another program holds it locked; try again when that has ended",
  unknown_session: "load or create the session first",
  corrupt: "it is damaged; restore it from a copy",
  full: "free some disk space",
  io: "check the disk that it is on"
}

/** Some errors list every place that was tried; their first line tells what happened. */
const firstLine = (text: string): string => text.trim().split(/[\r\n]/)[0] ?? ""

export const failure = (file: string, reason: Reason, what: string, fix = advice[reason]): StoreError =>
  new StoreError({ reason, message: `${file}: ${firstLine(what)}; ${fix}` })

export const unknownSession = (): StoreError =>
  new StoreError({ reason: "unknown_session", message: `the session is not stored; ${advice.unknown_session}` })

const rebuild = "run npm rebuild better-sqlite3 with the Node.js that runs this"

/** None when nothing in it has the code of an SQLite or file system error. */
export const fromCause = (file: string, cause: Cause.Cause<unknown>): Option.Option<StoreError> => {
  const errors = [...Cause.failures(cause), ...Cause.defects(cause)]
  const known = errors.find((error): error is StoreError => error instanceof StoreError)
  if (known !== undefined) return Option.some(known)
  for (const error of errors) {
    const code = codeOf(error)
    if (code === "ERR_DLOPEN_FAILED") {
      return Option.some(failure(file, "unavailable", "the SQLite driver was built for another Node.js", rebuild))
    }
    if (code !== undefined) return Option.some(failure(file, reasonOf(code), messageOf(error)))
  }
  return Option.none()
}

export const unopened = (file: string, error: unknown): StoreError => failure(file, "unavailable", messageOf(error))
