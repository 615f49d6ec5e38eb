// One model reply: its events become session updates as they come, and one assistant message at the end.
import { Effect, Stream } from "effect"
import { text } from "../contract/Content.ts"
import type { Message, TextPart, ThoughtPart, ToolCallPart } from "../model/Message.ts"
import type { FinishReason, ModelEvent, ModelRequest, Usage } from "../model/Model.ts"
import type { ModelError } from "../model/ModelError.ts"
import type { Turn } from "./Turn.ts"

export interface Outcome {
  readonly finish: FinishReason
  readonly calls: ReadonlyArray<ToolCallPart>
  readonly usage: Usage
}

/** What a reply has said so far. */
interface Draft {
  messageId: string
  thoughtId: string
  texts: Array<string>
  thoughts: Array<ThoughtPart>
  openThought: Array<string>
  calls: Array<ToolCallPart>
  finish: FinishReason | undefined
  usage: Usage
}

const emptyDraft = (): Draft => ({
  messageId: crypto.randomUUID(),
  thoughtId: crypto.randomUUID(),
  texts: [],
  thoughts: [],
  openThought: [],
  calls: [],
  finish: undefined,
  usage: {}
})

const toMessage = (draft: Draft, withCalls: boolean): Message | undefined => {
  const said = draft.texts.join("")
  const thought = draft.openThought.join("")
  const parts: ReadonlyArray<TextPart | ThoughtPart | ToolCallPart> = [
    ...draft.thoughts,
    ...(thought === "" ? [] : [{ _tag: "Thought" as const, text: thought }]),
    ...(said === "" ? [] : [{ _tag: "Text" as const, text: said }]),
    ...(withCalls ? draft.calls : [])
  ]
  return parts.some(({ _tag }) => _tag !== "Thought") ? { _tag: "Assistant", parts } : undefined
}

/**
 * Streams one reply. What it said is kept also when the stream fails or is interrupted; calls that nobody has seen yet
 * are then dropped.
 */
export const run = (
  turn: Turn,
  request: ModelRequest,
  keep: (message: Message) => void
): Effect.Effect<Outcome, ModelError> =>
  Effect.suspend(() => {
    let draft = emptyDraft()
    const say = (said: string) =>
      turn.update({ sessionUpdate: "agent_message_chunk", content: text(said), messageId: draft.messageId })

    const onEvent = (event: ModelEvent): Effect.Effect<void> => {
      switch (event._tag) {
        case "Text":
          if (event.text === "") return Effect.void
          draft.texts.push(event.text)
          return say(event.text)
        case "Thought":
          if (event.text === "") return Effect.void
          draft.openThought.push(event.text)
          return turn.update({
            sessionUpdate: "agent_thought_chunk",
            content: text(event.text),
            messageId: draft.thoughtId
          })
        case "ThoughtEnd":
          draft.openThought = []
          draft.thoughtId = crypto.randomUUID()
          draft.thoughts.push({
            _tag: "Thought",
            text: event.text,
            ...(event.provider === undefined ? {} : { provider: event.provider })
          })
          return Effect.void
        case "ToolCall":
          draft.calls.push({ ...event, id: turn.uniqueCallId(event.id) })
          return Effect.void
        case "Restart": {
          // What was shown cannot be taken back: close that message in words, then start a new one.
          const shown = draft.texts.length > 0
          const note = shown ? say(`\n\n[${event.reason}]`) : Effect.void
          return Effect.zipRight(
            note,
            Effect.sync(() => {
              draft = emptyDraft()
            })
          )
        }
        case "Finish":
          draft.finish = event.reason
          draft.usage = event.usage
          return Effect.void
      }
    }
    const keepDraft = (withCalls: boolean) =>
      Effect.sync(() => {
        const message = toMessage(draft, withCalls)
        if (message !== undefined) keep(message)
      })
    return turn.model.stream(request).pipe(
      Stream.runForEach(onEvent),
      Effect.onError(() => keepDraft(false)),
      Effect.zipRight(keepDraft(true)),
      Effect.map(() => ({ finish: draft.finish ?? "other", calls: draft.calls, usage: draft.usage }))
    )
  })
