// Runs ripgrep in a directory, within bounds of time and output.
import { existsSync } from "node:fs"
import { Deferred, Effect } from "effect"
import { startChild } from "./Child.ts"
import type { ToolError } from "./Tool.ts"

/** Path of the binary; undefined where the package has none for this platform. */
export type FindRipgrep = Effect.Effect<string | undefined>

export const findRipgrep: FindRipgrep = Effect.tryPromise(() => import("@vscode/ripgrep")).pipe(
  Effect.map(({ rgPath }) => (existsSync(rgPath) ? rgPath : undefined)),
  Effect.orElseSucceed(() => undefined)
)

/** What every search has in common: ignore files count also outside of git, hidden files are seen, `.git` is not. */
export const commonArgs = (globs: ReadonlyArray<string>): ReadonlyArray<string> => [
  "--no-config",
  "--no-messages",
  "--no-require-git",
  "--hidden",
  "--color=never",
  "--sort=path",
  "--path-separator=/",
  ...globs.map((glob) => `--glob=${glob}`),
  "--glob=!.git"
]

/** A glob as an option value: a leading `!` is a character, not a negation. */
export const asGlob = (pattern: string): string => (pattern.startsWith("!") ? `\\${pattern}` : pattern)

export interface Search {
  readonly binary: string
  readonly cwd: string
  readonly args: ReadonlyArray<string>
  /** Byte that ends a record: 0 or 10. */
  readonly separator: number
  /** Records of more than 1 MiB are left out. */
  readonly onRecord: (record: string) => void
}

export interface SearchEnd {
  readonly code: number | null
  readonly stderr: string
  /** Why it was stopped before its end. */
  readonly stopped?: string
}

const maxRecordBytes = 1024 * 1024
const maxOutputBytes = 256 * 1024 * 1024
const maxStderrChars = 8 * 1024

/** Cuts bytes into records; what grows beyond the limit is dropped to its end. */
export const makeSplitter = (separator: number, onRecord: (record: string) => void) => {
  let pending: Array<Uint8Array> = []
  let size = 0
  let dropping = false
  const hold = (bytes: Uint8Array) => {
    size += bytes.length
    if (size > maxRecordBytes) dropping = true
    if (dropping) pending = []
    else pending.push(Uint8Array.from(bytes))
  }
  return (chunk: Uint8Array): void => {
    let start = 0
    for (let end = chunk.indexOf(separator); end !== -1; end = chunk.indexOf(separator, start)) {
      hold(chunk.subarray(start, end))
      if (!dropping) onRecord(Buffer.concat(pending).toString("utf8"))
      pending = []
      size = 0
      dropping = false
      start = end + 1
    }
    if (start < chunk.length) hold(chunk.subarray(start))
  }
}

export const runRipgrep = (search: Search): Effect.Effect<SearchEnd, ToolError> =>
  Effect.gen(function* () {
    const full = yield* Deferred.make<string>()
    let bytes = 0
    let stderr = ""
    const split = makeSplitter(search.separator, search.onRecord)
    const { child, stopped } = yield* Effect.scoped(
      Effect.gen(function* () {
        const child = yield* startChild({
          file: search.binary,
          args: search.args,
          cwd: search.cwd,
          env: {},
          onStdout: (chunk) => {
            bytes += chunk.length
            if (bytes > maxOutputBytes) Deferred.unsafeDone(full, Effect.succeed("there was too much output"))
            else split(chunk)
          },
          onStderr: (chunk) => {
            if (stderr.length < maxStderrChars) stderr += Buffer.from(chunk).toString("utf8")
          },
          stop: ({ pid, exit }) =>
            Effect.flatMap(Deferred.isDone(exit), (done) =>
              done ? Effect.void : Effect.ignore(Effect.try(() => process.kill(pid, "SIGKILL")))
            )
        })
        const stopped = yield* Deferred.await(child.closed).pipe(
          Effect.as(undefined),
          Effect.race(Deferred.await(full)),
          Effect.timeoutTo({
            duration: "10 seconds",
            onSuccess: (reason): string | undefined => reason,
            onTimeout: () => "it took more than 10 s"
          })
        )
        return { child, stopped }
      })
    )
    const exit = yield* Effect.flatMap(Deferred.isDone(child.exit), (done) =>
      done ? Deferred.await(child.exit) : Effect.succeed({ code: null, signal: null })
    )
    return { code: exit.code, stderr, ...(stopped === undefined ? {} : { stopped }) }
  })
