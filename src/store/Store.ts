// The live session store: the database when it can be had, memory with one clear warning when not.
import { Effect, Layer, Option, Scope } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import * as Backend from "./Backend.ts"
import * as FileCheck from "./FileCheck.ts"
import { SessionStore, type StoreError, type Turn } from "./SessionStore.ts"

export interface Options {
  readonly file: string
  /** Tells the person, once. */
  readonly warn: (message: string) => Effect.Effect<void>
}

/** Turns of one session that wait to be written after a failure; more would only cost memory. */
const maxPending = 100

/** Keeps turns that could not be written and writes them, in order, before the next one. */
const service = (backend: Effect.Effect<Backend.Backend>, durable: Effect.Effect<boolean>) => {
  const pending = new Map<SessionId, ReadonlyArray<Turn>>()
  const flush = (id: SessionId, turns: ReadonlyArray<Turn>) =>
    Effect.flatMap(backend, ({ appendTurns }) =>
      appendTurns(id, turns).pipe(
        Effect.tap(() => Effect.sync(() => pending.delete(id))),
        Effect.tapError(({ reason }) =>
          Effect.sync(() => {
            if (reason !== "unknown_session" && turns.length <= maxPending) pending.set(id, turns)
          })
        )
      )
    )
  return SessionStore.of({
    durable,
    create: (row) => Effect.flatMap(backend, ({ create }) => create(row)),
    appendTurn: (id, turn) => Effect.suspend(() => flush(id, [...(pending.get(id) ?? []), turn])),
    load: (id) =>
      Effect.suspend(() => {
        const waiting = pending.get(id) ?? []
        const written = waiting.length === 0 ? Effect.void : Effect.ignore(flush(id, waiting))
        return Effect.zipRight(
          written,
          Effect.flatMap(backend, ({ load }) => load(id))
        ).pipe(Effect.map(Option.map((found) => Backend.withTurns(found, pending.get(id) ?? []))))
      })
  })
}

const make = ({ file, warn }: Options): Effect.Effect<typeof SessionStore.Service, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    let broken = false
    const degrade = (why: string) =>
      Effect.as(
        Effect.zipRight(
          Effect.sync(() => {
            broken = true
          }),
          warn(
            `sessions are kept in memory only and end with this process: ${file}: ${why}. Mend this and start again.`
          )
        ),
        Backend.memory()
      )
    const problem = yield* Effect.cached(Effect.sync(() => FileCheck.problem(file)))
    const open = Effect.flatMap(
      Effect.promise(() => import("./Database.ts")),
      (database) => database.make(file)
    ).pipe(
      Scope.extend(scope),
      Effect.catchAll((error: StoreError) => {
        if (error.reason !== "corrupt") return degrade(error.message)
        return Effect.flatMap(
          Effect.sync(() => FileCheck.setAside(file, new Date().toISOString().replace(/[:.]/g, "-"))),
          (aside) => degrade(`${error.message}; it was kept as ${aside}`)
        )
      })
    )
    // Uninterruptible: whoever asks first may go away, the others still need it.
    const backend = yield* Effect.cached(
      Effect.uninterruptible(
        Effect.flatMap(problem, (why) => {
          if (why === undefined) return open
          if (!why.startsWith("it is not a SQLite database")) return degrade(why)
          return Effect.flatMap(
            Effect.sync(() => FileCheck.setAside(file, new Date().toISOString().replace(/[:.]/g, "-"))),
            (aside) => degrade(`${why}; it was kept as ${aside}`)
          )
        })
      )
    )
    const durable = Effect.flatMap(problem, (why) =>
      why === undefined ? Effect.sync(() => !broken) : Effect.as(backend, false)
    )
    return service(backend, durable)
  })

/** Opens nothing and loads no driver before a session is stored or loaded. */
export const layer = (options: Options): Layer.Layer<SessionStore> => Layer.scoped(SessionStore, make(options))

export const memory: Layer.Layer<SessionStore> = Layer.sync(SessionStore, () =>
  service(Effect.succeed(Backend.memory()), Effect.succeed(false))
)
