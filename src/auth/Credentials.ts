// API keys that this program stored for its providers. The file is read when a key is looked for, never at start-up.
import { Context, Effect, Either, Layer, type Redacted } from "effect"
import { Config } from "../config/Config.ts"
import { CredentialsError } from "./CredentialsError.ts"
import { type Keys, maxKeys, noKeys } from "./CredentialsText.ts"

export interface CredentialsService {
  /** All of them, by provider (`<type>.<alias>`). */
  readonly all: Effect.Effect<Keys, CredentialsError>
  /** Undefined when none is stored for the provider. */
  readonly find: (provider: string) => Effect.Effect<Redacted.Redacted | undefined, CredentialsError>
  /** Replaces the key that the provider had. */
  readonly store: (provider: string, key: Redacted.Redacted) => Effect.Effect<void, CredentialsError>
  /** Which of them had one. */
  readonly remove: (providers: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, CredentialsError>
}

type Change = (keys: Keys) => Either.Either<Keys, CredentialsError>

interface Backing {
  readonly read: Effect.Effect<Keys, CredentialsError>
  readonly update: (change: Change) => Effect.Effect<void, CredentialsError>
}

const adding =
  (provider: string, key: Redacted.Redacted): Change =>
  (keys) =>
    keys.size >= maxKeys && !keys.has(provider)
      ? Either.left(
          new CredentialsError({
            message: `${maxKeys} keys are stored already. Remove one that is not needed with: zeroclaw logout PROVIDER`
          })
        )
      : Either.right(new Map(keys).set(provider, key))

const make = ({ read, update }: Backing): CredentialsService => ({
  all: read,
  find: (provider) => Effect.map(read, (keys) => keys.get(provider)),
  store: (provider, key) => update(adding(provider, key)),
  remove: (providers) =>
    Effect.suspend(() => {
      let removed: ReadonlyArray<string> = []
      const change: Change = (keys) => {
        removed = providers.filter((name) => keys.has(name))
        return Either.right(
          removed.length === 0 ? keys : new Map([...keys].filter(([name]) => !removed.includes(name)))
        )
      }
      // Without a stored key there is no reason to make a folder or a file.
      const some = Effect.map(read, (keys) => providers.some((name) => keys.has(name)))
      return Effect.map(Effect.whenEffect(update(change), some), () => removed)
    })
})

const loadFile = Effect.promise(() => import("./CredentialsFile.ts"))

export class Credentials extends Context.Tag("zeroclaw/Credentials")<Credentials, CredentialsService>() {
  static readonly layer: Layer.Layer<Credentials, never, Config> = Layer.effect(
    Credentials,
    Effect.map(Config, ({ paths: { credentials } }) =>
      make({
        read: Effect.flatMap(loadFile, ({ read }) => read(credentials)),
        update: (change) => Effect.flatMap(loadFile, ({ update }) => update(credentials, change))
      })
    )
  )

  /** In memory. */
  static readonly test = (keys: Keys = noKeys): Layer.Layer<Credentials> =>
    Layer.sync(Credentials, () => {
      let held = keys
      return make({
        read: Effect.sync(() => held),
        update: (change) =>
          Effect.suspend(() =>
            Effect.map(change(held), (changed) => {
              held = changed
            })
          )
      })
    })
}
