// A resource that is either handed to the surrounding scope whole, or given back at once.
import { Effect, ExecutionStrategy, Exit, Scope } from "effect"

export const holding = <A, E, R>(acquire: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
    return yield* acquire.pipe(
      Scope.extend(child),
      Effect.onError((cause) => Scope.close(child, Exit.failCause(cause)))
    )
  })
