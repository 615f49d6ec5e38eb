// The only place that opens files for tools: admits a spelling, opens, then judges where the descriptor really is.
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Either, type Scope } from "effect"
import { within } from "../text/Within.ts"
import { canonical } from "./Canonical.ts"
import * as Descriptor from "./Descriptor.ts"
import { pathError } from "./PathFailure.ts"
import * as PathRules from "./PathRules.ts"
import * as PathText from "./PathText.ts"
import type { Entry, OpenedFile, PathError } from "./SessionPolicy.ts"

/** The session's folder as it was when the session began. */
export interface Pin {
  readonly path: string
  readonly held: Descriptor.Held
}

export interface Place {
  readonly absolute: string
  readonly real: string
  readonly verdict: PathRules.Verdict
}

export interface Gate {
  /** Where a spelling leads and what the rules say, opening nothing. Left: the spelling is no path. */
  readonly place: (
    text: string,
    access: PathRules.Access
  ) => Either.Either<Place & { readonly folder: boolean }, string>
  readonly admit: (text: string, access: PathRules.Access) => Effect.Effect<PathText.Spelled, PathError>
  /** Holds an admitted path, to look into it; refused when it is really somewhere else. */
  readonly hold: (absolute: string, want: Descriptor.Want) => Effect.Effect<Descriptor.Held, PathError, Scope.Scope>
  /** Holds a name directly in a held folder, following no link. */
  readonly holdChild: (
    parent: Descriptor.Held,
    name: string,
    want: Descriptor.Want
  ) => Effect.Effect<Descriptor.Held, PathError, Scope.Scope>
  readonly judgeHeld: (held: Descriptor.Held) => Effect.Effect<void, PathError>
  readonly judgePath: (real: string, access: PathRules.Access) => Effect.Effect<PathRules.Verdict, PathError>
}

const kindOf = (stats: fs.Stats): string =>
  stats.isDirectory()
    ? "a folder"
    : stats.isFIFO()
      ? "a FIFO"
      : stats.isSocket()
        ? "a socket"
        : stats.isSymbolicLink()
          ? "a link"
          : "a device"

/** Fails unless the stats are those of an ordinary file. */
export const ordinary = (stats: fs.Stats, shown: string): Effect.Effect<void, PathError> =>
  stats.isFile()
    ? Effect.void
    : Effect.fail(
        stats.isDirectory()
          ? pathError("not_a_file", `${shown} is a folder, not a file. Name a file in it.`)
          : pathError("not_a_file", `${shown} is ${kindOf(stats)}, not an ordinary file. Name another file.`)
      )

export const make = (rules: PathRules.Rules, bases: PathText.Bases, pin: Pin): Gate => {
  const place: Gate["place"] = (text, access) =>
    Either.map(PathText.parse(text, bases), ({ absolute, folder }) => {
      const always = PathRules.alwaysRefused(rules, absolute)
      const real = canonical(absolute)
      return {
        absolute,
        folder,
        real,
        verdict: always === undefined ? PathRules.judge(rules, real, access) : { _tag: "Refused", reason: always }
      }
    })

  const judgePath: Gate["judgePath"] = (real, access) => {
    const verdict = PathRules.judge(rules, real, access)
    return verdict._tag === "Allowed" ? Effect.succeed(verdict) : pathError("denied", verdict.reason)
  }

  const pinned = Effect.flatMap(
    Descriptor.step(pin.path, () => fs.promises.stat(pin.path)).pipe(Effect.orElseSucceed(() => undefined)),
    (now) =>
      now !== undefined && now.dev === pin.held.stats.dev && now.ino === pin.held.stats.ino
        ? Effect.void
        : pathError(
            "denied",
            `${pin.path}, the folder of this session, was moved or replaced meanwhile. Open a new session in the right folder.`
          )
  )

  const admit: Gate["admit"] = (text, access) =>
    Either.match(place(text, access), {
      onLeft: (message) => Effect.fail(pathError("invalid", message)),
      onRight: ({ absolute, folder, verdict }) =>
        verdict._tag === "Refused"
          ? Effect.fail(pathError("denied", verdict.reason))
          : Effect.as(pinned, { absolute, folder })
    })

  const anyHeld = () => Effect.void
  const mountOfRoot = (root: string) =>
    root === pin.path
      ? Effect.succeed(pin.held.mount)
      : Effect.scoped(
          Effect.map(Descriptor.acquire(root, root, { follow: "nofollow", want: "any" }, anyHeld), ({ mount }) => mount)
        )

  /** A root reaches no further than the file system it is on; what is mounted inside must be a root itself. */
  const sameMount = (held: Descriptor.Held, root: string) =>
    Effect.flatMap(mountOfRoot(root), (mount) =>
      mount === held.mount
        ? Effect.void
        : pathError(
            "denied",
            `${held.real} is on another file system that is mounted inside ${root}. Add the mount point to allowed_roots.`
          )
    )

  /** Another name of one of our own files is refused like the file. */
  const notOwn = (held: Descriptor.Held) =>
    held.stats.nlink < 2 || !held.stats.isFile()
      ? Effect.void
      : Effect.forEach(
          rules.own,
          (own) =>
            Effect.flatMap(
              Effect.orElseSucceed(Descriptor.look(own, own), () => undefined),
              (stats) =>
                stats?.dev === held.stats.dev && stats.ino === held.stats.ino
                  ? pathError("denied", `${held.real} is another name of ${own}, which belongs to zeroclaw itself.`)
                  : Effect.void
            ),
          { discard: true }
        )

  const judgeHeld: Gate["judgeHeld"] = (held) =>
    Effect.gen(function* () {
      const real = Descriptor.whereNow(held)
      const unnamed = Descriptor.nameless(real)
      if (unnamed !== undefined) return yield* unnamed
      const verdict = yield* judgePath(real, "read")
      if (verdict._tag === "Allowed" && verdict.root !== undefined && !rules.open) yield* sameMount(held, verdict.root)
      yield* notOwn(held)
    })

  /** Paths in the session's folder start at its descriptor: a folder put in its place later is never entered. */
  const spellingFrom = (absolute: string): string =>
    within(pin.path, absolute) ? path.join(pin.held.place, path.relative(pin.path, absolute)) : absolute

  return {
    place,
    admit,
    judgePath,
    judgeHeld,
    hold: (absolute, want) =>
      Descriptor.acquire(spellingFrom(absolute), absolute, { follow: "follow", want }, judgeHeld),
    holdChild: (parent, name, want) =>
      Descriptor.acquire(
        `${parent.place}/${name}`,
        path.join(parent.real, name),
        { follow: "nofollow", want },
        judgeHeld
      )
  }
}

export const readFile = (gate: Gate, text: string, maxBytes: number): Effect.Effect<OpenedFile, PathError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { absolute, folder } = yield* gate.admit(text, "read")
      const held = yield* gate.hold(absolute, folder ? "directory" : "any")
      yield* ordinary(held.stats, absolute)
      const tooLarge = () =>
        pathError("too_large", `${held.real} is larger than ${maxBytes} bytes. Read a smaller file.`)
      if (held.stats.size > maxBytes) return yield* tooLarge()
      const bytes = yield* Descriptor.bytesOf(held, maxBytes)
      return bytes.length > maxBytes ? yield* tooLarge() : { path: held.real, bytes }
    })
  )

const entryKind = (entry: fs.Dirent): Entry["kind"] =>
  entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "symlink" : "other"

/** By name; links are listed as links. */
export const listDirectory = (
  gate: Gate,
  text: string
): Effect.Effect<{ readonly path: string; readonly entries: ReadonlyArray<Entry> }, PathError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { absolute } = yield* gate.admit(text, "read")
      const held = yield* gate.hold(absolute, "directory")
      const found = yield* Descriptor.step(absolute, () => fs.promises.readdir(held.place, { withFileTypes: true }))
      const entries = found.map((entry) => ({ name: entry.name, kind: entryKind(entry) }))
      return { path: held.real, entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)) }
    })
  )

export const openDirectory = (
  gate: Gate,
  text: string
): Effect.Effect<{ readonly path: string; readonly spawnPath: string }, PathError, Scope.Scope> =>
  Effect.gen(function* () {
    const { absolute } = yield* gate.admit(text, "read")
    const held = yield* gate.hold(absolute, "directory")
    // A child has another /proc/self.
    return { path: held.real, spawnPath: held.place.replace("/proc/self/", `/proc/${process.pid}/`) }
  })
