// The parts of one reply, as a provider package streams them, become model events. A pure fold.
import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider"
import { Predicate } from "effect"
import type { ProviderData } from "./Message.ts"
import type { FinishReason, ModelEvent, Usage } from "./Model.ts"
import type { ModelError } from "./ModelError.ts"
import * as ProviderError from "./ProviderError.ts"

interface OpenThought {
  readonly text: string
  readonly provider: ProviderData | undefined
}

/** What a reply has been so far. */
export interface Reply {
  readonly thoughts: ReadonlyMap<string, OpenThought>
  /** Held back until the reply is whole: a package also hands over calls whose text was cut. */
  readonly calls: ReadonlyArray<ModelEvent>
  readonly said: boolean
  readonly done: boolean
}

export const start: Reply = { thoughts: new Map(), calls: [], said: false, done: false }

export interface Step {
  readonly reply: Reply
  readonly events: ReadonlyArray<ModelEvent>
  readonly failure?: ModelError
  /** Something odd that does no harm; for the log, never content. */
  readonly note?: string
}

const count = (total: number | undefined): number | undefined =>
  total !== undefined && Number.isFinite(total) && total >= 0 ? Math.round(total) : undefined

const toUsage = ({ inputTokens, outputTokens }: LanguageModelV3Usage): Usage => {
  const input = count(inputTokens.total)
  const output = count(outputTokens.total)
  return {
    ...(input === undefined ? {} : { inputTokens: input }),
    ...(output === undefined ? {} : { outputTokens: output })
  }
}

const toFinishReason = ({ unified }: LanguageModelV3FinishReason): FinishReason => {
  switch (unified) {
    case "stop":
      return "stop"
    case "tool-calls":
      return "tool_calls"
    case "length":
      return "max_tokens"
    case "content-filter":
      return "refusal"
    default:
      return "other"
  }
}

const merge = (known: ProviderData | undefined, more: ProviderData | undefined): ProviderData | undefined => {
  if (more === undefined) return known
  if (known === undefined) return more
  const names = [...Object.keys(known), ...Object.keys(more)]
  return Object.fromEntries(names.map((name) => [name, { ...known[name], ...more[name] }]))
}

const thinkMore = (reply: Reply, id: string, delta: string, provider: ProviderData | undefined): Reply => {
  const open = reply.thoughts.get(id)
  const next = { text: (open?.text ?? "") + delta, provider: merge(open?.provider, provider) }
  return { ...reply, thoughts: new Map(reply.thoughts).set(id, next) }
}

const endThought = ({ text, provider }: OpenThought): ReadonlyArray<ModelEvent> =>
  text === "" && provider === undefined
    ? []
    : [{ _tag: "ThoughtEnd", text, ...(provider === undefined ? {} : { provider }) }]

/** The error in an event that a package could not read: `{ error }`, a list of it, or an object that says it is one. */
const errorIn = (event: unknown): unknown => {
  if (Array.isArray(event)) return errorIn(event[0])
  if (!Predicate.isRecord(event)) return undefined
  return event["error"] ?? (event["object"] === "error" || event["type"] === "error" ? event : undefined)
}

/** Provider packages report events they do not know, and the provider's own errors, as the same kind of part. */
const onError = (reply: Reply, error: unknown, where: ProviderError.Where): Step => {
  const name = Predicate.hasProperty(error, "name") ? error.name : undefined
  switch (name) {
    case "AI_TypeValidationError": {
      const said = errorIn(Predicate.hasProperty(error, "value") ? error.value : undefined)
      return Predicate.isNullable(said)
        ? { reply, events: [], note: "skipped an event of an unknown kind" }
        : { reply, events: [], failure: ProviderError.fromEvent(where, said) }
    }
    case "AI_JSONParseError": {
      const text = Predicate.hasProperty(error, "text") ? error.text : undefined
      return typeof text === "string" && /^\s*(\[DONE\])?\s*$/.test(text)
        ? { reply, events: [], note: "skipped an empty event" }
        : { reply, events: [], failure: ProviderError.brokenEvent(where, "an event is not JSON") }
    }
    case "AI_InvalidResponseDataError":
      // The end of the stream says that the reply is not whole.
      return { reply, events: [], note: "the reply is out of order or incomplete" }
    default:
      return { reply, events: [], failure: ProviderError.fromEvent(where, error) }
  }
}

const empty = (where: ProviderError.Where): ModelError =>
  ProviderError.make(
    where,
    "empty_reply",
    `${where.provider} (${where.model}) ended its reply without saying anything. Ask again, or use another model.`
  )

/** One more part. */
export const read =
  (where: ProviderError.Where) =>
  (reply: Reply, part: LanguageModelV3StreamPart): Step => {
    if (reply.done) return { reply, events: [] }
    switch (part.type) {
      case "text-delta":
        return part.delta === ""
          ? { reply, events: [] }
          : {
              reply: reply.said || part.delta.trim() === "" ? reply : { ...reply, said: true },
              events: [{ _tag: "Text", text: part.delta }]
            }
      case "reasoning-start":
        return { reply: thinkMore(reply, part.id, "", part.providerMetadata), events: [] }
      case "reasoning-delta":
        return {
          reply: thinkMore(reply, part.id, part.delta, part.providerMetadata),
          events: part.delta === "" ? [] : [{ _tag: "Thought", text: part.delta }]
        }
      case "reasoning-end": {
        const { text, provider } = thinkMore(reply, part.id, "", part.providerMetadata).thoughts.get(part.id) ?? {
          text: "",
          provider: undefined
        }
        const thoughts = new Map(reply.thoughts)
        thoughts.delete(part.id)
        return { reply: { ...reply, thoughts }, events: endThought({ text, provider }) }
      }
      case "tool-call": {
        if (part.providerExecuted === true) return { reply, events: [], note: "skipped a call the provider ran itself" }
        const call: ModelEvent = {
          _tag: "ToolCall",
          id: part.toolCallId,
          name: part.toolName,
          input: part.input.trim() === "" ? "{}" : part.input,
          ...(part.providerMetadata === undefined ? {} : { provider: part.providerMetadata })
        }
        return { reply: { ...reply, calls: [...reply.calls, call] }, events: [] }
      }
      case "error":
        return onError(reply, part.error, where)
      case "finish": {
        const done = { ...reply, done: true }
        // The compatible package says "error" when no finish reason came: the reply was cut.
        if (part.finishReason.unified === "error") return { reply: done, events: [], failure: ProviderError.cut(where) }
        const reason = toFinishReason(part.finishReason)
        const silent = !reply.said && reply.calls.length === 0
        if (silent && reason !== "max_tokens" && reason !== "refusal") {
          return { reply: done, events: [], failure: empty(where) }
        }
        return {
          reply: done,
          events: [
            ...[...reply.thoughts.values()].flatMap(endThought),
            ...reply.calls,
            { _tag: "Finish", reason, usage: toUsage(part.usage) }
          ]
        }
      }
      case "stream-start":
        return part.warnings.length === 0
          ? { reply, events: [] }
          : { reply, events: [], note: `the request was adapted (${part.warnings.map(({ type }) => type).join(", ")})` }
      default:
        return { reply, events: [] }
    }
  }

/** The stream has ended: without a finish it was cut, however quietly. */
export const end = (where: ProviderError.Where, reply: Reply): ModelError | undefined =>
  reply.done ? undefined : ProviderError.cut(where)
