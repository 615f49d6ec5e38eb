// From a confinement to bubblewrap's words. Pure but for the questions it asks about the host's files.
import * as path from "node:path"
import { Either } from "effect"
import { within } from "../text/Within.ts"
import type { Confinement } from "./Confinement.ts"
import type { Look } from "./Look.ts"
import { type Item, type Placeholder, place } from "./Placement.ts"
import * as Toolchains from "./Toolchains.ts"

/** What of the user namespace this machine allows; found out by the probe. */
export const variants = [
  ["--unshare-user", "--disable-userns"],
  ["--unshare-user"],
  []
] as const satisfies ReadonlyArray<ReadonlyArray<string>>
export type Variant = (typeof variants)[number]

/** What every program needs of /etc, and nothing that tells of the person. */
const etc = [
  "ld.so.cache",
  "passwd",
  "group",
  "nsswitch.conf",
  "ssl/certs",
  "ssl/openssl.cnf",
  "pki",
  "ca-certificates",
  "alternatives",
  "localtime",
  "hosts",
  "java-17-openjdk",
  "java-21-openjdk"
]

const systemFolders = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"]

const system = (look: Look): ReadonlyArray<string> => [
  ...["--ro-bind", "/usr", "/usr"],
  ...systemFolders.flatMap((name) => {
    const folder = `/${name}`
    const target = look.target(folder)
    if (target !== undefined) return ["--symlink", target, folder]
    return look.kind(folder) === "folder" ? ["--ro-bind", folder, folder] : []
  }),
  ...etc.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
  ...["--ro-bind-try", "/nix/store", "/nix/store"],
  ...["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run"],
  ...["--ro-bind-try", "/run/current-system", "/run/current-system"]
]

/** Where names are looked up; often a link into what is hidden. */
const resolver = (look: Look): ReadonlyArray<string> => {
  const real = look.real("/etc/resolv.conf")
  return real === undefined ? [] : ["--ro-bind", real, "/etc/resolv.conf"]
}

/** Settings that repositories can't override: no program of theirs runs because git is used. */
const gitSettings: ReadonlyArray<readonly [key: string, value: string]> = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["core.askPass", ""],
  ["core.sshCommand", "ssh"],
  ["core.alternateRefsCommand", ""],
  ["credential.helper", ""],
  ["diff.external", ""],
  ["gpg.program", "gpg"],
  ["log.showSignature", "false"],
  ["protocol.ext.allow", "never"],
  ["safe.directory", "*"]
]

export const gitEnvironment = (git: Confinement["git"]): Readonly<Record<string, string>> => ({
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  ...(git === "read" ? { GIT_OPTIONAL_LOCKS: "0" } : {}),
  GIT_CONFIG_COUNT: String(gitSettings.length),
  ...Object.fromEntries(
    gitSettings.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value]
    ])
  )
})

const itemWords = (item: Item): ReadonlyArray<string> => {
  if (item._tag === "Bind") return [item.access === "write" ? "--bind" : "--ro-bind", item.path, item.path]
  return item.kind === "folder" ? ["--tmpfs", item.path] : ["--ro-bind", "/dev/null", item.path]
}

/** Once all that is mounted within has its place there. */
const closing = (item: Item): ReadonlyArray<string> =>
  item._tag === "Hidden" && item.kind === "folder" ? ["--remount-ro", item.path] : []

/** An empty home, unless the home is part of what the command may see. */
const home = ({ env, mounts }: Confinement): ReadonlyArray<string> => {
  const folder = env["HOME"]
  return folder === undefined ||
    !path.isAbsolute(folder) ||
    folder === "/" ||
    mounts.some((it) => within(it.path, folder))
    ? []
    : ["--tmpfs", path.normalize(folder)]
}

export interface Words {
  /** Up to the command's own. */
  readonly args: ReadonlyArray<string>
  readonly placeholders: ReadonlyArray<Placeholder>
}

/** On the left is why the confinement can't be made, in one sentence. */
export const words = (look: Look, confinement: Confinement, variant: Variant): Either.Either<Words, string> => {
  const { cwd, env, git, mounts, network } = confinement
  if (mounts.some(({ path }) => path === "/")) {
    return Either.left("The whole file system can't be confined. Work in a folder below it.")
  }
  return Either.mapBoth(place(look, confinement, Toolchains.mounts(look, confinement)), {
    onLeft: (path) =>
      `${path} is a symbolic link where something must be protected, and a link can be replaced. Make it a real file or folder, or remove it.`,
    onRight: ({ items, placeholders }) => ({
      args: [
        ...variant,
        ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
        ...(network ? [] : ["--unshare-net"]),
        ...["--die-with-parent", "--new-session", "--cap-drop", "ALL"],
        ...system(look),
        ...(network ? resolver(look) : []),
        ...home(confinement),
        ...items.flatMap(itemWords),
        ...items.flatMap(closing),
        "--clearenv",
        ...Object.entries({ ...env, ...gitEnvironment(git) }).flatMap(([name, value]) => ["--setenv", name, value]),
        ...["--chdir", cwd]
      ],
      placeholders
    })
  })
}
