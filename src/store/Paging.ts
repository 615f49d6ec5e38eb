// Rows in pages, so that what is long does not block everything else in this process.
import { Effect, Option, Schema } from "effect"

export const rowsPerPage = 200

/** Lets timers and sockets have their turn; `Effect.yieldNow` lets other fibers only. */
export const breathe = Effect.async<void>((resume) => {
  const turn = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(turn))
})

export const chunksOf = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))

/** Another program may have put anything into its rows: what does not fit is left out and counted. */
export const readable = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (rows: ReadonlyArray<unknown>): ReadonlyArray<A> => rows.flatMap((row) => Option.toArray(decode(row)))
}

export const ids = readable(Schema.Struct({ id: Schema.Int }))

/** Every row in the order of the ids; `read` gives the `rowsPerPage` rows after an id. */
export const pages = <A extends { readonly id: number }, B, E>(
  read: (after: number) => Effect.Effect<ReadonlyArray<unknown>, E>,
  decode: (rows: ReadonlyArray<unknown>) => ReadonlyArray<A>,
  use: (page: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>
): Effect.Effect<{ readonly all: ReadonlyArray<B>; readonly unreadable: number }, E> =>
  Effect.gen(function* () {
    const all: Array<B> = []
    let unreadable = 0
    for (let after = 0; ; ) {
      const page = yield* read(after)
      const fitting = decode(page)
      unreadable += page.length - fitting.length
      for (const one of yield* use(fitting)) all.push(one)
      const last = ids(page).at(-1)?.id
      if (page.length < rowsPerPage || last === undefined) return { all, unreadable }
      after = last
      yield* breathe
    }
  })
