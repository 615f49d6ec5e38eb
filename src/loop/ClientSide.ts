// What the connected client can do for a turn. What it did not advertise is absent, so it can't be asked for.
import type { Effect, Scope } from "effect"
import type { ElicitationAnswer, ElicitationForm } from "../contract/Elicitation.ts"
import type { RequestError } from "../contract/Errors.ts"
import type { TerminalExit } from "../contract/Terminal.ts"

export interface TerminalSpec {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: ReadonlyArray<{ readonly name: string; readonly value: string }>
  /** Absolute. */
  readonly cwd: string
  /** Bytes of output that the client keeps, the last ones. */
  readonly outputByteLimit: number
}

export interface ClientTerminal {
  readonly terminalId: string
  readonly output: Effect.Effect<{ readonly output: string; readonly truncated: boolean }, RequestError>
  readonly waitForExit: Effect.Effect<TerminalExit, RequestError>
  readonly kill: Effect.Effect<void, RequestError>
}

/** @see acp-v1 sections 1.3 and 1.4 */
export interface ClientSide {
  /** The text of a file as the editor has it, unsaved changes included. */
  readonly readTextFile?: (path: string) => Effect.Effect<string, RequestError>
  readonly writeTextFile?: (path: string, content: string) => Effect.Effect<void, RequestError>
  /** Released when the scope closes, however it closes. */
  readonly terminal?: (spec: TerminalSpec) => Effect.Effect<ClientTerminal, RequestError, Scope.Scope>
  /** A form for the person. Never for secrets. */
  readonly elicit?: (
    message: string,
    form: ElicitationForm,
    toolCallId: string
  ) => Effect.Effect<ElicitationAnswer, RequestError>
  readonly notices: boolean
  readonly compaction: boolean
  readonly booleanOptions: boolean
}

/** A client that can only show updates and answer permission questions. */
export const plain: ClientSide = { notices: false, compaction: false, booleanOptions: false }
