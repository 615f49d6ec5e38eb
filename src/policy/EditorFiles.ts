// Files as the editor has them, unsaved changes included: policy opens and judges first, then the editor is asked.
import { Effect, Option } from "effect"
import type { ClientSide } from "../loop/ClientSide.ts"
import { PathError, type SessionPolicy } from "./SessionPolicy.ts"
import { isUpload } from "./Uploads.ts"

/** An editor that takes longer is gone as far as a file is concerned. */
const patience = "10 seconds"

/** Of a file that is to be replaced. */
const maxDiskBytes = 64 * 1024 * 1024

const bom = "\ufeff"

/** None for what is no plain text; a file with a byte order mark is left to the disk: editors differ in what they show of it. */
const textOf = (bytes: Uint8Array): Option.Option<string> => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes("\0") || text.startsWith(bom) ? Option.none() : Option.some(text)
  } catch {
    return Option.none()
  }
}

const lineFeeds = (text: string) => text.replaceAll("\r\n", "\n")

/** Many editors keep lines without their carriage returns: the file's own line ends are put back. */
export const merge = (disk: string, editor: string): string => {
  if (editor.includes("\r\n") || !disk.includes("\r\n")) return editor
  return lineFeeds(disk) === editor ? disk : editor.replaceAll("\n", "\r\n")
}

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

/** None when the editor fails, is slow, or does not do it at all. */
const asking = <A, E>(effect: Effect.Effect<A, E> | undefined): Effect.Effect<Option.Option<A>> =>
  effect === undefined
    ? Effect.succeedNone
    : Effect.map(Effect.option(Effect.timeoutOption(effect, patience)), Option.flatten)

/**
 * The same policy over what the editor shows. It is asked for paths only that policy has found and allowed, spelled as
 * they really are. Writes through an editor are as safe against swapped links as the editor's own.
 */
export const over = (policy: SessionPolicy, client: ClientSide): SessionPolicy => {
  if (client.readTextFile === undefined && client.writeTextFile === undefined) return policy

  const readFile: SessionPolicy["readFile"] = (path, maxBytes) =>
    Effect.gen(function* () {
      const disk = yield* policy.readFile(path, maxBytes)
      const text = textOf(disk.bytes)
      if (Option.isNone(text) || isUpload(policy.cwd, disk.path)) return disk
      const shown = yield* asking(client.readTextFile?.(disk.path))
      if (Option.isNone(shown)) return disk
      const bytes = new TextEncoder().encode(merge(text.value, shown.value.toWellFormed()))
      if (bytes.length > maxBytes) {
        return yield* new PathError({
          reason: "too_large",
          message: `${disk.path} has ${bytes.length} bytes in the editor, more than the limit of ${maxBytes}. Save a smaller file.`
        })
      }
      return same(bytes, disk.bytes) ? disk : { path: disk.path, bytes }
    })

  /** What is on the disk now, after what the caller has seen was found to be what the editor shows still. */
  const diskOf = (path: string, expected: Uint8Array | null | undefined) =>
    expected instanceof Uint8Array
      ? Effect.gen(function* () {
          const limit = Math.max(expected.length, 1)
          const now = yield* Effect.option(readFile(path, limit))
          if (Option.isNone(now) || !same(now.value.bytes, expected)) {
            return yield* new PathError({
              reason: "invalid",
              message: `${policy.absolute(path)} changed since it was read; nothing was written. Read it again, then repeat the change.`
            })
          }
          return (yield* policy.readFile(path, maxDiskBytes)).bytes
        })
      : Effect.succeed(expected)

  const writeFile: SessionPolicy["writeFile"] = (path, bytes, expected) =>
    Effect.gen(function* () {
      const disk = yield* diskOf(path, expected)
      const text = textOf(bytes)
      const target = yield* policy.checkWrite(path, disk === null ? null : undefined)
      if (Option.isSome(text) && !target.needsFolders && !isUpload(policy.cwd, target.path)) {
        const written = yield* asking(client.writeTextFile?.(target.path, text.value))
        if (Option.isSome(written)) return { path: target.path }
      }
      return yield* policy.writeFile(path, bytes, disk)
    })

  return {
    get level() {
      return policy.level
    },
    setLevel: policy.setLevel,
    cwd: policy.cwd,
    offers: policy.offers,
    decide: policy.decide,
    searchable: policy.searchable,
    grant: policy.grant,
    absolute: policy.absolute,
    readFile,
    checkWrite: policy.checkWrite,
    writeFile,
    listDirectory: policy.listDirectory,
    openDirectory: policy.openDirectory,
    launch: policy.launch,
    fetchUrl: policy.fetchUrl
  }
}
