// The agent as a child process: started, listened to, and stopped with everything it started.
import type { ChildProcessWithoutNullStreams } from "node:child_process"
import { StringDecoder } from "node:string_decoder"
import { Context, Data, Deferred, Effect, Exit, Fiber, Layer, Runtime, Scope } from "effect"
import * as Streams from "../transport/Streams.ts"
import type { TransportService } from "../transport/Transport.ts"
import { oneLine, visible } from "./Visible.ts"

export interface AgentCommand {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Added to our environment. */
  readonly env: Readonly<Record<string, string>>
  /** Sees what the agent writes to stderr, as it comes. */
  readonly onStderr: (text: string) => Effect.Effect<void>
}

export class AgentStartError extends Data.TaggedError("AgentStartError")<{ readonly message: string }> {}

/** How the agent ended, in words, and the end of its stderr. */
export interface Ending {
  readonly message: string
  readonly stderrTail: ReadonlyArray<string>
}

export interface AgentLink {
  readonly transport: TransportService
  /** For a transport whose input has ended: says why, after a short wait for the process to end. */
  readonly ending: Effect.Effect<Ending>
  readonly pid: number | undefined
}

/** Characters of stderr that are kept. */
const tailSize = 4096
const tailLines = 10

interface Ended {
  readonly code: number | null
  readonly signal: string | null
}

export const describeEnd = (ended: Ended | undefined, stderr: string): Ending => {
  const stderrTail = visible(stderr)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-tailLines)
  const how =
    ended === undefined
      ? "the agent closed its stdout but is still running"
      : ended.signal !== null
        ? `the agent was ended by ${ended.signal}`
        : `the agent ended with exit code ${ended.code}`
  const last = stderrTail.at(-1)
  const words = last === undefined ? "; it wrote nothing to stderr" : `; last line of its stderr: ${oneLine(last)}`
  return { message: `${how}${words}`, stderrTail }
}

const posix = process.platform !== "win32"

/** To the whole process group, where there is one. */
const kill = (child: ChildProcessWithoutNullStreams, signal: "SIGTERM" | "SIGKILL"): Effect.Effect<void> =>
  Effect.sync(() => {
    try {
      if (posix && child.pid !== undefined) process.kill(-child.pid, signal)
      else child.kill(signal)
    } catch {
      // It ended meanwhile.
    }
  })

const spawn = (spec: AgentCommand): Effect.Effect<ChildProcessWithoutNullStreams, AgentStartError> =>
  Effect.flatMap(
    Effect.promise(() => import("node:child_process")),
    (childProcess) =>
      Effect.async((resume) => {
        const child = childProcess.spawn(spec.command, [...spec.args], {
          stdio: "pipe",
          env: { ...process.env, ...spec.env },
          // A group of its own: the terminal's Ctrl-C is ours to pass on, and the agent's children end with it.
          detached: posix,
          windowsHide: true
        })
        child.once("spawn", () => resume(Effect.succeed(child)))
        child.once("error", (error) => {
          const why = "code" in error && error.code === "ENOENT" ? "no such program" : error.message
          const message = `could not start the agent "${oneLine(spec.command)}": ${oneLine(why)}; check --server`
          resume(new AgentStartError({ message }))
        })
      })
  )

const wait = (ended: Effect.Effect<unknown>, millis: number): Effect.Effect<boolean> =>
  Effect.map(Effect.timeoutOption(Effect.interruptible(ended), millis), (option) => option._tag === "Some")

/** End of stdin, SIGTERM after two seconds, SIGKILL after one more. */
const stop = Effect.fnUntraced(function* (
  child: ChildProcessWithoutNullStreams,
  streams: Scope.CloseableScope,
  exited: Effect.Effect<Ended>
) {
  // A child that does not read would hold up what is still to be written, so nothing waits for that.
  const closing = yield* Effect.forkDaemon(
    Effect.zipRight(
      Scope.close(streams, Exit.void),
      Effect.sync(() => child.stdin.end())
    )
  )
  if (!(yield* wait(exited, 2000))) {
    yield* kill(child, "SIGTERM")
    if (!(yield* wait(exited, 1000))) {
      yield* kill(child, "SIGKILL")
      yield* wait(exited, 1000)
    }
  }
  yield* Effect.sync(() => {
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
  })
  yield* wait(Fiber.join(closing), 1000)
})

const start = Effect.fnUntraced(function* (spec: AgentCommand) {
  const streams = yield* Scope.make()
  const ended = yield* Deferred.make<Ended>()
  const quiet = yield* Deferred.make<void>()
  const child = yield* Effect.acquireRelease(
    Effect.tap(spawn(spec), (process) =>
      Effect.sync(() => {
        process.once("exit", (code, signal) => Deferred.unsafeDone(ended, Effect.succeed({ code, signal })))
        process.on("error", () => {})
      })
    ),
    (process) => stop(process, streams, Deferred.await(ended))
  )
  const run = Runtime.runFork(yield* Effect.runtime<never>())
  let stderr = ""
  const decoder = new StringDecoder("utf8")
  child.stderr.on("data", (bytes: Buffer) => {
    const text = decoder.write(bytes)
    stderr = (stderr + text).slice(-tailSize)
    run(spec.onStderr(text))
  })
  child.stderr.once("close", () => Deferred.unsafeDone(quiet, Effect.void)).on("error", () => {})
  const transport = yield* Scope.extend(Streams.make(child.stdout, child.stdin), streams)
  // A grandchild may hold the pipe open: the conversation ends with the agent all the same.
  yield* Effect.forkScoped(
    Deferred.await(ended).pipe(
      Effect.zipRight(Effect.sleep(500)),
      Effect.zipRight(Effect.sync(() => child.stdout.destroy()))
    )
  )
  const ending = Effect.gen(function* () {
    if (yield* wait(Deferred.await(ended), 300)) yield* wait(Deferred.await(quiet), 200)
    const how = yield* Deferred.poll(ended)
    return describeEnd(how._tag === "Some" ? yield* how.value : undefined, stderr)
  })
  const link: AgentLink = { transport, ending, pid: child.pid }
  return link
})

export class AgentLauncher extends Context.Tag("zeroclaw/AgentLauncher")<
  AgentLauncher,
  { readonly start: (command: AgentCommand) => Effect.Effect<AgentLink, AgentStartError, Scope.Scope> }
>() {
  static readonly layer: Layer.Layer<AgentLauncher> = Layer.succeed(AgentLauncher, { start })

  /** An agent that lives in this process. */
  static readonly test = (
    start: (command: AgentCommand) => Effect.Effect<AgentLink, AgentStartError, Scope.Scope>
  ): Layer.Layer<AgentLauncher> => Layer.succeed(AgentLauncher, { start })
}
