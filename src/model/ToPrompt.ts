// Our conversation as a provider package's prompt. Pure.
import { createHash } from "node:crypto"
import type {
  JSONObject,
  JSONValue,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ReasoningPart,
  LanguageModelV3TextPart,
  LanguageModelV3ToolCallPart,
  LanguageModelV3ToolResultPart,
  SharedV3ProviderOptions
} from "@ai-sdk/provider"
import { Either, Predicate } from "effect"
import type { Message, ProviderData, TextPart, ThoughtPart, ToolCallPart, ToolResult } from "./Message.ts"

export interface PromptOptions {
  /**
   * Which reasoning goes back: `signed` only blocks with provider data (Anthropic checks its signatures), `turn` all
   * reasoning since the last user message (DeepSeek and its kin want it within a tool loop), `none` nothing.
   */
  readonly reasoning: "signed" | "turn" | "none"
  /** Marks the system text and the end of the conversation for Anthropic's prompt cache. */
  readonly cache: boolean
  /** `plain` keeps an id but for characters that providers refuse, `nine` makes it nine letters and digits (Mistral). */
  readonly callIds: "plain" | "nine"
  /** Puts an assistant message between results and the user: chat templates refuse them side by side. */
  readonly bridge: boolean
}

const toJson = (value: unknown): JSONValue => {
  if (typeof value === "string") return value.toWellFormed()
  if (value === null || typeof value === "boolean") return value
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (Array.isArray(value)) return value.map(toJson)
  return typeof value === "object" ? toJsonObject(value) : null
}

const toJsonObject = (value: object): JSONObject =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toWellFormed(), toJson(member)]))

const providerOptions = (data: ProviderData | undefined): { providerOptions?: SharedV3ProviderOptions } =>
  data === undefined
    ? {}
    : { providerOptions: Object.fromEntries(Object.entries(data).map(([name, own]) => [name, toJsonObject(own)])) }

const cacheHere: { readonly providerOptions: SharedV3ProviderOptions } = {
  providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } }
}

/** Providers refuse ids and names outside this alphabet, and a model may write any name. */
const plain = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64)
const callId = (style: PromptOptions["callIds"], id: string): string => {
  if (style === "plain") return id.replace(/[^A-Za-z0-9_-]/g, "_") || "call"
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 9)
}
const toolName = (name: string): string => plain(name) || "unnamed"

/** A call's input as an object; what is no JSON object becomes an empty one, the result says what was wrong. */
const parsedInput = (input: string): JSONObject => {
  const parsed = Either.getOrUndefined(Either.try((): unknown => JSON.parse(input)))
  return Predicate.isRecord(parsed) ? toJsonObject(parsed) : {}
}

type AssistantPart = LanguageModelV3TextPart | LanguageModelV3ReasoningPart | LanguageModelV3ToolCallPart

const assistantPart =
  ({ reasoning, callIds }: PromptOptions, inTurn: boolean) =>
  (part: TextPart | ThoughtPart | ToolCallPart): ReadonlyArray<AssistantPart> => {
    switch (part._tag) {
      case "Text":
        return part.text.trim() === "" ? [] : [{ type: "text", text: part.text.toWellFormed() }]
      case "Thought": {
        const wanted = reasoning === "signed" ? part.provider !== undefined : reasoning === "turn" && inTurn
        return wanted ? [{ type: "reasoning", text: part.text.toWellFormed(), ...providerOptions(part.provider) }] : []
      }
      case "ToolCall":
        return [
          {
            type: "tool-call",
            toolCallId: callId(callIds, part.id),
            toolName: toolName(part.name),
            input: parsedInput(part.input),
            ...providerOptions(part.provider)
          }
        ]
    }
  }

const toolResult =
  ({ callIds }: PromptOptions) =>
  ({ id, name, text, isError }: ToolResult): LanguageModelV3ToolResultPart => ({
    type: "tool-result",
    toolCallId: callId(callIds, id),
    toolName: toolName(name),
    output: { type: isError ? "error-text" : "text", value: text.trim() === "" ? "(no output)" : text.toWellFormed() }
  })

type UserMessage = Extract<LanguageModelV3Message, { role: "user" }>

const userMessage = (text: string): UserMessage => ({ role: "user", content: [{ type: "text", text }] })

const texts = ({ content }: UserMessage): ReadonlyArray<string> =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : []))

const endedTurn: LanguageModelV3Message = {
  role: "assistant",
  content: [{ type: "text", text: "(The turn ended here.)" }]
}

/** A turn that failed or was stopped leaves neighbours which strict chat templates refuse for the rest of the session. */
const alternate = (messages: ReadonlyArray<LanguageModelV3Message>, bridge: boolean): LanguageModelV3Prompt => {
  const prompt: LanguageModelV3Prompt = []
  for (const message of messages) {
    const before = prompt.at(-1)
    if (message.role === "user" && before?.role === "user") {
      prompt.splice(-1, 1, userMessage([...texts(before), ...texts(message)].join("\n\n")))
    } else if (message.role === "user" && before?.role === "tool" && bridge) prompt.push(endedTurn, message)
    else prompt.push(message)
  }
  return prompt
}

const toMessage = (
  message: Message,
  options: PromptOptions,
  inTurn: boolean
): ReadonlyArray<LanguageModelV3Message> => {
  switch (message._tag) {
    case "User":
      return message.text.trim() === "" ? [] : [userMessage(message.text.toWellFormed())]
    case "Assistant": {
      const content = message.parts.flatMap(assistantPart(options, inTurn))
      return content.some(({ type }) => type !== "reasoning") ? [{ role: "assistant", content }] : []
    }
    case "ToolResults":
      return message.results.length === 0 ? [] : [{ role: "tool", content: message.results.map(toolResult(options)) }]
  }
}

/**
 * Never an empty text block, never an empty message, never two user messages in a row, never half a surrogate pair:
 * providers answer those with HTTP 400.
 */
export const toPrompt = (
  system: string,
  messages: ReadonlyArray<Message>,
  options: PromptOptions
): LanguageModelV3Prompt => {
  const lastUser = messages.findLastIndex(({ _tag }) => _tag === "User")
  const cache = options.cache ? cacheHere : {}
  const said = alternate(
    messages.flatMap((message, at) => toMessage(message, options, at > lastUser)),
    options.bridge
  )
  const last = said.at(-1)
  return [
    ...(system.trim() === "" ? [] : [{ role: "system" as const, content: system.toWellFormed(), ...cache }]),
    ...said.slice(0, -1),
    ...(last === undefined ? [] : [{ ...last, ...cache }])
  ]
}
