// Calls from us to the other side: ids, the pending table, typed call and notify.
import type { Rpc } from "@effect/rpc"
import { Context, Deferred, Effect, Layer, Schema } from "effect"
import { Code, RequestError } from "../contract/Errors.ts"
import { Transport } from "../transport/Transport.ts"
import * as Id from "../wire/Id.ts"
import * as JsonRpc from "../wire/JsonRpc.ts"
import { Rewrite } from "./Rewrite.ts"

type Payload = Schema.Schema.AnyNoContext & Rpc.AnySchema
type Reply = Extract<JsonRpc.Incoming, { readonly _tag: "Success" | "Failure" }>

export interface CallerService {
  /** Sends a request and waits. Interruption sends `$/cancel_request`; a late answer is dropped. */
  readonly call: <Tag extends string, P extends Payload, S extends Schema.Schema.AnyNoContext>(
    rpc: Rpc.Rpc<Tag, P, S, typeof RequestError>,
    payload: P["Type"]
  ) => Effect.Effect<S["Type"], RequestError>
  readonly notify: <Tag extends string, P extends Payload, S extends Schema.Schema.Any, E extends Schema.Schema.All>(
    rpc: Rpc.Rpc<Tag, P, S, E>,
    payload: P["Type"]
  ) => Effect.Effect<void>
  /** Hands a response to whoever waits for it; false when nobody does. */
  readonly settle: (reply: Reply) => boolean
  /** Fails everything that is pending, now and later: the other side is gone. */
  readonly close: (error: RequestError) => Effect.Effect<void>
}

export class Caller extends Context.Tag("zeroclaw/Caller")<Caller, CallerService>() {
  /** Ids are `<prefix>0`, `<prefix>1`, …; the agent's prefix is `zc-out-`. */
  static readonly layer = (prefix: string): Layer.Layer<Caller, never, Transport> =>
    Layer.effect(
      Caller,
      Effect.gen(function* () {
        const transport = yield* Transport
        const rewrite = yield* Rewrite
        const pending = new Map<string, Deferred.Deferred<unknown, RequestError>>()
        let sequence = 0
        let closed: RequestError | undefined

        return Caller.of({
          call: (rpc, payload) =>
            Effect.suspend(() => {
              if (closed) return closed
              const id = `${prefix}${sequence++}`
              const key = Id.key(id)
              return Effect.gen(function* () {
                const params = yield* Effect.orDie(Schema.encode(rpc.payloadSchema)(payload))
                const answer = yield* Deferred.make<unknown, RequestError>()
                pending.set(key, answer)
                yield* transport.send(JsonRpc.request(id, rpc._tag, rewrite.outgoing(rpc._tag, params)))
                const result = yield* Effect.onInterrupt(Deferred.await(answer), () =>
                  transport.send(JsonRpc.notification(JsonRpc.cancelRequest, { requestId: id }))
                )
                return yield* Effect.mapError(
                  // Older clients answer an empty result with null.
                  Schema.decodeUnknown(rpc.successSchema)(rewrite.answer(rpc._tag, result ?? {})),
                  (error) =>
                    new RequestError({
                      code: Code.InternalError,
                      message: `Malformed result of ${rpc._tag}: ${error.message.split("\n")[0]}`
                    })
                )
              }).pipe(Effect.ensuring(Effect.sync(() => pending.delete(key))))
            }),
          notify: (rpc, payload) =>
            Effect.flatMap(Effect.orDie(Schema.encode(rpc.payloadSchema)(payload)), (params) =>
              transport.send(JsonRpc.notification(rpc._tag, rewrite.outgoing(rpc._tag, params)))
            ),
          settle: (reply) => {
            const answer = pending.get(Id.key(reply.id))
            if (answer === undefined) return false
            Deferred.unsafeDone(
              answer,
              reply._tag === "Success" ? Effect.succeed(reply.result) : new RequestError(reply.error)
            )
            return true
          },
          close: (error) =>
            Effect.suspend(() => {
              closed = error
              return Effect.forEach(pending.values(), (answer) => Deferred.fail(answer, error), { discard: true })
            })
        })
      })
    )
}
