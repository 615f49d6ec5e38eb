// The client's side of a session, built of what it advertised at initialize. @see acp-v1 section 1.3
import { Effect } from "effect"
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

const terminal = (caller: CallerService, sessionId: SessionId) => (spec: TerminalSpec) =>
  Effect.map(
    // Between the answer and the release nothing may come: a terminal that nobody releases stays for ever.
    Effect.acquireRelease(caller.call(CreateTerminal, { sessionId, ...spec }), ({ terminalId }) =>
      Effect.ignore(caller.call(ReleaseTerminal, { sessionId, terminalId }))
    ),
    ({ terminalId }) => ({
      terminalId,
      output: caller.call(TerminalOutput, { sessionId, terminalId }),
      waitForExit: caller.call(WaitForTerminalExit, { sessionId, terminalId }),
      kill: Effect.asVoid(caller.call(KillTerminal, { sessionId, terminalId }))
    })
  )

export const make = (caller: CallerService, client: ClientCapabilities, sessionId: SessionId): ClientSide => ({
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
  ...(client.terminal ? { terminal: terminal(caller, sessionId) } : {}),
  ...(client.elicitation?.form === undefined
    ? {}
    : {
        elicit: (message, requestedSchema, toolCallId) =>
          caller.call(CreateElicitation, { mode: "form", message, requestedSchema, sessionId, toolCallId })
      }),
  notices: client.session?.notices !== undefined,
  compaction: client.session?.compaction !== undefined,
  booleanOptions: client.session?.configOptions?.boolean !== undefined
})
