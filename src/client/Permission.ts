// Permission questions: how one looks, which keys answer it, and what is answered when nobody is asked. Pure.
import type { PermissionOption, PermissionOutcome } from "../contract/ClientMethods.ts"
import type { ToolCallUpdate } from "../contract/ToolCall.ts"
import { paint, type Style } from "./Style.ts"
import { oneLine } from "./Visible.ts"

/** Only ever an option that was offered. */
export type Choice =
  | { readonly _tag: "Selected"; readonly option: PermissionOption; readonly why: string }
  | { readonly _tag: "Cancelled"; readonly why: string }

/** Who answers: a person by key, `--yes` (or whoever `said` names), or nobody. */
export type Answerer =
  | { readonly _tag: "Person" }
  | { readonly _tag: "Yes"; readonly said: string }
  | { readonly _tag: "Nobody"; readonly why: string }

type Options = ReadonlyArray<PermissionOption>

const letters = { allow_once: "y", allow_always: "a", reject_once: "n", reject_always: "never" } as const

const first = (options: Options, ...kinds: ReadonlyArray<PermissionOption["kind"]>): PermissionOption | undefined =>
  kinds.map((kind) => options.find((option) => option.kind === kind)).find((option) => option !== undefined)

/** The letter of an option: only the first of its kind has one. */
const letter = (options: Options, option: PermissionOption): string | undefined =>
  option.kind !== "reject_always" && first(options, option.kind) === option ? letters[option.kind] : undefined

const cancelled = (why: string): Choice => ({ _tag: "Cancelled", why })

export const turnCancelled: Choice = cancelled("the turn was cancelled")

/** What a key means; undefined when it means nothing. Keys: one character, or `escape`, `ctrl-c`, `ctrl-d`. */
export const byKey = (options: Options, key: string): Choice | undefined => {
  if (key === "escape" || key === "ctrl-c" || key === "ctrl-d") return cancelled("cancelled")
  const numbered = /^[1-9]$/.test(key) ? options[Number(key) - 1] : undefined
  const lower = key.toLowerCase()
  const option = numbered ?? options.find((candidate) => letter(options, candidate) === lower)
  return option && { _tag: "Selected", option, why: "" }
}

/** What is answered without a person. */
export const automatic = (options: Options, answerer: Exclude<Answerer, { _tag: "Person" }>): Choice => {
  const allow = answerer._tag === "Yes" ? first(options, "allow_once") : undefined
  if (allow && answerer._tag === "Yes") return { _tag: "Selected", option: allow, why: answerer.said }
  const why = answerer._tag === "Yes" ? `${answerer.said}, but no "allow once" was offered` : answerer.why
  const reject = first(options, "reject_once", "reject_always")
  return reject ? { _tag: "Selected", option: reject, why } : cancelled(`${why}; no way to reject was offered`)
}

export const outcome = (choice: Choice): PermissionOutcome =>
  choice._tag === "Selected" ? { outcome: "selected", optionId: choice.option.optionId } : { outcome: "cancelled" }

/** What is asked. Places, diff and command stand above it, as the transcript shows them; raw input when they do not. */
export const questionLines = (style: Style, call: ToolCallUpdate, title: string): ReadonlyArray<string> => {
  const kind = call.kind === undefined ? "" : ` (${call.kind})`
  const raw = (call.content ?? []).length === 0 && call.rawInput !== undefined ? JSON.stringify(call.rawInput) : ""
  return [
    `${paint(style, "yellow", "? Allow")} ${paint(style, "bold", oneLine(title, 4000))}${kind}`,
    ...(raw === "" ? [] : [paint(style, "dim", `  input ${oneLine(raw, 4000)}`)])
  ]
}

export const optionLines = (style: Style, options: Options): ReadonlyArray<string> => [
  ...options.map((option, index) => {
    const key = letter(options, option)
    const number = index < 9 ? `${index + 1}` : " "
    return `  ${paint(style, "bold", key === undefined ? number : `${number}, ${key}`)}  ${oneLine(option.name, 200)}`
  }),
  paint(style, "dim", "  Esc  cancel the turn")
]

/** How the transcript tells what was answered. */
export const verdict = (style: Style, choice: Choice): string => {
  const why = choice.why === "" ? "" : ` (${choice.why})`
  if (choice._tag === "Cancelled") return `  ${paint(style, "yellow", `cancelled${why === " (cancelled)" ? "" : why}`)}`
  const allowed = choice.option.kind.startsWith("allow")
  const always = choice.option.kind.endsWith("always") ? " always" : ""
  return `  ${paint(style, allowed ? "green" : "red", `${allowed ? "allowed" : "rejected"}${always}${why}`)}`
}
