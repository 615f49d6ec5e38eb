// What the demo asks for in a folder, and what must have been seen afterwards. Pure.
import { count, type Tally } from "./Tally.ts"

export interface Folder {
  /** Names of regular files. */
  readonly files: ReadonlyArray<string>
  /** Git can tell its last commit. */
  readonly hasCommits: boolean
}

/** A name that needs no quoting in a command. */
const isSimple = (name: string): boolean => /^[A-Za-z0-9_][\w.-]*$/.test(name)
const isText = (name: string): boolean =>
  /^(license|makefile|dockerfile)$|\.(md|txt|rst|adoc|json|ya?ml|toml|ini|cfg|conf|csv|html?|css|[cm]?[jt]sx?|py|rb|go|rs|c|h|cpp|hpp|java|kt|swift|sh|lua|sql|xml)$/i.test(
    name
  )

/** The file the demo reads: the README, or else the first text file. */
export const chooseFile = (files: ReadonlyArray<string>): string | undefined => {
  const usable = files.filter((name) => isSimple(name) && isText(name)).sort()
  return usable.find((name) => name === "README.md") ?? usable.find((name) => /^readme/i.test(name)) ?? usable[0]
}

/** A word that is in the text, so that the search finds something. */
export const chooseWord = (text: string): string => {
  if (/zeroclaw/i.test(text)) return "zeroclaw"
  return /[A-Za-z]{4,20}/.exec(text)?.[0] ?? "a"
}

export const promptFor = (file: string, word: string, hasCommits: boolean): string => {
  const command = hasCommits ? "git log -1 --oneline" : "echo hello"
  return `plan: list the files; read ${file}:1-12; search "${word}" in ${file}; run ${command}`
}

/** Every command asks, so that the question is seen; where there is no sandbox, the person's yes is the only bar. */
export const configFor = (sandboxed: boolean): string =>
  ["[risk_profiles.default]", 'always_ask = ["shell"]', ...(sandboxed ? [] : ['sandbox_backend = "none"']), ""].join(
    "\n"
  )

/** What is missing after the turn, in words; empty when everything was seen. */
export const missing = (tally: Tally, stopReason: string): ReadonlyArray<string> => {
  const calls = [...tally.calls.values()].filter(({ status }) => status === "completed")
  const seen = (kind: string, asked = false) => calls.some((call) => call.kind === kind && (!asked || call.asked))
  return [
    ...(stopReason === "end_turn" ? [] : [`the turn ended with ${stopReason}, not end_turn`]),
    ...(seen("read") ? [] : ["no file was read"]),
    ...(seen("search") ? [] : ["nothing was searched"]),
    ...(seen("execute", true) ? [] : ["no shell command ran behind a permission question"]),
    ...(tally.plans > 0 ? [] : ["no plan was shown"])
  ]
}

/** Where a replay differs from what was seen live, in words. */
export const differences = (live: Tally, replay: Tally): ReadonlyArray<string> => {
  const ids = (tally: Tally) => [...tally.calls.keys()]
  const lost = ids(live).filter((id) => !replay.calls.has(id))
  const added = ids(replay).filter((id) => !live.calls.has(id))
  return [
    ...(lost.length === 0 ? [] : [`the replay lacks tool calls: ${lost.join(", ")}`]),
    ...(added.length === 0 ? [] : [`the replay has tool calls that were not seen: ${added.join(", ")}`]),
    ...(replay.answer === live.answer ? [] : ["the replay holds another answer text"])
  ]
}

const plural = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`

/** The replay in brief. */
export const summary = (tally: Tally): string => {
  const kinds = [...new Set([...tally.calls.values()].map(({ kind }) => kind))]
  const calls = kinds.map((kind) => `${count(tally, kind)} ${kind}`).join(", ")
  return [
    plural(tally.prompts, "prompt"),
    `${plural(tally.calls.size, "tool call")}${calls === "" ? "" : ` (${calls})`}`,
    plural(tally.plans, "plan update"),
    `${tally.answer.length} characters of answer`
  ].join(", ")
}
