// Texts in both directions, in order, bounded both ways. Knows nothing of JSON.
import { Context, type Effect, Layer, type Mailbox } from "effect"
import type { Line } from "../wire/Lines.ts"

export interface TransportService {
  /** Done at end of input, or when the other side no longer reads. */
  readonly incoming: Mailbox.ReadonlyMailbox<Line>
  /** Queues one text; suspends while the other side is slow. After the close it does nothing. */
  readonly send: (text: string) => Effect.Effect<void>
}

/** Lines a transport holds before it makes the sender wait. */
export const inboxCapacity = 256
export const outboxCapacity = 256

export class Transport extends Context.Tag("zeroclaw/Transport")<Transport, TransportService>() {
  /** One end of an in-memory pair, for tests and for embedding. @see Memory.ts */
  static readonly test = (service: TransportService): Layer.Layer<Transport> => Layer.succeed(Transport, service)
}
