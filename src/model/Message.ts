// The conversation as a model sees it. Pure data.

/** Opaque data of a provider, given back to it unchanged. */
export type ProviderData = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface TextPart {
  readonly _tag: "Text"
  readonly text: string
}
export interface ThoughtPart {
  readonly _tag: "Thought"
  readonly text: string
  readonly provider?: ProviderData
}
export interface ToolCallPart {
  readonly _tag: "ToolCall"
  readonly id: string
  readonly name: string
  /** Raw JSON text as the model wrote it. */
  readonly input: string
  readonly provider?: ProviderData
}
export interface ToolResult {
  readonly id: string
  readonly name: string
  readonly text: string
  readonly isError: boolean
}

export type Message =
  | { readonly _tag: "User"; readonly text: string }
  | { readonly _tag: "Assistant"; readonly parts: ReadonlyArray<TextPart | ThoughtPart | ToolCallPart> }
  | { readonly _tag: "ToolResults"; readonly results: ReadonlyArray<ToolResult> }

export const user = (text: string): Message => ({ _tag: "User", text })

/** Calls of the last assistant message that no result follows. */
export const unanswered = (messages: ReadonlyArray<Message>): ReadonlyArray<ToolCallPart> => {
  const at = messages.findLastIndex((message) => message._tag === "Assistant")
  const last = messages[at]
  if (last?._tag !== "Assistant") return []
  const answered = new Set(
    messages
      .slice(at + 1)
      .flatMap((message) => (message._tag === "ToolResults" ? message.results.map(({ id }) => id) : []))
  )
  return last.parts.filter((part): part is ToolCallPart => part._tag === "ToolCall" && !answered.has(part.id))
}

/** Adds a result for each call that has none: a provider refuses a history with an open call. */
export const repair = (messages: ReadonlyArray<Message>, text: string): ReadonlyArray<Message> => {
  const open = unanswered(messages)
  if (open.length === 0) return messages
  const results = open.map(({ id, name }): ToolResult => ({ id, name, text, isError: true }))
  const last = messages.at(-1)
  return last?._tag === "ToolResults"
    ? [...messages.slice(0, -1), { _tag: "ToolResults", results: [...last.results, ...results] }]
    : [...messages, { _tag: "ToolResults", results }]
}
