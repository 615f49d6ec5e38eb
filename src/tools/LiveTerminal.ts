// A command in a terminal of the client: the person watches it live, the model reads what it printed.
import { Effect, Option } from "effect"
import type { RequestError } from "../contract/Errors.ts"
import type { TerminalExit } from "../contract/Terminal.ts"
import type { ClientTerminal, TerminalSpec } from "../loop/ClientSide.ts"
import { type Captured, cutMiddle } from "./Capture.ts"
import type { ChildExit } from "./Child.ts"
import { plain } from "./Terminal.ts"
import { afterCut } from "./Visible.ts"

/** What the client is asked to keep of the output. */
export const outputByteLimit = 256 * 1024

export interface LiveEnd {
  readonly exit: ChildExit
  readonly timedOut: boolean
  readonly output: Captured
}

/** Without it a client that lost its terminal would hold the turn. */
const patience = "5 seconds"

const readOutput = (terminal: ClientTerminal, maxChars: number): Effect.Effect<Captured> =>
  Effect.timeoutOption(terminal.output, patience).pipe(
    Effect.option,
    Effect.map(
      Option.match({
        onNone: (): Captured => ({ text: "[the client could not tell what was printed]\n", truncated: true }),
        onSome: Option.match({
          onNone: (): Captured => ({ text: "[the client did not tell what was printed]\n", truncated: true }),
          onSome: ({ output, truncated }): Captured => {
            const cut = cutMiddle(plain(output), maxChars)
            return truncated
              ? { text: `[… the beginning was left out …]\n${afterCut(cut.text)}`, truncated: true }
              : cut
          }
        })
      })
    )
  )

/** Waits for the end or the timeout; a command that runs on is killed. The scope of the terminal releases it. */
export const watch = (
  terminal: ClientTerminal,
  seconds: number,
  maxChars: number
): Effect.Effect<LiveEnd, RequestError> =>
  Effect.gen(function* () {
    const exit = yield* Effect.timeoutOption(terminal.waitForExit, `${seconds} seconds`)
    if (Option.isNone(exit)) yield* Effect.ignore(Effect.timeoutOption(terminal.kill, patience))
    const output = yield* readOutput(terminal, maxChars)
    const ended = Option.getOrElse(exit, (): TerminalExit => ({}))
    return {
      exit: { code: ended.exitCode ?? null, signal: ended.signal ?? null },
      timedOut: Option.isNone(exit),
      output
    }
  })

export const spec = (
  file: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>>
): TerminalSpec => ({
  command: file,
  args,
  cwd,
  env: Object.entries(env).map(([name, value]) => ({ name, value })),
  outputByteLimit
})
