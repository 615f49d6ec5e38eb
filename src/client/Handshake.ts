// The calls that open a session, read as loosely as a client of any agent must. Derived from the contract.
import { Rpc } from "@effect/rpc"
import { Data, Schema } from "effect"
import { Initialize, Prompt } from "../contract/AgentMethods.ts"
import { AuthMethod, Implementation } from "../contract/Capabilities.ts"
import { Code, RequestError } from "../contract/Errors.ts"
import { defaulted, lenient } from "../contract/Lenient.ts"
import { oneLine } from "./Visible.ts"

export const protocolVersion = 1

/** `initialize` with an answer of which only the version must be there: an agent of another version is told so. */
export const InitializeAny = Rpc.make(Initialize._tag, {
  payload: Initialize.payloadSchema,
  success: Schema.Struct({
    protocolVersion: Schema.Int,
    agentInfo: lenient(Implementation),
    agentCapabilities: defaulted(Schema.Struct({ loadSession: defaulted(Schema.Boolean, false) }), {}),
    authMethods: lenient(Schema.Array(AuthMethod))
  }),
  error: RequestError
})
export type AgentFacts = typeof InitializeAny.successSchema.Type

/** The agent answered, but this client can't go on with it. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

export const versionMismatch = (theirs: number): Refused =>
  new Refused({
    message: `the agent speaks ACP version ${theirs}, this client version ${protocolVersion}; use an agent that speaks ${protocolVersion}`
  })

export const cannotLoad = new Refused({
  message: "--session: the agent does not offer session/load; start without --session"
})

/** An error response in one line. */
export const describeError = (method: string, error: RequestError, facts?: AgentFacts): string => {
  const text = `${oneLine(error.message).replace(/\.$/, "")} (${method}, error ${error.code})`
  // In a turn the message itself says which key is missing; before it, signing in is what helps.
  if (error.code !== Code.AuthRequired || method === Prompt._tag) return text
  const methods = (facts?.authMethods ?? []).map(({ name }) => oneLine(name, 60)).join(", ")
  return `${text}; it wants authentication first${methods === "" ? "" : ` (it offers: ${methods})`}`
}
