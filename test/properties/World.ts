// A server in memory with its store, and a client that hangs up and comes back; ends with what the conversation was.
import { Context, Effect, Exit, Layer, Logger, LogLevel, Option, Runtime, Scope } from "effect"
import { SessionStore } from "../../src/store/SessionStore.ts"
import * as Store from "../../src/store/Store.ts"
import * as Embedded from "../support/Embedded.ts"
import { complaint, transcript } from "./Invariants.ts"
import * as Plans from "./Plans.ts"
import type { Outcome, Reference } from "./Reference.ts"
import * as Wire from "./Wire.ts"

export const maxSessions = 3

export interface World {
  readonly plans: Plans.Plans
  readonly entries: Array<Wire.Entry>
  readonly wire: () => Wire.Wire
  /** A new id, in one of several shapes, as it stands in a message. */
  readonly id: (shape: IdShape) => string
  readonly request: (id: string, method: string, params: unknown, sessionId?: string) => Effect.Effect<void>
  /** The next permission question of the session, which must come. */
  readonly question: (sessionId: string) => Effect.Effect<string>
  readonly settle: (reference: Reference) => Effect.Effect<void>
  readonly hangUp: Effect.Effect<void>
  readonly connect: Effect.Effect<void>
  readonly run: <A>(effect: Effect.Effect<A>) => Promise<A>
  readonly close: () => Promise<void>
}

export const idShapes = ["small", "text", "odd", "big", "negative"] as const
export type IdShape = (typeof idShapes)[number]

const idOf = (shape: IdShape, n: number): string => {
  switch (shape) {
    case "small":
      return String(n)
    case "text":
      return `"r${n}"`
    case "odd":
      return `"\\u00e9\\"\\\\/ ${n}\\n🎉"`
    case "big":
      return String(9_000_000_000_000_000_001n + BigInt(n) * 4096n)
    case "negative":
      return String(-n)
  }
}

const outcomeOf = ({ error, result }: Wire.Answer): Outcome => {
  if (error !== undefined) return String(error.code)
  const stop = result?.["stopReason"]
  return typeof stop === "string" ? stop : "ok"
}

/** Fails with the reason and the whole conversation. */
export const fail = (reason: string, entries: ReadonlyArray<Wire.Entry>): Effect.Effect<never> =>
  Effect.die(new Error(`${reason}\n${transcript(entries)}`))

export const open = async (busy: "reject" | "queue", tamper?: Wire.Tamper): Promise<World> => {
  // Of a server that is broken on purpose not much is expected.
  const patience = tamper === undefined ? "5 seconds" : "300 millis"
  const scope = await Effect.runPromise(Scope.make())
  const runtime = await Effect.runPromise(Effect.runtime<never>())
  const run = <A>(effect: Effect.Effect<A>): Promise<A> => Runtime.runPromise(runtime)(effect)
  const plans = Plans.make()
  const entries: Array<Wire.Entry> = []
  const memory = Context.get(await run(Layer.build(Store.memory).pipe(Scope.extend(scope))), SessionStore)
  // It outlives each connection, as a file would.
  const store = Layer.succeed(SessionStore, { ...memory, durable: Effect.succeed(true) })
  let sequence = 0
  let current: { readonly wire: Wire.Wire; readonly close: Effect.Effect<void>; readonly scope: Scope.CloseableScope }

  const connect = Effect.gen(function* () {
    const own = yield* Scope.fork(scope, { _tag: "Sequential" })
    const { close, transport } = yield* Embedded.connect({
      model: plans.model,
      tools: plans.tools,
      store,
      policy: Embedded.policy((action) =>
        action.tool === "guarded"
          ? { _tag: "Ask", reason: "it runs a command", always: "this exact command" }
          : { _tag: "Allow", reason: "it is harmless" }
      ),
      config: { acp: { busy, max_sessions: maxSessions } }
    }).pipe(
      Scope.extend(own),
      // Thousands of conversations full of mistakes would fill the output.
      Logger.withMinimumLogLevel(LogLevel.Error)
    )
    const wire = yield* Scope.extend(Wire.make(transport, entries, tamper ?? ((text) => [text])), own)
    current = { wire, close, scope: own }
  })
  await run(connect)

  const check = (ended: boolean) =>
    Effect.suspend(() => {
      const wrong = complaint(entries, ended)
      return wrong === undefined ? Effect.void : fail(wrong, entries)
    })
  const inTime = <A>(what: string, effect: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.flatMap(
      Effect.timeoutOption(effect, patience),
      Option.match({ onNone: () => fail(`${what} never came`, entries), onSome: Effect.succeed })
    )

  const settle = (reference: Reference) =>
    Effect.gen(function* () {
      // A prompt that nobody can be sure was taken is not left to wait for what the client would do with it.
      for (const slot of reference.known()) {
        if (slot.turns.every(({ sure }) => sure)) continue
        for (const { token } of slot.turns) yield* plans.release(token)
        yield* current.wire.send(notification("session/cancel", { sessionId: slot.id }), { _tag: "Notification" })
        reference.stop(slot)
      }
      const answers = yield* Effect.forEach(
        reference.due(),
        (id) => Effect.map(inTime(`the answer to ${id}`, current.wire.answer(id)), (answer) => ({ id, answer })),
        { concurrency: "unbounded" }
      )
      const wrong = reference.settle(
        answers
          .map(({ answer, id }) => ({ id, outcome: outcomeOf(answer), result: answer.result ?? {}, at: answer.at }))
          .sort((a, b) => a.at - b.at)
      )
      if (wrong !== undefined) return yield* fail(wrong, entries)
      yield* check(false)
    })

  return {
    plans,
    entries,
    wire: () => current.wire,
    id: (shape) => idOf(shape, ++sequence),
    request: (id, method, params, sessionId) =>
      current.wire.send(
        `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`,
        {
          _tag: "Request",
          id,
          method,
          ...(sessionId === undefined ? {} : { sessionId })
        }
      ),
    question: (sessionId) =>
      Effect.suspend(() => inTime(`a question in ${sessionId}`, current.wire.question(sessionId))),
    settle,
    hangUp: Effect.gen(function* () {
      entries.push({ _tag: "HungUp" })
      yield* current.close
      yield* inTime("the end of the agent's output", current.wire.ended)
      entries.push({ _tag: "End" })
      yield* check(true)
      yield* Scope.close(current.scope, Exit.void)
    }),
    connect,
    run,
    close: () => run(Scope.close(scope, Exit.void))
  }
}

export const notification = (method: string, params: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", method, params })
