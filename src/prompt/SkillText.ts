// What a SKILL.md says of itself. Pure.
import { Either, Predicate } from "effect"
import { LineCounter, parseDocument } from "yaml"
import { headOf, visible } from "../tools/Visible.ts"

export interface Skill {
  readonly name: string
  readonly description: string
  /** Of its SKILL.md. */
  readonly path: string
}

const maxName = 64
const maxDescription = 500

const oneLine = (text: string, max: number): string => headOf(visible(text.replace(/\s+/g, " ").trim()), max)

/** The head between two lines of dashes, and what follows it. */
const split = (text: string): { readonly head: string; readonly body: string } => {
  const found = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  return found === null ? { head: "", body: text } : { head: found[1] ?? "", body: text.slice(found[0].length) }
}

/** Aliases, which can make a small text huge, are not resolved. */
const fields = (head: string): Readonly<Record<string, unknown>> => {
  const read = Either.try((): unknown => {
    const document = parseDocument(head, { prettyErrors: false, lineCounter: new LineCounter() })
    return document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 0 })
  })
  const value = Either.getOrUndefined(read)
  return Predicate.isRecord(value) ? value : {}
}

const field = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

const firstLine = (body: string): string => {
  const line = body.split("\n").find((line) => !/^\s*(#.*)?$/.test(line))
  return line ?? ""
}

/** Named after its folder and described by its first line where it does not say it itself. */
export const make = (text: string, folder: string, path: string): Skill => {
  const { body, head } = split(text)
  const { description, name } = fields(head)
  return {
    name: oneLine(field(name) ?? folder, maxName),
    description: oneLine(field(description) ?? firstLine(body), maxDescription),
    path
  }
}
