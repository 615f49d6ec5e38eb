// A diff of a tool call as unified hunks. Pure but for the loading of the package that computes them.
import { Effect } from "effect"
import { paint, type Style } from "./Style.ts"
import { oneLine, visible } from "./Visible.ts"

export interface Diff {
  readonly path: string
  readonly oldText?: string | null
  readonly newText: string
}

/** Hunk lines without file headers; undefined when the texts differ too much to compare in reasonable time. */
export type Hunks = (oldText: string, newText: string) => ReadonlyArray<string> | undefined

/** More edits than a person reads, and than the comparison can do quickly. */
const maxEdits = 2_000

/** An empty range names the line before it, as unified diffs do. */
const range = (start: number, lines: number): string => `${lines === 0 ? start - 1 : start},${lines}`

export const load: Effect.Effect<Hunks> = Effect.map(
  Effect.promise(() => import("diff")),
  ({ structuredPatch }): Hunks =>
    (oldText, newText) => {
      const options = { context: 3, maxEditLength: maxEdits }
      const patch = structuredPatch("", "", oldText, newText, undefined, undefined, options)
      return patch?.hunks.flatMap((hunk) => [
        `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`,
        ...hunk.lines
      ])
    }
)

const lineCount = (text: string): number => (text === "" ? 0 : text.replace(/\n$/, "").split("\n").length)

const paintLine = (style: Style, line: string): string => {
  const text = visible(line).replaceAll("\n", " ")
  switch (line[0]) {
    case "+":
      return paint(style, "green", text)
    case "-":
      return paint(style, "red", text)
    case "@":
      return paint(style, "cyan", text)
    default:
      return paint(style, "dim", text)
  }
}

export const lines = (style: Style, hunks: Hunks, diff: Diff, path: string): ReadonlyArray<string> => {
  const name = oneLine(path)
  const oldText = diff.oldText ?? ""
  const header = [
    paint(style, "bold", diff.oldText === undefined || diff.oldText === null ? "--- /dev/null" : `--- ${name}`),
    paint(style, "bold", `+++ ${name}`)
  ]
  if (oldText === diff.newText) return [...header, paint(style, "dim", "(no change)")]
  const body = hunks(oldText, diff.newText) ?? [
    ` (too different to compare: ${lineCount(oldText)} lines become ${lineCount(diff.newText)})`
  ]
  return [...header, ...body.map((line) => paintLine(style, line))]
}
