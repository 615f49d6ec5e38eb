// What a session's policy is: what it is built from, what it offers, how it fails.
import { type Effect, Schema, type Scope } from "effect"
import type { Launch } from "../sandbox/Confinement.ts"
import type { BackendName } from "../sandbox/Sandbox.ts"
import type { Action, Decision, Level } from "./Decision.ts"
import type { FetchError, Fetched } from "./Fetched.ts"

/** A path that policy refuses, or a file that is not what the caller needs. */
export class PathError extends Schema.TaggedError<PathError>()("PathError", {
  reason: Schema.Literal("denied", "not_found", "not_a_file", "not_a_directory", "too_large", "invalid", "io"),
  /** One line that names the path and what to do. */
  message: Schema.String
}) {}

export class PolicyError extends Schema.TaggedError<PolicyError>()("PolicyError", {
  /** Names the field and the fix. */
  message: Schema.String
}) {}

/** Profile of an agent. @see zeroclaw section 10.4 */
export interface Profile {
  readonly level: Level
  readonly workspaceOnly: boolean
  /** Commands of high risk run only where `allowedCommands` names their programs. */
  readonly blockHighRisk: boolean
  /** In `supervised`. */
  readonly requireApprovalForMediumRisk: boolean
  /** Programs that commands may start, as written; `*` is any. Absent: their risk alone decides. */
  readonly allowedCommands?: ReadonlyArray<string>
  /** Names of our own variables that commands get too. */
  readonly shellEnvPassthrough: ReadonlyArray<string>
  readonly sandbox: { readonly backend: BackendName; readonly network: boolean }
  readonly autoApprove: ReadonlyArray<string>
  readonly alwaysAsk: ReadonlyArray<string>
  readonly allowedTools: ReadonlyArray<string>
  readonly excludedTools: ReadonlyArray<string>
  readonly allowedRoots: ReadonlyArray<string>
  /** Absent: the default ones. */
  readonly forbiddenPaths?: ReadonlyArray<string>
}

/** What a session's policy is built from. */
export interface PolicySpec {
  readonly profile: Profile
  /** Absolute. */
  readonly cwd: string
  /** The agent's own folder: stays a root beside the cwd. Absolute; made when missing. */
  readonly agentWorkspace: string
  readonly additionalDirectories: ReadonlyArray<string>
  /** Read like the others, never written. Absolute and real: a link in their place is not followed. */
  readonly readOnlyRoots: ReadonlyArray<string>
  /** Our own config, tokens and database: never for tools. Absolute. */
  readonly ownPaths: ReadonlyArray<string>
}

export interface OpenedFile {
  /** Where the file really is: absolute, links resolved. */
  readonly path: string
  readonly bytes: Uint8Array
}

export interface Entry {
  readonly name: string
  readonly kind: "file" | "directory" | "symlink" | "other"
}

export interface WriteTarget {
  readonly path: string
  /** The folder it would be in is not there yet. */
  readonly needsFolders: boolean
}

export interface SessionPolicy {
  /** The level of now. */
  readonly level: Level
  /** What is decided from now on follows this level; what was always allowed stays so unless the level forbids it. */
  readonly setLevel: (level: Level) => Effect.Effect<void>
  /** The session's working directory: canonical, pinned. */
  readonly cwd: string
  /** Whether a tool may be offered to the model at all. */
  readonly offers: (tool: string) => boolean
  /** Depends on nothing but the action, the profile, the sandbox, and what was always allowed before in this session. */
  readonly decide: (action: Action) => Effect.Effect<Decision>
  /** Whether a search may tell of a path that it came across. */
  readonly searchable: (tool: string, path: string) => boolean
  /** Remembers "always allow" for exactly this action, in this session. */
  readonly grant: (action: Action) => Effect.Effect<void>
  /** Absolute spelling of a path the model wrote: display and locations only, opens nothing. */
  readonly absolute: (path: string) => string
  /** Opens first, then asks where the descriptor really is: race-safe on Linux. Regular files only. */
  readonly readFile: (path: string, maxBytes: number) => Effect.Effect<OpenedFile, PathError>
  /**
   * Replaces or creates a file through a temporary one. Symbolic links are refused, hard links are broken, missing
   * directories are made.
   * With `expected` (the bytes the caller read; null for "must not exist") a file changed meanwhile is refused.
   */
  readonly writeFile: (
    path: string,
    bytes: Uint8Array,
    expected?: Uint8Array | null
  ) => Effect.Effect<{ readonly path: string }, PathError>
  /**
   * As `writeFile` would judge, and nothing is written or made. `path` is where the file would really be; `null` for a
   * file that must not exist yet.
   */
  readonly checkWrite: (path: string, expected?: null) => Effect.Effect<WriteTarget, PathError>
  readonly listDirectory: (
    path: string
  ) => Effect.Effect<{ readonly path: string; readonly entries: ReadonlyArray<Entry> }, PathError>
  /**
   * A directory to start a child process in: `spawnPath` names the opened directory, not its spelling, and stays good
   * until the scope closes.
   */
  readonly openDirectory: (
    path: string
  ) => Effect.Effect<{ readonly path: string; readonly spawnPath: string }, PathError, Scope.Scope>
  /**
   * How a command that was allowed is started: in the sandbox, with the environment it may have. What it needs lives in
   * the scope. `added` are variables of the caller.
   */
  readonly launch: (
    command: string,
    argv: readonly [file: string, ...args: ReadonlyArray<string>],
    added: Readonly<Record<string, string>>
  ) => Effect.Effect<Launched, PathError, Scope.Scope>
  /** A page of the public web, as text; no other address is connected to. */
  readonly fetchUrl: (url: string) => Effect.Effect<Fetched, FetchError>
}

export interface Launched extends Launch {
  /** Where to start it: names the opened directory, good until the scope closes. */
  readonly spawnPath: string
  /** The same folder's real path. */
  readonly cwd: string
  /** Everything it starts ends with it. */
  readonly confined: boolean
}
