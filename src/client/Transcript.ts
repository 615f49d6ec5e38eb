// Session updates to lines for a person: a pure state and one step for each update.
import * as path from "node:path"
import type { ContentBlock } from "../contract/Content.ts"
import type {
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolCallUpdate,
  ToolKind
} from "../contract/ToolCall.ts"
import type { PlanEntry, SessionUpdate } from "../contract/Update.ts"
import * as DiffText from "./DiffText.ts"
import { newPart } from "./Overlap.ts"
import * as Page from "./Page.ts"
import { paint, type Style, sign } from "./Style.ts"
import { oneLine, visible } from "./Visible.ts"

export interface Context {
  readonly style: Style
  readonly hunks: DiffText.Hunks
  /** Paths below it are shown relative to it. */
  readonly cwd: string
}

interface ToolView {
  readonly title: string
  readonly kind: ToolKind
  readonly status: ToolCallStatus
  /** Text output shown so far. */
  readonly output: string
  /** Keys of diffs and places shown so far. */
  readonly shown: ReadonlySet<string>
}

export interface State {
  readonly page: Page.Page
  readonly tools: ReadonlyMap<string, ToolView>
  /** The call whose line or output was printed last. */
  readonly lastTool: string
  /** The plan as it was printed last. */
  readonly plan: string
}

export const initial: State = { page: Page.empty, tools: new Map(), lastTool: "", plan: "" }

/** Lines of a file or a list that are shown; the output of a command is shown whole. */
const maxLines = 40

/** Text of a block, and what stands for one that is not text. */
export const blockText = (block: ContentBlock): string => {
  switch (block.type) {
    case "text":
      return block.text
    case "image":
    case "audio":
      return `[${block.type} ${block.mimeType}]`
    case "resource_link":
      return `[${block.title ?? block.name} ${block.uri}]`
    case "resource":
      return "text" in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`
  }
}

export const displayPath = (cwd: string, file: string): string => {
  const relative = path.relative(cwd, file)
  return relative === "" || relative.startsWith("..") || path.isAbsolute(relative) ? file : relative
}

const statusPaint = { pending: "dim", in_progress: "cyan", completed: "green", failed: "red" } as const

const toolLine = ({ style }: Context, tool: ToolView): string =>
  `${paint(style, statusPaint[tool.status], sign(style, tool.status))} ${oneLine(tool.title)}`

/** Without the code fence around the whole: output that grows must not begin anew because its fence moved. */
const unfenced = (text: string): string => /^(`{3,})[^\n`]*\n([\s\S]*?)\n?\1\n?$/.exec(text)?.[2] ?? text

const outputOf = (content: ReadonlyArray<ToolCallContent>): string =>
  content
    .flatMap((item) => {
      if (item.type === "content") return [unfenced(blockText(item.content))]
      return item.type === "terminal" ? [`[terminal ${item.terminalId}]`] : []
    })
    .join("\n")

const placesLine = (
  context: Context,
  shown: ReadonlySet<string>,
  locations: ReadonlyArray<ToolCallLocation>
): { readonly keys: ReadonlyArray<string>; readonly lines: ReadonlyArray<string> } => {
  const places = locations.map(({ line, path: file }) => {
    const name = displayPath(context.cwd, file)
    return line === undefined ? name : `${name}:${line}`
  })
  const added = [...new Set(places)].filter((place) => !shown.has(`at ${place}`))
  const names = added.slice(0, 8).map((place) => oneLine(place, 200))
  const more = added.length > names.length ? ` and ${added.length - names.length} more` : ""
  return {
    keys: added.map((place) => `at ${place}`),
    lines: added.length === 0 ? [] : [paint(context.style, "dim", `  at ${names.join(", ")}${more}`)]
  }
}

const diffLines = (context: Context, shown: ReadonlySet<string>, content: ReadonlyArray<ToolCallContent>) => {
  const keys: Array<string> = []
  const lines: Array<string> = []
  for (const item of content) {
    if (item.type !== "diff") continue
    const key = `diff ${item.path}\0${item.oldText ?? "\0"}\0${item.newText}`
    if (shown.has(key)) continue
    keys.push(key)
    const name = displayPath(context.cwd, item.path)
    lines.push(...DiffText.lines(context.style, context.hunks, item, name).map((line) => `  ${line}`))
  }
  return { keys, lines }
}

/** The beginning of a long text, and how much is left out. */
const cut = (text: string): string => {
  const lines = text.replace(/\n+$/, "").split("\n")
  if (lines.length <= maxLines) return text
  return `${lines.slice(0, maxLines).join("\n")}\n(${lines.length - maxLines} more lines)\n`
}

const output = (context: Context, page: Page.Page, id: string, tool: ToolView, text: string): Page.Page => {
  const bar = paint(context.style, "dim", sign(context.style, "output"))
  const shown = visible(tool.kind === "execute" ? text : cut(text))
  return Page.flow(page, `output ${id}`, shown, (piece, first) => (first ? `${bar}${piece}` : piece))
}

/** Also for the tool call of a permission request: what it shows is not shown twice. */
export const stepTool = (context: Context, state: State, call: ToolCallUpdate): State => {
  const id = call.toolCallId
  const before = state.tools.get(id)
  const merged: ToolView = {
    title: call.title ?? before?.title ?? id,
    kind: call.kind ?? before?.kind ?? "other",
    status: call.status ?? before?.status ?? "pending",
    output: before?.output ?? "",
    shown: before?.shown ?? new Set()
  }
  // Thinking changes nothing outside: its plan or its words speak for it.
  if (merged.kind === "think" && merged.status !== "failed") {
    return { ...state, page: Page.fresh(state.page), tools: new Map(state.tools).set(id, merged) }
  }
  const content = call.content ?? []
  const places = placesLine(context, merged.shown, call.locations ?? [])
  const diffs = diffLines(context, merged.shown, content)
  const now = outputOf(content)
  const added = newPart(merged.output, now)
  const changed = before === undefined || before.status !== merged.status || before.title !== merged.title
  const finished = changed && (merged.status === "completed" || merged.status === "failed")
  const says = places.lines.length + diffs.lines.length > 0 || added !== ""
  const header = (changed && !finished) || before === undefined || (says && state.lastTool !== id)

  const start: ToolView = finished && before !== undefined ? { ...merged, status: before.status } : merged
  const head = header ? [toolLine(context, before === undefined && finished ? merged : start)] : []
  let page = Page.lines(Page.fresh(state.page), [...head, ...places.lines, ...diffs.lines])
  page = output(context, page, id, merged, added)
  if (finished && before !== undefined) page = Page.lines(page, [toolLine(context, merged)])

  const view: ToolView = {
    ...merged,
    output: call.content === undefined || now === "" ? merged.output : now,
    shown: new Set([...merged.shown, ...places.keys, ...diffs.keys])
  }
  const printed = head.length > 0 || says || finished
  return { ...state, page, tools: new Map(state.tools).set(id, view), lastTool: printed ? id : state.lastTool }
}

const planLine = (style: Style, { content, status }: PlanEntry): string => {
  const text = oneLine(content)
  switch (status) {
    case "completed":
      return `  ${paint(style, "green", sign(style, "done"))} ${paint(style, "dim", text)}`
    case "in_progress":
      return `  ${paint(style, "cyan", sign(style, "doing"))} ${text}`
    case "pending":
      return `  ${sign(style, "todo")} ${text}`
  }
}

const planLines = ({ style }: Context, entries: ReadonlyArray<PlanEntry>): ReadonlyArray<string> => [
  paint(style, "bold", "Plan"),
  ...entries.map((entry) => planLine(style, entry))
]

/** Whole lines of our own between what the agent says. */
export const note = (state: State, lines: ReadonlyArray<string>): State => ({
  ...state,
  page: Page.lines(Page.fresh(state.page), lines),
  lastTool: ""
})

export const close = (state: State): State => ({ ...state, page: Page.close(Page.fresh(state.page)) })

/** The text to print for this update is `page.text` of the new state. */
export const step = (context: Context, state: State, update: SessionUpdate): State => {
  const { style } = context
  const page = Page.fresh(state.page)
  const say = (line: string) => note(state, [paint(style, "dim", line)])
  switch (update.sessionUpdate) {
    case "agent_message_chunk": {
      const text = visible(blockText(update.content))
      const block = `answer ${update.messageId ?? ""}`
      return { ...state, lastTool: "", page: Page.flow(page, block, text, (piece) => piece) }
    }
    case "agent_thought_chunk": {
      const text = visible(blockText(update.content))
      const decorate = (piece: string, first: boolean) =>
        paint(style, "dim", first ? `${sign(style, "thought")}${piece}` : piece)
      return { ...state, lastTool: "", page: Page.flow(page, `thought ${update.messageId ?? ""}`, text, decorate) }
    }
    case "user_message_chunk": {
      const text = visible(blockText(update.content))
      const decorate = (piece: string, first: boolean) => paint(style, "bold", first ? `> ${piece}` : piece)
      return { ...state, lastTool: "", page: Page.flow(page, `user ${update.messageId ?? ""}`, text, decorate) }
    }
    case "tool_call":
    case "tool_call_update":
      return stepTool(context, state, update)
    case "plan": {
      const lines = planLines(context, update.entries)
      const plan = lines.join("\n")
      return plan === state.plan ? { ...state, page } : { ...note(state, lines), plan }
    }
    case "current_mode_update":
      return say(`mode: ${oneLine(update.currentModeId)}`)
    case "session_info_update":
      return typeof update.title === "string" ? say(`title: ${oneLine(update.title)}`) : { ...state, page }
    case "notice": {
      const description = update.description === undefined ? "" : `: ${oneLine(update.description)}`
      const how = update.severity === "error" ? "red" : "yellow"
      return note(state, [
        `${paint(style, how, `${oneLine(update.severity, 40)}:`)} ${oneLine(update.title)}${description}`
      ])
    }
    case "compaction_update":
      return say(`compaction: ${oneLine(update.status, 40)}`)
    case "available_commands_update":
    case "config_option_update":
    case "compaction_summary_chunk":
    case "usage_update":
      return { ...state, page }
  }
}
