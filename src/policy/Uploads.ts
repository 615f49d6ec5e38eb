// How files that are kept for a session are named: by their content, so that a name can be checked. Pure. @see zeroclaw section 5.3
import { createHash } from "node:crypto"
import * as path from "node:path"

/** 10 MiB. */
export const maxUploadBytes = 10 * 1024 * 1024

const folder = "uploads"

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** With its dot, in lower case; empty where there is none that is plain. */
export const extension = (name: string): string => {
  const found = /\.([A-Za-z0-9]{1,16})$/.exec(name)?.[1]
  return found === undefined ? "" : `.${found.toLowerCase()}`
}

/** `<sha256>[.<ext>]`; `name` is what the file is called. */
export const contentName = (bytes: Uint8Array, name: string): string => `${sha256(bytes)}${extension(name)}`

/** Relative to the session's folder. */
export const uploadPath = (contentName: string): string => `${folder}/${contentName}`

/** Whether an absolute path is one of these: its content never changes, so no editor has another. */
export const isUpload = (cwd: string, file: string): boolean =>
  path.dirname(file) === path.join(cwd, folder) && /^[0-9a-f]{64}(\.[a-z0-9]{1,16})?$/.test(path.basename(file))
