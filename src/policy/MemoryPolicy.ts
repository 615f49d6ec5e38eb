// Policy for tests of other rooms: the real decisions over files that exist only in a map.
import * as path from "node:path"
import { Effect, Either } from "effect"
import type { Sandbox } from "../sandbox/Sandbox.ts"
import { within } from "../text/Within.ts"
import type { JudgedPlace } from "./Decide.ts"
import { FetchError } from "./Fetched.ts"
import * as Judging from "./Judging.ts"
import { pathError } from "./PathFailure.ts"
import * as PathRules from "./PathRules.ts"
import * as PathText from "./PathText.ts"
import type { Entry, PathError, PolicySpec, Profile, SessionPolicy } from "./SessionPolicy.ts"

const home = "/home/test"

export const open = (
  spec: PolicySpec,
  files: Map<string, Uint8Array>,
  sandbox: typeof Sandbox.Service
): SessionPolicy => {
  let level = spec.profile.level
  const profile: Profile = {
    ...spec.profile,
    get level() {
      return level
    }
  }
  const cwd = path.resolve(spec.cwd)
  const bases: PathText.Bases = { cwd, home }
  const expand = (rule: string) =>
    rule.startsWith("~/") ? path.resolve(home, `./${rule.slice(2)}`) : path.resolve(cwd, rule)
  const rules: PathRules.Rules = {
    allow: [cwd, spec.agentWorkspace, ...spec.additionalDirectories, ...profile.allowedRoots].map(expand),
    readOnly: spec.readOnlyRoots,
    forbid: (profile.forbiddenPaths ?? PathRules.defaultForbiddenPaths).map(expand),
    own: spec.ownPaths,
    get open() {
      return profile.level === "full" || !profile.workspaceOnly
    }
  }

  const placeOf = (text: string, access: PathRules.Access): JudgedPlace =>
    Either.match(PathText.parse(text, bases), {
      onLeft: (reason) => ({ real: text, verdict: { _tag: "Refused" as const, reason } }),
      onRight: ({ absolute }) => ({ real: absolute, verdict: PathRules.judge(rules, absolute, access) })
    })

  const admit = (text: string, access: PathRules.Access): Effect.Effect<string, PathError> =>
    Effect.suspend(() => {
      const parsed = PathText.parse(text, bases)
      if (Either.isLeft(parsed)) return pathError("invalid", parsed.left)
      const verdict = PathRules.judge(rules, parsed.right.absolute, access)
      return verdict._tag === "Refused" ? pathError("denied", verdict.reason) : Effect.succeed(parsed.right.absolute)
    })

  const entriesOf = (folder: string): ReadonlyArray<Entry> => {
    const found = new Map<string, Entry["kind"]>()
    for (const file of files.keys()) {
      if (!within(folder, file) || file === folder) continue
      const [name = "", ...rest] = path.relative(folder, file).split("/")
      found.set(name, rest.length === 0 ? "file" : "directory")
    }
    return [...found].map(([name, kind]) => ({ name, kind })).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  return {
    ...Judging.make({ profile, sandbox, placeOf }),
    launch: () => pathError("io", "Commands can't be run over files that exist only in memory."),
    get level() {
      return level
    },
    setLevel: (next) =>
      Effect.sync(() => {
        level = next
      }),
    cwd,
    absolute: (text) => PathText.absolute(text, bases),
    readFile: (text, maxBytes) =>
      Effect.flatMap(admit(text, "read"), (file) => {
        const bytes = files.get(file)
        if (bytes === undefined) return pathError("not_found", `${file} does not exist.`)
        return bytes.length > maxBytes
          ? pathError("too_large", `${file} is larger than ${maxBytes} bytes.`)
          : Effect.succeed({ path: file, bytes })
      }),
    checkWrite: (text, expected) =>
      Effect.flatMap(admit(text, "write"), (file) =>
        expected === null && files.has(file)
          ? pathError("invalid", `${file} exists already; nothing was written.`)
          : Effect.succeed({ path: file, needsFolders: false })
      ),
    writeFile: (text, bytes, expected) =>
      Effect.flatMap(admit(text, "write"), (file) => {
        const now = files.get(file) ?? null
        const asExpected =
          expected === undefined ||
          (expected === null || now === null ? expected === now : Buffer.compare(expected, now) === 0)
        if (!asExpected) return pathError("invalid", `${file} changed since it was read; nothing was written.`)
        files.set(file, bytes)
        return Effect.succeed({ path: file })
      }),
    listDirectory: (text) =>
      Effect.map(admit(text, "read"), (folder) => ({ path: folder, entries: entriesOf(folder) })),
    openDirectory: (text) => Effect.map(admit(text, "read"), (folder) => ({ path: folder, spawnPath: folder })),
    fetchUrl: () => new FetchError({ reason: "unreachable", message: "There is no web in this test." })
  }
}
