// Text that grows: streams of several kinds, each in its own block, and whole lines between them. Pure.

export interface Page {
  /** Which stream the last text belongs to; empty after whole lines. */
  readonly block: string
  readonly atLineStart: boolean
  /** What was added in this step. */
  readonly text: string
}

export const empty: Page = { block: "", atLineStart: true, text: "" }

export const fresh = (page: Page): Page => ({ ...page, text: "" })

const endLine = (page: Page): Page => (page.atLineStart ? page : { ...page, atLineStart: true, text: `${page.text}\n` })

export const lines = (page: Page, added: ReadonlyArray<string>): Page => {
  if (added.length === 0) return page
  const ended = endLine(page)
  return { block: "", atLineStart: true, text: `${ended.text}${added.map((line) => `${line}\n`).join("")}` }
}

/** Continues the block, or starts it on a new line; `decorate` sees each piece of a line and whether it begins one. */
export const flow = (
  page: Page,
  block: string,
  added: string,
  decorate: (piece: string, first: boolean) => string
): Page => {
  if (added === "") return page
  const from = page.block === block ? page : endLine(page)
  let { atLineStart } = from
  let text = from.text
  const pieces = added.split("\n")
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) {
      text += "\n"
      atLineStart = true
    }
    // The end of the text: what comes next may still be on this line.
    if (piece === "" && index === pieces.length - 1) continue
    if (piece === "" && !atLineStart) continue
    text += decorate(piece, atLineStart)
    atLineStart = false
  }
  return { block, atLineStart, text }
}

/** Ends an open line. */
export const close = (page: Page): Page => ({ ...endLine(page), block: "" })
