// Scripts that only look: list, read, find, search, outline, summarise, count. Pure generators.
import * as Extract from "./Extract.ts"
import * as Results from "./Results.ts"
import {
  type Answer,
  type Ask,
  type Attachment,
  bounded,
  type Call,
  cite,
  done,
  failed,
  fence,
  notDone,
  one,
  plural,
  type Result,
  type Script
} from "./Steps.ts"

export function* list(path: string): Script {
  const result = yield* one(
    { name: "glob_search", input: { pattern: "**/*", path } },
    path === "." ? "Listing the files." : `Listing ${path}.`
  )
  if (result.isError) return failed(`could not list ${path}`, result)
  const files = Results.paths(result.text)
  const more = Results.leftOut(result.text)
  if (files.length === 0) return done(`There are no files in ${path === "." ? "this folder" : path}.`)
  const counted = more > 0 ? `More than ${files.length} files` : plural(files.length, "file")
  return done(`${counted} in ${path === "." ? "this folder" : path}:\n\n${fence(bounded(files))}`)
}

export function* read(path: string, from?: number, to?: number): Script {
  const range = from === undefined ? {} : { offset: from, limit: Math.max(1, (to ?? from) - from + 1) }
  const result = yield* one({ name: "file_read", input: { path, ...range } }, `Reading ${path}.`)
  if (result.isError) return failed(`could not read ${path}`, result)
  return done(`\`${path}\`:\n\n${fence(bounded(result.text.split("\n")))}`)
}

export function* find(pattern: string): Script {
  const result = yield* one({ name: "glob_search", input: { pattern } }, `Looking for files that match ${pattern}.`)
  if (result.isError) return failed(`could not look for ${pattern}`, result)
  const files = Results.paths(result.text)
  return done(
    files.length === 0
      ? `No file matches \`${pattern}\`.`
      : `${plural(files.length, "file")} match \`${pattern}\`:\n\n${fence(bounded(files))}`
  )
}

const grep = (text: string, path: string | undefined): Call => ({
  name: "content_search",
  input: { pattern: text, literal: true, ...(path === undefined || path === "." ? {} : { path }) }
})

export function* search(text: string, path?: string): Script {
  const where = path === undefined || path === "." ? "" : ` in ${path}`
  const result = yield* one(grep(text, path), `Searching for "${text}"${where}.`)
  if (result.isError) return failed(`could not search for "${text}"`, result)
  const hits = Results.matches(result.text)
  return done(
    hits.length === 0
      ? `No line${where} holds "${text}".`
      : `${plural(hits.length, "line")}${where} with "${text}":\n\n${bounded(hits.map((hit) => cite(hit.path, hit)))}`
  )
}

interface Source {
  readonly path: string
  readonly lines: ReadonlyArray<Results.Numbered>
}

/** The file, or the first attachment when none is named. */
function* source(
  path: string | undefined,
  attached: ReadonlyArray<Attachment>
): Generator<Ask, Source | Answer, ReadonlyArray<Result>> {
  const attachment = attached[0]
  const wanted = path ?? attachment?.path
  if (wanted === undefined) return notDone("Name a file, or attach one, to say what is meant.")
  if (path === undefined && attachment?.text !== undefined) {
    return { path: wanted, lines: attachment.text.split("\n").map((text, at) => ({ line: at + 1, text })) }
  }
  const result = yield* one({ name: "file_read", input: { path: wanted } }, `Reading ${wanted}.`)
  return result.isError
    ? failed(`could not read ${wanted}`, result)
    : { path: wanted, lines: Results.numbered(result.text) }
}

export function* outline(path: string | undefined, attached: ReadonlyArray<Attachment>): Script {
  const found = yield* source(path, attached)
  if ("ok" in found) return found
  const lines = Extract.outline(found.path, found.lines)
  return done(
    lines.length === 0
      ? `No definitions or headings found in \`${found.path}\` (${plural(found.lines.length, "line")}).`
      : `Outline of \`${found.path}\` (${plural(found.lines.length, "line")}):\n\n${bounded(lines.map((line) => cite(found.path, line)))}`
  )
}

export function* summarise(path: string | undefined, attached: ReadonlyArray<Attachment>): Script {
  const found = yield* source(path, attached)
  if ("ok" in found) return found
  const lines = Extract.summary(found.path, found.lines)
  return done(
    lines.length === 0
      ? `Nothing to quote in \`${found.path}\` (${plural(found.lines.length, "line")}).`
      : `From \`${found.path}\` (${plural(found.lines.length, "line")}), quoted, not rewritten:\n\n${bounded(lines.map((line) => cite(found.path, line)))}`
  )
}

export function* countFiles(pattern: string, path?: string): Script {
  const result = yield* one(
    { name: "glob_search", input: { pattern, ...(path === undefined ? {} : { path }) } },
    `Counting files that match ${pattern}.`
  )
  if (result.isError) return failed(`could not count ${pattern}`, result)
  const count = Results.paths(result.text).length + Results.leftOut(result.text)
  return done(
    `${plural(count, "file")} ${count === 1 ? "matches" : "match"} \`${pattern}\`${path === undefined ? "" : ` in ${path}`}.`
  )
}

export function* countLines(path: string): Script {
  const result = yield* one({ name: "file_read", input: { path } }, `Reading ${path}.`)
  if (result.isError) return failed(`could not read ${path}`, result)
  const total = /of (\d+)/.exec(result.text.split("\n").at(-1) ?? "")?.[1]
  return done(
    `\`${path}\` has ${plural(total === undefined ? Results.numbered(result.text).length : Number(total), "line")}.`
  )
}

export function* countMatches(text: string, path?: string): Script {
  const result = yield* one(grep(text, path), `Counting "${text}".`)
  if (result.isError) return failed(`could not search for "${text}"`, result)
  const hits = Results.matches(result.text)
  const more = Results.leftOut(result.text)
  const files = new Set(hits.map((hit) => hit.path)).size
  return done(
    `"${text}" stands on ${more > 0 ? "at least " : ""}${plural(hits.length, "line")} of ${plural(files, "file")}.`
  )
}

export function* todos(): Script {
  const call: Call = { name: "content_search", input: { pattern: "\\b(TODO|FIXME)\\b" } }
  const result = yield* one(call, "Collecting TODO and FIXME notes.")
  if (result.isError) return failed("could not search", result)
  const hits = Results.matches(result.text)
  return done(
    hits.length === 0
      ? "No TODO or FIXME notes."
      : `${plural(hits.length, "note")}:\n\n${bounded(hits.map((hit) => cite(hit.path, hit)))}`
  )
}
