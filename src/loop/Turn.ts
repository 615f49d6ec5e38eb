// What a turn needs of the world around it.
import type { Effect } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import type { PermissionOption, PermissionOutcome } from "../contract/ClientMethods.ts"
import type { ToolCallUpdate } from "../contract/ToolCall.ts"
import type { SessionUpdate } from "../contract/Update.ts"
import type { Message } from "../model/Message.ts"
import type { ModelService } from "../model/Model.ts"
import type { SessionPolicy } from "../policy/PolicyService.ts"
import type { Tool } from "../tools/Tool.ts"
import type { ClientSide } from "./ClientSide.ts"
import type { ContextUsage } from "./Usage.ts"

export interface PermissionQuestion {
  readonly toolCall: ToolCallUpdate
  readonly options: ReadonlyArray<PermissionOption>
}

/** What came back of a question; everything but a selected option is a no. */
export type PermissionAnswer =
  | PermissionOutcome
  /** ZeroClaw's `reject-with-edit`: not run, and the model is given this text as the result. */
  | { readonly outcome: "edited"; readonly replacement: string }
  | { readonly outcome: "unanswered"; readonly reason: string; readonly timedOut: boolean }

export interface Turn {
  readonly sessionId: SessionId
  readonly model: ModelService
  readonly tools: ReadonlyArray<Tool>
  readonly policy: SessionPolicy
  readonly system: string
  /** The conversation up to and with the new user message. */
  readonly history: ReadonlyArray<Message>
  /** Model calls at most. */
  readonly maxSteps: number
  /** Makes a provider's tool call id unique within the session. */
  readonly uniqueCallId: (id: string) => string
  /** Keeps a message as soon as it is complete, so that an interrupted turn keeps what it had. */
  readonly record: (message: Message) => void
  readonly update: (update: SessionUpdate) => Effect.Effect<void>
  readonly ask: (question: PermissionQuestion) => Effect.Effect<PermissionAnswer>
  readonly client: ClientSide
  /** Values known to be secret: never in what tools give back. */
  readonly secrets?: ReadonlyArray<string>
  /** Runs before each decision: what the policy follows may have changed. */
  readonly beforeDecision?: Effect.Effect<void>
  /** What the client was last told of the context; it is not told the same again. */
  readonly usage?: ContextUsage
  /** Called when the client has been told something new of the context. */
  readonly onUsage?: (usage: ContextUsage) => void
}
