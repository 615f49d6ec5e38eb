// The person's end: text out, lines and keys in, Ctrl-C. The only file of this room that touches our stdin and stdout.
import * as readline from "node:readline"
import type { Readable, Writable } from "node:stream"
import { Context, Effect, Layer, Mailbox, Option } from "effect"
import { detect, type Style } from "./Style.ts"

export interface TerminalService {
  /** Of what `out` writes. */
  readonly style: Style
  /** A person can be asked: both what they type and what they read is a terminal. */
  readonly canAsk: boolean
  /** Stdin is a terminal: a prompt can be typed, none is piped in. */
  readonly typed: boolean
  /** Stdout. */
  readonly out: (text: string) => Effect.Effect<void>
  /** Stderr. */
  readonly err: (text: string) => Effect.Effect<void>
  /** All of stdin. */
  readonly readAll: Effect.Effect<string>
  /** One typed line; none at Ctrl-D, or Ctrl-C on an empty line. */
  readonly readLine: (prompt: string) => Effect.Effect<Option.Option<string>>
  /** One key: a character, or `escape`, `ctrl-c`, `ctrl-d`. */
  readonly readKey: Effect.Effect<string>
  /** One for each Ctrl-C. */
  readonly interrupts: Mailbox.ReadonlyMailbox<"interrupt">
  /** Everything written has left the process. */
  readonly flush: Effect.Effect<void>
}

const keyName = (data: string): string | undefined => {
  if (data === "\u001b") return "escape"
  // The sequence of an arrow or a function key.
  if (data.startsWith("\u001b")) return undefined
  const char = [...data][0]
  return char === "\u0003" ? "ctrl-c" : char === "\u0004" ? "ctrl-d" : char
}

const writeTo = (stream: Writable, text: string): Effect.Effect<void> =>
  Effect.sync(() => {
    if (!stream.destroyed) stream.write(text)
  })

const drained = (stream: Writable): Effect.Effect<void> =>
  Effect.async((resume) => {
    if (stream.destroyed || stream.writableEnded) resume(Effect.void)
    else stream.write("", () => resume(Effect.void))
  })

const readAll = (input: Readable): Effect.Effect<string> =>
  Effect.promise(async () => {
    const parts: Array<Uint8Array> = []
    for await (const part of input) parts.push(Buffer.from(part))
    return Buffer.concat(parts).toString("utf8")
  })

const readKey: Effect.Effect<string> = Effect.async((resume) => {
  const input = process.stdin
  if (input.readableEnded || input.destroyed) return resume(Effect.succeed("ctrl-d"))
  const stop = () => {
    input.off("data", onData).off("end", onEnd).pause()
    if (input.isTTY) input.setRawMode(false)
  }
  const done = (key: string) => {
    stop()
    resume(Effect.succeed(key))
  }
  const onData = (data: Buffer) => {
    const key = keyName(data.toString("utf8"))
    if (key !== undefined) done(key)
  }
  const onEnd = () => done("ctrl-d")
  if (input.isTTY) input.setRawMode(true)
  input.on("data", onData).once("end", onEnd).resume()
  return Effect.sync(stop)
})

const lineReader = (output: Writable) => {
  let history: Array<string> = []
  return (prompt: string): Effect.Effect<Option.Option<string>> =>
    Effect.async((resume) => {
      // Ctrl-D while a turn ran has ended stdin already.
      if (process.stdin.readableEnded || process.stdin.destroyed) return resume(Effect.succeed(Option.none()))
      const reader = readline.createInterface({ input: process.stdin, output, terminal: true, history, prompt })
      reader.on("history", (lines) => {
        history = [...lines]
      })
      const onClose = () => {
        output.write("\n")
        resume(Effect.succeed(Option.none()))
      }
      // Only ours is taken off: the reader's own listener frees the keyboard.
      const stop = () => reader.off("close", onClose).close()
      reader.once("line", (line) => {
        stop()
        resume(Effect.succeed(Option.some(line)))
      })
      reader.once("close", onClose)
      reader.on("SIGINT", () => {
        if (reader.line === "") return reader.close()
        reader.write(null, { ctrl: true, name: "e" })
        reader.write(null, { ctrl: true, name: "u" })
      })
      reader.prompt()
      return Effect.sync(stop)
    })
}

export class Terminal extends Context.Tag("zeroclaw/Terminal")<Terminal, TerminalService>() {
  /** This process. With `framesOnly` stdout is kept for frames: questions and the prompt go to stderr. */
  static readonly layer = (options: { readonly framesOnly: boolean }): Layer.Layer<Terminal> =>
    Layer.scoped(
      Terminal,
      Effect.gen(function* () {
        const { stderr, stdin, stdout } = process
        const talk = options.framesOnly ? stderr : stdout
        const interrupts = yield* Mailbox.make<"interrupt">({ capacity: 8, strategy: "dropping" })
        const onInterrupt = () => {
          interrupts.unsafeOffer("interrupt")
        }
        // A reader that went away (a closed pager) must not end us before the agent is stopped.
        const ignore = () => {}
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            process.on("SIGINT", onInterrupt)
            for (const stream of [stdout, stderr]) stream.on("error", ignore)
          }),
          () => Effect.sync(() => process.off("SIGINT", onInterrupt))
        )
        return {
          style: detect(process.env, talk.isTTY === true, process.platform),
          canAsk: stdin.isTTY === true && talk.isTTY === true,
          typed: stdin.isTTY === true,
          out: (text) => writeTo(stdout, text),
          err: (text) => writeTo(stderr, text),
          readAll: readAll(stdin),
          readLine: lineReader(talk),
          readKey,
          interrupts,
          flush: Effect.zipRight(drained(stdout), drained(stderr))
        }
      })
    )

  static readonly test = (service: TerminalService): Layer.Layer<Terminal> => Layer.succeed(Terminal, service)
}
