// One live session: what it owns, and the one thing that may run in it.
import { type Deferred, type Effect, Exit, type Fiber, Scope } from "effect"
import type { Agent } from "../config/Agents.ts"
import type { SessionId } from "../contract/AgentMethods.ts"
import type { SessionUpdate } from "../contract/Update.ts"
import type { ContextUsage } from "../loop/Usage.ts"
import type { Message } from "../model/Message.ts"
import type { ModelService } from "../model/Model.ts"
import type { Catalog, Selection } from "../model/Models.ts"
import type { Level } from "../policy/Decision.ts"
import type { SessionPolicy } from "../policy/PolicyService.ts"
import type { Title } from "../store/SessionStore.ts"
import type { Tool } from "../tools/Tool.ts"

/** A policy and what holds its folder. */
export interface OpenedPolicy {
  readonly policy: SessionPolicy
  readonly scope: Scope.CloseableScope
}

/** To go, or that it was cancelled. */
export type Told = "go" | "cancelled"

/** What has the session for itself. */
export interface Running {
  readonly what: "turn" | "opening"
  /** Of a turn. */
  fiber?: Fiber.RuntimeFiber<unknown, unknown>
}

/** A place in the line of what wants to run in the session. */
export interface Waiting {
  readonly running: Running
  readonly told: Deferred.Deferred<Told>
}

export interface Session {
  readonly id: SessionId
  agent: Agent
  /** The laxest mode that a client may choose. */
  laxest: Level
  opened: OpenedPolicy
  additionalDirectories: ReadonlyArray<string>
  model: ModelService
  catalog: Catalog
  selection: Selection
  title: Title | undefined
  readonly tools: ReadonlyArray<Tool>
  /** Owns the turn and everything opened for the session. */
  readonly scope: Scope.CloseableScope
  /** What the model is given with the next prompt. */
  history: ReadonlyArray<Message>
  /** What the client was last told of the model's context. */
  usage: ContextUsage | undefined
  /** Ids of tool calls so far: unique within the session. */
  readonly callIds: Set<string>
  /** Said once, at the start of the next turn. */
  notes: ReadonlyArray<string>
  /** When it was opened or its last turn ended: milliseconds of the epoch. */
  lastActive: number
  running: Running | undefined
  /** A turn is over and its answer is not written yet. */
  answering: boolean
  readonly waiting: Array<Waiting>
  /** It takes no new prompts and closes when its turn is over. */
  stopping: boolean
}

/** Providers may repeat an id; the session may not. */
export const uniqueCallId =
  (session: Session) =>
  (id: string): string => {
    const base = id === "" ? crypto.randomUUID() : id
    let unique = base
    for (let n = 2; session.callIds.has(unique); n++) unique = `${base}-${n}`
    session.callIds.add(unique)
    return unique
  }

/** Also those of turns that the model no longer knows of. */
export const callIdsOf = (messages: ReadonlyArray<Message>, updates: ReadonlyArray<SessionUpdate>): Set<string> =>
  new Set([
    ...updates.flatMap((update) => (update.sessionUpdate === "tool_call" ? [update.toolCallId] : [])),
    ...messages.flatMap((message) =>
      message._tag === "Assistant" ? message.parts.flatMap((part) => (part._tag === "ToolCall" ? [part.id] : [])) : []
    )
  ])

export const viewOf = (session: Session) => ({
  mode: session.opened.policy.level,
  laxest: session.laxest,
  catalog: session.catalog,
  selection: session.selection
})

export const close = (session: Session): Effect.Effect<void> => Scope.close(session.scope, Exit.void)
