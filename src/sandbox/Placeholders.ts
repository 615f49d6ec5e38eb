// What stands on the host in place of something that was missing and must not be made: there while a command runs.
import * as fs from "node:fs"
import { Effect, type Scope } from "effect"
import type { Placeholder } from "./Placement.ts"

export interface Placeholders {
  /** Made, and held while the scope is open; the last holder removes them, deepest first and only as they were made. */
  readonly hold: (all: ReadonlyArray<Placeholder>) => Effect.Effect<void, never, Scope.Scope>
}

/** At once: to wait for each of them takes longer than to start the command. */
const create = ({ kind, path, text }: Placeholder): void => {
  if (kind === "folder") fs.mkdirSync(path)
  else fs.writeFileSync(path, text ?? "", { flag: "wx" })
}

/** An empty folder, or a file with what was put into it: anything else is somebody's. */
const remove = ({ kind, path, text }: Placeholder): void => {
  const stats = fs.lstatSync(path)
  if (kind === "folder") fs.rmdirSync(path)
  else if (stats.isFile() && stats.size < 10 && fs.readFileSync(path, "utf8") === (text ?? "")) fs.unlinkSync(path)
}

export const make = (): Placeholders => {
  const holders = new Map<string, number>()
  /** Somebody else may have made it meanwhile: then it is theirs, and is protected as it is. */
  const take = (one: Placeholder) =>
    Effect.zipRight(
      Effect.ignore(Effect.try(() => create(one))),
      Effect.sync(() => {
        holders.set(one.path, (holders.get(one.path) ?? 0) + 1)
      })
    )
  const give = (one: Placeholder) =>
    Effect.suspend(() => {
      const left = (holders.get(one.path) ?? 1) - 1
      if (left > 0) {
        holders.set(one.path, left)
        return Effect.void
      }
      holders.delete(one.path)
      return Effect.ignore(Effect.try(() => remove(one)))
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
