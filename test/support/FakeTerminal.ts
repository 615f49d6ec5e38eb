// A terminal made of strings: what was written, what is typed next, and a Ctrl-C to press.
import { Effect, Layer, Mailbox, Option } from "effect"
import { plain, type Style } from "../../src/client/Style.ts"
import { Terminal } from "../../src/client/Terminal.ts"

export interface Input {
  readonly style?: Style
  /** A person sits there. */
  readonly person?: boolean
  readonly piped?: string
  readonly typedLines?: ReadonlyArray<string>
}

export const make = Effect.fnUntraced(function* (input: Input = {}) {
  const written = { out: "", err: "" }
  const keys = yield* Mailbox.make<string>(32)
  const interrupts = yield* Mailbox.make<"interrupt">(8)
  const asked = yield* Mailbox.make<"asked">(32)
  const lines = [...(input.typedLines ?? [])]
  const layer = Layer.succeed(Terminal, {
    style: input.style ?? plain,
    canAsk: input.person ?? false,
    typed: input.person ?? false,
    out: (text) =>
      Effect.sync(() => {
        written.out += text
      }),
    err: (text) =>
      Effect.sync(() => {
        written.err += text
      }),
    readAll: Effect.succeed(input.piped ?? ""),
    readLine: () => Effect.sync(() => Option.fromNullable(lines.shift())),
    readKey: Effect.zipRight(asked.offer("asked"), Effect.orDie(keys.take)),
    interrupts,
    flush: Effect.void
  })
  return {
    layer,
    written,
    /** Types a key. */
    key: (name: string) => Effect.asVoid(keys.offer(name)),
    /** Waits until a key is being waited for. */
    asked: Effect.orDie(Effect.asVoid(asked.take)),
    interrupt: Effect.asVoid(interrupts.offer("interrupt"))
  }
})
