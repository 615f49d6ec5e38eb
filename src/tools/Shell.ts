// shell: runs a command in the workspace, and leaves nothing of it behind.
import { existsSync } from "node:fs"
import { basename, join } from "node:path"
import { Deferred, type Duration, Effect, Mailbox, Option, Schema } from "effect"
import { text } from "../contract/Content.ts"
import type { ToolCallContent } from "../contract/ToolCall.ts"
import type { SessionPolicy } from "../policy/PolicyService.ts"
import { codeBlock, fromPathError } from "./Blocks.ts"
import { type Captured, makeCapture } from "./Capture.ts"
import { type ChildExit, type ChildSpec, startChild } from "./Child.ts"
import { define, field, integer, optionalField } from "./Input.ts"
import * as LiveTerminal from "./LiveTerminal.ts"
import { stop } from "./ProcessTree.ts"
import { shorten } from "./TerminalScript.ts"
import { type PreparedCall, type Tool, type ToolContext, ToolError, type ToolOutcome } from "./Tool.ts"
import { codeSpan, cut, fence, maxTitle, visible, visibleLines } from "./Visible.ts"

const maxChars = 50_000
const progressChars = 16 * 1024
const captureBytes = 128 * 1024

const Input = Schema.Struct({
  command: field(Schema.String.pipe(Schema.minLength(1)), "Command line for bash."),
  timeout_secs: optionalField(integer(1, 3600), "Seconds after which the command is stopped.")
})

const title = (command: string, cwd: string): string => {
  const place = ` in ${cut(visible(basename(cwd)), 60)}/`
  const room = maxTitle - "Run ".length - place.length
  const shown = visible(command)
  const whole = codeSpan(shown)
  if (whole.length <= room) return `Run ${whole}${place}`
  // A run of backticks makes the span longer than its text: without a span the length is known.
  const span = codeSpan(cut(shown, room - 2))
  return `Run ${span.length <= room ? span : cut(shown, room)}${place}`
}

/** bash where there is one. */
const shellFor = (command: string, path: string): readonly [file: string, ...args: Array<string>] => {
  const bash = [...path.split(":"), "/bin", "/usr/bin"]
    .map((folder) => join(folder, "bash"))
    .find((it) => existsSync(it))
  return bash === undefined ? ["sh", "-c", "--", command] : [bash, "--noprofile", "--norc", "-c", "--", command]
}

/** Both streams are one pipe, so that their order is the order of writing. */
const merged = (file: string, args: ReadonlyArray<string>): Pick<ChildSpec, "file" | "args"> => ({
  file: "/bin/sh",
  args: ["-c", 'exec "$@" 2>&1', "sh", file, ...args]
})

/** As policy says that the command is started. */
const launch = (command: string, { policy, sessionId }: ToolContext, marker: Readonly<Record<string, string>>) =>
  Effect.mapError(
    policy.launch(command, shellFor(command, process.env["PATH"] ?? ""), {
      ZEROCLAW_SESSION_ID: sessionId,
      ...marker
    }),
    fromPathError
  )

interface End {
  readonly exit: ChildExit
  readonly timedOut: boolean
}

/** Runs to the end or the timeout; when it returns, nothing of the command is left. */
const supervise = (spec: ChildSpec, timeout: Duration.DurationInput): Effect.Effect<End, ToolError> =>
  Effect.gen(function* () {
    const { child, timedOut } = yield* Effect.scoped(
      Effect.gen(function* () {
        const child = yield* startChild(spec)
        const exit = yield* Effect.timeoutOption(Deferred.await(child.exit), timeout)
        // A background job may hold the pipes for ever; what it prints within this time still counts.
        if (Option.isSome(exit)) yield* Effect.timeoutOption(Deferred.await(child.closed), "250 millis")
        return { child, timedOut: Option.isNone(exit) }
      })
    )
    const exit = yield* Deferred.poll(child.exit)
    return { exit: yield* Option.getOrElse(exit, () => Effect.succeed({ code: null, signal: null })), timedOut }
  })

const ending = ({ exit, timedOut }: End, seconds: number): string => {
  if (timedOut) return `[stopped: not done after ${seconds} s; for a longer run set timeout_secs]`
  return exit.signal === null ? `[exit code ${exit.code ?? "unknown"}]` : `[ended by ${exit.signal}]`
}

/** `shown` replaces the printed text on the card where a terminal shows it already. */
const settle = (
  { text: output, truncated }: Captured,
  end: End,
  seconds: number,
  command: ReadonlyArray<ToolCallContent>,
  shown?: ToolCallContent
): Effect.Effect<ToolOutcome, ToolError> => {
  const message = `${output}${output === "" || output.endsWith("\n") ? "" : "\n"}${ending(end, seconds)}`
  const content = shown === undefined ? [...command, codeBlock(message)] : [shown, ...command]
  const rawOutput = { exitCode: end.exit.code, signal: end.exit.signal, output, truncated }
  return end.exit.code === 0 && !end.timedOut
    ? Effect.succeed({ text: message, content, rawOutput })
    : new ToolError({ message, content, rawOutput })
}

type Run = (context: ToolContext) => Effect.Effect<ToolOutcome, ToolError>

/** None where the client makes no terminal after all. */
const runLive = (
  command: string,
  seconds: number,
  shown: ReadonlyArray<ToolCallContent>,
  context: ToolContext
): Effect.Effect<Option.Option<ToolOutcome>, ToolError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const make = context.client.terminal
      if (make === undefined) return Option.none()
      const launched = yield* launch(command, context, {})
      // Without a sandbox the client's own environment stays: its terminal is what the person is used to.
      const started = launched.confined
        ? Effect.map(shorten(launched), ({ args, env, file }) => LiveTerminal.spec(file, args, launched.cwd, env))
        : Effect.succeed(
            LiveTerminal.spec(launched.file, launched.args, launched.cwd, { ZEROCLAW_SESSION_ID: context.sessionId })
          )
      const made = yield* Effect.option(Effect.flatMap(started, make))
      if (Option.isNone(made)) return Option.none()
      const live: ToolCallContent = { type: "terminal", terminalId: made.value.terminalId }
      yield* context.progress([live, ...shown])
      const end = yield* Effect.mapError(
        LiveTerminal.watch(made.value, seconds, maxChars),
        ({ message }) =>
          new ToolError({
            message: `The client's terminal failed while the command ran: ${message}. It may have run in part; check before you repeat it.`,
            content: [live, ...shown]
          })
      )
      return Option.some(yield* settle(end.output, end, seconds, shown, live))
    })
  )

const run =
  (command: string, seconds: number, shown: ReadonlyArray<ToolCallContent>): Run =>
  (context) =>
    Effect.flatMap(
      runLive(command, seconds, shown, context),
      Option.match({ onNone: () => runHere(command, seconds, shown)(context), onSome: Effect.succeed })
    )

const runHere =
  (command: string, seconds: number, shown: ReadonlyArray<ToolCallContent>): Run =>
  (context) =>
    Effect.scoped(
      Effect.gen(function* () {
        const capture = makeCapture(captureBytes)
        const fresh = yield* Mailbox.make<void>({ capacity: 1, strategy: "sliding" })
        const marker = { name: "ZEROCLAW_CALL", value: crypto.randomUUID() }
        const { args, env, file, spawnPath } = yield* launch(command, context, { [marker.name]: marker.value })
        const take = (chunk: Uint8Array) => {
          capture.push(chunk)
          fresh.unsafeOffer(undefined)
        }
        yield* Effect.forkScoped(
          Effect.forever(
            fresh.take.pipe(
              Effect.zipRight(
                Effect.suspend(() => context.progress([...shown, codeBlock(capture.recent(progressChars))]))
              ),
              Effect.zipRight(Effect.sleep("150 millis"))
            )
          )
        )
        const end = yield* supervise(
          {
            ...merged(file, args),
            cwd: spawnPath,
            env,
            onStdout: take,
            onStderr: take,
            stop: ({ pid, pipes }) => stop({ root: pid, pipes, marker: `${marker.name}=${marker.value}` })
          },
          `${seconds} seconds`
        )
        return yield* settle(capture.result(maxChars), end, seconds, shown)
      })
    )

/** The call of any tool that is a command line: shown in full, decided on for what it does, run as every command is. */
export const prepareCommand = (
  tool: string,
  command: string,
  seconds: number,
  policy: SessionPolicy
): Effect.Effect<Omit<PreparedCall, "rawInput">, ToolError> => {
  if (command.includes("\0")) {
    return new ToolError({ message: "The command holds a NUL character, which no shell can run. Remove it." })
  }
  const exact: ToolCallContent = { type: "content", content: text(fence(visibleLines(command))) }
  const face = title(command, policy.cwd)
  const isWhole = face.includes(command)
  return Effect.succeed({
    action: { _tag: "Execute", tool, command },
    face: { title: face, kind: "execute", locations: [], content: [exact] },
    // The card keeps the command where the title does not tell it all.
    run: run(command, seconds, isWhole ? [] : [exact])
  })
}

export const makeShell = ({ shellTimeoutSecs }: { readonly shellTimeoutSecs: number }): Tool =>
  define({
    name: "shell",
    description:
      "Runs a bash command line in the working directory. There is no input and no terminal; output beyond 50000 characters is cut in the middle; everything the command started is stopped when it ends.",
    input: Input,
    prepare: ({ command, timeout_secs }, policy) =>
      prepareCommand("shell", command, timeout_secs ?? shellTimeoutSecs, policy)
  })
