// file_read: numbered lines of a text file.
import { Effect, Either, Schema } from "effect"
import type { PathError, SessionPolicy } from "../policy/PolicyService.ts"
import { codeBlock, fromPathError, shortPath } from "./Blocks.ts"
import { define, field, integer, optionalField } from "./Input.ts"
import { numbered } from "./Numbered.ts"
import * as TextFile from "./TextFile.ts"
import { type Tool, type ToolContext, ToolError, type ToolOutcome } from "./Tool.ts"
import { title, visible } from "./Visible.ts"

export const maxFileBytes = 10 * 1024 * 1024
const defaultLimit = 2000

const Input = Schema.Struct({
  path: field(Schema.String.pipe(Schema.minLength(1)), "File, relative to the working directory or absolute."),
  offset: optionalField(integer(1, Number.MAX_SAFE_INTEGER), "First line to read, counted from 1."),
  limit: optionalField(integer(1, Number.MAX_SAFE_INTEGER), "Lines to read at most; 2000 when left out.")
})
type Input = typeof Input.Type

const range = ({ offset, limit }: Input): string => {
  if (offset === undefined && limit === undefined) return ""
  const first = offset ?? 1
  return limit === undefined ? `:${first}-` : `:${first}-${Math.min(first + limit - 1, Number.MAX_SAFE_INTEGER)}`
}

/** A directory gets a hint of the tool that can list it. */
const explain = (policy: SessionPolicy, path: string, error: PathError): Effect.Effect<never, ToolError> => {
  const plain = fromPathError(error)
  if (error.reason !== "not_a_file") return plain
  return Effect.matchEffect(policy.listDirectory(path), {
    onFailure: () => plain,
    onSuccess: () =>
      new ToolError({
        message: `${visible(shortPath(policy, path))} is a directory, not a file. Use glob_search with this path and the pattern * to see what is in it.`
      })
  })
}

const run =
  (input: Input) =>
  ({ policy }: ToolContext): Effect.Effect<ToolOutcome, ToolError> =>
    Effect.gen(function* () {
      const shown = visible(shortPath(policy, input.path))
      const { bytes } = yield* Effect.catchAll(policy.readFile(input.path, maxFileBytes), (error) =>
        explain(policy, input.path, error)
      )
      const { text } = yield* Either.mapLeft(
        TextFile.decode(bytes),
        (why) => new ToolError({ message: `${shown} cannot be shown: ${why}.` })
      )
      const all = TextFile.lines(text)
      const offset = input.offset ?? 1
      if (offset > Math.max(all.length, 1)) {
        return yield* new ToolError({
          message: `${shown} has ${all.length} lines; offset ${offset} is behind its end. Use a smaller offset.`
        })
      }
      const result = numbered(all, { offset, limit: input.limit ?? defaultLimit })
      return {
        text: result,
        content: [codeBlock(result)],
        locations: [{ path: policy.absolute(input.path), line: offset }]
      }
    })

export const fileRead: Tool = define({
  name: "file_read",
  description:
    "Reads a UTF-8 text file of at most 10 MiB. Lines come numbered; use offset and limit for a part of a long file.",
  input: Input,
  prepare: (input, policy) =>
    Effect.succeed({
      action: { _tag: "Read", tool: "file_read", path: input.path },
      face: {
        title: title("Read ", shortPath(policy, input.path), range(input)),
        kind: "read",
        locations: [{ path: policy.absolute(input.path), line: input.offset ?? 1 }],
        content: []
      },
      run: run(input)
    })
})
