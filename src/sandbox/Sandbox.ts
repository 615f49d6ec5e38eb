// The boundary that commands run in: which one there is, and how a command is started in it.
import { Context, Effect, Layer, Schema, type Scope } from "effect"
import type { Confinement, Launch } from "./Confinement.ts"

/** As the configuration names it; a name that is not known counts as asked for and missing. @see zeroclaw section 9 */
export type Backend = string

export type Status =
  /** `evidence` is what the probe saw, in one line. */
  | { readonly _tag: "Ready"; readonly backend: string; readonly evidence: string }
  /** Switched off by the person. */
  | { readonly _tag: "Off" }
  /** `reason` names what is missing and how to get it; `asked` when the configuration names this backend. */
  | { readonly _tag: "Missing"; readonly reason: string; readonly asked: boolean }

export class SandboxError extends Schema.TaggedError<SandboxError>()("SandboxError", {
  /** One line: what happened and what to do. */
  message: Schema.String
}) {}

export class Sandbox extends Context.Tag("zeroclaw/Sandbox")<
  Sandbox,
  {
    /** Probed when first asked for, then remembered. */
    readonly status: (backend: Backend) => Effect.Effect<Status>
    /** How to start `argv` confined; what it needs lives in the scope. Fails where the backend is not ready. */
    readonly launch: (
      backend: Backend,
      confinement: Confinement,
      argv: readonly [file: string, ...args: ReadonlyArray<string>]
    ) => Effect.Effect<Launch, SandboxError, Scope.Scope>
  }
>() {
  /** Starts everything as it is. */
  static readonly test = (
    status: Status = { _tag: "Ready", backend: "test", evidence: "none" }
  ): Layer.Layer<Sandbox> =>
    Layer.succeed(Sandbox, {
      status: () => Effect.succeed(status),
      launch: (_, { env }, [file, ...args]) => Effect.succeed({ file, args, env })
    })
  static readonly layer: Layer.Layer<Sandbox> = Sandbox.test({ _tag: "Off" })
}
