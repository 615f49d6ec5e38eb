// The real spelling of a path, as far as the path exists.
import * as fs from "node:fs"
import * as path from "node:path"

const real = (absolute: string): string | undefined => {
  try {
    return fs.realpathSync.native(absolute)
  } catch {
    return undefined
  }
}

/** Links of the deepest ancestor that exists are resolved; the rest is kept as spelled. `absolute` must be normal. */
export const canonical = (absolute: string): string => {
  for (let at = absolute, rest = ""; ; ) {
    const found = real(at)
    if (found !== undefined) return path.join(found, rest)
    const parent = path.dirname(at)
    if (parent === at) return absolute
    rest = path.join(path.basename(at), rest)
    at = parent
  }
}
