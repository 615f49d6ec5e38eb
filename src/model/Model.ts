// What a model is to the agent loop: a request in, a stream of events out. The offline agent is one, a provider another.
import { Context, Layer, type Stream } from "effect"
import type { Message, ProviderData } from "./Message.ts"
import type { ModelError } from "./ModelError.ts"

/** A tool as the model is told about it; `inputSchema` is a JSON Schema object. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

export interface ModelRequest {
  readonly system: string
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<ToolSpec>
}

export type ModelEvent =
  /** Visible answer text, a delta. */
  | { readonly _tag: "Text"; readonly text: string }
  /** Reasoning, a delta. */
  | { readonly _tag: "Thought"; readonly text: string }
  /** The end of one block of reasoning, with what the provider wants to see again beside it (a signature). */
  | { readonly _tag: "ThoughtEnd"; readonly text: string; readonly provider?: ProviderData }
  /** A complete call; `input` is the raw JSON text the model wrote, not yet trusted or parsed. */
  | {
      readonly _tag: "ToolCall"
      readonly id: string
      readonly name: string
      readonly input: string
      /** What the provider wants to see again beside the call (Gemini signs its calls). */
      readonly provider?: ProviderData
    }
  /** The stream broke and is being asked for again: what came so far does not count. */
  | { readonly _tag: "Restart"; readonly reason: string }
  | { readonly _tag: "Finish"; readonly reason: FinishReason; readonly usage: Usage }

export type FinishReason = "stop" | "tool_calls" | "max_tokens" | "refusal" | "other"

/** Tokens; absent when the provider does not say. */
export interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
}

export interface ModelService {
  /** As configuration writes it: `<type>.<alias>` and the model's own name, such as `anthropic.main/claude-…`. */
  readonly id: string
  /** Tokens that a conversation with it may hold, request and reply together; absent when unknown. */
  readonly contextWindow?: number
  /** Model calls a turn may make, where it is not what the agent allows its own model. */
  readonly maxSteps?: number
  /** Events of one reply. Ends after `Finish`; interruption aborts the request. */
  readonly stream: (request: ModelRequest) => Stream.Stream<ModelEvent, ModelError>
}

export class Model extends Context.Tag("zeroclaw/Model")<Model, ModelService>() {
  /** A scripted model. */
  static readonly test = (service: ModelService): Layer.Layer<Model> => Layer.succeed(Model, service)
}
