// deliver_file: gives the person a file as an attachment. @see zeroclaw section 5.5
import { basename } from "node:path"
import { Effect, Schema } from "effect"
import { lookup } from "mrmime"
import { text } from "../contract/Content.ts"
import type { PathError, SessionPolicy } from "../policy/PolicyService.ts"
import { contentName, maxUploadBytes, sha256, uploadPath } from "../policy/Uploads.ts"
import { fromPathError, shortPath } from "./Blocks.ts"
import { define, field, optionalField } from "./Input.ts"
import { type Tool, type ToolContext, ToolError, type ToolOutcome } from "./Tool.ts"
import { bare, cut, maxTitle, title, visible } from "./Visible.ts"

const Input = Schema.Struct({
  path: field(Schema.String.pipe(Schema.minLength(1)), "File, relative to the working directory or absolute."),
  mimeType: optionalField(Schema.String, "Its MIME type; told from the name when left out."),
  title: optionalField(Schema.String, "What the person sees as its title; its name when left out.")
})
type Input = typeof Input.Type

const refusedSpelling = (path: string): string | undefined => {
  if (path.includes("\0")) return "it holds a NUL character"
  return path.split(/[\\/]/).includes("..") ? "it holds a .. component; write the path without it" : undefined
}

const mimePattern = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:; ?[\w-]{1,40}=[\w.-]{1,60})*$/

const mimeOf = (given: string | undefined, name: string): string => {
  const wanted = given?.trim() ?? ""
  return mimePattern.test(wanted) ? wanted : (lookup(name) ?? "application/octet-stream")
}

const titleOf = (given: string | undefined, name: string): string => {
  const wanted = bare(given ?? "").trim()
  return cut(wanted === "" ? name : wanted, maxTitle)
}

const size = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} bytes`
    : bytes < 1024 * 1024
      ? `${(bytes / 1024).toFixed(1)} KiB`
      : `${(bytes / (1024 * 1024)).toFixed(1)} MiB`

const notAttached = (why: string) =>
  new ToolError({ message: `The file was not delivered: ${why}. Call deliver_file again.` })

/** What is attached is what was found: the copy is read again, at its own place and no longer than it was. */
const reread = (
  policy: SessionPolicy,
  place: string,
  expected: { readonly digest: string; readonly length: number }
): Effect.Effect<Uint8Array, ToolError> =>
  Effect.matchEffect(policy.readFile(place, expected.length), {
    onFailure: ({ message }) => notAttached(`its copy could not be read again (${message})`),
    onSuccess: ({ bytes, path }) =>
      path === place && sha256(bytes) === expected.digest
        ? Effect.succeed(bytes)
        : notAttached("its copy was changed meanwhile")
  })

const keep = (policy: SessionPolicy, name: string, bytes: Uint8Array): Effect.Effect<string, ToolError> =>
  Effect.mapBoth(policy.writeFile(uploadPath(name), bytes), {
    onFailure: ({ message }: PathError) =>
      new ToolError({ message: `The file was not delivered: its copy could not be kept (${message})` }),
    onSuccess: ({ path }) => path
  })

const run =
  (input: Input) =>
  ({ policy }: ToolContext): Effect.Effect<ToolOutcome, ToolError> =>
    Effect.gen(function* () {
      const found = yield* Effect.mapError(policy.readFile(input.path, maxUploadBytes), fromPathError)
      const name = bare(basename(found.path))
      const stored = contentName(found.bytes, name)
      const place = yield* keep(policy, stored, found.bytes)
      const bytes = yield* reread(policy, place, { digest: sha256(found.bytes), length: found.bytes.length })
      const uri = `attachment://deliver/${stored}`
      const message = `Delivered ${name} (${size(bytes.length)}).\nuri=${uri}`
      return {
        text: message,
        title: titleOf(input.title, name),
        content: [
          { type: "content", content: text(message) },
          {
            type: "content",
            content: {
              type: "resource",
              resource: {
                uri,
                mimeType: mimeOf(input.mimeType, name),
                blob: Buffer.from(bytes).toString("base64")
              }
            }
          }
        ],
        locations: [{ path: found.path }]
      }
    })

export const deliverFile: Tool = define({
  name: "deliver_file",
  description:
    "Gives the person a file of at most 10 MiB as an attachment they can open or save, such as a report you made. Write the file first. To look at a file yourself use file_read.",
  input: Input,
  prepare: (input, policy) => {
    const refused = refusedSpelling(input.path)
    if (refused !== undefined) {
      return new ToolError({ message: `Invalid path ${visible(input.path)}: ${refused}.` })
    }
    return Effect.succeed({
      action: { _tag: "Read", tool: "deliver_file", path: input.path },
      face: {
        title: title("Deliver ", shortPath(policy, input.path), ""),
        kind: "other",
        locations: [{ path: policy.absolute(input.path) }],
        content: []
      },
      run: run(input)
    })
  }
})
