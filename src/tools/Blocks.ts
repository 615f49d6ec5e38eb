// Content of a tool call's card, and how paths are shown on it.
import { isAbsolute, relative, sep } from "node:path"
import { text } from "../contract/Content.ts"
import type { ToolCallContent } from "../contract/ToolCall.ts"
import type { PathError, SessionPolicy } from "../policy/PolicyService.ts"
import { ToolError } from "./Tool.ts"
import { fence } from "./Visible.ts"

/** Text in a code block. */
export const codeBlock = (value: string): ToolCallContent => ({ type: "content", content: text(fence(value)) })

/** A path relative to the cwd where it lies inside, else absolute; always with `/`. */
export const shortPath = (policy: SessionPolicy, path: string): string => {
  const absolute = policy.absolute(path)
  const inside = relative(policy.cwd, absolute)
  if (inside === "") return "."
  const outside = inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)
  const shown = outside ? absolute : inside
  return sep === "/" ? shown : shown.replaceAll(sep, "/")
}

/** What policy said about a path is what the model is told. */
export const fromPathError = ({ message }: PathError): ToolError => new ToolError({ message })
