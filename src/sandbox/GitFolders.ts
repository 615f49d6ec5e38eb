// Which folders and files of a repository run programs when git is used, and where a `.git` file leads. Pure.
import * as path from "node:path"
import { below, depth, within } from "../text/Within.ts"
import type { Confinement, Mount } from "./Confinement.ts"
import type { Look } from "./Look.ts"

export interface Part {
  readonly path: string
  /** What stands in its place when it is missing. */
  readonly kind: "folder" | "file"
  /** Of the file that stands in its place, to be read; nobody can read one without. */
  readonly text?: string
}

const names: ReadonlyArray<Part> = [
  { path: "hooks", kind: "folder" },
  { path: "config", kind: "file", text: "" },
  { path: "config.worktree", kind: "file", text: "" },
  // An empty one is an error to git; this says what is so without it.
  { path: "commondir", kind: "file", text: ".\n" },
  { path: "modules", kind: "folder" },
  { path: "worktrees", kind: "folder" },
  { path: "info/attributes", kind: "file", text: "" }
]

/** What names programs, or other files that name them. */
export const parts = (gitFolder: string): ReadonlyArray<Part> =>
  names.map((part) => ({ ...part, path: path.join(gitFolder, part.path) }))

/** Folders whose `.git` counts: every mount, and those on the way to the working folder that have one of their own. */
export const candidates = ({ cwd }: Confinement, mounts: ReadonlyArray<Mount>): ReadonlyArray<string> => {
  const roots = mounts.map(({ path }) => path)
  const nearest = roots.filter((root) => within(root, cwd)).sort((a, b) => b.length - a.length)[0]
  return nearest === undefined || nearest === cwd ? roots : [...new Set([...roots, cwd])]
}

export const isBare = (look: Look, folder: string): boolean =>
  look.kind(path.join(folder, "HEAD")) === "file" &&
  look.kind(path.join(folder, "objects")) === "folder" &&
  look.kind(path.join(folder, "refs")) === "folder"

/** Masks as wide as `/home` are rules for everything below: what is proven to belong to the workspace is deeper. */
export const counting = (masks: ReadonlyArray<string>, { env }: Confinement): ReadonlyArray<string> =>
  masks.filter((mask) => depth(mask) > 1 && !within(mask, env["HOME"] ?? "/"))

const firstLine = (text: string | undefined): string | undefined => text?.split("\n")[0]?.trim()

const pointer = (look: Look, file: string): string | undefined => {
  const line = firstLine(look.text(file))
  return line === undefined || line === "" ? undefined : path.resolve(path.dirname(file), line)
}

/** A submodule's folder names its worktree in its configuration. */
const worktreeOf = (look: Look, gitFolder: string): string | undefined => {
  const found = /^\s*worktree\s*=\s*"?([^"\n]+?)"?\s*$/m.exec(look.text(path.join(gitFolder, "config")) ?? "")
  return found?.[1] === undefined ? undefined : path.resolve(gitFolder, found[1])
}

const same = (look: Look, a: string | undefined, b: string): boolean =>
  a !== undefined && look.real(a) !== undefined && look.real(a) === look.real(b)

/**
 * The folders that the `.git` file of `repository` leads to: its own and the common one. Anyone who writes the file
 * could name any folder, so the way back must lead here: git's own link, which only who owns that folder can write.
 */
export const linked = (
  look: Look,
  repository: string,
  dotGit: string,
  masks: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const line = firstLine(look.text(dotGit))
  if (line?.startsWith("gitdir:") !== true) return []
  const own = look.real(path.resolve(repository, line.slice("gitdir:".length).trim()))
  if (own === undefined || look.kind(own) !== "folder") return []
  const proven =
    same(look, pointer(look, path.join(own, "gitdir")), dotGit) ||
    same(look, worktreeOf(look, own), path.dirname(dotGit))
  if (!proven) return []
  const named = pointer(look, path.join(own, "commondir"))
  const common = named === undefined ? undefined : look.real(named)
  const folders = [own]
  if (common !== undefined && path.join(common, "worktrees") === path.dirname(own) && isBare(look, common)) {
    folders.push(common)
  }
  const usable = folders.filter((folder) => !masks.some((mask) => within(mask, folder)))
  // The common folder holds the other.
  return usable.filter((folder) => !usable.some((other) => below(other, folder)))
}
