// Replaces one text by another in a file's text: exactly once, or everywhere. Pure.
import { Either } from "effect"
import { lineAt } from "./TextFile.ts"

export interface Replacement {
  readonly from: string
  readonly to: string
  readonly all: boolean
}

const offsets = (text: string, wanted: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) found.push(at)
  return found
}

const toCrlf = (text: string) => text.replace(/\r?\n/g, "\r\n")

/** In files with CRLF line ends what the model writes with LF gets CRLF, unless LF is what stands there. */
const aligned = (text: string, { from, to, all }: Replacement): Replacement => {
  if (!text.includes("\r\n")) return { from, to, all }
  const pure = !/(?<!\r)\n/.test(text)
  if (!pure && text.includes(from)) return { from, to, all }
  return { from: toCrlf(from), to: toCrlf(to), all }
}

const maxLinesNamed = 10

/** Left: why not, in one line, to follow the file's name. */
export const replace = (text: string, replacement: Replacement): Either.Either<string, string> => {
  if (replacement.from === "") return Either.left("old_string is empty; name the text to replace")
  if (replacement.from === replacement.to) return Either.left("old_string and new_string are the same; nothing to do")
  const { from, to, all } = aligned(text, replacement)
  const found = offsets(text, from)
  if (found.length === 0) {
    return Either.left("old_string does not occur; read the file and copy the text exactly, with its white space")
  }
  if (found.length > 1 && !all) {
    const named = found.slice(0, maxLinesNamed).map((at) => lineAt(text, at))
    const more = found.length > named.length ? ", …" : ""
    return Either.left(
      `old_string occurs ${found.length} times (lines ${named.join(", ")}${more}); add text around it to make it unique, or set replace_all`
    )
  }
  return Either.right(text.split(from).join(to))
}
