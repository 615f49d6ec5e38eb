// A child process that lives in a scope and never outlives it.
import { type ChildProcess, spawn } from "node:child_process"
import { readlinkSync } from "node:fs"
import { Deferred, Effect, type Scope } from "effect"
import { ToolError } from "./Tool.ts"

export interface ChildExit {
  readonly code: number | null
  readonly signal: string | null
}

export interface Child {
  readonly pid: number
  /** What Linux calls its ends of our pipes, such as `socket:[123]`: nobody but its descendants holds them. */
  readonly pipes: ReadonlySet<string>
  /** The process itself has ended. */
  readonly exit: Deferred.Deferred<ChildExit>
  /** It has ended and nobody holds its pipes any more. */
  readonly closed: Deferred.Deferred<void>
}

export interface ChildSpec {
  readonly file: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly onStdout: (chunk: Uint8Array) => void
  readonly onStderr: (chunk: Uint8Array) => void
  /** Ends the process with what belongs to it; runs when the scope closes, also after a normal end. */
  readonly stop: (child: Child) => Effect.Effect<void>
}

interface Started {
  readonly child: Child
  readonly handle: ChildProcess
}

/** Empty elsewhere than on Linux, and for a process that is already gone. */
const pipesOf = (pid: number): ReadonlySet<string> =>
  new Set(
    [1, 2].flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
      } catch {
        return []
      }
    })
  )

const start = (spec: ChildSpec): Effect.Effect<Started, ToolError> =>
  Effect.gen(function* () {
    const exit = yield* Deferred.make<ChildExit>()
    const closed = yield* Deferred.make<void>()
    return yield* Effect.async<Started, ToolError>((resume) => {
      const refuse = (error: unknown) =>
        resume(
          new ToolError({
            message: `Could not start the process: ${error instanceof Error ? error.message : String(error)}.`
          })
        )
      try {
        const handle = spawn(spec.file, spec.args, {
          cwd: spec.cwd,
          env: spec.env,
          detached: true,
          stdio: ["ignore", "pipe", "pipe"]
        })
        handle.on("error", refuse)
        if (handle.pid === undefined) return
        handle.stdout.on("data", spec.onStdout)
        handle.stderr.on("data", spec.onStderr)
        handle.on("exit", (code, signal) => Deferred.unsafeDone(exit, Effect.succeed({ code, signal })))
        handle.on("close", () => Deferred.unsafeDone(closed, Effect.void))
        resume(Effect.succeed({ child: { pid: handle.pid, pipes: pipesOf(handle.pid), exit, closed }, handle }))
      } catch (error) {
        refuse(error)
      }
    })
  })

/** Waits for the last output, but not for a pipe that something beyond reach still holds. */
const letGo = ({ child, handle }: Started): Effect.Effect<void> =>
  Deferred.await(child.closed).pipe(
    Effect.interruptible,
    Effect.timeoutOption("200 millis"),
    Effect.zipRight(
      Effect.sync(() => {
        handle.stdout?.destroy()
        handle.stderr?.destroy()
        handle.unref()
      })
    )
  )

export const startChild = (spec: ChildSpec): Effect.Effect<Child, ToolError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(start(spec), (started) => Effect.zipRight(spec.stop(started.child), letGo(started))),
    ({ child }) => child
  )
