// What is mounted where, in the order of mounting: mounts, masks, protected git folders, and what pins them. Pure.
import * as path from "node:path"
import { Either } from "effect"
import { below, depth, steps, within } from "../text/Within.ts"
import type { Confinement, Mount } from "./Confinement.ts"
import * as Git from "./GitFolders.ts"
import type { Look } from "./Look.ts"

export type Item =
  | { readonly _tag: "Bind"; readonly path: string; readonly access: "read" | "write" }
  /** An empty folder that can't be changed, or a file that can't be opened. */
  | { readonly _tag: "Hidden"; readonly path: string; readonly kind: "folder" | "file" }

/** What must exist on the host while the command runs, so that something can be mounted on it. */
export type Placeholder = Git.Part

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

/** What a missing thing would be: a file where a folder is expected, or the other way round, disturbs other programs. */
const namedLike = (place: string): "folder" | "file" => (/(?:rc|token|[^/]\.[^./]+)$/.test(place) ? "file" : "folder")

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
  const reach = (mount: Mount, missing: Placeholder): "there" | "hidden" | "nowhere" => {
    for (const step of steps(mount.path, missing.path)) {
      const kind = look.kind(step)
      const last = step === missing.path
      if (kind === "missing") {
        if (mount.access === "read") return "nowhere"
        const made: Placeholder = last ? missing : { path: step, kind: "folder" }
        placeholders.set(step, made)
        if (made.text === undefined) hide(step, made.kind)
        else bind(step, "read")
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
    const found = reach(mount, { path: place, kind: namedLike(place) })
    if (found === "there") hide(place, look.kind(place) === "folder" ? "folder" : "file")
    // A link in a folder that can't be changed leads to where the thing really is.
    const real = found === "nowhere" ? look.real(place) : undefined
    if (real !== undefined && !seen.includes(real)) mask(real, [...seen, real])
  }

  /** What nobody may change: as it is, or not made. */
  const lock = (mount: Mount, part: Git.Part) => {
    if (reach(mount, part) === "there") bind(part.path, "read")
  }

  for (const mount of mounts) bind(mount.path, mount.access)
  for (const mount of [...mounts]) {
    const around = ownerOf(mounts, mount.path)
    if (around?.access === "write") reach(around, { path: mount.path, kind: "folder" })
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
      if (reach(mount, { path: dotGit, kind: "folder" }) === "there") bind(dotGit, "write")
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
