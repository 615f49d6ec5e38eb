// Scripts that only look: list, read, find, search, outline, summarise, count. Pure generators.
import type { Attachment } from "./Attached.ts"
import * as Extract from "./Extract.ts"
import * as Results from "./Results.ts"
import {
  type Answer,
  type Ask,
  bounded,
  type Call,
  cite,
  codeSpan,
  done,
  failed,
  fence,
  maxLines,
  notDone,
  one,
  plural,
  type Result,
  type Script
} from "./Steps.ts"

/** "5 files", or "at least 5 files" where a search ended early. */
const counted = (count: number, text: string, one: string): string =>
  `${Results.isPartial(text) ? "at least " : ""}${plural(count, one)}`

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const below = (path: string | undefined): string => (path === undefined || path === "." ? "" : ` in ${codeSpan(path)}`)
const at = (path: string | undefined): { readonly path?: string } =>
  path === undefined || path === "." ? {} : { path }

export function* list(path: string): Script {
  const result = yield* one(
    { name: "glob_search", input: { pattern: "**/*", ...at(path) } },
    path === "." ? "Listing the files." : `Listing ${path}.`
  )
  if (result.isError) return failed(`could not list ${path}`, result)
  const files = Results.paths(result.text)
  const more = Results.leftOut(result.text)
  const where = path === "." ? " in this folder" : below(path)
  if (files.length === 0) return done(`There are no files${where}.`)
  return done(
    `${sentence(counted(files.length + more, result.text, "file"))}${where}:\n\n${fence(bounded(files, more))}`
  )
}

/** One more than is shown, so that the last line tells what is left. */
const readLimit = maxLines + 1

export function* read(path: string, from?: number, to?: number): Script {
  const offset = from ?? 1
  const wanted = to === undefined ? readLimit : Math.min(readLimit, to - offset + 1)
  const input = from === undefined ? { path } : { path, offset, limit: wanted }
  const result = yield* one({ name: "file_read", input }, `Reading ${path}.`)
  if (result.isError) return failed(`could not read ${path}`, result)
  const lines = Results.numbered(result.text)
  const total = Results.total(result.text) ?? Math.max(0, ...lines.map(({ line }) => line))
  if (lines.length === 0)
    return done(total === 0 ? `${codeSpan(path)} is empty.` : `${codeSpan(path)} has no such lines.`)
  const end = Math.min(to ?? total, total)
  const unseen = Math.max(0, end - offset + 1 - lines.length)
  const shown = bounded(
    lines.map(({ line, text }) => `${String(line).padStart(4)}: ${text}`),
    unseen
  )
  const isAll = lines.length + unseen <= maxLines + 1 && unseen === 0
  const next = isAll ? "" : `\n\nGo on with ${codeSpan(`read ${path}:${offset + maxLines}-`)}.`
  return done(`${codeSpan(path)} (${plural(total, "line")}):\n\n${fence(shown)}${next}`)
}

export function* find(pattern: string, path?: string): Script {
  const result = yield* one(
    { name: "glob_search", input: { pattern, ...at(path) } },
    `Looking for files that match ${pattern}.`
  )
  if (result.isError) return failed(`could not look for ${pattern}`, result)
  const files = Results.paths(result.text)
  const more = Results.leftOut(result.text)
  const count = files.length + more
  return done(
    count === 0
      ? `No file matches ${codeSpan(pattern)}${below(path)}.`
      : `${sentence(counted(count, result.text, "file"))} ${count === 1 ? "matches" : "match"} ${codeSpan(pattern)}${below(path)}:\n\n${fence(bounded(files, more))}`
  )
}

const grep = (text: string, path: string | undefined): Call => ({
  name: "content_search",
  input: { pattern: text, literal: true, ...at(path) }
})

const cited = (hits: ReadonlyArray<Results.Match>, more: number): string =>
  bounded(
    hits.map((hit) => cite(hit.path, hit)),
    more
  )

export function* search(text: string, path?: string): Script {
  if (text.trim() === "") return notDone("Not done: name the text to search for.")
  const result = yield* one(grep(text, path), `Searching for "${text}"${path === undefined ? "" : ` in ${path}`}.`)
  if (result.isError) return failed(`could not search for "${text}"`, result)
  const hits = Results.matches(result.text)
  const more = Results.leftOut(result.text)
  return done(
    hits.length === 0
      ? `No line${below(path)} holds ${codeSpan(text)}.`
      : `${sentence(counted(hits.length + more, result.text, "line"))}${below(path)} with ${codeSpan(text)}:\n\n${cited(hits, more)}`
  )
}

interface Source {
  readonly path: string
  readonly lines: ReadonlyArray<Results.Numbered>
  /** "12 lines", or how many of them were read. */
  readonly size: string
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
    const lines = attachment.text.split("\n").map((text, index) => ({ line: index + 1, text }))
    return { path: wanted, lines, size: plural(lines.length, "line") }
  }
  if (/^[a-z][\w+.-]*:\/\//i.test(wanted))
    return notDone(`Not done: ${wanted} is not a file, and nothing here reads the web.`)
  const result = yield* one({ name: "file_read", input: { path: wanted } }, `Reading ${wanted}.`)
  if (result.isError) return failed(`could not read ${wanted}`, result)
  const lines = Results.numbered(result.text)
  const total = Results.total(result.text) ?? lines.length
  const size = total > lines.length ? `the first ${lines.length} of ${plural(total, "line")}` : plural(total, "line")
  return { path: wanted, lines, size }
}

export function* outline(path: string | undefined, attached: ReadonlyArray<Attachment>): Script {
  const found = yield* source(path, attached)
  if ("ok" in found) return found
  const lines = Extract.outline(found.path, found.lines)
  return done(
    lines.length === 0
      ? `No definitions or headings found in ${codeSpan(found.path)} (${found.size}).`
      : `Outline of ${codeSpan(found.path)} (${found.size}):\n\n${bounded(lines.map((line) => cite(found.path, line)))}`
  )
}

export function* summarise(path: string | undefined, attached: ReadonlyArray<Attachment>): Script {
  const found = yield* source(path, attached)
  if ("ok" in found) return found
  const lines = Extract.summary(found.path, found.lines)
  return done(
    lines.length === 0
      ? `Nothing to quote in ${codeSpan(found.path)} (${found.size}).`
      : `From ${codeSpan(found.path)} (${found.size}), quoted, not rewritten:\n\n${bounded(lines.map((line) => cite(found.path, line)))}`
  )
}

export function* countFiles(pattern: string, path?: string): Script {
  const result = yield* one(
    { name: "glob_search", input: { pattern, ...at(path) } },
    `Counting files that match ${pattern}.`
  )
  if (result.isError) return failed(`could not count ${pattern}`, result)
  const count = Results.paths(result.text).length + Results.leftOut(result.text)
  return done(
    `${sentence(counted(count, result.text, "file"))} ${count === 1 ? "matches" : "match"} ${codeSpan(pattern)}${below(path)}.`
  )
}

export function* countLines(path: string): Script {
  const result = yield* one({ name: "file_read", input: { path } }, `Reading ${path}.`)
  if (result.isError) return failed(`could not read ${path}`, result)
  const count = Results.total(result.text)
  return done(
    count === undefined
      ? `${codeSpan(path)} has at least ${plural(Results.numbered(result.text).length, "line")}.`
      : `${codeSpan(path)} has ${plural(count, "line")}.`
  )
}

export function* countMatches(text: string, path?: string): Script {
  if (text.trim() === "") return notDone("Not done: name the text to count.")
  const { input, name } = grep(text, path)
  const result = yield* one(
    { name, input: { ...input, output_mode: "count", max_results: 5000 } },
    `Counting "${text}".`
  )
  if (result.isError) return failed(`could not search for "${text}"`, result)
  const files = Results.counts(result.text)
  const lines = files.reduce((sum, file) => sum + file.lines, 0)
  if (lines === 0) return done(`No line${below(path)} holds ${codeSpan(text)}.`)
  const isPartial = Results.leftOut(result.text) > 0 || Results.isPartial(result.text)
  return done(
    `${codeSpan(text)} stands on ${isPartial ? "at least " : ""}${plural(lines, "line")} of ${plural(files.length, "file")}${below(path)}.`
  )
}

export function* todos(path?: string): Script {
  const call: Call = { name: "content_search", input: { pattern: "\\b(TODO|FIXME)\\b", ...at(path) } }
  const result = yield* one(call, "Collecting TODO and FIXME notes.")
  if (result.isError) return failed("could not search", result)
  const hits = Results.matches(result.text)
  const more = Results.leftOut(result.text)
  return done(
    hits.length === 0
      ? `No TODO or FIXME notes${below(path)}.`
      : `${sentence(counted(hits.length + more, result.text, "note"))}${below(path)}:\n\n${cited(hits, more)}`
  )
}
