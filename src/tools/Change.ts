// A change of one text file: seen in a diff before, written only where the file is still what was seen.
import { Effect, Either } from "effect"
import type { SessionPolicy } from "../policy/PolicyService.ts"
import { fromPathError, shortPath } from "./Blocks.ts"
import { maxFileBytes } from "./FileRead.ts"
import * as TextFile from "./TextFile.ts"
import { type PreparedCall, type ToolContext, ToolError, type ToolOutcome } from "./Tool.ts"
import { title, visible } from "./Visible.ts"

export interface Current extends TextFile.TextFile {
  readonly bytes: Uint8Array
}

const asCurrent = (policy: SessionPolicy, path: string, bytes: Uint8Array): Either.Either<Current, ToolError> =>
  Either.mapBoth(TextFile.decode(bytes), {
    onLeft: (why) => new ToolError({ message: `${visible(shortPath(policy, path))} cannot be changed: ${why}.` }),
    onRight: (file) => ({ ...file, bytes })
  })

/** The file as it is; only text is taken. */
export const readCurrent = (policy: SessionPolicy, path: string): Effect.Effect<Current, ToolError> =>
  policy.readFile(path, maxFileBytes).pipe(
    Effect.mapError(fromPathError),
    Effect.flatMap(({ bytes }) => asCurrent(policy, path, bytes))
  )

/** As `readCurrent`; null where there is no file yet. */
export const readExisting = (policy: SessionPolicy, path: string): Effect.Effect<Current | null, ToolError> =>
  Effect.matchEffect(policy.readFile(path, maxFileBytes), {
    onFailure: (error) => (error.reason === "not_found" ? Effect.succeed(null) : fromPathError(error)),
    onSuccess: ({ bytes }) => asCurrent(policy, path, bytes)
  })

export interface Counts {
  readonly added: number
  readonly removed: number
}

/** The time grows with the square of the edits; this many take about a tenth of a second. */
const maxEdits = 1500

/** All between the first and the last difference counts as replaced. */
const roughCounts = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): Counts => {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return { added: after.length - start - end, removed: before.length - start - end }
}

/** Lines added and removed. */
export const countLines = (before: string, after: string): Effect.Effect<Counts> =>
  Effect.map(
    Effect.promise(() => import("diff")),
    ({ diffLines }) => {
      const changes = diffLines(before, after, { maxEditLength: maxEdits })
      if (changes === undefined) return roughCounts(TextFile.lines(before), TextFile.lines(after))
      const sum = (wanted: "added" | "removed") =>
        changes.reduce((total, change) => (change[wanted] ? total + change.count : total), 0)
      return { added: sum("added"), removed: sum("removed") }
    }
  )

export const countText = ({ added, removed }: Counts): string => {
  const parts = [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])]
  return parts.length === 0 ? "(no change)" : `(${parts.join(" ")})`
}

/** First line, counted from 1, that is not the same in both. */
export const firstChange = (before: string, after: string): number => {
  const old = before.split("\n")
  const at = after.split("\n").findIndex((line, index) => line !== old[index])
  return at === -1 ? 1 : at + 1
}

export interface Change {
  readonly tool: string
  readonly verb: { readonly title: string; readonly done: string }
  /** As the model wrote it. */
  readonly path: string
  /** Null: the file must not exist yet. */
  readonly before: Current | null
  readonly after: TextFile.TextFile
}

const write =
  (change: Change, shown: string, counts: string, content: ToolOutcome["content"], line: number) =>
  ({ policy }: ToolContext): Effect.Effect<ToolOutcome, ToolError> =>
    Effect.map(
      Effect.mapError(
        policy.writeFile(change.path, TextFile.encode(change.after), change.before?.bytes ?? null),
        fromPathError
      ),
      () => ({
        text: `${change.verb.done} ${shown} ${counts}.`,
        ...(content === undefined ? {} : { content }),
        locations: [{ path: policy.absolute(change.path), line }],
        rawOutput: { path: policy.absolute(change.path) }
      })
    )

/** The call that makes a change: its diff first on the card, its size in the title. */
export const prepareChange = (policy: SessionPolicy, change: Change): Effect.Effect<Omit<PreparedCall, "rawInput">> =>
  Effect.gen(function* () {
    const path = policy.absolute(change.path)
    const old = change.before?.text ?? ""
    const counts = countText(yield* countLines(old, change.after.text))
    const line = firstChange(old, change.after.text)
    const shown = shortPath(policy, change.path)
    const content = [{ type: "diff" as const, path, oldText: change.before?.text ?? null, newText: change.after.text }]
    return {
      action: { _tag: "Write", tool: change.tool, path: change.path },
      face: {
        title: title(`${change.verb.title} `, shown, ` ${counts}`),
        kind: "edit",
        locations: [{ path, line }],
        content
      },
      run: write(change, visible(shown), counts, content, line)
    }
  })
