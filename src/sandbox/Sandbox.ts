// The boundary that commands run in: which one there is, and how a command is started in it. @see zeroclaw section 9
import { Context, Effect, Layer, type Scope } from "effect"
import type { Confinement, Launch } from "./Confinement.ts"
import { type Argv, type Backend, SandboxError } from "./Service.ts"

/** As the configuration names it; a name that is not known counts as asked for and missing. */
export type BackendName = string

export type Status =
  /** `evidence` is what the probe saw, in one line. */
  | { readonly _tag: "Ready"; readonly backend: string; readonly evidence: string }
  /** Switched off by the person. */
  | { readonly _tag: "Off" }
  /** `reason` names what is missing and how to get it; `asked` when the configuration names this backend. */
  | { readonly _tag: "Missing"; readonly reason: string; readonly asked: boolean }

type Environment = Readonly<Record<string, string | undefined>>

const bubblewrap = (environment: Environment) =>
  Effect.flatMap(
    Effect.promise(() => import("./BubblewrapBackend.ts")),
    ({ make }) => make(environment)
  )
const runtime = Effect.flatMap(
  Effect.promise(() => import("./Runtime.ts")),
  ({ make }) => make
)

type Kind = "bubblewrap" | "sandbox-runtime"

const aliases: Readonly<Record<string, Kind>> = {
  bubblewrap: "bubblewrap",
  bwrap: "bubblewrap",
  seatbelt: "sandbox-runtime",
  "sandbox-exec": "sandbox-runtime",
  "sandbox-runtime": "sandbox-runtime"
}

const kindOf = (name: BackendName): Kind | undefined => {
  if (name === "auto") return process.platform === "darwin" ? "sandbox-runtime" : "bubblewrap"
  return Object.hasOwn(aliases, name) ? aliases[name] : undefined
}

const unknown = (name: BackendName): string =>
  `sandbox_backend "${name}" is not one of auto, bubblewrap, seatbelt, none. Correct it in the risk profile.`

const statusOf = (name: BackendName, kind: Kind, { status }: Backend): Status =>
  status.ready
    ? { _tag: "Ready", backend: kind, evidence: status.evidence }
    : { _tag: "Missing", reason: status.reason, asked: name !== "auto" }

/** The log has it once, whether or not a command ever runs. */
const told = (kind: Kind) => (backend: Backend) =>
  backend.status.ready
    ? Effect.logInfo(`Sandbox ${kind} is ready: ${backend.status.evidence}`)
    : Effect.logWarning(`Sandbox ${kind} is missing: ${backend.status.reason}`)

export class Sandbox extends Context.Tag("zeroclaw/Sandbox")<
  Sandbox,
  {
    /** Probed when first asked for, then remembered. */
    readonly status: (name: BackendName) => Effect.Effect<Status>
    /** How to start `argv` confined; what it needs lives in the scope. Fails where the backend is not ready. */
    readonly launch: (
      name: BackendName,
      confinement: Confinement,
      argv: Argv
    ) => Effect.Effect<Launch, SandboxError, Scope.Scope>
  }
>() {
  /** Backends are looked for by the `PATH` of this environment. */
  static readonly live = (environment: Environment): Layer.Layer<Sandbox> =>
    Layer.effect(
      Sandbox,
      Effect.gen(function* () {
        // A command that is stopped must not leave the answer of the probe half made.
        const once = (kind: Kind, make: Effect.Effect<Backend>) =>
          Effect.cached(Effect.uninterruptible(Effect.tap(make, told(kind))))
        const cached = {
          bubblewrap: yield* once("bubblewrap", bubblewrap(environment)),
          "sandbox-runtime": yield* once("sandbox-runtime", runtime)
        }
        return {
          status: (name) => {
            if (name === "none") return Effect.succeed({ _tag: "Off" })
            const kind = kindOf(name)
            return kind === undefined
              ? Effect.succeed({ _tag: "Missing", reason: unknown(name), asked: true })
              : Effect.map(cached[kind], (backend) => statusOf(name, kind, backend))
          },
          launch: (name, confinement, argv) => {
            const kind = kindOf(name)
            return kind === undefined
              ? new SandboxError({ message: unknown(name) })
              : Effect.flatMap(cached[kind], (backend) => backend.launch(confinement, argv))
          }
        }
      })
    )

  static readonly layer: Layer.Layer<Sandbox> = Sandbox.live(process.env)

  /** Starts everything as it is. */
  static readonly test = (
    status: Status = { _tag: "Ready", backend: "test", evidence: "none" }
  ): Layer.Layer<Sandbox> =>
    Layer.succeed(Sandbox, {
      status: () => Effect.succeed(status),
      launch: (_, { env }, [file, ...args]) => Effect.succeed({ file, args, env })
    })
}
