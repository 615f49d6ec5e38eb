// The sandbox of a session's commands: its folders as mounts, what is forbidden in them as masks. Pure.
import type { Confinement, Mount } from "../sandbox/Confinement.ts"
import type { Assessment } from "./command/Assessment.ts"
import type { Rules } from "./PathRules.ts"

export interface ConfineSpec {
  readonly rules: Pick<Rules, "allow" | "readOnly" | "forbid" | "own">
  readonly cwd: string
  /**
   * The agent's own folder: what stands there is told to every later session, so no command changes it unless it is
   * what is worked in.
   */
  readonly agentWorkspace: string
  readonly assessment: Assessment
  readonly network: boolean
  readonly env: Readonly<Record<string, string>>
}

/** A line that only reads gets its folders read-only: what was misjudged can't write either. */
export const confinement = ({ agentWorkspace, assessment, cwd, env, network, rules }: ConfineSpec): Confinement => {
  const access: Mount["access"] = assessment.risk === "low" ? "read" : "write"
  const closed = [...rules.forbid, ...rules.own]
  const open = (root: string) => root !== cwd && !closed.includes(root)
  const mounts: ReadonlyArray<Mount> = [
    { path: cwd, access },
    ...rules.allow.filter(open).map((path): Mount => ({ path, access: path === agentWorkspace ? "read" : access })),
    ...rules.readOnly.filter(open).map((path): Mount => ({ path, access: "read" }))
  ]
  return {
    cwd,
    mounts,
    masks: closed,
    git: access === "write" && assessment.git ? "write" : "read",
    network: network && access === "write",
    env
  }
}
