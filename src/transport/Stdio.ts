// The transport of a subprocess: JSON-RPC lines on stdin and stdout. The only room that touches them.
import { Effect, Layer } from "effect"
import * as Streams from "./Streams.ts"
import { Transport } from "./Transport.ts"

/** Sends whatever a dependency prints to stderr: nothing but JSON-RPC may reach stdout. */
const guardStdout = Effect.sync(() => {
  const toStderr = (...parts: ReadonlyArray<unknown>) => {
    process.stderr.write(`${parts.map(String).join(" ")}\n`)
  }
  for (const name of ["log", "info", "debug", "dir", "table", "trace", "group", "groupCollapsed"] as const) {
    globalThis.console[name] = toStderr
  }
  // A client that never reads our stderr, or closed it, must not end us.
  process.stderr.on("error", () => {})
})

export const layer: Layer.Layer<Transport> = Layer.scoped(
  Transport,
  Effect.zipRight(guardStdout, Streams.make(process.stdin, process.stdout))
)
