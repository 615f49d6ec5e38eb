// From an intent to what is done for it: pure generators that ask for tool calls and are given their results.

import { commands, diagnostics } from "./Commands.ts"
import * as Extract from "./Extract.ts"
import type { Intent } from "./Intent.ts"
import * as Intents from "./Intent.ts"
import * as Results from "./Results.ts"

export interface Call {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}
export interface Result {
  readonly text: string
  readonly isError: boolean
}

/** One reply that goes on with tool calls. */
export interface Ask {
  readonly thought?: string
  readonly say?: string
  readonly calls: ReadonlyArray<Call>
}

/** The last reply: `ok` is false when what was asked is not done. */
export interface Answer {
  readonly text: string
  readonly ok: boolean
}

export type Script = Generator<Ask, Answer, ReadonlyArray<Result>>

const maxLines = 60
const attempts = 400

const done = (text: string): Answer => ({ text, ok: true })
const notDone = (text: string): Answer => ({ text, ok: false })

const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** A code fence longer than any inside. */
const fence = (text: string, language = ""): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length))
  const ticks = "`".repeat(longest + 1)
  return `${ticks}${language}\n${text}\n${ticks}`
}

const bounded = (lines: ReadonlyArray<string>): string =>
  lines.length <= maxLines
    ? lines.join("\n")
    : [...lines.slice(0, maxLines), `… ${plural(lines.length - maxLines, "more line")}`].join("\n")

/** One call; a failure ends the script with an honest word. */
function* one(call: Call, thought: string): Generator<Ask, Result, ReadonlyArray<Result>> {
  const [result] = yield { thought, calls: [call] }
  return result ?? { text: "no result came back", isError: true }
}

const failed = (what: string, { text }: Result): Answer => notDone(`Not done: ${what}. ${text.trim()}`)

const cite = (path: string, { line, text }: Results.Numbered): string => `- \`${path}:${line}\` ${text.trim()}`

function* list(path: string): Script {
  const result = yield* one({ name: "glob_search", input: { pattern: "**/*", path } }, `Listing ${path}.`)
  if (result.isError) return failed(`could not list ${path}`, result)
  const files = Results.paths(result.text)
  const more = Results.leftOut(result.text)
  if (files.length === 0) return done(`There are no files in ${path}.`)
  const counted = more > 0 ? `More than ${files.length} files` : plural(files.length, "file")
  return done(`${counted} in ${path}:\n\n${fence(bounded(files))}`)
}

function* read(path: string, from?: number, to?: number): Script {
  const range = from === undefined ? {} : { offset: from, limit: Math.max(1, (to ?? from) - from + 1) }
  const result = yield* one({ name: "file_read", input: { path, ...range } }, `Reading ${path}.`)
  if (result.isError) return failed(`could not read ${path}`, result)
  return done(`\`${path}\`:\n\n${fence(bounded(result.text.split("\n")))}`)
}

function* find(pattern: string): Script {
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

function* search(text: string, path?: string): Script {
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

function* outline(path: string | undefined, attached: ReadonlyArray<Attachment>): Script {
  const found = yield* source(path, attached)
  if ("ok" in found) return found
  const lines = Extract.outline(found.path, found.lines)
  return done(
    lines.length === 0
      ? `No definitions or headings found in \`${found.path}\` (${plural(found.lines.length, "line")}).`
      : `Outline of \`${found.path}\` (${plural(found.lines.length, "line")}):\n\n${bounded(lines.map((line) => cite(found.path, line)))}`
  )
}

function* summarise(path: string | undefined, attached: ReadonlyArray<Attachment>): Script {
  const found = yield* source(path, attached)
  if ("ok" in found) return found
  const lines = Extract.summary(found.path, found.lines)
  return done(
    lines.length === 0
      ? `Nothing to quote in \`${found.path}\` (${plural(found.lines.length, "line")}).`
      : `From \`${found.path}\` (${plural(found.lines.length, "line")}), quoted, not rewritten:\n\n${bounded(lines.map((line) => cite(found.path, line)))}`
  )
}

const run = (command: string): Call => ({ name: "shell", input: { command } })

function* shell(command: string): Script {
  const result = yield* one(run(command), `Running \`${command}\`.`)
  if (result.isError) return notDone(`\`${command}\` did not succeed:\n\n${fence(bounded(result.text.split("\n")))}`)
  return done(`\`${command}\`:\n\n${fence(bounded(result.text.split("\n")))}`)
}

function* diff(): Script {
  const result = yield* one(run("git diff HEAD"), "Reading the uncommitted changes.")
  if (result.isError) return failed("could not read the changes", result)
  const files = Extract.changes(result.text)
  if (files.length === 0) return done("Nothing has changed since the last commit.")
  const added = files.reduce((sum, file) => sum + file.added, 0)
  const removed = files.reduce((sum, file) => sum + file.removed, 0)
  const rows = files.flatMap((file) => [
    `- \`${file.path}\` +${file.added} −${file.removed}`,
    ...file.places.slice(0, 5).map((place) => `  - ${place}`)
  ])
  return done(`${plural(files.length, "file")} changed, +${added} −${removed}:\n\n${bounded(rows)}`)
}

function* countFiles(pattern: string): Script {
  const result = yield* one({ name: "glob_search", input: { pattern } }, `Counting files that match ${pattern}.`)
  if (result.isError) return failed(`could not count ${pattern}`, result)
  const count = Results.paths(result.text).length + Results.leftOut(result.text)
  return done(`${plural(count, "file")} match \`${pattern}\`.`)
}

function* countLines(path: string): Script {
  const result = yield* one({ name: "file_read", input: { path } }, `Reading ${path}.`)
  if (result.isError) return failed(`could not read ${path}`, result)
  const total = /of (\d+)/.exec(result.text.split("\n").at(-1) ?? "")?.[1]
  return done(
    `\`${path}\` has ${plural(total === undefined ? Results.numbered(result.text).length : Number(total), "line")}.`
  )
}

function* countMatches(text: string, path?: string): Script {
  const result = yield* one(grep(text, path), `Counting "${text}".`)
  if (result.isError) return failed(`could not search for "${text}"`, result)
  const hits = Results.matches(result.text)
  const more = Results.leftOut(result.text)
  const files = new Set(hits.map((hit) => hit.path)).size
  return done(
    `"${text}" stands on ${more > 0 ? "at least " : ""}${plural(hits.length, "line")} of ${plural(files, "file")}.`
  )
}

function* todos(): Script {
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

const testCommands: ReadonlyArray<readonly [file: string, command: string]> = [
  ["package.json", "npm test"],
  ["Cargo.toml", "cargo test"],
  ["go.mod", "go test ./..."],
  ["pyproject.toml", "python3 -m pytest"],
  ["pytest.ini", "python3 -m pytest"],
  ["Makefile", "make test"]
]

function* test(): Script {
  const pattern = `{${testCommands.map(([file]) => file).join(",")}}`
  const result = yield* one({ name: "glob_search", input: { pattern } }, "Looking for how this project is tested.")
  const files = result.isError ? [] : Results.paths(result.text)
  const found = testCommands.find(([file]) => files.includes(file))
  if (found === undefined) {
    return notDone(
      `Not done: none of ${testCommands.map(([file]) => file).join(", ")} is here. Say \`run COMMAND\` instead.`
    )
  }
  return yield* shell(found[1])
}

function* replace(from: string, to: string, path: string, all: boolean): Script {
  const call: Call = {
    name: "file_edit",
    input: { path, old_string: from, new_string: to, ...(all ? { replace_all: true } : {}) }
  }
  const result = yield* one(call, `Replacing "${from}" in ${path}.`)
  return result.isError
    ? failed(`${path} is unchanged`, result)
    : done(`Replaced "${from}" with "${to}" in \`${path}\`.`)
}

function* create(path: string, content: string): Script {
  const text = content.endsWith("\n") ? content : `${content}\n`
  const result = yield* one({ name: "file_write", input: { path, content: text } }, `Writing ${path}.`)
  return result.isError ? failed(`${path} was not written`, result) : done(`Wrote \`${path}\`.`)
}

function* append(path: string, content: string): Script {
  const result = yield* one({ name: "file_read", input: { path } }, `Reading ${path}.`)
  if (result.isError) return failed(`could not read ${path}`, result)
  const lines = Results.numbered(result.text)
  const last = lines.at(-1)
  if (last === undefined) return yield* create(path, content)
  // The shortest run of last lines that stands in the file once.
  for (let size = 1; size <= Math.min(lines.length, attempts); size++) {
    const tail = lines
      .slice(-size)
      .map(({ text }) => text)
      .join("\n")
    const whole = lines.map(({ text }) => text).join("\n")
    if (tail.trim() === "" || whole.indexOf(tail) !== whole.length - tail.length) continue
    const call: Call = { name: "file_edit", input: { path, old_string: tail, new_string: `${tail}\n${content}` } }
    const edit = yield* one(call, `Adding a line to ${path}.`)
    return edit.isError ? failed(`${path} is unchanged`, edit) : done(`Added a line to \`${path}\`.`)
  }
  return notDone(`Not done: the end of \`${path}\` is not unique; use replace instead.`)
}

type Status = "pending" | "in_progress" | "completed"

const publish = (steps: ReadonlyArray<string>, status: ReadonlyArray<Status>): Call => ({
  name: "TodoWrite",
  input: { todos: steps.map((content, at) => ({ content, status: status[at] ?? "pending", priority: "medium" })) }
})

/** Does the steps it understands one after another; the plan is published with each change. */
function* plan(steps: ReadonlyArray<string>, attached: ReadonlyArray<Attachment>): Script {
  const status: Array<Status> = steps.map(() => "pending")
  const unknown: Array<string> = []
  let failures = 0
  let said = `Plan of ${plural(steps.length, "step")}.\n`
  for (const [at, step] of steps.entries()) {
    if (!Intents.isUnderstood(step)) {
      unknown.push(step)
      continue
    }
    status[at] = "in_progress"
    const script = forIntent(Intents.parse(step), attached)
    let turn = script.next()
    let first = true
    while (!turn.done) {
      const calls = first ? [publish(steps, status), ...turn.value.calls] : turn.value.calls
      const results: ReadonlyArray<Result> = yield { ...turn.value, calls, ...(said === "" ? {} : { say: said }) }
      said = ""
      turn = script.next(first ? results.slice(1) : results)
      first = false
    }
    status[at] = turn.value.ok ? "completed" : "pending"
    if (!turn.value.ok) failures++
    said += `\n**${at + 1}. ${step}**\n\n${turn.value.text}\n`
  }
  yield { calls: [publish(steps, status)], say: said }
  const completed = status.filter((one) => one === "completed").length
  const open =
    unknown.length === 0 ? "" : ` Not understood, so left open: ${unknown.map((step) => `"${step}"`).join(", ")}.`
  const bad = failures === 0 ? "" : ` ${plural(failures, "step")} did not succeed.`
  return {
    text: `\n${completed} of ${plural(steps.length, "step")} done.${bad}${open}`,
    ok: completed === steps.length
  }
}

const help = (): Answer =>
  done(
    [
      "I understand these, also in plain words, and several joined by `;` or `then`:",
      "",
      ...commands.map(({ does, example }) => `- \`${example}\` ${does}`),
      "",
      `For client authors: ${diagnostics.map(({ example }) => `\`${example}\``).join(", ")}.`
    ].join("\n")
  )

const distance = (a: string, b: string): number => {
  const pairs = (text: string) => new Set([...text].slice(1).map((char, at) => `${text[at]}${char}`))
  const left = pairs(a.toLowerCase())
  const right = pairs(b.toLowerCase())
  const shared = [...left].filter((pair) => right.has(pair)).length
  return 1 - (2 * shared) / Math.max(1, left.size + right.size)
}

const unknown = (text: string): Answer => {
  const nearest = commands
    .map((command) => ({ command, far: Math.min(distance(text, command.name), distance(text, command.example)) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ command }) => `\`${command.example}\``)
  return notDone(
    `I did not understand that. Nearest: ${nearest.join(", ")}; \`help\` lists all. For free conversation configure a model (README, "Use a model").`
  )
}

export interface Attachment {
  readonly path: string
  /** Absent for a link: the file is read. */
  readonly text?: string
}

export const forIntent = (intent: Intent, attached: ReadonlyArray<Attachment>): Script => {
  switch (intent._tag) {
    case "Help":
      return saying(help())
    case "Echo":
      return saying(done(intent.text))
    case "Unknown":
      return saying(unknown(intent.text))
    case "Repeat":
    case "Wait":
      return saying(notDone("Not done: this diagnostic stands alone, it cannot be a step of a plan."))
    case "List":
      return list(intent.path)
    case "Read":
      return read(intent.path, intent.from, intent.to)
    case "Find":
      return find(intent.pattern)
    case "Search":
      return search(intent.text, intent.path)
    case "Outline":
      return outline(intent.path, attached)
    case "Summarise":
      return summarise(intent.path, attached)
    case "SummariseDiff":
      return diff()
    case "CountFiles":
      return countFiles(intent.pattern)
    case "CountLines":
      return countLines(intent.path)
    case "CountMatches":
      return countMatches(intent.text, intent.path)
    case "Run":
      return shell(intent.command)
    case "Test":
      return test()
    case "Todos":
      return todos()
    case "Replace":
      return replace(intent.from, intent.to, intent.path, intent.all)
    case "Create":
      return create(intent.path, intent.content)
    case "Append":
      return append(intent.path, intent.content)
    case "Plan":
      return plan(intent.steps, attached)
  }
}

// biome-ignore lint/correctness/useYield: a script that needs no call
function* saying(answer: Answer): Script {
  return answer
}
