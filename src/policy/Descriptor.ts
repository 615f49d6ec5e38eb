// Files held by descriptor: where they really are, their children, their bytes. The primitives of the gate.
import * as fs from "node:fs"
import { Effect, type Scope } from "effect"
import { fromCause, pathError } from "./PathFailure.ts"
import type { PathError } from "./SessionPolicy.ts"

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants

/**
 * Linux: holds a file without opening it, so that no device or FIFO notices before the rules have spoken. A real open
 * and close of our own database would also drop SQLite's locks. Node does not name the constant.
 */
const O_PATH = 0o10000000

/** Elsewhere there is no way back from a descriptor to a path: real path first, then O_NOFOLLOW, which a race can beat. */
const linux = process.platform === "linux"

export type Follow = "follow" | "nofollow"
export type Want = "any" | "directory"

export interface Held {
  readonly fd: number
  /** Where it was when it was opened. */
  readonly real: string
  /** Spelling of the held thing itself; children are `${place}/name`. */
  readonly place: string
  readonly stats: fs.Stats
  /** What is mounted there: equal for two files of one mount. */
  readonly mount: string
  readonly close: Effect.Effect<void>
}

/** One call that can't be interrupted half-way: what it names by descriptor must stay open until it ends. */
export const step = <A>(path: string, run: () => Promise<A>): Effect.Effect<A, PathError> =>
  Effect.uninterruptible(Effect.tryPromise({ try: run, catch: (cause) => fromCause(path, cause) }))

const closing = (handle: fs.promises.FileHandle): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => handle.close()))

/** Where a held file is now. Reads kernel memory only, so it does not block. */
export const whereNow = (held: Pick<Held, "fd" | "real">): string =>
  linux ? fs.readlinkSync(`/proc/self/fd/${held.fd}`) : held.real

const mountOf = (fd: number, stats: fs.Stats): string =>
  linux ? (/^mnt_id:\s*(\d+)$/m.exec(fs.readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1] ?? "?") : `${stats.dev}`

const flagsOf = (follow: Follow, want: Want): number =>
  (linux ? O_PATH : O_RDONLY | O_NONBLOCK | O_NOCTTY) |
  (follow === "nofollow" || !linux ? O_NOFOLLOW : 0) |
  (want === "directory" ? O_DIRECTORY : 0)

const hold = async (at: string, follow: Follow, want: Want): Promise<Held> => {
  const spelling = linux || follow === "nofollow" ? at : await fs.promises.realpath(at)
  const handle = await fs.promises.open(spelling, flagsOf(follow, want))
  try {
    const stats = await handle.stat()
    return {
      fd: handle.fd,
      real: whereNow({ fd: handle.fd, real: spelling }),
      place: linux ? `/proc/self/fd/${handle.fd}` : spelling,
      stats,
      mount: mountOf(handle.fd, stats),
      close: closing(handle)
    }
  } catch (cause) {
    await handle.close()
    throw cause
  }
}

/** Holds what `at` names and lets `judge` refuse it; closed with the scope, or at once when refused. */
export const acquire = <E>(
  at: string,
  shown: string,
  { follow, want }: { readonly follow: Follow; readonly want: Want },
  judge: (held: Held) => Effect.Effect<void, E>
): Effect.Effect<Held, E | PathError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tap(
      step(shown, () => hold(at, follow, want)),
      (held) => Effect.onError(judge(held), () => held.close)
    ),
    (held) => held.close
  )

const reopen = (held: Held) =>
  Effect.acquireRelease(
    step(held.real, () => fs.promises.open(held.place, O_RDONLY | O_NONBLOCK | O_NOCTTY | (linux ? 0 : O_NOFOLLOW))),
    closing
  )

const chunkBytes = 64 * 1024

const fill = async (handle: fs.promises.FileHandle, buffer: Uint8Array, from: number): Promise<number> => {
  const { bytesRead } = await handle.read(buffer, from, Math.min(buffer.length - from, 4 * 1024 * 1024), null)
  return bytesRead
}

const grown = (buffer: Uint8Array, size: number): Uint8Array => {
  const larger = new Uint8Array(size)
  larger.set(buffer)
  return larger
}

/** At most `maxBytes + 1` bytes of a held regular file: one more than the limit tells that it is exceeded. */
export const bytesOf = (held: Held, maxBytes: number): Effect.Effect<Uint8Array, PathError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const handle = yield* reopen(held)
      const limit = maxBytes + 1
      let buffer: Uint8Array = new Uint8Array(Math.min(limit, held.stats.size + 1))
      let filled = 0
      for (;;) {
        const target = buffer
        const from = filled
        const read = yield* step(held.real, () => fill(handle, target, from))
        filled += read
        if (read === 0 || filled === limit) return buffer.subarray(0, filled)
        if (filled === buffer.length) buffer = grown(buffer, Math.min(limit, buffer.length * 2 + chunkBytes))
      }
    })
  )

const umask = process.umask()
/** Mode of a new file. */
export const newFileMode = 0o666 & ~umask

export interface Temporary {
  readonly at: string
  readonly handle: fs.promises.FileHandle
}

/** A new, private file beside the target; gone again when the scope closes, unless it was renamed. */
export const temporary = (directory: Held, shown: string): Effect.Effect<Temporary, PathError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const at = `${directory.place}/.zeroclaw-${crypto.randomUUID()}.tmp`
      return Effect.map(
        step(shown, () => fs.promises.open(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)),
        (handle) => ({ at, handle })
      )
    }),
    ({ at, handle }) => Effect.zipRight(closing(handle), Effect.ignore(Effect.tryPromise(() => fs.promises.unlink(at))))
  )

/** Makes a rename in the folder outlast a power cut; not every file system can. */
export const syncDirectory = (directory: Held): Effect.Effect<void> =>
  Effect.scoped(Effect.flatMap(reopen(directory), (handle) => step(directory.real, () => handle.sync()))).pipe(
    Effect.ignore
  )

/** What a name stands for, itself and not where it links to; undefined when there is nothing. */
export const look = (at: string, shown: string): Effect.Effect<fs.Stats | undefined, PathError> =>
  Effect.catchIf(
    step<fs.Stats | undefined>(shown, () => fs.promises.lstat(at)),
    ({ reason }) => reason === "not_found",
    () => Effect.succeed(undefined)
  )

/** A descriptor whose file has no name any more, or none that we can see. */
export const nameless = (real: string): PathError | undefined => {
  if (real.endsWith(" (deleted)")) {
    return pathError("denied", `${real}: it was deleted or replaced while it was opened. Try again.`)
  }
  return real.startsWith("/")
    ? undefined
    : pathError("denied", `${real} is not a place in the file system. Name an ordinary file.`)
}
