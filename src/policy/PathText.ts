// The spelling of a path, as a model or client wrote it, to an absolute one. Pure: opens nothing.
import * as path from "node:path"
import { Either } from "effect"

/** Bytes in UTF-8; the kernel's own limit. */
export const maxPathBytes = 4096

export interface Spelled {
  /** Absolute and normal. */
  readonly absolute: string
  /** Written with a trailing slash or dot: can only mean a folder. */
  readonly folder: boolean
}

export interface Bases {
  /** What relative paths start from. */
  readonly cwd: string
  /** What `~/` stands for. */
  readonly home: string | undefined
}

// Control, line-separating, bidirectional, zero-width and tag characters, and halves of surrogate pairs: what a person
// who is asked about the path can't see.
export const unseen =
  /[\p{Cc}\u00AD\u061C\u115F\u1160\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\u{E0000}-\u{E007F}]|\p{Surrogate}/u
const everyUnseen = new RegExp(unseen.source, "gu")

export const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

/** Unseen characters written out as `<U+202E>`. */
export const visible = (text: string): string => text.replace(everyUnseen, (character) => `<${codePoint(character)}>`)

const shown = (text: string): string => {
  const seen = visible(text)
  return seen.length > 200 ? `${seen.slice(0, 200)}…` : seen
}

const refuse = (text: string, why: string) => Either.left(`Invalid path "${shown(text)}": ${why}`)

const readable = (text: string, whole: string): Either.Either<string, string> => {
  if (text.trim() === "") return refuse(whole, "it is empty. Name a file or folder.")
  if (Buffer.byteLength(text) > maxPathBytes) {
    return refuse(whole, `it is longer than ${maxPathBytes} bytes. Use a shorter path.`)
  }
  const found = unseen.exec(text)
  return found === null
    ? Either.right(text)
    : refuse(whole, `it holds the invisible character ${codePoint(found[0])}. Write the path without it.`)
}

const fileUri = /^file:\/\/([^/?#]*)(\/[^?#]*)$/i

/** Decoded exactly once; a plain path is never decoded. */
const decodeUri = (text: string): Either.Either<string, string> => {
  const [, host, encoded] = fileUri.exec(text) ?? []
  if (host === undefined || encoded === undefined) {
    return refuse(text, "a file URI must be file:///absolute/path with ? and # percent-encoded. Use a plain path.")
  }
  if (host !== "" && host.toLowerCase() !== "localhost") {
    return refuse(text, `it names the host ${shown(host)}; only files of this machine can be opened. Use a plain path.`)
  }
  if (/%2f/i.test(encoded)) return refuse(text, "it holds an encoded slash. Use a plain path.")
  return Either.mapLeft(
    Either.try(() => decodeURIComponent(encoded)),
    () => `Invalid path "${shown(text)}": its percent-encoding is broken. Use a plain path.`
  )
}

const expandHome = (text: string, home: string | undefined): Either.Either<string, string> => {
  if (!text.startsWith("~")) return Either.right(text)
  if (text !== "~" && !text.startsWith("~/")) {
    return refuse(text, "home folders of named users are not looked up. Write the full path, or ./~name for a file.")
  }
  return home === undefined
    ? refuse(text, "there is no home folder. Write the full path.")
    : Either.right(home + text.slice(1))
}

/** `..` is resolved in the text, before anything is opened: what is shown is what is opened. */
export const parse = (text: string, { cwd, home }: Bases): Either.Either<Spelled, string> =>
  Either.gen(function* () {
    const plain = yield* readable(text, text)
    const local = /^file:/i.test(plain)
      ? yield* Either.flatMap(decodeUri(plain), (decoded) => readable(decoded, plain))
      : yield* expandHome(plain, home)
    return { absolute: path.resolve(cwd, local), folder: /(^|\/)\.{0,2}$/.test(local) }
  })

/** For display: never fails, unseen characters written out. */
export const absolute = (text: string, bases: Bases): string =>
  Either.match(parse(text, bases), {
    onLeft: () => path.resolve(bases.cwd, shown(text)),
    onRight: ({ absolute }) => absolute
  })
