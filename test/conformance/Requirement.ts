// What a requirement is, and what it needs to know of the agent that it is checked on.
import { Data, type Duration, Effect, type Scope } from "effect"
import type { Process } from "./Process.ts"

/** Mandatory, capability and advisory as the official kit has them; informational is recorded, never a fault. */
export type Tier = "mandatory" | "capability" | "advisory" | "informational"

/** The agent under test. Nothing is known of it but how to start it and what to ask it. */
export interface Agent {
  /** Names the agent and the transport. */
  readonly name: string
  /** A fresh one. */
  readonly start: Effect.Effect<Process, never, Scope.Scope>
  /** An absolute folder that exists where the agent runs. */
  readonly cwd: string
  /** Another such folder. */
  readonly otherFolder: string
  readonly prompts: {
    /** Ends soon. */
    readonly short: string
    /** Shows something soon and then runs until it is cancelled. */
    readonly long: string
    /** Makes the agent use what tools it has for files and commands. */
    readonly tools: string
  }
  /** How long silence must last to be believed. */
  readonly quiet: Duration.DurationInput
  /** How long an answer may take. */
  readonly patience: Duration.DurationInput
  /** Whether the agent may be signed out. */
  readonly allowLogout: boolean
}

export class Unmet extends Data.TaggedError("Unmet")<{ readonly message: string }> {}

/** The agent does not have what the requirement is about. */
export class NotApplicable extends Data.TaggedError("NotApplicable")<{ readonly message: string }> {}

export interface Requirement {
  /** As in the official kit. @see acp-v1 section 7.1 */
  readonly id: string
  readonly tier: Tier
  readonly says: string
  /** Gives what was seen, where that is worth a record. */
  readonly check: (agent: Agent) => Effect.Effect<string | undefined, Unmet | NotApplicable, Scope.Scope>
}

export const must = (holds: boolean, message: string): Effect.Effect<void, Unmet> =>
  holds ? Effect.void : new Unmet({ message })

export const needs = (holds: boolean, message: string): Effect.Effect<void, NotApplicable> =>
  holds ? Effect.void : new NotApplicable({ message })

type Check<A> = (agent: Agent) => Effect.Effect<A, Unmet | NotApplicable, Scope.Scope>

const of =
  (tier: Tier) =>
  (id: string, says: string, check: Check<void>): Requirement => ({
    id: `ACP-${id}`,
    tier,
    says,
    check: (agent) => Effect.as(check(agent), undefined)
  })

export const mandatory = of("mandatory")
export const capability = of("capability")
export const advisory = of("advisory")
export const informational = (id: string, says: string, check: Check<string>): Requirement => ({
  id: `ACP-${id}`,
  tier: "informational",
  says,
  check
})
