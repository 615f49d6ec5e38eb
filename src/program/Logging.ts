// Logs go to a file as JSON lines; to stderr too when asked. Never to stdout, never with secrets.
import * as fs from "node:fs"
import * as path from "node:path"
import { Cause, Inspectable, Layer, Logger, LogLevel } from "effect"
import { redact } from "./Redact.ts"

/** At this size the file is moved to `<file>.1`, which replaces an older one. */
const maxLogBytes = 5 * 1024 * 1024

/** Bytes that may wait for a reader of stderr. */
const maxWaiting = 1024 * 1024

/** Opened at the first line; a log that can't be written is given up in silence, as nobody could read the complaint. */
const makeSink = (file: string) => {
  let broken = false
  return (line: string): void => {
    if (broken) return
    try {
      fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
      if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) fs.renameSync(file, `${file}.1`)
      fs.appendFileSync(file, line, { mode: 0o600 })
    } catch {
      broken = true
    }
  }
}

const plain = (message: unknown): string =>
  (Array.isArray(message) ? message : [message])
    .map((part) =>
      typeof part === "string" ? part : Cause.isCause(part) ? Cause.pretty(part) : Inspectable.toStringUnknown(part)
    )
    .join(" ")

export interface Options {
  readonly file: string
  readonly level: LogLevel.LogLevel
  readonly verbose: boolean
}

export const layer = ({ file, level, verbose }: Options): Layer.Layer<never> => {
  const sink = makeSink(file)
  const logger = Logger.make<unknown, void>(({ cause, date, logLevel, message }) => {
    const text = redact(plain(message))
    const why = Cause.isEmpty(cause) ? undefined : redact(Cause.pretty(cause))
    sink(
      `${JSON.stringify({ time: date.toISOString(), level: logLevel.label, pid: process.pid, message: text, ...(why === undefined ? {} : { cause: why }) })}\n`
    )
    // Nobody may read it: then it is in the file alone.
    if (verbose && process.stderr.writableLength < maxWaiting)
      process.stderr.write(`${logLevel.label} ${text}${why === undefined ? "" : `\n${why}`}\n`)
  })
  return Layer.merge(Logger.replace(Logger.defaultLogger, logger), Logger.minimumLogLevel(level))
}

/** Names on the command line. */
export const levelNames = ["error", "warn", "info", "debug", "trace"] as const

export const levelOf = (name: string): LogLevel.LogLevel | undefined => {
  switch (name) {
    case "error":
      return LogLevel.Error
    case "warn":
      return LogLevel.Warning
    case "info":
      return LogLevel.Info
    case "debug":
      return LogLevel.Debug
    case "trace":
      return LogLevel.Trace
    default:
      return undefined
  }
}
