// Prompt blocks to what the model reads. Pure. @see acp-v1 section 1.5, zeroclaw section 5.3
import { Either, Schema } from "effect"
import type { ContentBlock } from "../contract/Content.ts"
import * as Upload from "./Upload.ts"

export class PromptError extends Schema.TaggedError<PromptError>()("PromptError", {
  /** Names the block and the fix. */
  message: Schema.String
}) {}

/** Text of one prompt, all blocks together, in UTF-16 units: more fits no model's context. */
export const maxPromptChars = 2 * 1024 * 1024

export interface Prompt {
  readonly text: string
  /** To be written before the model reads `text`, which names them. */
  readonly uploads: ReadonlyArray<Upload.Upload>
}

/** `file://` becomes a path; every other URI stays as it is. */
export const location = (uri: string): string => {
  if (!uri.startsWith("file://")) return uri
  try {
    const url = new URL(uri)
    return url.hostname === "" || url.hostname === "localhost" ? decodeURIComponent(url.pathname) : uri
  } catch {
    return uri
  }
}

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, " ")

/** An attachment cannot end itself and go on as the person's own words. */
const contained = (text: string): string => text.replace(/^(?=\[End of attachment\])/gm, " ")

const refuse = (at: number, message: string) => Either.left(new PromptError({ message: `prompt.${at}: ${message}` }))

interface Piece {
  readonly text: string
  readonly upload?: Upload.Upload
}

const piece = (block: ContentBlock, at: number, folder: string): Either.Either<Piece, PromptError> => {
  switch (block.type) {
    case "text":
      return Either.right({ text: block.text })
    case "resource_link":
      return Either.right({ text: `[Linked: ${oneLine(block.name)} ${oneLine(location(block.uri))}]` })
    case "resource": {
      const { resource } = block
      if ("text" in resource) {
        return Either.right({
          text: `[Attached: ${oneLine(location(resource.uri))}]\n${contained(resource.text)}\n[End of attachment]`
        })
      }
      return Either.match(Upload.make(resource), {
        onLeft: (message) => refuse(at, message),
        onRight: (upload) => Either.right({ text: Upload.marker(upload, folder), upload })
      })
    }
    case "image":
    case "audio":
      return refuse(at, `${block.type} blocks are not supported (promptCapabilities.${block.type} is false)`)
  }
}

/** `folder` is the session's: uploads are kept below it. */
export const make = (blocks: ReadonlyArray<ContentBlock>, folder: string): Either.Either<Prompt, PromptError> =>
  Either.gen(function* () {
    const pieces = yield* Either.all(blocks.map((block, at) => piece(block, at, folder)))
    const text = pieces
      .map(({ text }) => text)
      .filter((text) => text !== "")
      .join("\n\n")
    if (text.trim() === "") return yield* Either.left(new PromptError({ message: "prompt: is empty; send some text" }))
    if (text.length > maxPromptChars) {
      return yield* Either.left(
        new PromptError({
          message: `prompt: ${text.length} characters of text are more than the limit of ${maxPromptChars}; send a resource_link instead`
        })
      )
    }
    return { text, uploads: pieces.flatMap(({ upload }) => (upload === undefined ? [] : [upload])) }
  })
