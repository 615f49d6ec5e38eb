// Whether a prompt is a slash command, and which. Pure. @see acp-v1 section 1.5 (available_commands_update)
import { Option } from "effect"
import type { ContentBlock } from "../contract/Content.ts"
import type { Invocation } from "./Command.ts"

/** White space before the slash, or a second slash in the word, makes it ordinary text. */
const form = /^\/([a-z][a-z0-9_-]*)(?=\s|$)/i

const argument = (block: ContentBlock): string => {
  switch (block.type) {
    case "text":
      return block.text
    case "resource_link":
      return block.uri
    case "resource":
      return block.resource.uri
    case "image":
    case "audio":
      return ""
  }
}

/** The name is in lower case; the arguments are the rest, blocks divided by a blank line. */
export const parse = (blocks: ReadonlyArray<ContentBlock>): Option.Option<Invocation> => {
  const [first, ...others] = blocks
  if (first?.type !== "text") return Option.none()
  const match = form.exec(first.text)
  const name = match?.[1]
  if (match === null || name === undefined) return Option.none()
  const args = [first.text.slice(match[0].length), ...others.map(argument)]
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n")
  return Option.some({ name: name.toLowerCase(), args })
}
