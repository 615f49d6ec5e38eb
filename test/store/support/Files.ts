// A store on a real file in a folder of its own.
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Context, Effect, Layer, type Scope } from "effect"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import * as Store from "../../../src/store/Store.ts"

export const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "zeroclaw-store-"))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true, force: true }))
)

/** In a folder that does not exist yet. */
export const newFile: Effect.Effect<string, never, Scope.Scope> = Effect.map(folder, (made) =>
  path.join(made, "data", "sessions", "acp-sessions.db")
)

export interface Opened {
  readonly store: Context.Tag.Service<typeof SessionStore>
  /** What the person was told. */
  readonly warnings: ReadonlyArray<string>
}

/** Closed with the scope. */
export const openStore = (
  file: string,
  options: Partial<Omit<Store.Options, "file" | "warn">> = {}
): Effect.Effect<Opened, never, Scope.Scope> =>
  Effect.gen(function* () {
    const warnings: Array<string> = []
    const warn = (message: string) => Effect.sync(() => void warnings.push(message))
    const context = yield* Layer.build(Store.layer({ ...options, file, warn }))
    return { store: Context.get(context, SessionStore), warnings }
  })

/** Statements of another program on the same file. */
export const statements = (file: string, ...texts: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.flatMap(SqliteClient.make({ filename: file, disableWAL: true }), (sql) =>
      Effect.forEach(texts, (text) => sql.unsafe(text))
    )
  ).pipe(Effect.provide(Reactivity.layer), Effect.orDie)

export const modeOf = (file: string): string => (fs.statSync(file).mode & 0o777).toString(8)
