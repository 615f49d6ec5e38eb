// Quotes in a person's words, and where one step of a request ends and the next begins. Pure and total.

/** Source of a regular expression for one quoted text. */
export const quoted = String.raw`"[^"]*"|'[^']*'|“[^”]*”|\x60[^\x60]*\x60`

/** What is inside quotes, backticks or a fenced block; other text is only trimmed. */
export const unquote = (text: string | undefined): string => {
  const trimmed = (text ?? "").trim()
  const fence = /^```[^\n`]*\n([\s\S]*?)```$/.exec(trimmed) ?? /^```([\s\S]*?)```$/.exec(trimmed)
  if (fence) return fence[1] ?? ""
  const inner = /^(?:"([^"]*)"|'([^']*)'|“([^”]*)”|`([^`]*)`)$/.exec(trimmed)
  return inner ? (inner[1] ?? inner[2] ?? inner[3] ?? inner[4] ?? "") : trimmed
}

/** An apostrophe inside a word opens no quote. */
const span = /```[\s\S]*?```|`[^`]*`|"[^"]*"|“[^”]*”|(?<![\w'])'[^']*'(?!\w)/g
const veil = "\uE000"

/** The text with all that is quoted covered, at its old length: a joint inside quotes joins nothing. */
const masked = (text: string): string => text.replace(span, (found) => veil.repeat(found.length))

/** Whether a part of it is quoted. */
export const hasQuote = (text: string): boolean => masked(text).includes(veil)

const splitAt = (text: string, joint: RegExp): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  let from = 0
  for (const found of masked(text).matchAll(joint)) {
    pieces.push(text.slice(from, found.index))
    from = found.index + found[0].length
  }
  return [...pieces, text.slice(from)]
}

/** Without its number or bullet, the word that joins it, and the full stop behind it. */
const clean = (steps: ReadonlyArray<string>): ReadonlyArray<string> =>
  steps
    .map((step) =>
      step
        .trim()
        .replace(/^(?:\d+[.)]|[-*])\s+/, "")
        .replace(/^(?:(?:and|then|first|next|finally|lastly|afterwards),?\s+)+/i, "")
        .replace(/(?<=[\w"'`)])[.!,]$/, "")
        .trim()
    )
    .filter((step) => step !== "")

const verbs =
  "list|ls|tree|read|show|open|cat|find|search|grep|count|how many|run|execute|replace|create|write|append|add|summari[sz]e|explain|outline|git|echo|say|todos|test"
/** A semicolon before "then" is the shell's. */
const thenJoint = /(?<!;),?\s+(?:and )?(?:then|afterwards),?\s+/gi
const softJoint = new RegExp(
  `${thenJoint.source}|,\\s+(?:and )?(?=(?:${verbs})\\b)|\\s+and\\s+(?=(?:${verbs})\\b)`,
  "gi"
)

/** A command line follows: semicolons and "and" are its own. */
const isShell = (text: string): boolean =>
  /^\s*(?:\d+[.)]\s+|[-*]\s+)?(?:please\s+)?(?:run|execute)\b(?!\s+(?:the |all |all the )?tests?\b)/i.test(text)

const linesOf = (text: string): ReadonlyArray<string> =>
  clean(
    splitAt(text, /\n+/g).flatMap((line) => (/^\s*1[.)]\s/.test(line) ? splitAt(line, /\s+(?=\d+[.)]\s)/g) : [line]))
  )

const soft = (text: string): ReadonlyArray<string> => clean(splitAt(text, isShell(text) ? thenJoint : softJoint))

export interface Split {
  readonly steps: ReadonlyArray<string>
  /** A number or "then" shows that steps are meant, also where one of them is not understood. */
  readonly marked: boolean
}

/**
 * Steps by lines and numbers, then semicolons, then "then", commas and "and" before a verb. With `plan` a semicolon
 * always ends a step. Softer joints split a piece of several only where `understood` knows all its parts.
 */
export const split = (text: string, plan: boolean, understood: (step: string) => boolean): Split => {
  const rows = linesOf(text)
  // A command of several lines is one, unless each of them is a request.
  const isOne = isShell(text) && !/^\s*(?:\d|[-*]\s)/.test(text) && !rows.every((row) => understood(row))
  const byLine = isOne ? [text] : rows
  const hard = byLine.flatMap((line) =>
    isShell(line) && !(plan && byLine.length === 1) ? [line] : clean(splitAt(line, /;/g))
  )
  const only = hard.length === 1 ? hard[0] : undefined
  const steps =
    only === undefined
      ? hard.flatMap((step) => {
          const parts = soft(step)
          return parts.every((part) => understood(part)) ? parts : [step]
        })
      : soft(only)
  return { steps, marked: /^\s*1[.)]\s/.test(text) || (only !== undefined && masked(only).search(thenJoint) !== -1) }
}
