// The body of an answer, unpacked, within a limit of bytes: on the wire as well as unpacked.
import type { IncomingMessage } from "node:http"
import { pipeline, type Transform, Writable } from "node:stream"
import { createBrotliDecompress, createGunzip } from "node:zlib"
import { Effect } from "effect"
import { FetchError } from "./Fetched.ts"

/** What `accept-encoding` says. */
export const encodings = "gzip, br"

class Full extends Error {}

const unpacker = (encoding: string): Transform | undefined | null => {
  switch (encoding) {
    case "":
    case "identity":
      return null
    case "gzip":
    case "x-gzip":
      return createGunzip()
    case "br":
      return createBrotliDecompress()
    default:
      return undefined
  }
}

export interface Body {
  readonly bytes: Uint8Array
  readonly complete: boolean
}

/** Takes what fits; the first chunk that does not fit ends it. */
const makeSink = (max: number) => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  const sink = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      const part = chunk.subarray(0, max - size)
      chunks.push(part)
      size += part.length
      done(part.length < chunk.length ? new Full() : null)
    }
  })
  return { sink, bytes: (): Uint8Array => Buffer.concat(chunks) }
}

/** Ends what sends more than `max` bytes, whatever it unpacks to. */
const within = (max: number) =>
  async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let seen = 0
    for await (const chunk of source) {
      const before = seen
      seen += chunk.length
      yield chunk.subarray(0, max + 1 - before)
      if (seen > max) throw new Full()
    }
  }

/** Interruption destroys the response, and with it the socket. */
export const readBody = (response: IncomingMessage, max: number): Effect.Effect<Body, FetchError> =>
  Effect.suspend(() => {
    const encoding = (response.headers["content-encoding"] ?? "").trim().toLowerCase()
    const unpack = unpacker(encoding)
    if (unpack === undefined) {
      return new FetchError({
        reason: "invalid",
        message: "The server packs its answer in a way that was not asked for."
      })
    }
    return Effect.async<Body, FetchError>((resume) => {
      const { bytes, sink } = makeSink(max)
      const done = (error: Error | null | undefined) => {
        if (!error) return resume(Effect.succeed({ bytes: bytes(), complete: true }))
        if (error instanceof Full) return resume(Effect.succeed({ bytes: bytes(), complete: false }))
        resume(new FetchError({ reason: "invalid", message: `The answer broke off or is damaged (${error.message}).` }))
      }
      if (unpack === null) pipeline(response, within(max), sink, done)
      else pipeline(response, within(max), unpack, sink, done)
      return Effect.sync(() => response.destroy())
    })
  })
