// The path rules of one session, from its profile and folders.
import * as path from "node:path"
import { canonical } from "./Canonical.ts"
import { defaultForbiddenPaths, type Rules } from "./PathRules.ts"
import type { PolicySpec } from "./SessionPolicy.ts"

/** What stands beside a file of ours with the same content: SQLite's journals, copies made while saving. */
const besides = ["-wal", "-shm", "-journal", ".bak", ".tmp"] as const

const unique = (paths: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(paths)]

const expand = (rule: string, cwd: string, homes: ReadonlyArray<string>): ReadonlyArray<string> =>
  rule === "~" || rule.startsWith("~/")
    ? homes.map((home) => path.resolve(home, `./${rule.slice(2)}`))
    : [path.resolve(cwd, rule)]

/** As written too: a link that appears or changes later must not lift the rule. */
const bothSpellings = (paths: ReadonlyArray<string>) => unique(paths.flatMap((rule) => [rule, canonical(rule)]))

/**
 * `cwd` is canonical. Roots count at their real place only; forbidden paths at their real place and as written.
 * Relative rules start at the cwd.
 */
export const make = (
  { agentWorkspace, additionalDirectories, ownPaths, profile, readOnlyRoots }: PolicySpec,
  {
    cwd,
    homes,
    workspaceReady
  }: {
    readonly cwd: string
    readonly homes: ReadonlyArray<string>
    readonly workspaceReady: boolean
  }
): Rules => {
  const roots = [
    ...(workspaceReady ? [agentWorkspace] : []),
    ...additionalDirectories,
    ...profile.allowedRoots.filter((rule) => rule.trim() !== "")
  ]
  const forbidden = (profile.forbiddenPaths ?? defaultForbiddenPaths).filter((rule) => rule.trim() !== "")
  return {
    allow: unique([cwd, ...roots.flatMap((rule) => expand(rule, cwd, homes)).map(canonical)]),
    readOnly: readOnlyRoots,
    forbid: bothSpellings(forbidden.flatMap((rule) => expand(rule, cwd, homes))),
    own: bothSpellings(ownPaths.flatMap((own) => [own, ...besides.map((suffix) => own + suffix)])),
    // The level may change while the session lives.
    get open() {
      return profile.level === "full" || !profile.workspaceOnly
    }
  }
}
