// Programs of PATH outside of the system's folders: what of them a command may see, and never what may hold keys.
import * as path from "node:path"
import { within } from "../text/Within.ts"
import type { Confinement, Mount } from "./Confinement.ts"
import { counting } from "./GitFolders.ts"
import type { Look } from "./Look.ts"

/** Mounted anyway, or never. */
const systemTrees = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/sys", "/dev", "/run", "/tmp", "/nix"]

/** Folders beside a `bin` that belong to the same installation. */
const beside = ["lib", "libexec", "include", "share"]

/** What a tool keeps elsewhere in the home, by the end of its PATH entry. */
const elsewhere: ReadonlyArray<readonly [end: string, folders: ReadonlyArray<string>]> = [
  [".cargo/bin", [".rustup/toolchains", ".rustup/settings.toml"]],
  [".pyenv/shims", [".pyenv"]],
  [".pyenv/bin", [".pyenv"]],
  [".rbenv/shims", [".rbenv"]],
  [".asdf/shims", [".asdf"]],
  [".volta/bin", [".volta/tools", ".volta/bin"]],
  ["mise/shims", [".local/share/mise"]]
]

const isInstallation = (home: string, prefix: string): boolean =>
  prefix !== home &&
  !within(prefix, home) &&
  // Beside these there are keyrings and tokens.
  ![".local", ".cargo", ".config", ".docker", ".npm", ".volta"].some((name) => path.join(home, name) === prefix)

/** Read-only mounts for the PATH of the command. */
export const mounts = (look: Look, confinement: Confinement): ReadonlyArray<Mount> => {
  const { env, masks, mounts: given } = confinement
  const home = path.normalize(env["HOME"] ?? "/")
  const closed = counting(masks, confinement)
  const covered = (folder: string) =>
    [...systemTrees, ...given.map(({ path }) => path)].some((root) => within(root, folder)) ||
    closed.some((mask) => within(mask, folder))
  const usable = (folder: string) =>
    !covered(folder) && !within(folder, home) && (look.kind(folder) === "folder" || look.kind(folder) === "file")

  const of = (entry: string): ReadonlyArray<string> => {
    const real = look.real(entry)
    const folders = [entry, ...(real === undefined || real === entry ? [] : [real])]
    const homely = within(home, entry)
      ? (elsewhere.find(([end]) => entry.endsWith(`/${end}`))?.[1] ?? []).map((name) => path.join(home, name))
      : []
    const siblings = folders
      .filter((folder) => path.basename(folder) === "bin" && isInstallation(home, path.dirname(folder)))
      .flatMap((folder) => beside.map((name) => path.join(path.dirname(folder), name)))
    return [...folders, ...homely, ...siblings]
  }

  const entries = (env["PATH"] ?? "")
    .split(":")
    .filter((entry) => path.isAbsolute(entry))
    .map(path.normalize)
  return [...new Set(entries.map((entry) => entry.replace(/(?<=.)\/$/, "")).flatMap(of))]
    .filter(usable)
    .map((folder): Mount => ({ path: folder, access: "read" }))
}
