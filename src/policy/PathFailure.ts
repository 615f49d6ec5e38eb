// What the operating system says about a path, in words for people and models. Pure.
import { visible } from "./PathText.ts"
import { PathError } from "./SessionPolicy.ts"

export type Reason = PathError["reason"]

/** Unseen characters of the path are written out: file names are not ours. */
export const pathError = (reason: Reason, message: string): PathError =>
  new PathError({ reason, message: visible(message) })

export const errorCode = (cause: unknown): string | undefined =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined

export const fromCause = (path: string, cause: unknown): PathError => {
  if (cause instanceof PathError) return cause
  const code = errorCode(cause)
  switch (code) {
    case "ENOENT":
      return pathError("not_found", `${path} does not exist. Check the spelling, or list its folder.`)
    case "ENOTDIR":
      return pathError("not_a_directory", `${path}: a folder is needed where there is something else. Check the path.`)
    case "EISDIR":
      return pathError("not_a_file", `${path} is a folder, not a file. Name a file in it.`)
    case "ELOOP":
      return pathError("denied", `${path} leads through a link that is not followed. Name the real file.`)
    case "ENAMETOOLONG":
      return pathError("invalid", `${path.slice(0, 100)}… is too long for this file system. Use a shorter name.`)
    case "EACCES":
    case "EPERM":
      return pathError("io", `${path}: the operating system denies access (${code}). Check its permissions.`)
    case "EROFS":
      return pathError("io", `${path} is on a read-only file system. Write somewhere else.`)
    case "ENOSPC":
    case "EDQUOT":
      return pathError("io", `${path}: the disk is full (${code}). Free some space, then try again.`)
    case "EMFILE":
    case "ENFILE":
      return pathError("io", `${path}: too many files are open (${code}). Try again, or raise the limit.`)
    default:
      return pathError("io", `${path}: ${code ?? String(cause)}. Check the disk, then try again.`)
  }
}
