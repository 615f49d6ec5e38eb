// The file of stored keys: private, replaced whole, and never written over when it is not understood.
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Either, Schedule } from "effect"
import { CredentialsError } from "./CredentialsError.ts"
import * as Text from "./CredentialsText.ts"

const fileMode = 0o600
const folderMode = 0o700
/** Milliseconds between two looks at a lock that another program holds, and how often it is looked at. */
const lockPause = 50
const lockTries = 40

const refuse = (message: string) => new CredentialsError({ message })

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown error"

const attempt = <A>(file: string, what: string, run: () => Promise<A>): Effect.Effect<A, CredentialsError> =>
  Effect.tryPromise({
    try: run,
    catch: (error) =>
      refuse(`The stored keys can't be ${what}: ${file} (${codeOf(error)}). Check the folder and its permissions.`)
  })

/** Windows has no such modes; there the folder of the person is private by itself. */
const hasModes = process.platform !== "win32"

/** What keeps a file from being used; undefined when nothing does. Pure. */
export const objection = (
  file: string,
  stats: Pick<fs.Stats, "mode" | "size" | "uid"> & { readonly kind: "file" | "link" | "other" },
  uid: number | undefined
): string | undefined => {
  if (stats.kind === "link") {
    return `${file} is a symbolic link, so its keys are not used. Put the file itself there, or remove the link and run: zeroclaw login`
  }
  if (stats.kind === "other") return `${file} is not a regular file. Move it away, then run: zeroclaw login`
  if (uid !== undefined && uid !== 0 && stats.uid !== uid) {
    return `${file} belongs to another user, so its keys are not used. Move it away, then run: zeroclaw login`
  }
  if (uid !== undefined && (stats.mode & 0o077) !== 0) {
    return `${file} can be read or written by other users, so its keys are not used. Run: chmod 600 ${file}`
  }
  return stats.size > Text.maxFileBytes
    ? `${file} is too large to be the file of stored keys. Move it away, then run: zeroclaw login`
    : undefined
}

const kindOf = (stats: fs.Stats): "file" | "link" | "other" =>
  stats.isSymbolicLink() ? "link" : stats.isFile() ? "file" : "other"

const judge = (file: string, stats: fs.Stats): Effect.Effect<void, CredentialsError> => {
  const why = objection(
    file,
    { kind: kindOf(stats), mode: stats.mode, size: stats.size, uid: stats.uid },
    hasModes ? process.getuid?.() : undefined
  )
  return why === undefined ? Effect.void : refuse(why)
}

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = fs.constants

/** Undefined when there is none. */
const look = (file: string): Promise<fs.Stats | undefined> =>
  fs.promises.lstat(file).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined
    throw error
  })

/** The text of what is open, never more than the bound, even while another program lengthens it. */
const textOf = async (handle: fs.promises.FileHandle): Promise<string> => {
  const buffer = Buffer.alloc(Text.maxFileBytes + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
    if (bytesRead === 0) return buffer.toString("utf8", 0, length)
    length += bytesRead
  }
}

/** Empty without a file. What is judged is what is read: links are not followed, pipes are not waited for. */
export const read = (file: string): Effect.Effect<Text.Keys, CredentialsError> =>
  Effect.gen(function* () {
    const seen = yield* attempt(file, "read", () => look(file))
    if (seen === undefined) return Text.noKeys
    yield* judge(file, seen)
    const handle = yield* Effect.acquireRelease(
      attempt(file, "read", () => fs.promises.open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)),
      (handle) => Effect.promise(() => handle.close())
    )
    yield* judge(file, yield* attempt(file, "read", () => handle.stat()))
    const text = yield* attempt(file, "read", () => textOf(handle))
    return yield* Either.mapLeft(Text.decode(text), () =>
      refuse(
        `${file} is not what zeroclaw writes there, so its keys are not used and nothing is written over it. Correct it, or move it away and run: zeroclaw login`
      )
    )
  }).pipe(Effect.scoped)

/** The folder holds sessions and logs too: it is for the person alone. */
const makeFolder = async (folder: string): Promise<void> => {
  await fs.promises.mkdir(folder, { recursive: true, mode: folderMode })
  const { mode } = await fs.promises.stat(folder)
  if (hasModes && (mode & 0o077) !== 0) await fs.promises.chmod(folder, folderMode)
}

/** After a power cut the new name must lead to the new text; some file systems can't be asked for it. */
const syncFolder = (folder: string): Effect.Effect<void> =>
  Effect.ignore(
    Effect.tryPromise(async () => {
      const handle = await fs.promises.open(folder, O_RDONLY)
      await handle.sync().finally(() => handle.close())
    })
  )

/** The new text is written into the lock itself, which is then renamed: who holds it is the only one who writes. */
const lock = (file: string, at: string) =>
  Effect.tryPromise({ try: () => fs.promises.open(at, "wx", fileMode), catch: codeOf }).pipe(
    Effect.retry({
      while: (code) => code === "EEXIST",
      schedule: Schedule.intersect(Schedule.spaced(lockPause), Schedule.recurs(lockTries))
    }),
    Effect.mapError((code) =>
      refuse(
        code === "EEXIST"
          ? `Another zeroclaw is storing a key, or was ended while it did. Try again; if nothing runs, remove ${at}`
          : `The stored keys can't be written: ${file} (${code}). Check the folder and its permissions.`
      )
    )
  )

/** Reads, changes and replaces the file as one step, also against other programs; nothing is written for no change. */
export const update = (
  file: string,
  change: (keys: Text.Keys) => Either.Either<Text.Keys, CredentialsError>
): Effect.Effect<void, CredentialsError> =>
  Effect.gen(function* () {
    const folder = path.dirname(file)
    const at = `${file}.lock`
    yield* attempt(file, "written", () => makeFolder(folder))
    let renamed = false
    const handle = yield* Effect.acquireRelease(lock(file, at), (handle) =>
      Effect.ignore(
        Effect.tryPromise(async () => {
          await handle.close()
          if (!renamed) await fs.promises.unlink(at)
        })
      )
    )
    const before = yield* read(file)
    const after = yield* change(before)
    if (after === before) return
    yield* Effect.uninterruptible(
      attempt(file, "written", async () => {
        await handle.writeFile(Text.encode(after))
        // A umask may have taken bits from it.
        if (hasModes) await handle.chmod(fileMode)
        await handle.sync()
        await fs.promises.rename(at, file)
        renamed = true
      })
    )
    yield* syncFolder(folder)
  }).pipe(Effect.scoped)
