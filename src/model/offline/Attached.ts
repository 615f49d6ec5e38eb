// Takes attachments and links out of a prompt: what they say is material, never a request. Pure.

export interface Attachment {
  readonly path: string
  /** Absent for a link: the file is read. */
  readonly text?: string
}

export interface Prompt {
  /** What the person wrote themselves. */
  readonly words: string
  readonly attached: ReadonlyArray<Attachment>
}

const opening = "[Attached: "
const linking = "[Linked: "
const closing = "[End of attachment]"

/** The place behind the name: both may hold spaces, and a place mostly ends in the name. */
const linkedPath = (body: string): string => {
  for (let at = body.indexOf(" "); at !== -1; at = body.indexOf(" ", at + 1)) {
    const name = body.slice(0, at)
    const place = body.slice(at + 1)
    if (place === name || place.endsWith(`/${name}`)) return place
  }
  const start = /\s(?:\/|[a-z][\w+.-]*:)/i.exec(body)
  return start === null ? body.slice(body.lastIndexOf(" ") + 1) : body.slice(start.index + 1)
}

/** Reads line by line: only a line feed ends a line here, as in what wrote the prompt. */
export const read = (prompt: string): Prompt => {
  const rows = prompt.split("\n")
  const words: Array<string> = []
  const attached: Array<Attachment> = []
  // Without an end behind it an opening is only text; looked up once, so that many openings cost no more.
  const lastClosing = rows.lastIndexOf(closing)
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? ""
    if (row.startsWith(opening) && row.endsWith("]") && at < lastClosing) {
      const end = rows.indexOf(closing, at + 1)
      attached.push({ path: row.slice(opening.length, -1), text: rows.slice(at + 1, end).join("\n") })
      at = end
    } else if (row.startsWith(linking) && row.endsWith("]")) {
      attached.push({ path: linkedPath(row.slice(linking.length, -1)) })
    } else words.push(row)
  }
  return { words: words.join("\n").trim(), attached }
}
