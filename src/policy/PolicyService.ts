// Every security decision. A tool never checks a path by itself: it opens files here or not at all.
import { Context, Effect, Layer, type Scope } from "effect"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { FetchError, type Fetched } from "./Fetched.ts"
import {
  type Entry,
  type OpenedFile,
  PathError,
  PolicyError,
  type PolicySpec,
  type Profile,
  type SessionPolicy
} from "./SessionPolicy.ts"

export {
  type Entry,
  FetchError,
  type Fetched,
  type OpenedFile,
  PathError,
  PolicyError,
  type PolicySpec,
  type Profile,
  type SessionPolicy
}

export class PolicyService extends Context.Tag("zeroclaw/PolicyService")<
  PolicyService,
  {
    /** Pins the roots of one session; fails when the cwd is not a directory that may be one. */
    readonly open: (spec: PolicySpec) => Effect.Effect<SessionPolicy, PolicyError, Scope.Scope>
  }
>() {
  static readonly layer: Layer.Layer<PolicyService, never, Sandbox> = Layer.effect(
    PolicyService,
    Effect.map(Sandbox, (sandbox) => ({
      open: (spec) =>
        Effect.flatMap(
          Effect.promise(() => import("./OpenPolicy.ts")),
          ({ homesOf, open }) => open(spec, { homes: homesOf(process.env), environment: process.env, sandbox })
        )
    }))
  )

  /** Decides by the same rules, but over files that exist only in `files`, by absolute path. */
  static readonly test = (files: Map<string, Uint8Array> = new Map()): Layer.Layer<PolicyService, never, Sandbox> =>
    Layer.effect(
      PolicyService,
      Effect.map(Sandbox, (sandbox) => ({
        open: (spec) =>
          Effect.map(
            Effect.promise(() => import("./MemoryPolicy.ts")),
            ({ open }) => open(spec, files, sandbox)
          )
      }))
    )
}
