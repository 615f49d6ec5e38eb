// file_edit: replaces a text in a file.
import { Effect, Either, Schema } from "effect"
import { shortPath } from "./Blocks.ts"
import { prepareChange, readCurrent } from "./Change.ts"
import { define, field, optionalField } from "./Input.ts"
import { replace } from "./Replace.ts"
import { type Tool, ToolError } from "./Tool.ts"
import { visible } from "./Visible.ts"

const Input = Schema.Struct({
  path: field(Schema.String.pipe(Schema.minLength(1)), "File, relative to the working directory or absolute."),
  old_string: field(Schema.String, "The exact text to replace, with its white space; must occur exactly once."),
  new_string: field(Schema.String, "The text to put in its place."),
  replace_all: optionalField(Schema.Boolean, "Replace every occurrence.")
})

export const fileEdit: Tool = define({
  name: "file_edit",
  description: "Replaces a text in a UTF-8 text file. Read the file first: the text must match exactly and only once.",
  input: Input,
  prepare: ({ path, old_string, new_string, replace_all }, policy) =>
    Effect.gen(function* () {
      const before = yield* readCurrent(policy, path)
      const text = yield* Either.mapLeft(
        replace(before.text, { from: old_string, to: new_string, all: replace_all ?? false }),
        (why) => new ToolError({ message: `${visible(shortPath(policy, path))} was not edited: ${why}.` })
      )
      return yield* prepareChange(policy, {
        tool: "file_edit",
        verb: { title: "Edit", done: "Edited" },
        path,
        before,
        after: { text, bom: before.bom }
      })
    })
})
