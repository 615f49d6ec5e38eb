// Other processes on the same database.
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, type Scope } from "effect"
import { build } from "rolldown"

const here = path.dirname(fileURLToPath(import.meta.url))
const root = path.join(here, "..", "..", "..")

/** Worker.ts as a file that node can run; in the project, so that its packages are found. */
export const worker: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    fs.mkdirSync(path.join(root, "dist"), { recursive: true })
    return fs.mkdtempSync(path.join(root, "dist", "store-worker-"))
  }),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true }))
).pipe(
  Effect.tap((dir) =>
    Effect.promise(() =>
      build({
        input: path.join(here, "Worker.ts"),
        platform: "node",
        external: [/^node:/, "better-sqlite3"],
        logLevel: "silent",
        output: { dir, format: "esm", entryFileNames: "Worker.mjs" }
      })
    )
  ),
  Effect.map((dir) => path.join(dir, "Worker.mjs"))
)

export const lockScript = path.join(here, "lock.mjs")

export interface Running {
  readonly child: ChildProcess
  readonly lines: ReadonlyArray<string>
  readonly errors: () => string
  /** Calls back at each line. */
  readonly onLine: (listener: () => void) => void
  /** Exit code, or the signal that ended it. */
  readonly end: Effect.Effect<number | string>
}

/** Killed with the scope. */
export const run = (...words: ReadonlyArray<string>): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => {
      const lines: Array<string> = []
      const listeners: Array<() => void> = []
      let rest = ""
      let errors = ""
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        errors += text
      })
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        const parts = (rest + text).split("\n")
        rest = parts.pop() ?? ""
        for (const line of parts) {
          lines.push(line)
          for (const listener of listeners) listener()
        }
      })
      const ended = new Promise<number | string>((resolve) => {
        child.on("close", (code, signal) => resolve(code ?? signal ?? "?"))
      })
      return {
        child,
        lines,
        errors: () => errors,
        onLine: (listener) => void listeners.push(listener),
        end: Effect.promise(() => ended)
      }
    }
  )

export const firstLine = (running: Running): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (running.lines.length > 0) resume(Effect.void)
    else running.onLine(() => resume(Effect.void))
  })
