// Blobs in a prompt: checked, named by their content, kept in the session's folder. Pure. @see zeroclaw section 5.3
import { Either } from "effect"
import { contentName, maxUploadBytes, uploadPath } from "../policy/Uploads.ts"

export interface Upload {
  /** Relative to the session's folder. */
  readonly path: string
  readonly name: string
  readonly isImage: boolean
  readonly bytes: Uint8Array
}

const fileName = (uri: string): string => {
  const last =
    uri
      .replace(/^(file|attachment):\/\//, "")
      .split("/")
      .at(-1) ?? ""
  const name = last.replace(/[\p{Cc}\p{Cf}\\/]/gu, "_")
  return name === "" || name === "." || name === ".." ? "upload.bin" : name
}

/** Strict: `Buffer.from` would read past characters that are not base64. */
const decode = (text: string): Uint8Array | undefined => {
  const trimmed = text.trim()
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(trimmed)) return undefined
  const bytes = Buffer.from(trimmed, "base64")
  return bytes.toString("base64") === trimmed ? bytes : undefined
}

export const make = (resource: {
  readonly uri: string
  readonly blob: string
  readonly mimeType?: string
}): Either.Either<Upload, string> => {
  // 4 characters of base64 are 3 bytes: too large is known before anything is decoded.
  if (resource.blob.length > Math.ceil(maxUploadBytes / 3) * 4 + 1024) return Either.left(tooLarge)
  const bytes = decode(resource.blob)
  if (bytes === undefined) return Either.left("resource.blob is not valid base64")
  if (bytes.length > maxUploadBytes) return Either.left(tooLarge)
  const name = fileName(resource.uri)
  return Either.right({
    path: uploadPath(contentName(bytes, name)),
    name,
    isImage: resource.mimeType?.startsWith("image/") ?? /\.(png|jpe?g|gif|webp)$/i.test(name),
    bytes
  })
}

const tooLarge = `resource.blob is larger than the limit of ${maxUploadBytes} bytes`

/** What the model reads in place of the blob. */
export const marker = ({ isImage, name, path }: Upload, folder: string): string =>
  isImage ? `[IMAGE:${folder}/${path}]` : `[Document: ${name}] ${folder}/${path}`
