// The embedded agent: a Model that follows commands with the tools it is offered. It is not a language model.
import { Effect, Stream } from "effect"
import type { Message, ToolResult } from "../Message.ts"
import type { ModelEvent, ModelRequest, ModelService } from "../Model.ts"
import * as Intent from "./Intent.ts"
import { forIntent } from "./Script.ts"
import type * as Script from "./Steps.ts"

const honesty =
  "Offline agent: I follow commands and search your files; I am not a language model. `help` lists what I understand.\n\n"

interface Prompt {
  readonly words: string
  readonly attached: ReadonlyArray<Script.Attachment>
}

/** Takes attachments and links out of a prompt. */
export const readPrompt = (text: string): Prompt => {
  const attached: Array<Script.Attachment> = []
  const words = text
    .replace(/^\[Attached: (.+)\]\n([\s\S]*?)\n\[End of attachment\]$/gm, (_, path: string, body: string) => {
      attached.push({ path, text: body })
      return ""
    })
    .replace(/^\[Linked: .*?(\S+)\]$/gm, (_, path: string) => {
      attached.push({ path })
      return ""
    })
  return { words: words.trim(), attached }
}

type Reply =
  | { readonly _tag: "Ask"; readonly ask: Script.Ask }
  | { readonly _tag: "Answer"; readonly answer: Script.Answer }

/** Runs the script over the results there are, to its next question or its answer. */
const replay = (script: Script.Script, results: ReadonlyArray<ToolResult>): Reply => {
  let used = 0
  let turn = script.next()
  while (!turn.done) {
    const { calls } = turn.value
    if (results.length - used < calls.length) return { _tag: "Ask", ask: turn.value }
    const given = results.slice(used, used + calls.length)
    used += calls.length
    turn = script.next(given)
  }
  return { _tag: "Answer", answer: turn.value }
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

const events = (
  { messages, tools }: ModelRequest,
  { attached, words }: Prompt,
  since: ReadonlyArray<Message>
): ReadonlyArray<ModelEvent> => {
  const results = since.flatMap((message) => (message._tag === "ToolResults" ? message.results : []))
  const reply = replay(forIntent(intentOf(words, attached), attached), results)
  if (reply._tag === "Answer") return [...deltas(reply.answer.text), finish("stop")]
  const { calls, say, thought } = reply.ask
  const offered = new Set(tools.map(({ name }) => name))
  const missing = calls.find(({ name }) => name !== "TodoWrite" && !offered.has(name))
  if (missing !== undefined) {
    return [...deltas(`${say ?? ""}Not done: the tool ${missing.name} is not offered in this session.`), finish("stop")]
  }
  const first = countCalls(messages) + 1
  return [
    ...(thought === undefined ? [] : [{ _tag: "Thought" as const, text: thought }]),
    ...deltas(say ?? ""),
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
const intentOf = (words: string, attached: ReadonlyArray<Script.Attachment>): Intent.Intent =>
  words === "" && attached.length > 0 ? { _tag: "Summarise" } : Intent.parse(words)

const stream = (request: ModelRequest): Stream.Stream<ModelEvent> => {
  const at = request.messages.findLastIndex(({ _tag }) => _tag === "User")
  const last = request.messages[at]
  const prompt = readPrompt(last?._tag === "User" ? last.text : "")
  const isFirst = !request.messages.some(({ _tag }) => _tag === "Assistant")
  const opening = isFirst ? Stream.fromIterable(deltas(honesty)) : Stream.empty
  const intent = intentOf(prompt.words, prompt.attached)
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
          Stream.map(
            Stream.range(1, Math.max(1, intent.times)),
            (): ModelEvent => ({ _tag: "Text", text: intent.text })
          ),
          Stream.make(finish("stop"))
        )
      )
    default:
      return Stream.concat(
        opening,
        Stream.unwrap(Effect.sync(() => Stream.fromIterable(events(request, prompt, request.messages.slice(at + 1)))))
      )
  }
}

export const offlineModel: ModelService = { id: "builtin.offline", stream }
