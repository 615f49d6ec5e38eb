// Where this program's files are, as this process was started.
import * as os from "node:os"
import * as Paths from "../config/Paths.ts"

/** The passwd entry's home: an editor may start us without HOME. */
const home = (): string => {
  try {
    return os.userInfo().homedir
  } catch {
    return os.homedir()
  }
}

export const paths = (): Paths.Paths => Paths.resolve(process.env, process.env["HOME"] || home())
