// Where a search takes place, and which of the names it found may be told.
import { basename, dirname, join } from "node:path"
import { Effect, type Scope } from "effect"
import type { SessionPolicy } from "../policy/PolicyService.ts"
import { fromPathError } from "./Blocks.ts"
import type { ToolError } from "./Tool.ts"

export interface Target {
  /** Real directory that results are relative to. */
  readonly root: string
  readonly spawnPath: string
  /** Set when a single file is searched. */
  readonly file?: string
}

export const openTarget = (policy: SessionPolicy, path: string): Effect.Effect<Target, ToolError, Scope.Scope> =>
  policy.openDirectory(path).pipe(
    Effect.map(({ path: root, spawnPath }): Target => ({ root, spawnPath })),
    Effect.catchAll((error) =>
      error.reason === "not_a_directory"
        ? Effect.map(
            policy.openDirectory(dirname(path)),
            ({ path: root, spawnPath }): Target => ({ root, spawnPath, file: basename(path) })
          )
        : Effect.fail(error)
    ),
    Effect.mapError(fromPathError)
  )

/**
 * Whether policy lets a search look at a path below the root; asked once for each. What it refuses must not even be
 * counted: a count answers a guess about the content.
 */
export const admission = (policy: SessionPolicy, tool: string, root: string): ((path: string) => boolean) => {
  const known = new Map<string, boolean>()
  return (path) => {
    const before = known.get(path)
    if (before !== undefined) return before
    const admitted = policy.searchable(tool, join(root, path))
    known.set(path, admitted)
    return admitted
  }
}

/**
 * Drops names that are not really there or lie in a directory that policy refuses: a search process follows what it
 * meets by name, so what it reports is only a hint.
 */
export const verified = (
  policy: SessionPolicy,
  root: string,
  paths: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const names = new Map<string, ReadonlySet<string>>()
    const kept: Array<string> = []
    for (const path of paths) {
      const folder = dirname(path)
      const known =
        names.get(folder) ??
        (yield* policy.listDirectory(join(root, folder)).pipe(
          Effect.map(({ entries }) => new Set(entries.map(({ name }) => name))),
          Effect.orElseSucceed(() => new Set<string>())
        ))
      names.set(folder, known)
      if (known.has(basename(path))) kept.push(path)
    }
    return kept
  })
