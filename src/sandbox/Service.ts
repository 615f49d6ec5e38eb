// What a backend of the sandbox is, and how one fails.
import { type Effect, Schema, type Scope } from "effect"
import type { Confinement, Launch } from "./Confinement.ts"

export class SandboxError extends Schema.TaggedError<SandboxError>()("SandboxError", {
  /** One line: what happened and what to do. */
  message: Schema.String
}) {}

export type Argv = readonly [file: string, ...args: ReadonlyArray<string>]

export interface Backend {
  readonly status:
    | { readonly ready: true; readonly evidence: string }
    | { readonly ready: false; readonly reason: string }
  readonly launch: (confinement: Confinement, argv: Argv) => Effect.Effect<Launch, SandboxError, Scope.Scope>
}
