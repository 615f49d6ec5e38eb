// Reads messages in wire order, routes them, answers. The only place that writes responses.
import { Cause, Effect, Exit, Fiber, Runtime, RuntimeFlags } from "effect"
import { Code, RequestError } from "../contract/Errors.ts"
import { Transport } from "../transport/Transport.ts"
import * as Id from "../wire/Id.ts"
import * as JsonRpc from "../wire/JsonRpc.ts"
import { isRecord } from "../wire/JsonText.ts"
import type { Line } from "../wire/Lines.ts"
import { Caller } from "./Caller.ts"
import { toErrorObject } from "./Failure.ts"
import { Rewrite } from "./Rewrite.ts"
import type { RequestRoute, Routes } from "./Router.ts"

/** What requests other than turns get to finish at the end of input, in milliseconds. */
const graceMillis = 1000

/** Requests that may be in flight at once. */
export const maxInFlight = 1024

export interface Options {
  /** May refuse a message before its route is looked up: a request is answered so, a notification is ignored. */
  readonly admit?: (kind: "request" | "notification", method: string) => RequestError | undefined
  /** Runs at end of input, before what is still in flight is interrupted: running turns get their answers out. */
  readonly beforeStop?: Effect.Effect<void>
  /** Sees each line, and what it was read as, before it is routed: where a client shows noise and records frames. */
  readonly observe?: (line: Line, message: JsonRpc.Incoming) => Effect.Effect<void>
  /** What pending calls fail with once the input has ended: a client says how its agent died. */
  readonly gone?: Effect.Effect<RequestError>
}

const decodeLine = (line: Line): JsonRpc.Incoming => {
  switch (line._tag) {
    case "Text":
      return JsonRpc.decode(line.text)
    case "TooLong":
      return JsonRpc.tooLong(line.head, line.limit)
    case "NotUtf8":
      return JsonRpc.parseError("message is not valid UTF-8; it was skipped")
  }
}

/**
 * Serves until end of input, then stops what is still in flight and waits for it.
 *
 * A handler's synchronous prefix runs before the next message is looked at, so that what it admits (a turn, a session
 * id) is there for a `session/cancel` in the same write.
 *
 * @see acp-v1 section 1.6
 */
export const run = Effect.fnUntraced(function* (routes: Routes, options: Options = {}) {
  const transport = yield* Transport
  const caller = yield* Caller
  const rewrite = yield* Rewrite
  /** Undefined while the handler's synchronous prefix runs. */
  const inFlight = new Map<string, Fiber.RuntimeFiber<void> | undefined>()
  const live = new Set<Fiber.RuntimeFiber<void>>()
  // One finalizer, so that it runs on an end of input and on a signal alike: turns are stopped and answer, what needs
  // only a moment more gets it, the rest is interrupted.
  yield* Effect.addFinalizer(() =>
    (options.beforeStop ?? Effect.void).pipe(
      Effect.zipRight(Effect.timeoutOption(Effect.disconnect(Fiber.awaitAll(live)), graceMillis)),
      Effect.zipRight(Effect.suspend(() => Fiber.interruptAll(live)))
    )
  )

  // runFork starts the fiber now, Effect.fork would only enqueue it.
  const runtime = Runtime.updateRuntimeFlags(
    yield* Effect.runtime<never>(),
    RuntimeFlags.disable(RuntimeFlags.Interruption)
  )
  const start = (effect: Effect.Effect<void>): Fiber.RuntimeFiber<void> => {
    const fiber = Runtime.runFork(runtime)(effect)
    if (fiber.unsafePoll() === null) {
      live.add(fiber)
      fiber.addObserver(() => live.delete(fiber))
    }
    return fiber
  }

  const answer = (id: Id.Id, route: RequestRoute, params: unknown): Effect.Effect<void> =>
    Effect.scoped(
      Effect.matchCauseEffect(route.handlesCancel ? route.run(params) : Effect.interruptible(route.run(params)), {
        onSuccess: ({ after, result }) => {
          inFlight.delete(Id.key(id))
          return Effect.zipRight(transport.send(JsonRpc.success(id, rewrite.result(route.method, result))), after)
        },
        onFailure: (cause) => {
          inFlight.delete(Id.key(id))
          const log = Cause.isDie(cause) ? Effect.logError(`defect in ${route.method}`, cause) : Effect.void
          const error = rewrite.error(route.method, toErrorObject(cause))
          return Effect.zipRight(log, transport.send(JsonRpc.failure(id, error)))
        }
      })
    )

  const refuse = (id: Id.Id, method: string, code: number, message: string, data?: unknown) => {
    const error = rewrite.error(method, data === undefined ? { code, message } : { code, message, data })
    return transport.send(JsonRpc.failure(id, error))
  }

  const onRequest = (id: Id.Id, method: string, params: unknown): Effect.Effect<void> => {
    const key = Id.key(id)
    if (inFlight.has(key)) return refuse(id, method, Code.InvalidRequest, "Invalid request: this id is already in use")
    const refusal = options.admit?.("request", method)
    if (refusal) return refuse(id, method, refusal.code, refusal.message, refusal.data)
    const route = routes.requests.get(method)
    if (!route)
      return refuse(id, method, Code.MethodNotFound, `Method not found: ${method.slice(0, 200).toWellFormed()}`)
    if (params !== undefined && params !== null && !isRecord(params)) {
      return refuse(id, method, Code.InvalidParams, `Invalid params for ${method}: params must be an object`)
    }
    if (inFlight.size >= maxInFlight) {
      return refuse(
        id,
        method,
        Code.TooManyRequests,
        `Too many requests in flight (${maxInFlight}): wait for answers first`
      )
    }
    // Noted before it starts: a handler that is done at once may still wait for room to send its answer.
    inFlight.set(key, undefined)
    const fiber = start(answer(id, route, params))
    if (inFlight.has(key)) inFlight.set(key, fiber)
    return Effect.void
  }

  const onNotification = (method: string, params: unknown): Effect.Effect<void> => {
    const route = options.admit?.("notification", method) ? undefined : routes.notifications.get(method)
    if (!route) return Effect.logDebug(`notification ignored: ${method}`)
    start(
      Effect.catchAllCause(Effect.interruptible(route.run(params)), (cause) =>
        Effect.logWarning(`notification dropped: ${method}`, cause)
      )
    )
    return Effect.void
  }

  const onMessage = (message: JsonRpc.Incoming): Effect.Effect<void> => {
    switch (message._tag) {
      case "Request": {
        const { method, params } = rewrite.incoming("request", message.method, message.params)
        return onRequest(message.id, method, params)
      }
      case "Notification": {
        const { method, params } = rewrite.incoming("notification", message.method, message.params)
        return onNotification(method, params)
      }
      case "Cancel": {
        const fiber = inFlight.get(Id.key(message.id))
        return fiber ? Fiber.interruptFork(fiber) : Effect.void
      }
      case "Success":
      case "Failure":
        return caller.settle(message) ? Effect.void : Effect.logDebug("response to an unknown id ignored")
      case "Malformed":
        return transport.send(JsonRpc.failure(message.id, message.error))
      case "Ignored":
        return Effect.logDebug(`message ignored: ${message.reason}`)
    }
  }

  const onLine = (line: Line): Effect.Effect<void> => {
    const message = decodeLine(line)
    return options.observe ? Effect.zipRight(options.observe(line, message), onMessage(message)) : onMessage(message)
  }

  const pump: Effect.Effect<void> = Effect.flatMap(transport.incoming.takeAll, ([lines, done]) =>
    Effect.zipRight(Effect.forEach(lines, onLine, { discard: true }), done ? Effect.void : pump)
  )
  const closed = new RequestError({ code: Code.InternalError, message: "The connection is closed" })
  yield* Effect.onExit(pump, (exit) =>
    Effect.flatMap(Exit.isSuccess(exit) && options.gone ? options.gone : Effect.succeed(closed), caller.close)
  )
}, Effect.scoped)
