// What stands in the file of stored keys, and what may be stored as one. Pure.
import { Either, Redacted, Schema } from "effect"

/** By provider, `<type>.<alias>`. */
export type Keys = ReadonlyMap<string, Redacted.Redacted>

export const noKeys: Keys = new Map()

/** A larger file was not written by this program. */
export const maxFileBytes = 256 * 1024
export const maxKeyLength = 4096
/** So that the largest file that is written can be read again. */
export const maxKeys = 24

const File = Schema.parseJson(
  Schema.Struct({
    version: Schema.Literal(1),
    keys: Schema.Record({ key: Schema.String, value: Schema.NonEmptyString })
  })
)
const read = Schema.decodeUnknownEither(File, { onExcessProperty: "error" })
const write = Schema.encodeSync(File)

/** Left for anything this program would not have written; never says what stands there. */
export const decode = (text: string): Either.Either<Keys, "malformed"> =>
  Either.mapBoth(read(text), {
    onLeft: () => "malformed" as const,
    onRight: ({ keys }) => new Map(Object.entries(keys).map(([name, key]) => [name, Redacted.make(key)]))
  })

export const encode = (keys: Keys): string => {
  const plain = Object.fromEntries([...keys].map(([name, key]) => [name, Redacted.value(key)]))
  return `${write({ version: 1, keys: plain })}\n`
}

/** What a person pasted or piped as a key; Left is the rest of a sentence that begins with "the key". */
export const readKey = (text: string): Either.Either<Redacted.Redacted, string> => {
  const key = text.replace(/^\ufeff/, "").trim()
  if (key === "") return Either.left("is empty")
  if (key.length > maxKeyLength) return Either.left(`is longer than ${maxKeyLength} characters`)
  // It is sent in an HTTP header, which takes nothing else.
  if (!/^[\x21-\x7e]+$/.test(key)) return Either.left("contains blanks, line breaks or characters that no API key has")
  return Either.right(Redacted.make(key))
}
