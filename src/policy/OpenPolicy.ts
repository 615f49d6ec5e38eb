// Opens the policy of one session: pins its folder, gathers its rules, keeps its grants.
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, Either, type Scope } from "effect"
import type { Sandbox } from "../sandbox/Sandbox.ts"
import { canonical } from "./Canonical.ts"
import { confinement } from "./Confine.ts"
import type { JudgedPlace } from "./Decide.ts"
import * as Descriptor from "./Descriptor.ts"
import * as Judging from "./Judging.ts"
import { errorCode, pathError } from "./PathFailure.ts"
import * as PathGate from "./PathGate.ts"
import { type Access, alwaysRefused } from "./PathRules.ts"
import * as PathText from "./PathText.ts"
import { PolicyError, type PolicySpec, type Profile, type SessionPolicy } from "./SessionPolicy.ts"
import * as SessionRules from "./SessionRules.ts"
import { shellEnvironment } from "./ShellEnvironment.ts"
import { checkWrite, writeFile } from "./WriteFile.ts"

/** HOME and the passwd entry: either may be missing or differ. `~/` is the first. */
export const homesOf = (env: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> => {
  const passwd = Either.getOrUndefined(Either.try(() => os.userInfo().homedir))
  const homes = [env["HOME"], passwd].flatMap((home) =>
    home !== undefined && path.isAbsolute(home) ? [path.resolve(home)] : []
  )
  return [...new Set(homes)]
}

const refuse = (message: string) => Effect.fail(new PolicyError({ message: PathText.visible(message) }))

/** The real place of a folder that the client named in `field`. */
const folder = (field: string, given: string): Effect.Effect<string, PolicyError> =>
  Effect.gen(function* () {
    if (!path.isAbsolute(given))
      return yield* refuse(`${field}: "${given}" is not an absolute path. Send the full path.`)
    const found = yield* Effect.either(
      Effect.tryPromise({
        try: async () => {
          const real = await fs.promises.realpath(given)
          return { real, isDirectory: (await fs.promises.stat(real)).isDirectory() }
        },
        catch: (cause) => errorCode(cause) ?? String(cause)
      })
    )
    if (Either.isRight(found)) {
      return found.right.isDirectory
        ? found.right.real
        : yield* refuse(`${field}: ${given} is not a directory. Choose a folder.`)
    }
    return yield* refuse(
      found.left === "ENOENT"
        ? `${field}: ${given} does not exist. Create it, or choose another folder.`
        : found.left === "ENOTDIR"
          ? `${field}: ${given} is not a directory. Choose a folder.`
          : `${field}: ${given} can't be opened (${found.left}). Check its permissions, or choose another folder.`
    )
  })

/** Ours alone. Without it the session still works in its own folder. */
const prepareWorkspace = (workspace: string): Effect.Effect<boolean> =>
  Effect.tryPromise({
    try: async () => {
      await fs.promises.mkdir(workspace, { recursive: true, mode: 0o700 })
      return true
    },
    catch: (cause) => errorCode(cause) ?? String(cause)
  }).pipe(
    Effect.catchAll((code) =>
      Effect.as(
        Effect.logDebug("The agent's own folder can't be made; it is no root of this session", workspace, code),
        false
      )
    )
  )

const placeIn = (gate: PathGate.Gate, text: string, access: Access): JudgedPlace =>
  Either.match(gate.place(text, access), {
    onLeft: (reason) => ({ real: text, verdict: { _tag: "Refused" as const, reason } }),
    onRight: ({ real, verdict }) => ({
      real: PathText.visible(real),
      verdict: verdict._tag === "Refused" ? { ...verdict, reason: PathText.visible(verdict.reason) } : verdict
    })
  })

/** What of the machine a session's policy is made for. */
export interface Surroundings {
  /** Home folders of the user; `~/` is the first. */
  readonly homes: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly sandbox: typeof Sandbox.Service
}

export const open = (
  spec: PolicySpec,
  { environment, homes, sandbox }: Surroundings
): Effect.Effect<SessionPolicy, PolicyError, Scope.Scope> =>
  Effect.gen(function* () {
    let level = spec.profile.level
    const profile: Profile = {
      ...spec.profile,
      get level() {
        return level
      }
    }
    // Known, and logged, before the first command needs it.
    yield* Effect.forkScoped(sandbox.status(profile.sandbox.backend))
    const cwd = yield* folder("cwd", spec.cwd)
    yield* Effect.forEach(spec.additionalDirectories, (given, i) => folder(`additionalDirectories[${i}]`, given))
    const workspaceReady = yield* prepareWorkspace(spec.agentWorkspace)
    const rules = SessionRules.make({ ...spec, profile }, { cwd, homes, workspaceReady })
    const agentWorkspace = canonical(spec.agentWorkspace)
    const always = alwaysRefused(rules, cwd)
    if (always !== undefined) return yield* refuse(`cwd: ${always}`)
    const held = yield* Effect.mapError(
      Descriptor.acquire(cwd, cwd, { follow: "nofollow", want: "directory" }, (held) =>
        Descriptor.whereNow(held) === cwd
          ? Effect.void
          : refuse(`cwd: ${cwd} was replaced while it was opened. Try again.`)
      ),
      ({ message }) => new PolicyError({ message: message.startsWith("cwd: ") ? message : `cwd: ${message}` })
    )
    const bases: PathText.Bases = { cwd, home: homes[0] }
    const gate = PathGate.make(rules, bases, { path: cwd, held })
    const launch: SessionPolicy["launch"] = (command, argv, added) =>
      Effect.gen(function* () {
        const { backend, network } = profile.sandbox
        const folder = yield* PathGate.openDirectory(gate, ".")
        const assessment = yield* Judging.assess(command)
        const confined = (yield* sandbox.status(backend))._tag === "Ready"
        const env = shellEnvironment(
          environment,
          { confined, home: homes[0] ?? "/", passthrough: profile.shellEnvPassthrough },
          added
        )
        const place = { spawnPath: folder.spawnPath, cwd: folder.path, confined }
        if (!confined) return { file: argv[0], args: argv.slice(1), env, ...place }
        const started = yield* Effect.mapError(
          sandbox.launch(
            backend,
            confinement({ rules, cwd: folder.path, agentWorkspace, assessment, network, env }),
            argv
          ),
          ({ message }) => pathError("io", message)
        )
        return { ...started, ...place }
      })
    return {
      ...Judging.make({ profile, sandbox, placeOf: (text, access) => placeIn(gate, text, access) }),
      launch,
      get level() {
        return level
      },
      setLevel: (next) =>
        Effect.sync(() => {
          level = next
        }),
      cwd,
      absolute: (text) => PathText.absolute(text, bases),
      readFile: (text, maxBytes) => PathGate.readFile(gate, text, maxBytes),
      checkWrite: (text, expected) => checkWrite(gate, text, expected),
      writeFile: (text, bytes, expected) => writeFile(gate, text, bytes, expected),
      listDirectory: (text) => PathGate.listDirectory(gate, text),
      openDirectory: (text) => PathGate.openDirectory(gate, text),
      fetchUrl: (url) =>
        Effect.flatMap(
          Effect.promise(() => import("./Fetch.ts")),
          ({ fetchUrl }) => fetchUrl(url)
        )
    }
  })
