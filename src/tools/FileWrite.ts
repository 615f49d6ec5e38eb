// file_write: creates a file or replaces all of it.
import { Effect, Schema } from "effect"
import { prepareChange, readExisting } from "./Change.ts"
import { define, field } from "./Input.ts"
import type { Tool } from "./Tool.ts"

const Input = Schema.Struct({
  path: field(Schema.String.pipe(Schema.minLength(1)), "File, relative to the working directory or absolute."),
  content: field(Schema.String, "The whole new content.")
})

export const fileWrite: Tool = define({
  name: "file_write",
  description:
    "Creates a text file with its directories, or replaces the whole content of one. Use file_edit for small changes.",
  input: Input,
  prepare: ({ path, content }, policy) =>
    Effect.gen(function* () {
      const before = yield* readExisting(policy, path)
      return yield* prepareChange(policy, {
        tool: "file_write",
        verb: before === null ? { title: "Create", done: "Created" } : { title: "Write", done: "Wrote" },
        path,
        before,
        after: { text: content, bom: false }
      })
    })
})
