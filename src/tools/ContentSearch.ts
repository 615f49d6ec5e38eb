// content_search: finds text in files.
import { join } from "node:path"
import { Effect, Option, Schema } from "effect"
import type { ToolCallLocation } from "../contract/ToolCall.ts"
import type { SessionPolicy } from "../policy/PolicyService.ts"
import { codeBlock, shortPath } from "./Blocks.ts"
import { cutMiddle } from "./Capture.ts"
import { maxFileBytes } from "./FileRead.ts"
import { define, field, integer, optionalField } from "./Input.ts"
import { type Around, parseReport, rows } from "./Matches.ts"
import { commonArgs, type FindRipgrep, runRipgrep, type SearchEnd } from "./Ripgrep.ts"
import { admission, openTarget, type Target, verified } from "./Target.ts"
import * as TextFile from "./TextFile.ts"
import { type Tool, type ToolContext, ToolError, type ToolOutcome } from "./Tool.ts"
import { title, visible } from "./Visible.ts"

const defaultResults = 200
const maxLocations = 20
const maxChars = 200_000

const Input = Schema.Struct({
  pattern: field(Schema.String.pipe(Schema.minLength(1)), "Regular expression (Rust syntax), or text with literal."),
  path: optionalField(Schema.String, "Directory or file to search; the working directory when left out."),
  include: optionalField(Schema.String, "Glob of the files to search, such as *.ts."),
  case_sensitive: optionalField(Schema.Boolean, "true when left out."),
  literal: optionalField(Schema.Boolean, "Take the pattern as plain text; false when left out."),
  output_mode: optionalField(
    Schema.Literal("content", "files_with_matches", "count"),
    "Matching lines (content, when left out), names of files, or matching lines per file."
  ),
  context_before: optionalField(integer(0, 50), "Lines to show before each match."),
  context_after: optionalField(integer(0, 50), "Lines to show after each match."),
  max_results: optionalField(integer(1, 5000), "Matches or files to show at most; 200 when left out.")
})
type Input = typeof Input.Type

/** Behind `-e` and before `--`, neither pattern nor path is ever read as an option or as each other. */
export const searchArgs = (input: Input, file: string | undefined): ReadonlyArray<string> => [
  "--json",
  ...commonArgs(input.include === undefined ? [] : [input.include]),
  "--max-filesize=10M",
  input.case_sensitive === false ? "--ignore-case" : "--case-sensitive",
  ...(input.literal === true ? ["--fixed-strings"] : []),
  ...(input.output_mode === "files_with_matches" ? ["--max-count=1"] : []),
  "-e",
  input.pattern,
  "--",
  file === undefined ? "./" : `./${file}`
]

interface Found {
  /** Matching lines by file, relative to the target. */
  readonly hits: ReadonlyMap<string, ReadonlyArray<number>>
  readonly files: ReadonlyMap<string, number>
  /** How many there were of what the mode counts. */
  readonly total: number
  readonly end: SearchEnd
}

const collect = (
  binary: string,
  target: Target,
  input: Input,
  limit: number,
  admits: (path: string) => boolean
): Effect.Effect<Found, ToolError> =>
  Effect.gen(function* () {
    const byLine = (input.output_mode ?? "content") === "content"
    const hits = new Map<string, Array<number>>()
    const files = new Map<string, number>()
    let total = 0
    const end = yield* runRipgrep({
      binary,
      cwd: target.spawnPath,
      args: searchArgs(input, target.file),
      separator: 10,
      onRecord: (line) =>
        Option.match(parseReport(line), {
          onNone: () => {},
          onSome: (report) => {
            if (byLine !== (report._tag === "Match") || !admits(report.path)) return
            total++
            if (total > limit) return
            if (report._tag === "File") files.set(report.path, report.lines)
            else hits.set(report.path, [...(hits.get(report.path) ?? []), report.line])
          }
        })
    })
    return { hits, files, total, end }
  })

interface Shown {
  readonly rows: ReadonlyArray<string>
  /** Matches for which there was no room. */
  readonly skipped: number
  readonly locations: ReadonlyArray<ToolCallLocation>
}

/** Reads the lines through policy: what the search process saw may have been something else. */
const showLines = (policy: SessionPolicy, root: string, hits: Found["hits"], around: Around): Effect.Effect<Shown> =>
  Effect.gen(function* () {
    const shown: Array<string> = []
    const locations: Array<ToolCallLocation> = []
    let skipped = 0
    let chars = 0
    for (const [path, numbers] of hits) {
      if (chars > maxChars) {
        skipped += numbers.length
        continue
      }
      const absolute = join(root, path)
      const file = yield* Effect.option(policy.readFile(absolute, maxFileBytes))
      if (Option.isNone(file)) continue
      const lines = TextFile.lines(new TextDecoder("utf-8").decode(file.value.bytes))
      const real = numbers.filter((line) => line <= lines.length)
      const some = rows(visible(shortPath(policy, absolute)), lines, real, around)
      if (shown.length > 0 && some.length > 0 && around.before + around.after > 0) shown.push("--")
      shown.push(...some)
      chars += some.reduce((sum, row) => sum + row.length, 0)
      locations.push(...real.slice(0, maxLocations).map((line) => ({ path: absolute, line })))
    }
    return { rows: shown, skipped, locations: locations.slice(0, maxLocations) }
  })

const showFiles = (
  policy: SessionPolicy,
  root: string,
  files: Found["files"],
  withCounts: boolean
): Effect.Effect<Shown> =>
  Effect.map(verified(policy, root, [...files.keys()]), (real) => ({
    rows: real.map((path) => {
      const name = visible(shortPath(policy, join(root, path)))
      return withCounts ? `${name}:${files.get(path) ?? 0}` : name
    }),
    skipped: 0,
    locations: real.slice(0, maxLocations).map((path) => ({ path: join(root, path) }))
  }))

/** The one line of ripgrep's message that says what is wrong. */
export const errorLine = (stderr: string): string => {
  const lines = stderr.split("\n").map((line) => line.trim())
  const cause = lines.find((line) => line.startsWith("error: ")) ?? lines.find((line) => line !== "")
  return (cause ?? "the search failed").replace(/^(?:error|rg): /, "").replace(/[.:]$/, "")
}

const notes = (left: number, found: Found, unit: string): ReadonlyArray<string> => {
  const { stopped } = found.end
  return [
    ...(left > 0 ? [`(${left} more ${unit} left out; narrow the search or raise max_results)`] : []),
    ...(stopped === undefined ? [] : [`(stopped early: ${stopped}; narrow the search)`])
  ]
}

const run =
  (input: Input, find: FindRipgrep) =>
  ({ policy }: ToolContext): Effect.Effect<ToolOutcome, ToolError> =>
    Effect.scoped(
      Effect.gen(function* () {
        const target = yield* openTarget(policy, input.path ?? ".")
        const binary = yield* find
        if (binary === undefined) {
          return yield* new ToolError({
            message:
              "content_search needs ripgrep, which is not installed for this platform. Search with shell instead."
          })
        }
        const limit = input.max_results ?? defaultResults
        const found = yield* collect(binary, target, input, limit, admission(policy, "content_search", target.root))
        if (found.end.code === 2 && found.total === 0 && found.end.stderr.trim() !== "") {
          const why = errorLine(found.end.stderr)
          return yield* new ToolError({
            message: `content_search: ${why}. Correct the pattern, or set literal to search for plain text.`
          })
        }
        const mode = input.output_mode ?? "content"
        const around = { before: input.context_before ?? 0, after: input.context_after ?? 0 }
        const shown = yield* mode === "content"
          ? showLines(policy, target.root, found.hits, around)
          : showFiles(policy, target.root, found.files, mode === "count")
        const left = Math.max(0, found.total - limit) + shown.skipped
        const body = shown.rows.length === 0 ? ["No matches."] : shown.rows
        const all = [...body, ...notes(left, found, mode === "content" ? "matches" : "files")].join("\n")
        const { text } = cutMiddle(all, maxChars)
        return { text, content: [codeBlock(text)], locations: shown.locations }
      })
    )

export const makeContentSearch = (find: FindRipgrep): Tool =>
  define({
    name: "content_search",
    description:
      "Searches the text of files with a regular expression. Files that .gitignore names, binary files and files over 10 MiB are left out.",
    input: Input,
    prepare: (input, policy) => {
      const path = input.path ?? "."
      return Effect.succeed({
        action: { _tag: "Search", tool: "content_search", path },
        face: {
          title: title('Search "', input.pattern, `" in ${shortPath(policy, path)}`),
          kind: "search",
          locations: [],
          content: []
        },
        run: run(input, find)
      })
    }
  })
