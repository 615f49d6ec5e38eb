// Which real paths a session may touch: allow roots against forbidden paths, deepest rule first. Pure.
import { within } from "../text/Within.ts"

/** Forbidden when the profile names none (Unix). `~/` stands for every home folder of the user. */
export const defaultForbiddenPaths: ReadonlyArray<string> = [
  "/etc",
  "/root",
  "/home",
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/opt",
  "/boot",
  "/dev",
  "/proc",
  "/sys",
  "/var",
  "/tmp",
  "~/.ssh",
  "~/.gnupg",
  "~/.aws",
  "~/.config",
  "~/.kube",
  "~/.docker",
  "~/.netrc",
  "~/.npmrc"
]

/** All paths absolute and normal (no `.`, `..`, trailing or doubled slash). */
export interface Rules {
  readonly allow: ReadonlyArray<string>
  /** Allow roots too, but nothing in them is written. */
  readonly readOnly: ReadonlyArray<string>
  readonly forbid: ReadonlyArray<string>
  /** Our own configuration, tokens and data. */
  readonly own: ReadonlyArray<string>
  /** Whether a path that no rule names is allowed. */
  readonly open: boolean
}

/** What is to be done with a path; making and replacing count as writing. */
export type Access = "read" | "write"

export type Verdict =
  /** `root` is the rule that decided; absent when no rule names the path. */
  { readonly _tag: "Allowed"; readonly root?: string } | { readonly _tag: "Refused"; readonly reason: string }

/** Both contain the path in question, so the longer one is the deeper one. */
const deepest = (rules: ReadonlyArray<string>, path: string): string | undefined =>
  rules.reduce<string | undefined>(
    (best, rule) => (within(rule, path) && (best === undefined || rule.length > best.length) ? rule : best),
    undefined
  )

const systemTrees = ["/proc", "/sys", "/dev"] as const

const refused = (reason: string): Verdict => ({ _tag: "Refused", reason })

/** What no root and no level opens, judged on any spelling. */
export const alwaysRefused = ({ own }: Pick<Rules, "own">, path: string): string | undefined => {
  if (own.some((rule) => within(rule, path))) {
    return `${path} belongs to zeroclaw itself (configuration, tokens, sessions); tools may not touch it. Edit it by hand.`
  }
  const tree = path === "/dev/null" ? undefined : systemTrees.find((tree) => within(tree, path))
  return tree === undefined
    ? undefined
    : `${path} is a system interface, not a file: ${tree} is never opened for tools. Name an ordinary file.`
}

/**
 * The deepest rule that contains the path decides; on a tie it is forbidden, else only read. `path` must be the real one.
 */
export const judge = (rules: Rules, path: string, access: Access): Verdict => {
  const always = alwaysRefused(rules, path)
  if (always !== undefined) return refused(always)
  const root = deepest([...rules.allow, ...rules.readOnly], path)
  const forbidden = deepest(rules.forbid, path)
  if (forbidden !== undefined && (root === undefined || forbidden.length >= root.length)) {
    return refused(
      forbidden === root
        ? `${path} is not allowed: the folder ${root} is itself in forbidden_paths. Open a folder below it, or take it out of forbidden_paths.`
        : `${path} is not allowed: ${forbidden} is in forbidden_paths. Work with another path, or change the risk profile.`
    )
  }
  if (access === "write" && root !== undefined && rules.readOnly.includes(root)) {
    return refused(
      `${path} is in ${root}, which sessions only read. Write somewhere else, or let the person change it.`
    )
  }
  if (root !== undefined) return { _tag: "Allowed", root }
  if (rules.open) return { _tag: "Allowed" }
  return refused(
    `${path} is outside the folders of this session (${rules.allow.join(", ")}). Work inside them, or add its folder to allowed_roots.`
  )
}
