// Scripts that run commands or change files. Pure generators.
import * as Extract from "./Extract.ts"
import * as Results from "./Results.ts"
import {
  type Answer,
  type Ask,
  bounded,
  boundedMiddle,
  type Call,
  codeSpan,
  done,
  failed,
  fence,
  notDone,
  one,
  plural,
  type Result,
  type Script
} from "./Steps.ts"

const run = (command: string): Call => ({ name: "shell", input: { command } })

/** The shell's last line tells how a command ended; without it the command never ran. */
const hasRun = ({ text }: Result): boolean =>
  /exit code|signal|ended by|stopped:|timed? ?out/i.test(text.trimEnd().split("\n").at(-1) ?? "")

export function* shell(command: string): Script {
  if (command.trim() === "") return notDone("Not done: name the command to run.")
  const result = yield* one(run(command), `Running ${codeSpan(command)}.`)
  if (result.isError && !hasRun(result)) return failed(`${codeSpan(command)} was not run`, result)
  const output = fence(boundedMiddle(result.text.trimEnd().split("\n")))
  return result.isError
    ? notDone(`${codeSpan(command)} did not succeed:\n\n${output}`)
    : done(`${codeSpan(command)}:\n\n${output}`)
}

/** The counts come before the diff: a long output is cut behind them. */
const diffCommand = "git status --porcelain && git diff HEAD --numstat && git diff HEAD -U0 --no-color --no-ext-diff"
const maxPlaces = 5
const maxUntracked = 20

const changeRows = ({ added, path, places, removed }: Extract.FileChange): ReadonlyArray<string> => [
  `- ${codeSpan(path)} ${added === undefined ? "(binary)" : `+${added} −${removed ?? 0}`}`,
  ...places.slice(0, maxPlaces).map((place) => `  - ${codeSpan(place)}`),
  ...(places.length > maxPlaces ? [`  - ${plural(places.length - maxPlaces, "more place")}`] : [])
]

export function* diff(): Script {
  const result = yield* one(run(diffCommand), "Reading the uncommitted changes.")
  if (result.isError) return failed("could not read the changes", result)
  const files = Extract.changes(result.text)
  const fresh = Extract.untracked(result.text)
  const unnamed = fresh.length > maxUntracked ? ` and ${fresh.length - maxUntracked} more` : ""
  const others =
    fresh.length === 0 ? "" : `\n\nNot tracked yet: ${fresh.slice(0, maxUntracked).map(codeSpan).join(", ")}${unnamed}.`
  if (files.length === 0) return done(`Nothing that git tracks has changed since the last commit.${others}`)
  const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0)
  const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0)
  const cut = /^\[… .* left out here …\]$/m.test(result.text) ? "\n\nThe diff is long: not all places are named." : ""
  return done(
    `${plural(files.length, "file")} changed, +${added} −${removed}:\n\n${bounded(files.flatMap(changeRows))}${cut}${others}`
  )
}

const testCommands: ReadonlyArray<readonly [file: string, command: string]> = [
  ["package.json", "npm test"],
  ["Cargo.toml", "cargo test"],
  ["go.mod", "go test ./..."],
  ["pyproject.toml", "python3 -m pytest"],
  ["pytest.ini", "python3 -m pytest"],
  ["tox.ini", "python3 -m pytest"],
  ["setup.cfg", "python3 -m pytest"],
  ["pom.xml", "mvn test"],
  ["build.gradle", "gradle test"],
  ["build.gradle.kts", "gradle test"],
  ["Makefile", "make test"]
]

export function* test(): Script {
  const pattern = `{${testCommands.map(([file]) => file).join(",")}}`
  const result = yield* one({ name: "glob_search", input: { pattern } }, "Looking for how this project is tested.")
  if (result.isError) return failed("could not find out how this project is tested", result)
  const files = Results.paths(result.text).map((path) => path.replace(/^\.\//, ""))
  const found = testCommands.find(([file]) => files.includes(file))
  if (found === undefined) {
    return notDone(
      `Not done: none of ${testCommands.map(([file]) => file).join(", ")} is here. Say \`run COMMAND\` instead.`
    )
  }
  return yield* shell(found[1])
}

/** Looks first; undefined when the text may be edited. */
function* obstacle(
  from: string,
  path: string,
  all: boolean
): Generator<Ask, Answer | undefined, ReadonlyArray<Result>> {
  // A search goes line by line.
  if (from.includes("\n")) return undefined
  const look: Call = { name: "content_search", input: { pattern: from, path, literal: true } }
  const result = yield* one(look, `Looking for "${from}" in ${path}.`)
  // The edit finds out by itself where a search cannot be made.
  if (result.isError) return undefined
  const hits = Results.matches(result.text)
  if (hits.length === 0)
    return notDone(`Not done: ${codeSpan(from)} does not stand in ${codeSpan(path)}; it is unchanged.`)
  if (all || hits.length === 1) return undefined
  const lines = hits.slice(0, 10).map(({ line }) => line)
  return notDone(
    `Not done: ${codeSpan(from)} stands on ${plural(hits.length + Results.leftOut(result.text), "line")} of ${codeSpan(path)} (${lines.join(", ")}${hits.length > lines.length ? ", …" : ""}). Add \`everywhere\` to replace all, or quote more of the line.`
  )
}

export function* replace(from: string, to: string, path: string, all: boolean): Script {
  if (from === "") return notDone("Not done: name the text to replace.")
  if (from === to) return notDone("Not done: both texts are the same.")
  const stop = yield* obstacle(from, path, all)
  if (stop !== undefined) return stop
  const call: Call = {
    name: "file_edit",
    input: { path, old_string: from, new_string: to, ...(all ? { replace_all: true } : {}) }
  }
  const result = yield* one(call, `Replacing "${from}" in ${path}.`)
  return result.isError
    ? failed(`${path} is unchanged`, result)
    : done(`Replaced ${codeSpan(from)} with ${codeSpan(to)} in ${codeSpan(path)}${all ? ", everywhere" : ""}.`)
}

export function* create(path: string, content: string): Script {
  const text = content === "" || content.endsWith("\n") ? content : `${content}\n`
  const result = yield* one({ name: "file_write", input: { path, content: text } }, `Writing ${path}.`)
  if (result.isError) return failed(`${path} was not written`, result)
  // The tool knows whether there was a file before.
  return done(/^wrote/i.test(result.text) ? `Replaced the content of ${codeSpan(path)}.` : `Created ${codeSpan(path)}.`)
}

const pageLines = 2000
const maxPages = 10

/** All lines of a file, page by page. */
function* wholeFile(path: string): Generator<Ask, ReadonlyArray<Results.Numbered> | Answer, ReadonlyArray<Result>> {
  const lines: Array<Results.Numbered> = []
  for (let page = 0; page < maxPages; page++) {
    const range = lines.length === 0 ? {} : { offset: lines.length + 1, limit: pageLines }
    const result = yield* one({ name: "file_read", input: { path, ...range } }, `Reading ${path}.`)
    if (result.isError) return failed(`could not read ${path}`, result)
    const some = Results.numbered(result.text)
    lines.push(...some)
    const total = Results.total(result.text)
    if (total === undefined || lines.length >= total) return lines
    if (some.length === 0) break
  }
  return notDone(`Not done: ${codeSpan(path)} is too long to append to; it is unchanged.`)
}

/** The shortest run of last lines that stands in the file once; undefined when there is none that was read whole. */
export const uniqueTail = (lines: ReadonlyArray<Results.Numbered>): string | undefined => {
  const whole = lines.map(({ text }) => text).join("\n")
  let start = whole.length + 1
  for (const { text } of [...lines].reverse().slice(0, 400)) {
    if (Results.isCut(text)) return undefined
    start -= text.length + 1
    const tail = whole.slice(start)
    if (tail.trim() !== "" && whole.indexOf(tail) === start) return tail
  }
  return undefined
}

export function* append(path: string, content: string): Script {
  const lines = yield* wholeFile(path)
  if ("ok" in lines) return lines
  if (lines.length === 0) return yield* create(path, content)
  const tail = uniqueTail(lines)
  if (tail === undefined) {
    return notDone(
      `Not done: no end of ${codeSpan(path)} stands in it only once, so it is unchanged. Use \`replace\` instead.`
    )
  }
  // The file's own last line end stays behind what is added.
  const added = content.replace(/\n$/, "")
  const call: Call = { name: "file_edit", input: { path, old_string: tail, new_string: `${tail}\n${added}` } }
  const edit = yield* one(call, `Adding to the end of ${path}.`)
  return edit.isError
    ? failed(`${path} is unchanged`, edit)
    : done(`Added ${plural(added.split("\n").length, "line")} to ${codeSpan(path)}.`)
}
