// A slash command: what the client lists, and what runs in place of the model when a prompt begins with it.
import type { Effect } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import type { AvailableCommand, SessionUpdate } from "../contract/Update.ts"
import type { ClientSide } from "../loop/ClientSide.ts"
import type { Message } from "../model/Message.ts"
import type { ModelService } from "../model/Model.ts"
import type { ModelError } from "../model/ModelError.ts"
import type { Catalog } from "../model/Models.ts"
import type { Level } from "../policy/Decision.ts"

/** What went wrong with a change that a command asked for, in one line for the person. */
export interface Refused {
  readonly _tag: "Refused"
  readonly message: string
}

/** The session as a command sees it. */
export interface CommandContext {
  readonly sessionId: string
  readonly agentAlias: string
  readonly cwd: string
  readonly additionalDirectories: ReadonlyArray<string>
  readonly mode: Level
  readonly modes: ReadonlyArray<{ readonly id: Level; readonly name: string; readonly description: string }>
  readonly model: ModelService
  readonly modelChoice: string
  readonly thoughtLevel: string | undefined
  readonly catalog: Catalog
  readonly title: string | undefined
  /** What the model would be given next, without this prompt. */
  readonly history: ReadonlyArray<Message>
  /** What the last reply used of the model's context, and the context's size; tokens. Absent while unknown. */
  readonly usage?: { readonly used?: number | undefined; readonly size?: number | undefined } | undefined
  /** Names of the tools that the model is offered. */
  readonly tools: ReadonlyArray<string>
  readonly client: ClientSide
  /** Shows a text as the agent's; the text is markdown. */
  readonly say: (markdown: string) => Effect.Effect<void>
  readonly update: (update: SessionUpdate) => Effect.Effect<void>
  readonly setMode: (mode: string) => Effect.Effect<void, Refused>
  readonly setModel: (value: string) => Effect.Effect<void, Refused>
  readonly setThoughtLevel: (value: string) => Effect.Effect<void, Refused>
  readonly setTitle: (title: string) => Effect.Effect<string, Refused>
  /** From now on the model is given this instead of the history. */
  readonly replaceHistory: (messages: ReadonlyArray<Message>) => Effect.Effect<void>
}

export interface Command extends AvailableCommand {
  readonly run: (args: string, context: CommandContext) => Effect.Effect<StopReason, ModelError>
}

/** A prompt that is a command: its name without the slash, and what follows, trimmed. */
export interface Invocation {
  readonly name: string
  readonly args: string
}
