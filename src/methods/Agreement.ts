// What one connection has agreed on: set by initialize and by what the client was seen to speak.
import { Context, Effect, Layer } from "effect"
import { Config } from "../config/Config.ts"
import { type ClientCapabilities, noClientCapabilities } from "../contract/Capabilities.ts"

/** `acp.dialect`. */
export type DialectMode = "auto" | "strict" | "zeroclaw"

export interface AgreementService {
  initialized: boolean
  client: ClientCapabilities
  /** Since `logout`, until a successful `authenticate`. @see acp-v1 section 1.2 */
  signedOut: boolean
  readonly mode: DialectMode
  /** Whether the client speaks ZeroClaw's dialect: from the start, or since a sign of it was seen. @see acp-v1 section 6 */
  zeroclaw: boolean
  /** The agent of this connection when a session names none; the gateway's `?agent=`. */
  readonly defaultAgent?: string
}

export const make = (mode: DialectMode): AgreementService => ({
  initialized: false,
  client: noClientCapabilities,
  signedOut: false,
  mode,
  zeroclaw: mode === "zeroclaw"
})

export class Agreement extends Context.Tag("zeroclaw/Agreement")<Agreement, AgreementService>() {
  /** A broken configuration is told where it is needed; the connection speaks as by default. */
  static readonly layer: Layer.Layer<Agreement, never, Config> = Layer.effect(
    Agreement,
    Effect.gen(function* () {
      const { file } = yield* Config
      const { acp } = yield* Effect.orElseSucceed(file, () => ({ acp: undefined }))
      return make(acp?.dialect ?? "auto")
    })
  )
}
