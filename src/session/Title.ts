// The title of a session: what a person gave it, or the beginning of the first prompt. Pure.
import { Option } from "effect"
import type { ContentBlock } from "../contract/Content.ts"

/** Characters of a title, in code points. */
export const maxTitle = 120
const maxAutomatic = 60

const cut = (text: string, length: number): string => {
  const points = [...text]
  return points.length <= length
    ? text
    : `${points
        .slice(0, length - 1)
        .join("")
        .trimEnd()}…`
}

/** Not the two joiners, which emoji and some scripts are written with. */
const blank = /(?:[\p{Cc}\p{Zl}\p{Zp}\s]|(?![\u200c\u200d])\p{Cf})+/gu
const seen = /[^\s\p{Default_Ignorable_Code_Point}]/u

/** One line without control characters; none when nothing is left that can be seen. */
export const normalize = (text: string, length = maxTitle): Option.Option<string> => {
  const line = text.toWellFormed().replace(blank, " ").trim()
  return seen.test(line) ? Option.some(cut(line, length)) : Option.none()
}

/** The first line that says something, of the first text in the prompt. */
export const ofPrompt = (blocks: ReadonlyArray<ContentBlock>): Option.Option<string> => {
  for (const block of blocks) {
    if (block.type !== "text") continue
    for (const line of block.text.split("\n", 200)) {
      const title = normalize(line.slice(0, 2000).replace(/^[#>*\-\s]+/, ""), maxAutomatic)
      if (Option.isSome(title)) return title
    }
  }
  return Option.none()
}
