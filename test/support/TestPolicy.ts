// A policy for tests of tools only: plain file access in one folder, everything allowed. Not race-safe, not the real one.
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import { FetchError, PathError, type SessionPolicy } from "../../src/policy/PolicyService.ts"
import { shellEnvironment } from "../../src/policy/ShellEnvironment.ts"

const failure = (reason: PathError["reason"], message: string) => new PathError({ reason, message })

const fromCause = (shown: string, cause: unknown): PathError => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  if (code === "ENOENT") return failure("not_found", `${shown} does not exist.`)
  if (code === "ENOTDIR") return failure("not_a_directory", `${shown} is not a directory.`)
  if (code === "EISDIR") return failure("not_a_file", `${shown} is a directory.`)
  return failure("io", `${shown}: ${String(code)}`)
}

const sameBytes = (a: Uint8Array | null, b: Uint8Array | null) =>
  a === null || b === null ? a === b : Buffer.compare(a, b) === 0

/** `root` is canonical. */
export const testPolicy = (root: string): SessionPolicy => {
  const absolute = (name: string) => path.resolve(root, name)
  /** Real path of what exists; of the parent where it does not. */
  const real = (name: string): string => {
    const spelled = absolute(name)
    try {
      return fs.realpathSync(spelled)
    } catch {
      return spelled === path.dirname(spelled)
        ? spelled
        : path.join(real(path.dirname(spelled)), path.basename(spelled))
    }
  }
  const attempt = <A>(name: string, act: (place: string) => A): Effect.Effect<A, PathError> =>
    Effect.suspend(() => {
      const place = real(name)
      const inside = place === root || place.startsWith(root + path.sep)
      if (!inside) return failure("denied", `${name} is outside of the workspace.`)
      return Effect.try({ try: () => act(place), catch: (cause) => fromCause(name, cause) })
    })
  return {
    level: "full",
    setLevel: () => Effect.void,
    cwd: root,
    offers: () => true,
    decide: () => Effect.succeed({ _tag: "Allow", reason: "a test" }),
    searchable: () => true,
    grant: () => Effect.void,
    absolute,
    readFile: (name, maxBytes) =>
      Effect.flatMap(
        attempt(name, (place) => ({ path: place, bytes: fs.readFileSync(place) })),
        (file) => (file.bytes.length > maxBytes ? failure("too_large", `${name} is too large.`) : Effect.succeed(file))
      ),
    checkWrite: (name, expected) =>
      Effect.flatMap(
        attempt(name, (place) => ({ place, exists: fs.existsSync(place) })),
        ({ exists, place }) =>
          exists && expected === null
            ? failure("invalid", `${name} exists already.`)
            : Effect.succeed({ path: place, needsFolders: !fs.existsSync(path.dirname(place)) })
      ),
    writeFile: (name, bytes, expected) =>
      Effect.flatMap(
        attempt(name, (place) => {
          const now = fs.existsSync(place) ? fs.readFileSync(place) : null
          if (expected !== undefined && !sameBytes(now, expected)) return undefined
          fs.mkdirSync(path.dirname(place), { recursive: true })
          fs.writeFileSync(place, bytes)
          return { path: place }
        }),
        (written) => (written === undefined ? failure("io", `${name} was changed meanwhile.`) : Effect.succeed(written))
      ),
    listDirectory: (name) =>
      attempt(name, (place) => ({
        path: place,
        entries: fs.readdirSync(place, { withFileTypes: true }).map((entry) => ({
          name: entry.name,
          kind: entry.isFile()
            ? ("file" as const)
            : entry.isDirectory()
              ? ("directory" as const)
              : entry.isSymbolicLink()
                ? ("symlink" as const)
                : ("other" as const)
        }))
      })),
    openDirectory: (name) =>
      Effect.flatMap(
        attempt(name, (place) => ({ path: place, spawnPath: place, is: fs.statSync(place).isDirectory() })),
        ({ path: place, spawnPath, is }) =>
          is ? Effect.succeed({ path: place, spawnPath }) : failure("not_a_directory", `${name} is not a directory.`)
      ),
    launch: (_command, [file, ...args], added) =>
      Effect.succeed({
        file,
        args,
        env: shellEnvironment(process.env, { home: os.homedir(), passthrough: [], confined: false }, added),
        spawnPath: root,
        cwd: root,
        confined: false
      }),
    fetchUrl: () => new FetchError({ reason: "unreachable", message: "no web in this test" })
  }
}

/** An empty canonical folder, removed with the scope. */
export const tempFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "zeroclaw-tools-")))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
)
