// A throwaway folder tree: a workspace, an outside with a secret, a home, our own files.
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, type Layer, type Scope } from "effect"
import { open } from "../../src/policy/OpenPolicy.ts"
import type { PolicyError, Profile, SessionPolicy } from "../../src/policy/SessionPolicy.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"

export const canary = "CANARY"

export interface World {
  readonly base: string
  readonly ws: string
  readonly out: string
  readonly home: string
  readonly agentWorkspace: string
  readonly config: string
  readonly database: string
  readonly token: string
}

export const world: Effect.Effect<World, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "policy-")))
    const at = (...parts: ReadonlyArray<string>) => path.join(base, ...parts)
    for (const folder of ["ws", "out", "home/.ssh", "home/.sshx", "cfg/data/sessions"]) {
      fs.mkdirSync(at(folder), { recursive: true })
    }
    const made: World = {
      base,
      ws: at("ws"),
      out: at("out"),
      home: at("home"),
      agentWorkspace: at("cfg/agents/default/workspace"),
      config: at("cfg/config.toml"),
      database: at("cfg/data/sessions/acp-sessions.db"),
      token: at("cfg/acp-bridge-token")
    }
    fs.writeFileSync(at("ws/keep"), "keep")
    fs.writeFileSync(at("home/.sshx/a"), "ok")
    for (const secret of [at("out/secret"), at("home/.ssh/id_ed25519"), made.config, made.database, made.token]) {
      fs.writeFileSync(secret, canary)
    }
    return made
  }),
  ({ base }) => Effect.sync(() => fs.rmSync(base, { recursive: true, force: true }))
)

export const profile: Profile = {
  level: "supervised",
  workspaceOnly: true,
  blockHighRisk: true,
  requireApprovalForMediumRisk: true,
  shellEnvPassthrough: [],
  sandbox: { backend: "auto", network: false },
  autoApprove: [],
  alwaysAsk: [],
  allowedTools: [],
  excludedTools: [],
  allowedRoots: []
}

export const full: Partial<Profile> = { level: "full", blockHighRisk: false }

export const session = (
  { agentWorkspace, config, database, home, token, ws }: World,
  overrides: Partial<Profile> = {},
  more: {
    readonly cwd?: string
    readonly additionalDirectories?: ReadonlyArray<string>
    readonly readOnlyRoots?: ReadonlyArray<string>
    /** None when absent: commands run as they are. */
    readonly sandbox?: Layer.Layer<Sandbox>
  } = {}
): Effect.Effect<SessionPolicy, PolicyError, Scope.Scope> =>
  Effect.flatMap(Effect.provide(Sandbox, more.sandbox ?? Sandbox.test({ _tag: "Off" })), (sandbox) =>
    open(
      {
        profile: { ...profile, ...overrides },
        cwd: more.cwd ?? ws,
        agentWorkspace,
        additionalDirectories: more.additionalDirectories ?? [],
        readOnlyRoots: more.readOnlyRoots ?? [],
        ownPaths: [config, database, token]
      },
      { homes: [home], environment: { ...process.env, HOME: home }, sandbox }
    )
  )

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8")
export const bytes = (text: string): Uint8Array => Buffer.from(text)
export const read = (policy: SessionPolicy, file: string) =>
  Effect.map(policy.readFile(file, 1_000_000), ({ bytes }) => textOf(bytes))
export const write = (policy: SessionPolicy, file: string, text: string) => policy.writeFile(file, bytes(text))
/** Why a path was refused. */
export const refusal = <A, E extends { readonly reason: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

export const openDescriptors = (): number => fs.readdirSync("/proc/self/fd").length
