// Lists files below a directory through policy, for when there is no ripgrep.
import { join } from "node:path"
import { Effect } from "effect"
import type { SessionPolicy } from "../policy/PolicyService.ts"

const maxEntries = 50_000
const skipped = new Set([".git", "node_modules"])

export interface Walked {
  /** Relative to the root, with `/`. */
  readonly files: ReadonlyArray<string>
  readonly complete: boolean
}

/** Links are not followed; what policy refuses is passed over. */
export const walk = (policy: SessionPolicy, root: string): Effect.Effect<Walked> =>
  Effect.gen(function* () {
    const files: Array<string> = []
    const folders: Array<string> = [""]
    let seen = 0
    for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
      const { entries } = yield* Effect.orElseSucceed(policy.listDirectory(join(root, folder)), () => ({ entries: [] }))
      for (const { name, kind } of entries) {
        if (++seen > maxEntries) return { files, complete: false }
        const path = folder === "" ? name : `${folder}/${name}`
        if (kind === "directory" && !skipped.has(name)) folders.push(path)
        if (kind === "file") files.push(path)
      }
    }
    return { files, complete: true }
  })
