// image_info: what a picture is, without showing it.
import { Effect, Option, Schema } from "effect"
import { codeBlock, fromPathError, shortPath } from "./Blocks.ts"
import { maxFileBytes } from "./FileRead.ts"
import { define, field } from "./Input.ts"
import { type Tool, type ToolContext, ToolError, type ToolOutcome } from "./Tool.ts"
import { title, visible } from "./Visible.ts"

/** Where formats tell their size; as much as a hostile file can make the parser look through. */
const headBytes = 512 * 1024

/** Text formats are searched by patterns that may take the square of the length. */
const textHeadBytes = 4 * 1024

const Input = Schema.Struct({
  path: field(Schema.String.pipe(Schema.minLength(1)), "Picture, relative to the working directory or absolute.")
})

interface Measured {
  readonly width: number
  readonly height: number
  readonly format: string
}

const isTiff = (bytes: Uint8Array): boolean =>
  ["II*\0", "MM\0*"].includes(Buffer.from(bytes.subarray(0, 4)).toString("latin1"))

/** TIFF has its directory anywhere, often at the end. */
const partOf = (bytes: Uint8Array): Uint8Array => {
  if (isTiff(bytes)) return bytes
  return bytes.subarray(0, bytes.subarray(0, 1024).includes(0) ? headBytes : textHeadBytes)
}

const measure = (path: string, bytes: Uint8Array): Effect.Effect<Option.Option<Measured>> =>
  Effect.map(
    Effect.promise(() => import("image-size")),
    ({ imageSize }) =>
      Option.liftThrowable(() => {
        const { height, type, width } = imageSize(partOf(bytes))
        return { width, height, format: type ?? "" }
      })().pipe(
        Option.filter(({ format, height, width }) => format !== "" && width > 0 && height > 0),
        // Nearly anything binary could be a TGA.
        Option.filter(({ format }) => format !== "tga" || /\.tga$/i.test(path))
      )
  )

const run =
  (path: string) =>
  ({ policy }: ToolContext): Effect.Effect<ToolOutcome, ToolError> =>
    Effect.gen(function* () {
      const file = yield* Effect.mapError(policy.readFile(path, maxFileBytes), fromPathError)
      const shown = visible(shortPath(policy, path))
      const found = yield* Effect.flatMap(
        measure(file.path, file.bytes),
        Option.match({
          onNone: () =>
            new ToolError({ message: `${shown} is not a picture of a known format. Use file_read if it is text.` }),
          onSome: (measured) => Effect.succeed(measured)
        })
      )
      const { format, height, width } = found
      const bytes = file.bytes.length
      const text = `${shown}: ${format.toUpperCase()}, ${width} × ${height} pixels, ${bytes} bytes`
      return { text, content: [codeBlock(text)], rawOutput: { path: file.path, format, width, height, bytes } }
    })

export const imageInfo: Tool = define({
  name: "image_info",
  description: "Tells width, height, format and bytes of a picture of at most 10 MiB. It does not show the picture.",
  input: Input,
  prepare: ({ path }, policy) =>
    Effect.succeed({
      action: { _tag: "Read", tool: "image_info", path },
      face: {
        title: title("Measure ", shortPath(policy, path), ""),
        kind: "read",
        locations: [{ path: policy.absolute(path) }],
        content: []
      },
      run: run(path)
    })
})
