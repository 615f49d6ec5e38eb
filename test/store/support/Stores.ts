// The two kinds of store, opened alike.
import { Context, Effect, Layer, type Scope } from "effect"
import { SessionStore } from "../../../src/store/SessionStore.ts"
import * as Store from "../../../src/store/Store.ts"
import { newFile, type Opened, openStore } from "./Files.ts"

const inMemory: Effect.Effect<Opened, never, Scope.Scope> = Effect.map(Layer.build(Store.memory), (context) => ({
  store: Context.get(context, SessionStore),
  warnings: []
}))

export const onFile: Effect.Effect<Opened, never, Scope.Scope> = Effect.flatMap(newFile, (file) => openStore(file))

export const kinds = [
  ["file", onFile, true],
  ["memory", inMemory, false]
] as const
