// A test in each way a connection can speak: ZeroClaw's dialect by configuration, by a sign, not yet, and never.
import { it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as Embedded from "./Embedded.ts"
import * as Peer from "./Peer.ts"

export interface Speech {
  readonly name: string
  readonly dialect: "auto" | "strict" | "zeroclaw"
  /** Whether the client's first message bears a sign of the dialect. */
  readonly sign: boolean
  /** Whether the server is to answer in the dialect. */
  readonly zeroclaw: boolean
}

export const zeroclaw: Speech = { name: "zeroclaw", dialect: "zeroclaw", sign: false, zeroclaw: true }
export const signed: Speech = { name: "auto after a sign", dialect: "auto", sign: true, zeroclaw: true }
export const unsigned: Speech = { name: "auto without a sign", dialect: "auto", sign: false, zeroclaw: false }
export const strict: Speech = { name: "strict", dialect: "strict", sign: false, zeroclaw: false }
export const all: ReadonlyArray<Speech> = [zeroclaw, signed, unsigned, strict]
/** In those that take what the dialect says. */
export const taking: ReadonlyArray<Speech> = [zeroclaw, signed, unsigned]

export interface Setup extends Partial<Embedded.Setup> {
  readonly config?: Readonly<Record<string, unknown>>
  readonly acp?: Readonly<Record<string, unknown>>
  readonly capabilities?: unknown
}

/** The server before anything was said. The peer checks that nothing of the dialect is written where it must not be. */
export const start = (speech: Speech, { acp, config, ...setup }: Setup = {}) =>
  Embedded.start({
    model: Embedded.scripted(Embedded.say("ok")),
    ...setup,
    config: { ...config, acp: { ...acp, dialect: speech.dialect } },
    zeroclaw: speech.zeroclaw
  })

/** The same after `initialize`, which is the sign where there is to be one. */
export const agreed = (speech: Speech, setup: Setup = {}) =>
  Effect.gen(function* () {
    const { peer } = yield* start(speech, setup)
    const clientCapabilities = setup.capabilities ?? {}
    yield* peer.request("initialize", speech.sign ? { clientCapabilities } : { protocolVersion: 1, clientCapabilities })
    return peer
  })

/** The same with a session. */
export const opened = (speech: Speech, setup: Setup = {}) =>
  Effect.gen(function* () {
    const peer = yield* agreed(speech, setup)
    return { peer, sessionId: yield* Peer.newSession(peer, Embedded.cwd) }
  })

/** One test for each way to speak. */
export const each = <A, E>(
  speeches: ReadonlyArray<Speech>,
  title: string,
  test: (speech: Speech) => Effect.Effect<A, E, Scope.Scope>
): void => {
  for (const speech of speeches) it.scoped(`${title} (${speech.name})`, () => test(speech))
}

/** The code by which a missing session is known: tells which dialect the server speaks now. */
export const unknownCode = (peer: Peer.Peer): Effect.Effect<number | undefined> =>
  Effect.map(peer.request("session/close", { sessionId: "nowhere" }), ({ error }) => error?.code)

export const inZeroclaw = -32000
export const inProtocol = -32002
