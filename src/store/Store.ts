// The session store as the program gets it: SQLite when it can be used, memory with one warning when it cannot.
import { Duration, Effect, Layer, Option, Scope } from "effect"
import * as Backlog from "./Backlog.ts"
import type { Database } from "./Database.ts"
import { failure } from "./Failures.ts"
import { holding } from "./Holding.ts"
import * as Memory from "./Memory.ts"
import { check, identity, quarantine } from "./Preflight.ts"
import { type SessionRow, SessionStore, type StoreError } from "./SessionStore.ts"

/** What opens a database file; a module of its own, because it is heavy. */
export interface Driver {
  readonly open: (options: {
    readonly file: string
    readonly patience: Duration.DurationInput
  }) => Effect.Effect<Database, StoreError, Scope.Scope>
}

export interface Options {
  readonly file: string
  /** Called at most once, with one line for the person, when sessions will not outlive the process. */
  readonly warn: (message: string) => Effect.Effect<void>
  /** How long a locked database is waited for; 8 seconds when absent. */
  readonly patience?: Duration.DurationInput
  readonly driver?: () => Promise<Driver>
}

const sqlite = (): Promise<Driver> => import("./Sqlite.ts")

const make = ({ driver = sqlite, file, patience = Duration.seconds(8), warn }: Options) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const lock = yield* Effect.makeSemaphore(1)
    let opened: { readonly database: Database; readonly durable: boolean } | undefined

    const open = Effect.gen(function* () {
      yield* Option.match(check(file), { onNone: () => Effect.void, onSome: Effect.fail })
      const { open } = yield* Effect.tryPromise({
        try: driver,
        catch: (error) => failure(file, "unavailable", `SQLite could not be loaded (${error})`, "install it again")
      })
      const backlog = yield* Backlog.make(yield* open({ file, patience }))
      // Runs before the database closes: finalizers run last first.
      yield* Effect.addFinalizer(() => backlog.flush)
      return backlog
    }).pipe(holding, Scope.extend(scope))

    /** For the rest of this process: a database made anew beside a damaged one would hide what happened. */
    const degrade = (error: StoreError, seen: string | undefined) =>
      Effect.gen(function* () {
        const kept =
          error.reason === "corrupt"
            ? quarantine(file, seen, new Date(yield* Effect.clockWith((_) => _.currentTimeMillis)))
            : Option.none()
        const where = Option.match(kept, { onNone: () => "", onSome: (name) => ` It was kept as ${name}.` })
        yield* warn(`sessions will not outlive this process: ${error.message}.${where}`)
        return Memory.make()
      })

    const use = lock.withPermits(1)(
      // Uninterruptible: a caller that goes away must not leave the others with half an opening.
      Effect.uninterruptible(
        Effect.suspend(() => {
          if (opened !== undefined) return Effect.succeed(opened.database)
          const seen = identity(file)
          return Effect.matchEffect(open, {
            onSuccess: (database) => Effect.succeed({ database, durable: true }),
            // A lock passes: the next caller tries again.
            onFailure: (error) =>
              error.reason === "busy"
                ? error
                : Effect.map(degrade(error, seen), (database) => ({ database, durable: false }))
          }).pipe(
            Effect.map((result) => {
              opened = result
              return result.database
            })
          )
        })
      )
    )

    /** Damage deeper in the file shows late. It stays where it is, since others may have it open; new sessions go beside. */
    const createBeside = (row: SessionRow, error: StoreError) =>
      lock.withPermits(1)(
        Effect.gen(function* () {
          if (opened?.durable) {
            yield* warn(`new sessions will not outlive this process: ${error.message}.`)
            opened = { database: Memory.before(opened.database), durable: false }
          }
          if (opened !== undefined) yield* opened.database.create(row)
        }).pipe(Effect.uninterruptible)
      )

    return SessionStore.of({
      durable: Effect.sync(() => (opened === undefined ? Option.isNone(check(file)) : opened.durable)),
      create: (row) =>
        Effect.flatMap(use, (database) => database.create(row)).pipe(
          Effect.catchIf(
            ({ reason }) => reason === "corrupt",
            (error) => createBeside(row, error)
          )
        ),
      appendTurn: (id, turn) => Effect.flatMap(use, (database) => database.append(id, turn)),
      load: (id) => Effect.flatMap(use, (database) => database.load(id)),
      change: (id, change) => Effect.flatMap(use, (database) => database.change(id, change)),
      list: (cwd) => Effect.flatMap(use, (database) => database.list(cwd)),
      remove: (id) => Effect.flatMap(use, (database) => database.remove(id)),
      fork: (from, to) => Effect.flatMap(use, (database) => database.fork(from, to))
    })
  })

/** Opens nothing until a session is asked for; closed with the layer. */
export const layer = (options: Options): Layer.Layer<SessionStore> => Layer.scoped(SessionStore, make(options))

/** Sessions of this process only; `durable` is what it claims to be. */
export const memoryWith = ({ durable }: { readonly durable: boolean }): Layer.Layer<SessionStore> =>
  Layer.sync(SessionStore, () => {
    const { append, change, create, fork, list, load, remove } = Memory.make()
    return { durable: Effect.succeed(durable), create, appendTurn: append, load, change, list, remove, fork }
  })

export const memory: Layer.Layer<SessionStore> = memoryWith({ durable: false })
