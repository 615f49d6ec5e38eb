// A transport over two byte streams: our own stdin and stdout, or those of a child process.
import type { Readable, Writable } from "node:stream"
import { Chunk, Effect, Mailbox, Runtime, type Scope } from "effect"
import * as Lines from "../wire/Lines.ts"
import { inboxCapacity, outboxCapacity, type TransportService } from "./Transport.ts"

/** Resolves when the kernel has the bytes; a vanished reader counts as written. */
const write = (stream: Writable, text: string): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (stream.destroyed || stream.writableEnded) resume(Effect.void)
    else stream.write(text, () => resume(Effect.void))
  })

/** One writer, one write per batch: frames never interleave and keep their order. */
const makeOutbox = Effect.fnUntraced(function* (stream: Writable) {
  const outbox = yield* Mailbox.make<string>(outboxCapacity)
  const drain: Effect.Effect<void> = Effect.flatMap(outbox.takeAll, ([lines, done]) => {
    const flush = Chunk.isNonEmpty(lines) ? write(stream, `${Chunk.join(lines, "\n")}\n`) : Effect.void
    return done ? flush : Effect.zipRight(flush, drain)
  })
  const scope = yield* Effect.scope
  const writer = yield* Effect.forkIn(Effect.uninterruptible(drain), scope)
  // Released first of the two: everything queued by what is being stopped still goes out.
  yield* Effect.addFinalizer(() => Effect.zipRight(outbox.end, writer.await))
  return outbox
})

export const make: (input: Readable, output: Writable) => Effect.Effect<TransportService, never, Scope.Scope> =
  Effect.fnUntraced(function* (input, output) {
    const outbox = yield* makeOutbox(output)
    const inbox = yield* Mailbox.make<Lines.Line>(inboxCapacity)
    const run = Runtime.runFork(yield* Effect.runtime<never>())
    const splitter = Lines.make()

    const offer = (lines: ReadonlyArray<Lines.Line>) => {
      const left = inbox.unsafeOfferAll(lines)
      if (Chunk.isEmpty(left)) return
      input.pause()
      run(
        Effect.zipRight(
          inbox.offerAll(left),
          Effect.sync(() => input.resume())
        )
      )
    }
    const onData = (bytes: Uint8Array) => offer(splitter.push(bytes))
    const onEnd = () => {
      offer(splitter.end())
      run(inbox.end)
    }
    // A reader that went away ends the conversation as an end of input does.
    const onGone = () => run(inbox.end)

    yield* Effect.acquireRelease(
      Effect.sync(() => {
        input.on("data", onData).once("end", onEnd).once("error", onGone).once("close", onGone)
        output.on("error", onGone)
      }),
      () =>
        Effect.sync(() => {
          // The error listener stays: an unheard EPIPE would end the process before it has cleaned up.
          input.off("data", onData).off("end", onEnd).off("close", onGone).pause()
        })
    )
    return { incoming: inbox, send: (text) => Effect.asVoid(outbox.offer(text)) }
  })
