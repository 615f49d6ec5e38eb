// What a tool is: a schema, a face for the client, an action for policy, an effect.
import { Data, type Effect } from "effect"
import type { ToolCallContent, ToolCallLocation, ToolKind } from "../contract/ToolCall.ts"
import type { PlanEntry } from "../contract/Update.ts"
import type { ClientSide } from "../loop/ClientSide.ts"
import type { Turn } from "../loop/Turn.ts"
import type { ToolSpec } from "../model/Model.ts"
import type { Action } from "../policy/Decision.ts"
import type { SessionPolicy } from "../policy/PolicyService.ts"

/** A call that did not do what was asked; the model reads the message, the client sees `failed`. */
export class ToolError extends Data.TaggedError("ToolError")<{
  readonly message: string
  /** What the card shows; the message in one block when absent. */
  readonly content?: ReadonlyArray<ToolCallContent>
  readonly rawOutput?: unknown
}> {}

export interface ToolContext {
  readonly sessionId: string
  readonly toolCallId: string
  readonly policy: SessionPolicy
  /** Replaces what the card shows while the call runs. */
  readonly progress: (content: ReadonlyArray<ToolCallContent>) => Effect.Effect<void>
  /** A question to the person with the client's permission dialog. */
  readonly ask: Turn["ask"]
  /** What the client can do beyond that. */
  readonly client: ClientSide
  /** A message of its own in the conversation that the person reads; the model does not. */
  readonly say: (text: string) => Effect.Effect<void>
  /** Publishes the whole plan. */
  readonly plan: (entries: ReadonlyArray<PlanEntry>) => Effect.Effect<void>
}

export interface ToolOutcome {
  /** What the model reads. */
  readonly text: string
  /** What the card is called from now on; as it was when absent. */
  readonly title?: string
  /** What the card shows; the text in one block when absent. Diffs come first. */
  readonly content?: ReadonlyArray<ToolCallContent>
  readonly locations?: ReadonlyArray<ToolCallLocation>
  readonly rawOutput?: unknown
}

/** How a call looks before it runs. The title alone must tell what will happen. */
export interface Face {
  readonly title: string
  readonly kind: ToolKind
  readonly locations: ReadonlyArray<ToolCallLocation>
  /** Shown with the permission question: a diff, the exact command. */
  readonly content: ReadonlyArray<ToolCallContent>
}

/** A call whose input fits the schema, ready to be decided on and run. */
export interface PreparedCall {
  readonly action: Action
  readonly face: Face
  readonly rawInput: unknown
  readonly run: (context: ToolContext) => Effect.Effect<ToolOutcome, ToolError>
}

export interface Tool {
  readonly spec: ToolSpec
  /** Parses the raw JSON text of the model's input. May look at files (for a diff), never changes any. */
  readonly prepare: (input: string, policy: SessionPolicy) => Effect.Effect<PreparedCall, ToolError>
}
