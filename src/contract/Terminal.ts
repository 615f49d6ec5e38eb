// Terminals that the client runs for the agent, only where it advertises `terminal`. @see acp-v1 section 1.3
import { Rpc } from "@effect/rpc"
import { Schema } from "effect"
import { NameValue, SessionId } from "./AgentMethods.ts"
import { RequestError } from "./Errors.ts"
import { lenient, Meta, optional, Uint32 } from "./Lenient.ts"

export const TerminalId = Schema.String

const one = { sessionId: SessionId, terminalId: TerminalId, _meta: Meta }
const Done = Schema.Struct({ _meta: Meta })

export const TerminalExit = Schema.Struct({
  exitCode: lenient(Uint32),
  signal: lenient(Schema.String),
  _meta: Meta
})
export type TerminalExit = typeof TerminalExit.Type

export const CreateTerminal = Rpc.make("terminal/create", {
  payload: {
    sessionId: SessionId,
    command: Schema.String,
    args: optional(Schema.Array(Schema.String)),
    env: optional(Schema.Array(NameValue)),
    /** Absolute. */
    cwd: optional(Schema.String),
    /** The client keeps the last bytes. */
    outputByteLimit: optional(Schema.NonNegativeInt),
    _meta: Meta
  },
  success: Schema.Struct({ terminalId: TerminalId, _meta: Meta }),
  error: RequestError
})

export const TerminalOutput = Rpc.make("terminal/output", {
  payload: one,
  success: Schema.Struct({
    output: Schema.String,
    truncated: Schema.Boolean,
    exitStatus: lenient(TerminalExit),
    _meta: Meta
  }),
  error: RequestError
})

export const WaitForTerminalExit = Rpc.make("terminal/wait_for_exit", {
  payload: one,
  success: TerminalExit,
  error: RequestError
})

/** The id stays good for output and wait. */
export const KillTerminal = Rpc.make("terminal/kill", { payload: one, success: Done, error: RequestError })
/** The id is gone afterwards; every terminal must be released. */
export const ReleaseTerminal = Rpc.make("terminal/release", { payload: one, success: Done, error: RequestError })
