// Scripts that run commands or change files. Pure generators.
import * as Extract from "./Extract.ts"
import * as Results from "./Results.ts"
import { bounded, type Call, done, failed, fence, notDone, one, plural, type Script } from "./Steps.ts"

/** Last lines that append tries, to find a place that is unique in the file. */
const attempts = 400

const run = (command: string): Call => ({ name: "shell", input: { command } })

export function* shell(command: string): Script {
  const result = yield* one(run(command), `Running \`${command}\`.`)
  // Without an exit code it never ran: the reason is one line.
  if (result.isError && !/exit code|signal|timed? ?out/i.test(result.text))
    return failed(`\`${command}\` was not run`, result)
  if (result.isError) return notDone(`\`${command}\` did not succeed:\n\n${fence(bounded(result.text.split("\n")))}`)
  return done(`\`${command}\`:\n\n${fence(bounded(result.text.split("\n")))}`)
}

export function* diff(): Script {
  const result = yield* one(run("git status --porcelain && git diff HEAD"), "Reading the uncommitted changes.")
  if (result.isError) return failed("could not read the changes", { ...result, text: result.text.split("\n")[0] ?? "" })
  const files = Extract.changes(result.text)
  const fresh = Extract.untracked(result.text)
  const others =
    fresh.length === 0
      ? ""
      : `\n\nNot tracked yet: ${fresh
          .slice(0, 20)
          .map((path) => `\`${path}\``)
          .join(", ")}.`
  if (files.length === 0) return done(`Nothing that git tracks has changed since the last commit.${others}`)
  const added = files.reduce((sum, file) => sum + file.added, 0)
  const removed = files.reduce((sum, file) => sum + file.removed, 0)
  const rows = files.flatMap((file) => [
    `- \`${file.path}\` +${file.added} −${file.removed}`,
    ...file.places.slice(0, 5).map((place) => `  - ${place}`)
  ])
  return done(`${plural(files.length, "file")} changed, +${added} −${removed}:\n\n${bounded(rows)}${others}`)
}

const testCommands: ReadonlyArray<readonly [file: string, command: string]> = [
  ["package.json", "npm test"],
  ["Cargo.toml", "cargo test"],
  ["go.mod", "go test ./..."],
  ["pyproject.toml", "python3 -m pytest"],
  ["pytest.ini", "python3 -m pytest"],
  ["Makefile", "make test"]
]

export function* test(): Script {
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

export function* replace(from: string, to: string, path: string, all: boolean): Script {
  const call: Call = {
    name: "file_edit",
    input: { path, old_string: from, new_string: to, ...(all ? { replace_all: true } : {}) }
  }
  const result = yield* one(call, `Replacing "${from}" in ${path}.`)
  return result.isError
    ? failed(`${path} is unchanged`, result)
    : done(`Replaced "${from}" with "${to}" in \`${path}\`.`)
}

export function* create(path: string, content: string): Script {
  const text = content.endsWith("\n") ? content : `${content}\n`
  const result = yield* one({ name: "file_write", input: { path, content: text } }, `Writing ${path}.`)
  return result.isError ? failed(`${path} was not written`, result) : done(`Wrote \`${path}\`.`)
}

export function* append(path: string, content: string): Script {
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
