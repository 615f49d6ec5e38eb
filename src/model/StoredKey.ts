// A model whose key is among the stored ones: looked for when a turn asks first, kept while that turn goes on.
import { Effect, Equal, type Redacted, Stream } from "effect"
import type { CredentialsService } from "../auth/Credentials.ts"
import type { ProviderSettings } from "../config/Agents.ts"
import * as Families from "./Families.ts"
import type { ModelRequest, ModelService } from "./Model.ts"
import { ModelError } from "./ModelError.ts"

/** Undefined: none is stored. */
export type StoredKey = Effect.Effect<Redacted.Redacted | undefined, ModelError>

/** Stored keys that can't be read fail a provider that needs one; one that does without is asked without. */
export const fromCredentials = ({ alias, type }: ProviderSettings, find: CredentialsService["find"]): StoredKey =>
  Effect.catchAll(find(`${type}.${alias}`), ({ message }) =>
    Families.find(type)?.needsKey === false
      ? Effect.as(Effect.logWarning(message), undefined)
      : new ModelError({ reason: "config", message })
  )

const goesOn = ({ messages }: ModelRequest): boolean => messages.at(-1)?._tag === "ToolResults"

/**
 * A key that was removed is not used by another turn; one that was stored meanwhile is. The turn that runs keeps its
 * own to the end.
 */
export const withStoredKey = (
  id: string,
  stored: StoredKey,
  make: (key: Redacted.Redacted | undefined) => ModelService
): ModelService => {
  let known: { readonly key: Redacted.Redacted | undefined; readonly model: ModelService } | undefined
  const current = Effect.map(stored, (key) => {
    if (known === undefined || !Equal.equals(known.key, key)) known = { key, model: make(key) }
    return known.model
  })
  return {
    id,
    stream: (request) =>
      Stream.suspend(() =>
        known !== undefined && goesOn(request)
          ? known.model.stream(request)
          : Stream.unwrap(Effect.map(current, (model) => model.stream(request)))
      )
  }
}
