// What is mounted where, in the order of mounting: mounts, masks, protected git folders, and what pins them. Pure.
import * as path from "node:path"
import { Either } from "effect"
import type { Confinement, Mount } from "./Confinement.ts"
import * as Git from "./GitFolders.ts"
import type { Look } from "./Look.ts"
import { below, depth, steps, within } from "./Within.ts"

export type Item =
  | { readonly _tag: "Bind"; readonly path: string; readonly access: "read" | "write" }
  /** An empty folder that can't be changed, or a file that can't be opened. */
  | { readonly _tag: "Hidden"; readonly path: string; readonly kind: "folder" | "file" }

/** What must exist on the host while the command runs, so that something can be mounted on it. */
export interface Placeholder {
  readonly path: string
  readonly kind: "folder" | "file"
}

export interface Placement {
  /** By depth, so that the deeper one counts. */
  readonly items: ReadonlyArray<Item>
  readonly placeholders: ReadonlyArray<Placeholder>
}

/** The deepest mount that has the path strictly within it. */
const ownerOf = (mounts: ReadonlyArray<Mount>, place: string): Mount | undefined =>
  mounts.reduce<Mount | undefined>(
    (best, mount) =>
      below(mount.path, place) && (best === undefined || mount.path.length > best.path.length) ? mount : best,
    undefined
  )

/** Inside a repository's own folder everything runs programs or is read by them: nothing there is written. */
const tamed = (mount: Mount): Mount =>
  mount.access === "write" && mount.path.split("/").includes(".git") ? { ...mount, access: "read" } : mount

/**
 * `extra` are read mounts beside those of the confinement, such as toolchains. On the left is why a path can't be
 * protected: a symbolic link can be replaced, and nothing can be mounted on it.
 */
export const place = (
  look: Look,
  confinement: Confinement,
  extra: ReadonlyArray<Mount> = []
): Either.Either<Placement, string> => {
  const items = new Map<string, Item>()
  const placeholders = new Map<string, Placeholder>()
  const refused: Array<string> = []
  const masks = confinement.masks.map((mask) => path.normalize(mask))
  // On a tie it is hidden.
  const mounts: Array<Mount> = [...confinement.mounts.map(tamed), ...extra].filter(
    ({ path }) => !masks.includes(path) && look.kind(path) !== "missing"
  )

  const bind = (place: string, access: "read" | "write") => {
    const known = items.get(place)
    if (known === undefined || (known._tag === "Bind" && access === "read")) {
      items.set(place, { _tag: "Bind", path: place, access })
    }
  }
  const hide = (place: string, kind: "folder" | "file") => items.set(place, { _tag: "Hidden", path: place, kind })

  /**
   * Goes down to `place` as far as it exists. A folder that holds a mount point can be renamed with it, unless it is a
   * mount point itself: in a writable mount every step is one.
   */
  const reach = (mount: Mount, place: string, missing: "folder" | "file"): "there" | "hidden" | "nowhere" => {
    for (const step of steps(mount.path, place)) {
      const kind = look.kind(step)
      const last = step === place
      if (kind === "missing") {
        if (mount.access === "read") return "nowhere"
        const what = last ? missing : "folder"
        hide(step, what)
        placeholders.set(step, { path: step, kind: what })
        return "hidden"
      }
      if (kind === "link") {
        if (mount.access === "write") refused.push(step)
        return "nowhere"
      }
      if (last) return "there"
      if (mount.access === "write") bind(step, "write")
      if (kind === "file") return "nowhere"
    }
    return "nowhere"
  }

  const mask = (place: string, seen: ReadonlyArray<string>) => {
    const mount = ownerOf(mounts, place)
    if (mount === undefined) return
    const found = reach(mount, place, "folder")
    if (found === "there") hide(place, look.kind(place) === "folder" ? "folder" : "file")
    // A link in a folder that can't be changed leads to where the thing really is.
    const real = found === "nowhere" ? look.real(place) : undefined
    if (real !== undefined && !seen.includes(real)) mask(real, [...seen, real])
  }

  /** What nobody may change: as it is, or not made. */
  const lock = (mount: Mount, { kind, path: place }: Git.Part) => {
    if (reach(mount, place, kind) === "there") bind(place, "read")
  }

  for (const mount of mounts) bind(mount.path, mount.access)
  for (const mount of [...mounts]) {
    const around = ownerOf(mounts, mount.path)
    if (around?.access === "write") reach(around, mount.path, "folder")
  }
  for (const given of masks) mask(given, [given])

  const hidden = (place: string) =>
    [...items.values()].some((item) => {
      const inMount = ownerOf(mounts, place)
      return item._tag === "Hidden" && within(item.path, place) && !(inMount && below(item.path, inMount.path))
    })
  for (const repository of Git.candidates(confinement, mounts)) {
    const mount = mounts.find(({ path }) => path === repository) ?? ownerOf(mounts, repository)
    const dotGit = path.join(repository, ".git")
    if (mount === undefined || hidden(dotGit) || mounts.some(({ path }) => path === dotGit)) continue
    const kind = look.kind(dotGit)
    if (kind === "file") {
      for (const folder of Git.linked(look, repository, dotGit, Git.counting(masks, confinement))) {
        const inside = ownerOf(mounts, folder)
        if (inside === undefined) bind(folder, "read")
        else if (inside.access === "write") lock(inside, { path: folder, kind: "folder" })
      }
    }
    if (mount.access === "read") continue
    if (confinement.git === "write" && kind === "folder") {
      if (reach(mount, dotGit, "folder") === "there") bind(dotGit, "write")
      for (const part of Git.parts(dotGit)) lock(mount, part)
    } else if (confinement.git === "read" || kind !== "missing") lock(mount, { path: dotGit, kind: "folder" })
    // A folder that is itself a bare repository has its hooks and configuration in the open.
    if (Git.isBare(look, repository)) for (const part of Git.parts(repository)) lock(mount, part)
  }

  const [first] = refused
  return first === undefined
    ? Either.right({
        items: [...items.values()].sort((a, b) => depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : 1)),
        placeholders: [...placeholders.values()]
      })
    : Either.left(first)
}
