// Writing through the gate: a temporary file in the held parent folder, renamed over the name.
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import * as Descriptor from "./Descriptor.ts"
import { errorCode, pathError } from "./PathFailure.ts"
import { type Gate, ordinary } from "./PathGate.ts"
import type { PathError, WriteTarget } from "./SessionPolicy.ts"

/** Folders that one write may make; each holds a descriptor until the write ends. */
const maxNewFolders = 64

interface Parent {
  readonly base: Descriptor.Held
  /** Below the base, outermost first. */
  readonly missing: ReadonlyArray<string>
}

const deepestExisting = (
  gate: Gate,
  folder: string,
  missing: ReadonlyArray<string>
): Effect.Effect<Parent, PathError, Scope.Scope> =>
  Effect.map(gate.hold(folder, "directory"), (base): Parent => ({ base, missing })).pipe(
    Effect.catchIf(
      ({ reason }) => reason === "not_found" && folder !== "/",
      () =>
        missing.length === maxNewFolders
          ? pathError(
              "invalid",
              `${folder}: more than ${maxNewFolders} folders would have to be made. Make them first.`
            )
          : deepestExisting(gate, path.dirname(folder), [path.basename(folder), ...missing])
    )
  )

/** One component at a time, following no link; each is judged again once it is held. */
const makeFolders = (gate: Gate, { base, missing }: Parent): Effect.Effect<Descriptor.Held, PathError, Scope.Scope> =>
  Effect.reduce(missing, base, (parent, name) => {
    const shown = path.join(parent.real, name)
    return Effect.zipRight(
      Descriptor.step(shown, () =>
        fs.promises.mkdir(`${parent.place}/${name}`).catch((cause: unknown) => {
          if (errorCode(cause) !== "EEXIST") throw cause
        })
      ),
      gate.holdChild(parent, name, "directory")
    )
  })

const isLink = (shown: string) =>
  pathError("denied", `${shown} is a link: files are not written through links. Write to the file it leads to instead.`)

const changed = (shown: string) =>
  pathError(
    "invalid",
    `${shown} changed since it was read; nothing was written. Read it again, then repeat the change.`
  )
const alreadyThere = (shown: string) =>
  pathError("invalid", `${shown} exists already; nothing was written. Read it first, or choose another name.`)

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

interface Target {
  readonly gate: Gate
  readonly directory: Descriptor.Held
  readonly name: string
  readonly at: string
  readonly shown: string
  readonly expected: Uint8Array | null | undefined
}

/** The regular file that would be replaced; undefined when the name is free. Fails when it is not as expected. */
const current = ({ at, directory, expected, gate, name, shown }: Target) =>
  Effect.gen(function* () {
    const stats = yield* Descriptor.look(at, shown)
    if (stats === undefined) return expected instanceof Uint8Array ? yield* changed(shown) : undefined
    if (stats.isSymbolicLink()) return yield* isLink(shown)
    yield* ordinary(stats, shown)
    if (expected === undefined) return stats
    if (expected === null) return yield* alreadyThere(shown)
    const held = yield* gate.holdChild(directory, name, "any")
    yield* ordinary(held.stats, shown)
    const now = yield* Descriptor.bytesOf(held, expected.length)
    return same(now, expected) ? stats : yield* changed(shown)
  }).pipe(Effect.scoped)

/** Owner and mode of the file that goes, where the file system and our rights allow it. */
const keepLooks = ({ handle }: Descriptor.Temporary, old: fs.Stats | undefined, shown: string) =>
  Effect.zipRight(
    old === undefined ? Effect.void : Effect.ignore(Descriptor.step(shown, () => handle.chown(old.uid, old.gid))),
    Effect.ignore(
      Descriptor.step(shown, () => handle.chmod(old === undefined ? Descriptor.newFileMode : old.mode & 0o777))
    )
  )

const rename = (from: string, { at, shown }: Target) => Descriptor.step(shown, () => fs.promises.rename(from, at))

/** A link never replaces what is there; a file system without hard links gets the rename. */
const appear = (from: string, target: Target) =>
  Effect.uninterruptible(Effect.tryPromise({ try: () => fs.promises.link(from, target.at), catch: errorCode })).pipe(
    Effect.catchAll((code) => (code === "EEXIST" ? Effect.fail(alreadyThere(target.shown)) : rename(from, target)))
  )

const replace = (target: Target, bytes: Uint8Array): Effect.Effect<{ readonly path: string }, PathError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { directory, gate, shown } = target
      const old = yield* current(target)
      const temporary = yield* Descriptor.temporary(directory, shown)
      yield* Descriptor.step(shown, () => temporary.handle.writeFile(bytes))
      yield* keepLooks(temporary, old, shown)
      yield* Descriptor.step(shown, () => temporary.handle.sync())
      yield* gate.judgeHeld(directory)
      yield* gate.judgePath(path.join(Descriptor.whereNow(directory), target.name), "write")
      yield* current(target)
      const put = target.expected === null ? appear(temporary.at, target) : rename(temporary.at, target)
      yield* Effect.uninterruptible(Effect.zipRight(put, Descriptor.syncDirectory(directory)))
      return { path: path.join(Descriptor.whereNow(directory), target.name) }
    })
  )

interface Place {
  readonly name: string
  readonly parent: Parent
  /** Where the file would be, links resolved. */
  readonly real: string
}

/** Where a write would go; nothing is made unless everything that would be made is allowed. */
const find = (gate: Gate, text: string): Effect.Effect<Place, PathError, Scope.Scope> =>
  Effect.gen(function* () {
    const { absolute, folder } = yield* gate.admit(text, "write")
    const name = path.basename(absolute)
    if (folder || name === "") {
      return yield* pathError("not_a_file", `${absolute} is spelled as a folder. Name the file to write.`)
    }
    const parent = yield* deepestExisting(gate, path.dirname(absolute), [])
    const real = yield* Effect.reduce([...parent.missing, name], parent.base.real, (real, part) =>
      Effect.as(gate.judgePath(path.join(real, part), "write"), path.join(real, part))
    )
    return { name, parent, real }
  })

const targetIn = (
  gate: Gate,
  directory: Descriptor.Held,
  name: string,
  expected: Uint8Array | null | undefined
): Target => ({
  gate,
  directory,
  name,
  at: `${directory.place}/${name}`,
  shown: path.join(directory.real, name),
  expected
})

/** @see SessionPolicy `checkWrite` */
export const checkWrite = (
  gate: Gate,
  text: string,
  expected: null | undefined
): Effect.Effect<WriteTarget, PathError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { name, parent, real } = yield* find(gate, text)
      const needsFolders = parent.missing.length > 0
      if (!needsFolders) yield* current(targetIn(gate, parent.base, name, expected))
      return { path: real, needsFolders }
    })
  )

/** @see SessionPolicy `writeFile` */
export const writeFile = (
  gate: Gate,
  text: string,
  bytes: Uint8Array,
  expected: Uint8Array | null | undefined
): Effect.Effect<{ readonly path: string }, PathError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { name, parent, real } = yield* find(gate, text)
      if (parent.missing.length > 0 && expected instanceof Uint8Array) return yield* changed(real)
      const directory = yield* makeFolders(gate, parent)
      return yield* replace(targetIn(gate, directory, name, expected), bytes)
    })
  )
