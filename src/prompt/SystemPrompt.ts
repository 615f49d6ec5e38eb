// The system prompt of one turn: gathers what is read for it, then puts it together.
import * as path from "node:path"
import { Clock, Effect } from "effect"
import type { Agent } from "../config/Agents.ts"
import type { SessionPolicy } from "../policy/PolicyService.ts"
import * as TimePrefix from "../text/TimePrefix.ts"
import * as Personality from "./Personality.ts"
import * as Prompt from "./Prompt.ts"
import * as Skills from "./Skills.ts"
import * as Templates from "./Templates.ts"

export interface SystemPromptInput {
  readonly agent: Pick<Agent, "workspace" | "skillBundles" | "profile">
  /** Reads files as they are on the disk, by the rules for tools. */
  readonly policy: SessionPolicy
  /** Names of the tools that the model is offered. */
  readonly tools: ReadonlyArray<string>
  /** Holds the bundles of skills. */
  readonly skills: string
}

/** The agent's own AGENTS.md has been read as such. */
const notes = (policy: SessionPolicy, own: ReadonlyArray<Personality.Part>): Effect.Effect<string | undefined> =>
  Effect.map(Personality.read(policy, path.join(policy.cwd, "AGENTS.md")), (text) => {
    if (text === undefined || Templates.isEmpty(text)) return undefined
    const cut = Personality.cut(text).trim()
    return own.some((part) => part.file === "AGENTS.md" && part.text === cut) ? undefined : cut
  })

export const build = ({ agent, policy, skills, tools }: SystemPromptInput): Effect.Effect<string> =>
  Effect.gen(function* () {
    const personality = yield* Personality.parts(policy, agent.workspace)
    return Prompt.make({
      date: TimePrefix.here(yield* Clock.currentTimeMillis).date,
      personality,
      tools,
      level: policy.level,
      sandbox: agent.profile.sandbox,
      skills: yield* Skills.list(policy, skills, agent.skillBundles),
      cwd: policy.cwd,
      workspace: agent.workspace,
      platform: process.platform,
      notes: yield* notes(policy, personality)
    })
  })
