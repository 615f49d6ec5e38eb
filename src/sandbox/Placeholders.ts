// What bubblewrap leaves on the host where it hid something that was missing: removed again, when nobody needs it.
import * as fs from "node:fs/promises"
import { Effect, type Scope } from "effect"
import type { Placeholder } from "./Placement.ts"

export interface Placeholders {
  /** Held while the scope is open; the last holder removes them, deepest first and only while they are empty. */
  readonly hold: (all: ReadonlyArray<Placeholder>) => Effect.Effect<void, never, Scope.Scope>
}

/** An empty folder, or a file without content: anything else is somebody's. */
const removeEmpty = async ({ kind, path }: Placeholder): Promise<void> => {
  if (kind === "folder") return fs.rmdir(path)
  const { size } = await fs.lstat(path)
  if (size === 0) await fs.unlink(path)
}

export const make = (): Placeholders => {
  const holders = new Map<string, number>()
  const take = (one: Placeholder) =>
    Effect.sync(() => {
      holders.set(one.path, (holders.get(one.path) ?? 0) + 1)
    })
  const give = (one: Placeholder) =>
    Effect.suspend(() => {
      const left = (holders.get(one.path) ?? 1) - 1
      if (left > 0) {
        holders.set(one.path, left)
        return Effect.void
      }
      holders.delete(one.path)
      return Effect.ignore(Effect.tryPromise(() => removeEmpty(one)))
    })
  return {
    hold: (all) =>
      Effect.forEach(
        [...all].sort((a, b) => a.path.length - b.path.length),
        (one) => Effect.acquireRelease(take(one), () => give(one)),
        { discard: true }
      )
  }
}
