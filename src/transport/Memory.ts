// Two transports joined back to back, in one process.
import { Effect, Mailbox, type Scope } from "effect"
import type { Line } from "../wire/Lines.ts"
import { inboxCapacity, type TransportService } from "./Transport.ts"

export interface Pair {
  readonly agent: TransportService
  readonly client: TransportService
  /** What an end of input is on a pipe: the agent reads no more. */
  readonly closeClient: Effect.Effect<void>
  /** The agent says nothing more. */
  readonly closeAgent: Effect.Effect<void>
}

export const pair: Effect.Effect<Pair, never, Scope.Scope> = Effect.gen(function* () {
  const toAgent = yield* Mailbox.make<Line>(inboxCapacity)
  const toClient = yield* Mailbox.make<Line>(inboxCapacity)
  yield* Effect.addFinalizer(() => Effect.zipRight(toAgent.shutdown, toClient.shutdown))
  const into = (mailbox: Mailbox.Mailbox<Line>) => (text: string) =>
    Effect.asVoid(mailbox.offer({ _tag: "Text", text }))
  return {
    agent: { incoming: toAgent, send: into(toClient) },
    client: { incoming: toClient, send: into(toAgent) },
    closeClient: Effect.asVoid(toAgent.end),
    closeAgent: Effect.asVoid(toClient.end)
  }
})
