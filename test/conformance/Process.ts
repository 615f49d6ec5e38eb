// One running agent as a black box: lines in, lines with their times out, end of input, exit, stderr.
import { spawn } from "node:child_process"
import { Deferred, Effect, Option, type Scope } from "effect"

export interface Received {
  /** Milliseconds, on the monotonic clock. */
  readonly at: number
  /** Without the newline. */
  readonly bytes: Uint8Array
}

export interface Process {
  /** Sends one line; the newline is added. */
  readonly send: (line: string) => Effect.Effect<void>
  /** Line number `n` of the output, from 0; none when the output ends before. */
  readonly line: (n: number) => Effect.Effect<Option.Option<Received>>
  readonly lines: () => ReadonlyArray<Received>
  readonly closeInput: Effect.Effect<void>
  /** The exit code; null when a signal ended it. */
  readonly exit: Effect.Effect<number | null>
  readonly stderr: () => string
}

export interface Recorder extends Pick<Process, "line" | "lines"> {
  readonly add: (bytes: Uint8Array) => void
  readonly end: () => void
}

/** Keeps lines as they arrive and wakes whoever waits for one. */
export const recorder = (): Recorder => {
  const lines: Array<Received> = []
  const waiting = new Set<() => void>()
  let ended = false
  const wake = () => {
    for (const look of [...waiting]) look()
  }
  return {
    lines: () => lines,
    add: (bytes) => {
      lines.push({ at: performance.now(), bytes })
      wake()
    },
    end: () => {
      ended = true
      wake()
    },
    line: (n) =>
      Effect.async((resume) => {
        const look = () => {
          const found = lines[n]
          if (found === undefined && !ended) return
          waiting.delete(look)
          resume(Effect.succeed(Option.fromNullable(found)))
        }
        waiting.add(look)
        look()
        return Effect.sync(() => waiting.delete(look))
      })
  }
}

export interface Command {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** A subprocess that speaks on its pipes; killed with the scope. */
export const ofCommand = ({ args, cwd, env, program }: Command): Effect.Effect<Process, never, Scope.Scope> =>
  Effect.gen(function* () {
    const record = recorder()
    const exit = yield* Deferred.make<number | null>()
    const errors: Array<Buffer> = []
    let rest: Buffer = Buffer.alloc(0)
    const take = (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes])
      for (let at = rest.indexOf(0x0a); at !== -1; at = rest.indexOf(0x0a)) {
        record.add(rest.subarray(0, at))
        rest = rest.subarray(at + 1)
      }
    }
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(program, args, { cwd, env, stdio: "pipe" })
        child.stdout.on("data", take).on("end", record.end)
        child.stdin.on("error", () => {})
        child.stderr.on("data", (bytes: Buffer) => errors.push(bytes))
        child.on("exit", (code) => Deferred.unsafeDone(exit, Effect.succeed(code)))
        return child
      }),
      (child) =>
        Effect.zipRight(
          Effect.sync(() => child.kill("SIGKILL")),
          Deferred.await(exit)
        )
    )
    return {
      send: (line) => Effect.sync(() => void child.stdin.write(`${line}\n`)),
      line: record.line,
      lines: record.lines,
      closeInput: Effect.sync(() => void child.stdin.end()),
      exit: Deferred.await(exit),
      stderr: () => Buffer.concat(errors).toString("utf8")
    }
  })
