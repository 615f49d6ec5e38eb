// The embedded agent: a Model that follows commands with the tools it is offered. It is not a language model.
import { Effect, Stream } from "effect"
import * as TimePrefix from "../../text/TimePrefix.ts"
import type { Message, ToolResult } from "../Message.ts"
import type { ModelEvent, ModelRequest, ModelService } from "../Model.ts"
import * as Attached from "./Attached.ts"
import * as Intent from "./Intent.ts"
import { forIntent } from "./Script.ts"
import type * as Script from "./Steps.ts"

const honesty =
  "Offline agent: I follow commands and search your files; I am not a language model. `help` lists what I understand.\n\n"

type Reply =
  | { readonly _tag: "Ask"; readonly ask: Script.Ask }
  | { readonly _tag: "Answer"; readonly answer: Script.Answer }

const notOffered = (name: string): Script.Result => ({
  text: `The tool ${name} is not offered in this session.`,
  isError: true
})

/**
 * Runs the script over the results there are, to its next question or its answer. A call of a tool that is not offered
 * fails at once, and the script decides how to go on.
 */
const replay = (script: Script.Script, results: ReadonlyArray<Script.Result>, offered: ReadonlySet<string>): Reply => {
  let used = 0
  // What questions said that were never sent goes before the next reply.
  let unsaid = ""
  let turn = script.next()
  while (!turn.done) {
    const { calls: wanted, say = "" } = turn.value
    const calls = wanted.filter(({ name }) => offered.has(name))
    if (results.length - used < calls.length) {
      return { _tag: "Ask", ask: { ...turn.value, calls, say: unsaid + say } }
    }
    unsaid = calls.length === 0 ? unsaid + say : ""
    const next = results.slice(used, used + calls.length).values()
    used += calls.length
    turn = script.next(
      wanted.map(({ name }) => (offered.has(name) ? next.next().value : undefined) ?? notOffered(name))
    )
  }
  return { _tag: "Answer", answer: { ...turn.value, text: unsaid + turn.value.text } }
}

const finish = (reason: "stop" | "tool_calls"): ModelEvent => ({ _tag: "Finish", reason, usage: {} })

/** Line by line, as a model would stream it. */
const deltas = (text: string): ReadonlyArray<ModelEvent> =>
  text === "" ? [] : text.split(/(?<=\n)/).map((line): ModelEvent => ({ _tag: "Text", text: line }))

const countCalls = (messages: ReadonlyArray<Message>): number =>
  messages.reduce(
    (count, message) =>
      message._tag === "Assistant" ? count + message.parts.filter(({ _tag }) => _tag === "ToolCall").length : count,
    0
  )

/** Results of the calls made since, in the order of the calls. */
const resultsOf = (since: ReadonlyArray<Message>): ReadonlyArray<ToolResult> => {
  const byId = new Map(
    since.flatMap((message) =>
      message._tag === "ToolResults" ? message.results.map((result) => [result.id, result] as const) : []
    )
  )
  return since
    .flatMap((message) => (message._tag === "Assistant" ? message.parts : []))
    .flatMap((part) => (part._tag === "ToolCall" ? (byId.get(part.id) ?? []) : []))
}

const events = (
  { messages, tools }: ModelRequest,
  intent: Intent.Intent,
  attached: ReadonlyArray<Attached.Attachment>,
  since: ReadonlyArray<Message>
): ReadonlyArray<ModelEvent> => {
  const offered = new Set(tools.map(({ name }) => name))
  const reply = replay(forIntent(intent, attached), resultsOf(since), offered)
  if (reply._tag === "Answer") return [...deltas(reply.answer.text), finish("stop")]
  const { calls, say = "", thought } = reply.ask
  const first = countCalls(messages) + 1
  return [
    ...(thought === undefined ? [] : [{ _tag: "Thought" as const, text: thought }]),
    ...deltas(say),
    ...calls.map(
      ({ input, name }, at): ModelEvent => ({
        _tag: "ToolCall",
        id: `offline-${first + at}`,
        name,
        input: JSON.stringify(input)
      })
    ),
    finish("tool_calls")
  ]
}

/** Attachments without words are summarised. */
const intentOf = ({ attached, words }: Attached.Prompt): Intent.Intent =>
  words === "" && attached.length > 0 ? { _tag: "Summarise" } : Intent.parse(words)

const stream = (request: ModelRequest): Stream.Stream<ModelEvent> => {
  const at = request.messages.findLastIndex(({ _tag }) => _tag === "User")
  const last = request.messages[at]
  const prompt = Attached.read(last?._tag === "User" ? TimePrefix.remove(last.text) : "")
  const isFirst = !request.messages.some(({ _tag }) => _tag === "Assistant")
  const opening = isFirst ? Stream.fromIterable(deltas(honesty)) : Stream.empty
  const intent = intentOf(prompt)
  switch (intent._tag) {
    case "Wait":
      return Stream.concat(
        opening,
        Stream.concat(Stream.fromIterable(deltas("Waiting until you cancel.")), Stream.never)
      )
    case "Repeat":
      return Stream.concat(
        opening,
        Stream.concat(
          Stream.map(Stream.range(1, intent.times), (): ModelEvent => ({ _tag: "Text", text: intent.text })),
          Stream.make(finish("stop"))
        )
      )
    default:
      return Stream.concat(
        opening,
        Stream.unwrap(
          Effect.sync(() =>
            Stream.fromIterable(events(request, intent, prompt.attached, request.messages.slice(at + 1)))
          )
        )
      )
  }
}

export const offlineModel: ModelService = { id: "offline", stream }
