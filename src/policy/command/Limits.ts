// What a line must be before it is parsed at all: short enough, shallow enough, and made of characters a person sees.
import { codePoint, unseen } from "../PathText.ts"

export const maxBytes = 16 * 1024
export const maxBrackets = 200
/** Of ends of lines, and characters that are operators outside of quotes: parsing takes longer with each. */
export const maxOperators = 1500

// Blanks that a shell takes for a letter, and signs without a shape that aren't unseen in paths; emoji may have their selector.
const odd = /(?! )[\p{Zs}\u2800]|(?![\uFE0E\uFE0F])\p{Default_Ignorable_Code_Point}/u

const count = (line: string, characters: RegExp): number => line.match(characters)?.length ?? 0

/** Why the line can't be judged, if so. */
export const refusal = (line: string): string | undefined => {
  if (line.length > maxBytes || Buffer.byteLength(line) > maxBytes) {
    return `It is longer than ${maxBytes / 1024} KiB, more than a person reads.`
  }
  if (count(line, /[([{]/g) > maxBrackets)
    return `It holds more than ${maxBrackets} brackets, more than a person reads.`
  if (count(line, /[|&;<>$`\n]/g) > maxOperators) {
    return `It holds more than ${maxOperators} lines and operators, more than a person reads.`
  }
  const shaped = line.replace(/[\n\t]/g, "")
  const found = unseen.exec(shaped) ?? odd.exec(shaped)
  return found === null ? undefined : `It holds a character that can't be seen (${codePoint(found[0])}).`
}
