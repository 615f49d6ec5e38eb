// Seatbelt on macOS (and bubblewrap behind its proxies on Linux) through the optional sandbox-runtime package.
import type { SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime"
import { Effect, Either } from "effect"
import { quoteAll } from "../text/ShellQuote.ts"
import { gitEnvironment } from "./Bubblewrap.ts"
import type { Confinement } from "./Confinement.ts"
import { parts } from "./GitFolders.ts"
import { type Backend, SandboxError } from "./Service.ts"

const loadPackage = Effect.tryPromise(() => import("@anthropic-ai/sandbox-runtime"))

const noNetwork = {
  allowedDomains: [],
  deniedDomains: ["*"],
  strictAllowlist: true
} satisfies SandboxRuntimeConfig["network"]

/** Reads are closed for the home and what is forbidden, and opened again for the session's folders. */
export const settings = ({ env, git, masks, mounts }: Confinement): SandboxRuntimeConfig => {
  const home = env["HOME"]
  const writable = mounts.flatMap(({ access, path }) => (access === "write" ? [path] : []))
  return {
    network: noNetwork,
    filesystem: {
      denyRead: [...(home === undefined ? [] : [home]), ...masks.filter((mask) => mask.split("/").length > 2)],
      allowRead: mounts.map(({ path }) => path),
      allowWrite: writable,
      denyWrite: [
        ...masks,
        ...writable.flatMap((folder) =>
          git === "read" ? [`${folder}/.git`] : parts(`${folder}/.git`).map(({ path }) => path)
        )
      ]
    }
  }
}

const closed: SandboxRuntimeConfig = {
  network: noNetwork,
  filesystem: { denyRead: [], allowWrite: [], denyWrite: [] }
}

const missing = (reason: string): Backend => ({
  status: { ready: false, reason },
  launch: () => new SandboxError({ message: reason })
})

const text = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

export const make: Effect.Effect<Backend> = Effect.gen(function* () {
  const loaded = yield* Effect.either(loadPackage)
  if (Either.isLeft(loaded)) {
    return missing(
      'The package @anthropic-ai/sandbox-runtime is not installed. Install it, or set sandbox_backend = "none" in the risk profile to run commands without a sandbox.'
    )
  }
  const { SandboxManager } = loaded.right
  if (!SandboxManager.isSupportedPlatform()) return missing("sandbox-runtime does not know this platform.")
  const { errors } = SandboxManager.checkDependencies()
  if (errors.length > 0) return missing(`sandbox-runtime lacks what it needs: ${errors.join(", ")}.`)
  const started = yield* Effect.either(Effect.tryPromise({ try: () => SandboxManager.initialize(closed), catch: text }))
  if (Either.isLeft(started)) return missing(`sandbox-runtime does not start: ${started.left}.`)
  return {
    status: { ready: true, evidence: "sandbox-runtime started" },
    launch: (confinement, argv) => {
      if (confinement.network) {
        return new SandboxError({
          message: "sandbox.network = on is not possible with sandbox-runtime. Switch it off, or use bubblewrap."
        })
      }
      return Effect.map(
        Effect.tryPromise({
          try: (signal) => SandboxManager.wrapWithSandbox(quoteAll(argv), undefined, settings(confinement), signal),
          catch: (cause) => new SandboxError({ message: `The sandbox can't be made: ${text(cause)}` })
        }),
        (line) => ({
          file: "/bin/sh",
          args: ["-c", line],
          env: { ...confinement.env, ...gitEnvironment(confinement.git) }
        })
      )
    }
  }
})
