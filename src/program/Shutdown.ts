// Runs a program to its end: signals interrupt it, a deadline ends what does not end by itself.
import { Cause, Effect, Exit } from "effect"

/** From a signal to the exit at the latest, in milliseconds. */
const signalDeadline = 2000
/** From the end of input: a slow reader still gets its last lines, one that does not read keeps nobody. */
const inputDeadline = 5000

const exitCode = (exit: Exit.Exit<unknown, unknown>): number =>
  Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause) ? 0 : 1

/** Never returns: ends the process with 0, or with 1 and one line on stderr when the program failed. */
export const runMain = <E>(program: Effect.Effect<void, E>): void => {
  const fiber = Effect.runFork(program)
  const stop = () => {
    setTimeout(() => process.exit(0), signalDeadline).unref()
    fiber.unsafeInterruptAsFork(fiber.id())
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop)
  // A reader that stopped reading must not keep us after the end of input either.
  process.stdin.once("end", () => setTimeout(() => process.exit(0), inputDeadline).unref())
  fiber.addObserver((exit) => {
    if (exitCode(exit) === 0) process.exit(0)
    const why = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    process.stderr.write(`zeroclaw: ${why instanceof Error ? why.message : String(why)}\n`, () => process.exit(1))
  })
}
