// What `zeroclaw login` asks a person, on a terminal.
import * as Prompt from "@effect/cli/Prompt"
import { FileSystem, Path } from "@effect/platform"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Effect, Either, Layer, Redacted } from "effect"
import * as Text from "../auth/CredentialsText.ts"
import * as Target from "./LoginTarget.ts"

const environment = Layer.mergeAll(NodeTerminal.layer, FileSystem.layerNoop({}), Path.layer)

const ask = <A>(prompt: Prompt.Prompt<A>): Effect.Effect<A, string> =>
  Prompt.run(prompt).pipe(
    Effect.provide(environment),
    Effect.mapError(() => "stopped; nothing was stored")
  )

/** One of the configured providers, or one of the main families where there are none. */
export const provider = (configured: ReadonlyArray<string>): Effect.Effect<string, string> =>
  ask(
    Prompt.select({
      message: "Which model provider?",
      choices:
        configured.length > 0
          ? configured.map((name) => ({ title: name, value: name }))
          : Target.offers.map(({ title, type }) => ({ title, value: Target.nameOf(type) }))
    })
  )

/** Nothing of it is shown, not even its length. */
export const key = (provider: string): Effect.Effect<Redacted.Redacted, string> =>
  Effect.flatMap(ask(Prompt.hidden({ message: `API key for ${provider} (not shown)` })), (typed) =>
    Either.mapLeft(Text.readKey(Redacted.value(typed)), (why) => `the key ${why}; nothing was stored`)
  )
