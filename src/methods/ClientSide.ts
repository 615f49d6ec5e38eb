// The client's side of a session, built of what it advertised at initialize. @see acp-v1 section 1.3
import { Cause, Effect, Exit, Fiber, type Scope } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import type { ClientCapabilities } from "../contract/Capabilities.ts"
import { ReadTextFile, WriteTextFile } from "../contract/ClientMethods.ts"
import { CreateElicitation } from "../contract/Elicitation.ts"
import {
  CreateTerminal,
  KillTerminal,
  ReleaseTerminal,
  TerminalOutput,
  WaitForTerminalExit
} from "../contract/Terminal.ts"
import type { ClientSide, TerminalSpec } from "../loop/ClientSide.ts"
import type { CallerService } from "../peer/Caller.ts"

/** How long the end of a call waits for a client that does not answer a release. */
const releasePatience = "1 second"

/**
 * A cancel ends the wait for the client's answer at once; a terminal that is made all the same is released when the answer
 * comes. What is still under way belongs to the connection.
 */
const terminal =
  ({ caller, scope, sessionId }: Side) =>
  (spec: TerminalSpec) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const release = (terminalId: string) => caller.call(ReleaseTerminal, { sessionId, terminalId })
        const creating = yield* Effect.forkIn(caller.call(CreateTerminal, { sessionId, ...spec }), scope)
        const made = yield* Effect.exit(restore(Fiber.join(creating)))
        if (Exit.isFailure(made)) {
          if (Cause.isInterrupted(made.cause)) {
            const late = Effect.flatMap(Fiber.join(creating), ({ terminalId }) => release(terminalId))
            yield* Effect.forkIn(Effect.ignore(late), scope)
          }
          return yield* Effect.failCause(made.cause)
        }
        const { terminalId } = made.value
        yield* Effect.addFinalizer(() =>
          Effect.flatMap(Effect.forkIn(Effect.ignore(release(terminalId)), scope), (releasing) =>
            Effect.timeoutOption(Effect.disconnect(Fiber.await(releasing)), releasePatience)
          )
        )
        return {
          terminalId,
          output: caller.call(TerminalOutput, { sessionId, terminalId }),
          waitForExit: caller.call(WaitForTerminalExit, { sessionId, terminalId }),
          kill: Effect.asVoid(caller.call(KillTerminal, { sessionId, terminalId }))
        }
      })
    )

/** The connection's part of a session. */
export interface Side {
  readonly caller: CallerService
  /** Of the connection. */
  readonly scope: Scope.Scope
  readonly client: ClientCapabilities
  readonly sessionId: SessionId
}

export const make = (side: Side): ClientSide => {
  const { caller, client, sessionId } = side
  return {
    ...(client.fs.readTextFile
      ? {
          readTextFile: (path: string) =>
            Effect.map(caller.call(ReadTextFile, { sessionId, path }), ({ content }) => content)
        }
      : {}),
    ...(client.fs.writeTextFile
      ? {
          writeTextFile: (path: string, content: string) =>
            Effect.asVoid(caller.call(WriteTextFile, { sessionId, path, content }))
        }
      : {}),
    ...(client.terminal ? { terminal: terminal(side) } : {}),
    ...(client.elicitation?.form === undefined
      ? {}
      : {
          elicit: (message, requestedSchema, toolCallId) =>
            caller.call(CreateElicitation, { mode: "form", message, requestedSchema, sessionId, toolCallId })
        }),
    notices: client.session?.notices !== undefined,
    compaction: client.session?.compaction !== undefined,
    booleanOptions: client.session?.configOptions?.boolean !== undefined
  }
}
