// An agent without a mind: answers as a test tells it, in memory, through the same peer that serves real clients.
import { Context, Effect, Layer, Mailbox, type Scope } from "effect"
import type { AgentLink } from "../../src/client/AgentProcess.ts"
import {
  Cancel,
  Initialize,
  LoadSession,
  NewSession,
  Prompt,
  SessionId,
  type StopReason
} from "../../src/contract/AgentMethods.ts"
import { type PermissionOption, RequestPermission, Update } from "../../src/contract/ClientMethods.ts"
import { text } from "../../src/contract/Content.ts"
import type { RequestError } from "../../src/contract/Errors.ts"
import type { ToolCallUpdate } from "../../src/contract/ToolCall.ts"
import type { SessionUpdate } from "../../src/contract/Update.ts"
import { Caller } from "../../src/peer/Caller.ts"
import * as Connection from "../../src/peer/Connection.ts"
import { onNotification, onRequest, routes } from "../../src/peer/Router.ts"
import * as Memory from "../../src/transport/Memory.ts"
import { Transport } from "../../src/transport/Transport.ts"
import type { Line } from "../../src/wire/Lines.ts"

export const sessionId = SessionId.make("fake-1")

export const options: ReadonlyArray<PermissionOption> = [
  { optionId: "opt-once", name: "Allow once", kind: "allow_once" },
  { optionId: "opt-always", name: "Always allow", kind: "allow_always" },
  { optionId: "opt-no", name: "Reject", kind: "reject_once" }
]

/** What a scripted turn can do. */
export interface Turn {
  readonly prompt: string
  readonly update: (update: SessionUpdate) => Effect.Effect<void>
  readonly say: (words: string) => Effect.Effect<void>
  /** Answers the outcome, as one word: an option id or `cancelled`. */
  readonly ask: (call: ToolCallUpdate, options?: ReadonlyArray<PermissionOption>) => Effect.Effect<string, RequestError>
  /** A line of any text. */
  readonly raw: (line: string) => Effect.Effect<void>
  /** Waits for session/cancel. */
  readonly cancelled: Effect.Effect<void>
}

export interface Script {
  readonly protocolVersion?: number
  readonly loadSession?: boolean
  readonly turn?: (turn: Turn) => Effect.Effect<StopReason, RequestError>
  readonly newSession?: Effect.Effect<void, RequestError>
  /** Sent by session/load before its answer. */
  readonly replay?: ReadonlyArray<SessionUpdate>
}

export interface Fake {
  readonly link: AgentLink
  /** What the client wrote, parsed, in order. */
  readonly received: ReadonlyArray<Record<string, unknown>>
}

const agentCapabilities = (loadSession: boolean) => ({
  loadSession,
  promptCapabilities: { image: false, audio: false, embeddedContext: false },
  mcpCapabilities: { http: false, sse: false },
  sessionCapabilities: { close: {} },
  auth: {}
})

export const make = Effect.fnUntraced(function* (script: Script) {
  const pair = yield* Memory.pair
  const received: Array<Record<string, unknown>> = []
  const cancels = yield* Mailbox.make<"cancel">(8)
  const observe = (line: Line) =>
    Effect.sync(() => {
      if (line._tag === "Text") received.push(JSON.parse(line.text))
    })
  const peer = yield* Layer.build(Layer.provideMerge(Caller.layer("fake-"), Layer.succeed(Transport, pair.agent)))
  const caller = Context.get(peer, Caller)
  const update = (value: SessionUpdate) => caller.notify(Update, { sessionId, update: value })
  const turn = (prompt: string): Turn => ({
    prompt,
    update,
    say: (words) => update({ sessionUpdate: "agent_message_chunk", content: text(words) }),
    ask: (toolCall, offered = options) =>
      Effect.map(caller.call(RequestPermission, { sessionId, toolCall, options: offered }), ({ outcome }) =>
        outcome.outcome === "selected" ? outcome.optionId : "cancelled"
      ),
    raw: pair.agent.send,
    cancelled: Effect.orDie(Effect.asVoid(cancels.take))
  })
  const table = routes(
    [
      onRequest(Initialize, () =>
        Effect.succeed({
          protocolVersion: script.protocolVersion ?? 1,
          agentCapabilities: agentCapabilities(script.loadSession ?? true),
          agentInfo: { name: "fake", version: "9.9" },
          authMethods: []
        })
      ),
      onRequest(NewSession, () => Effect.as(script.newSession ?? Effect.void, { sessionId })),
      onRequest(LoadSession, () => Effect.as(Effect.forEach(script.replay ?? [], update), {})),
      onRequest(Prompt, ({ prompt }) => {
        const words = prompt.map((block) => (block.type === "text" ? block.text : "")).join("")
        const run = script.turn ?? ((api: Turn) => Effect.as(api.say("hello"), "end_turn" as const))
        return Effect.map(run(turn(words)), (stopReason) => ({ stopReason }))
      })
    ],
    [onNotification(Cancel, () => Effect.asVoid(cancels.offer("cancel")))]
  )
  yield* Effect.forkScoped(Effect.provide(Connection.run(table, { observe }), peer))
  const link: AgentLink = {
    transport: pair.client,
    ending: Effect.succeed({ message: "the fake agent ended", stderrTail: [] }),
    pid: undefined
  }
  const fake: Fake = { link, received }
  return fake
}) satisfies (script: Script) => Effect.Effect<Fake, never, Scope.Scope>
