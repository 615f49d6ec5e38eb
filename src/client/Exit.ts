// Exit codes of the client, and what stands on stderr beside one.
import { Effect } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import type { Ended, OpenError } from "./Session.ts"
import { Terminal } from "./Terminal.ts"

export const ExitCode = {
  Done: 0,
  Failed: 1,
  Usage: 2,
  Stopped: 3,
  AgentGone: 70,
  Cancelled: 130
} as const

export const ofStopReason = (reason: StopReason): number => {
  switch (reason) {
    case "end_turn":
      return ExitCode.Done
    case "cancelled":
      return ExitCode.Cancelled
    default:
      return ExitCode.Stopped
  }
}

const ofError = (error: OpenError | Ended): number => {
  switch (error._tag) {
    case "AgentGone":
    case "AgentStartError":
      return ExitCode.AgentGone
    case "Ended":
      return ExitCode.Cancelled
    default:
      return ExitCode.Failed
  }
}

/** Tells the error and answers its exit code. */
export const report = (program: string) => (error: OpenError | Ended) =>
  Effect.gen(function* () {
    const terminal = yield* Terminal
    yield* terminal.err(`zeroclaw ${program}: ${error.message}\n`)
    // The last line is in the message already.
    if (error._tag === "AgentGone" && error.stderrTail.length > 1) {
      yield* terminal.err(`its stderr ended with:\n${error.stderrTail.map((line) => `  ${line}\n`).join("")}`)
    }
    return ofError(error)
  })
