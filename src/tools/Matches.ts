// What ripgrep reports as JSON lines, and how matches are shown. Pure.
import { Option, Schema } from "effect"
import { headOf } from "./Visible.ts"

const Text = Schema.Struct({ text: Schema.String })

const Event = Schema.Union(
  Schema.Struct({
    type: Schema.Literal("match"),
    data: Schema.Struct({ path: Text, line_number: Schema.Number })
  }),
  Schema.Struct({
    type: Schema.Literal("end"),
    data: Schema.Struct({ path: Text, stats: Schema.Struct({ matched_lines: Schema.Number }) })
  })
)

export type Report =
  /** A matching line, counted from 1. */
  | { readonly _tag: "Match"; readonly path: string; readonly line: number }
  /** A file is done: its matching lines. */
  | { readonly _tag: "File"; readonly path: string; readonly lines: number }

const decodeEvent = Schema.decodeOption(Schema.parseJson(Event))

/** None for what is of no use here, such as names that are not UTF-8. */
export const parseReport = (line: string): Option.Option<Report> =>
  Option.map(decodeEvent(line), (event) => {
    const path = event.data.path.text.replace(/^\.\//, "")
    return event.type === "match"
      ? { _tag: "Match", path, line: event.data.line_number }
      : { _tag: "File", path, lines: event.data.stats.matched_lines }
  })

const maxLineChars = 500

const shorten = (line: string): string => (line.length <= maxLineChars ? line : `${headOf(line, maxLineChars)}…`)

export interface Around {
  readonly before: number
  readonly after: number
}

/** Rows of one file, `path:12:text` for matches and `path-11-text` around them; `--` between what is not adjacent. */
export const rows = (
  path: string,
  lines: ReadonlyArray<string>,
  hits: ReadonlyArray<number>,
  { before, after }: Around
): ReadonlyArray<string> => {
  const matching = new Set(hits)
  const shown = new Set<number>()
  for (const hit of hits) {
    for (let line = Math.max(1, hit - before); line <= Math.min(lines.length, hit + after); line++) shown.add(line)
  }
  let last = 0
  return [...shown]
    .sort((a, b) => a - b)
    .flatMap((line) => {
      const gap = last > 0 && line > last + 1 && before + after > 0
      last = line
      const mark = matching.has(line) ? ":" : "-"
      return [...(gap ? ["--"] : []), `${path}${mark}${line}${mark}${shorten(lines[line - 1] ?? "")}`]
    })
}
