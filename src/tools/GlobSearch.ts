// glob_search: finds files by their names.
import { dirname, join } from "node:path"
import { Effect, Schema } from "effect"
import { codeBlock, shortPath } from "./Blocks.ts"
import { cutMiddle } from "./Capture.ts"
import { compileGlob, isBroad } from "./Glob.ts"
import { define, field, optionalField } from "./Input.ts"
import { asGlob, commonArgs, type FindRipgrep, runRipgrep } from "./Ripgrep.ts"
import { admission, openTarget, type Target, verified } from "./Target.ts"
import { type Tool, type ToolContext, ToolError, type ToolOutcome } from "./Tool.ts"
import { title, visible } from "./Visible.ts"
import { walk } from "./Walk.ts"

const maxShown = 1000
const maxChars = 200_000

const Input = Schema.Struct({
  pattern: field(
    Schema.String.pipe(Schema.minLength(1)),
    "Glob such as **/*.ts; without a slash it fits at any depth."
  ),
  path: optionalField(Schema.String, "Directory to search in; the working directory when left out.")
})
type Input = typeof Input.Type

interface Found {
  /** Relative to the target, in order; 1000 at most. */
  readonly paths: ReadonlyArray<string>
  readonly more: number
  readonly stopped?: string
}

/** A pattern that fits directories would bring ignored ones back if ripgrep were given it: those are matched here. */
const withRipgrep = (
  binary: string,
  { spawnPath }: Target,
  pattern: string,
  admits: (folder: string) => boolean
): Effect.Effect<Found, ToolError> =>
  Effect.gen(function* () {
    const paths: Array<string> = []
    let more = 0
    const broad = isBroad(pattern)
    const fits = broad ? compileGlob(pattern) : () => true
    const end = yield* runRipgrep({
      binary,
      cwd: spawnPath,
      args: ["--files", "--null", ...commonArgs(broad ? [] : [asGlob(pattern)]), "--", "./"],
      separator: 0,
      onRecord: (record) => {
        const path = record.replace(/^\.\//, "")
        if (!fits(path) || !admits(dirname(path))) return
        if (paths.length < maxShown) paths.push(path)
        else more++
      }
    })
    if (end.code === 2 && paths.length === 0 && end.stderr !== "") {
      const why = end.stderr.split("\n").find((line) => line.trim() !== "") ?? "the search failed"
      return yield* new ToolError({ message: `glob_search: ${why.replace(/^rg: /, "")}. Correct the pattern.` })
    }
    return { paths, more, ...(end.stopped === undefined ? {} : { stopped: end.stopped }) }
  })

const withWalk = ({ policy }: ToolContext, { root }: Target, pattern: string): Effect.Effect<Found> =>
  Effect.map(walk(policy, root), ({ files, complete }) => {
    const all = files.filter(compileGlob(pattern)).sort()
    return {
      paths: all.slice(0, maxShown),
      more: Math.max(0, all.length - maxShown),
      ...(complete ? {} : { stopped: "there are too many files" })
    }
  })

/** An absolute pattern below the root is meant relative to it. */
const relativePattern = (pattern: string, root: string): string =>
  pattern.startsWith(`${root}/`) ? pattern.slice(root.length + 1) : pattern

const run =
  ({ pattern, path }: Input, find: FindRipgrep) =>
  (context: ToolContext): Effect.Effect<ToolOutcome, ToolError> =>
    Effect.scoped(
      Effect.gen(function* () {
        const target = yield* openTarget(context.policy, path ?? ".")
        if (target.file !== undefined) {
          return yield* new ToolError({
            message: `${visible(path ?? ".")} is a file. Give glob_search a directory to search in.`
          })
        }
        const wanted = relativePattern(pattern, target.root)
        const binary = yield* find
        const found = yield* binary === undefined
          ? withWalk(context, target, wanted)
          : withRipgrep(binary, target, wanted, admission(context.policy, "glob_search", target.root))
        const real = yield* verified(context.policy, target.root, found.paths)
        const rows = real.map((it) => visible(shortPath(context.policy, join(target.root, it)))).sort()
        const notes = [
          ...(found.more > 0 ? [`(${found.more} more files fit; narrow the pattern)`] : []),
          ...(found.stopped === undefined ? [] : [`(stopped early: ${found.stopped}; narrow the pattern or the path)`])
        ]
        const all = [...(rows.length === 0 ? ["No files found."] : rows), ...notes].join("\n")
        const { text } = cutMiddle(all, maxChars)
        return { text, content: [codeBlock(text)] }
      })
    )

export const makeGlobSearch = (find: FindRipgrep): Tool =>
  define({
    name: "glob_search",
    description:
      "Finds files whose path fits a glob pattern. Files that .gitignore names are left out. Shows at most 1000.",
    input: Input,
    prepare: (input, policy) => {
      const path = input.path ?? "."
      const place = shortPath(policy, path)
      return Effect.succeed({
        action: { _tag: "Search", tool: "glob_search", path },
        face: {
          title: title("Find ", input.pattern, place === "." ? "" : ` in ${place}`),
          kind: "search",
          locations: [],
          content: []
        },
        run: run(input, find)
      })
    }
  })
