// Absolute, normal paths compared by their parts. Pure.
import * as path from "node:path"

/** Component by component: `/a/bc` is not within `/a/b`. */
export const within = (root: string, path: string): boolean =>
  root === path || path.startsWith(root === "/" ? root : `${root}/`)

export const below = (root: string, path: string): boolean => root !== path && within(root, path)

export const depth = (path: string): number => (path === "/" ? 0 : path.split("/").length - 1)

/** The folders strictly between `root` and `path`, then `path` itself. */
export const steps = (root: string, path_: string): ReadonlyArray<string> => {
  const rest = path.relative(root, path_).split("/")
  return rest.map((_, at) => path.join(root, ...rest.slice(0, at + 1)))
}
