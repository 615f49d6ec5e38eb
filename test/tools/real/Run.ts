// Runs a tool as the loop does (prepare, decide, run) over the real policy and real files.
import { assert } from "@effect/vitest"
import { Effect, Exit, type Scope } from "effect"
import type { ToolCallContent } from "../../../src/contract/ToolCall.ts"
import type { PlanEntry } from "../../../src/contract/Update.ts"
import type { Decision } from "../../../src/policy/Decision.ts"
import type { PolicyError, Profile, SessionPolicy } from "../../../src/policy/PolicyService.ts"
import type { Face, PreparedCall, ToolError, ToolOutcome } from "../../../src/tools/Tool.ts"
import { makeTools } from "../../../src/tools/Tools.ts"
import { session, type World, world } from "../../policy/World.ts"
import { noClient } from "../../support/ToolRun.ts"

const tools = makeTools({ shellTimeoutSecs: 20 })

export interface Called {
  readonly status: "completed" | "failed"
  readonly text: string
  readonly face: Face | undefined
  readonly decision: Decision | undefined
  readonly outcome: ToolOutcome | undefined
  readonly error: ToolError | undefined
  readonly progress: ReadonlyArray<ReadonlyArray<ToolCallContent>>
  readonly plans: ReadonlyArray<ReadonlyArray<PlanEntry>>
}

export interface Place extends World {
  readonly policy: SessionPolicy
}

export const place = (
  profile: Partial<Profile> = {},
  more: { readonly cwd?: (world: World) => string } = {}
): Effect.Effect<Place, PolicyError, Scope.Scope> =>
  Effect.gen(function* () {
    const made = yield* world
    const policy = yield* session(made, profile, more.cwd === undefined ? {} : { cwd: more.cwd(made) })
    return { ...made, policy }
  })

export const prepare = (policy: SessionPolicy, name: string, input: unknown): Effect.Effect<PreparedCall, ToolError> =>
  Effect.suspend(() => {
    const tool = tools.find(({ spec }) => spec.name === name)
    assert(tool !== undefined, `no tool ${name}`)
    return tool.prepare(typeof input === "string" ? input : JSON.stringify(input), policy)
  })

/** A question counts as answered with yes. */
export const call = (policy: SessionPolicy, name: string, input: unknown): Effect.Effect<Called> =>
  Effect.gen(function* () {
    const progress: Array<ReadonlyArray<ToolCallContent>> = []
    const plans: Array<ReadonlyArray<PlanEntry>> = []
    const nothing = { face: undefined, decision: undefined, outcome: undefined, error: undefined, progress, plans }
    const prepared = yield* Effect.either(prepare(policy, name, input))
    if (prepared._tag === "Left") {
      return { ...nothing, status: "failed" as const, text: prepared.left.message, error: prepared.left }
    }
    const { action, face, run } = prepared.right
    const decision = yield* policy.decide(action)
    if (decision._tag === "Deny") {
      return { ...nothing, status: "failed" as const, text: decision.reason, face, decision }
    }
    const exit = yield* Effect.either(
      run({
        sessionId: "session-1",
        toolCallId: "call-1",
        ...noClient,
        policy,
        progress: (content) => Effect.sync(() => void progress.push(content)),
        plan: (entries) => Effect.sync(() => void plans.push(entries))
      })
    )
    return exit._tag === "Right"
      ? { ...nothing, status: "completed" as const, text: exit.right.text, face, decision, outcome: exit.right }
      : { ...nothing, status: "failed" as const, text: exit.left.message, face, decision, error: exit.left }
  })

/** Everything a client or model could see of a call. */
export const seen = (called: Called): string =>
  JSON.stringify([called.text, called.face, called.outcome, called.error, called.progress])

export const interrupted = <A, E>(exit: Exit.Exit<A, E>): boolean => Exit.isInterrupted(exit)
