// From the configuration to the agent that a session runs. Pure. @see zeroclaw sections 5.2 and 10.3
import { Array as Arr, Either, Redacted } from "effect"
import type { Profile } from "../policy/PolicyService.ts"
import { ConfigError } from "./Config.ts"
import type { ConfigFile, ModelProvider, RiskProfile } from "./ConfigFile.ts"
import * as Paths from "./Paths.ts"

export interface ProviderSettings {
  readonly type: string
  readonly alias: string
  readonly apiKey?: Redacted.Redacted
  readonly uri?: string
  readonly model: string
  readonly temperature?: number
  readonly timeoutSecs?: number
  readonly maxTokens?: number
  readonly extraHeaders?: Readonly<Record<string, string>>
  readonly think?: boolean
  readonly contextWindow?: number
  /** Beside `model`, what a session may choose of this provider; may repeat itself. */
  readonly otherModels?: ReadonlyArray<string>
}

export interface Agent {
  readonly alias: string
  /** Absent: the embedded offline agent. */
  readonly provider?: ProviderSettings
  /** All configured providers that name a model, the agent's own first: what its sessions may choose from. */
  readonly providers: ReadonlyArray<ProviderSettings>
  readonly profile: Profile
  readonly workspace: string
  readonly skillBundles: ReadonlyArray<string>
  /** Model calls a turn may make. */
  readonly maxSteps: number
  /** The same for a session that chose the offline agent. */
  readonly offlineMaxSteps: number
  readonly shellTimeoutSecs: number
}

export const defaultAlias = "default"
const defaultMaxSteps = 10
/** The offline agent makes one step of each step of its plan; its calls cost nothing. */
const offlineMaxSteps = 500
const defaultShellTimeoutSecs = 60

const refuse = (message: string) => Either.left(new ConfigError({ message }))

const provider = (type: string, alias: string, entry: typeof ModelProvider.Type): ProviderSettings | undefined => {
  const uri = entry.uri ?? entry.base_url
  const otherModels = [...(entry.fallback_models ?? []), ...(entry.models ?? [])].filter((name) => name.trim() !== "")
  return entry.model === undefined
    ? undefined
    : {
        type,
        alias,
        model: entry.model,
        ...(entry.api_key === undefined ? {} : { apiKey: Redacted.make(entry.api_key) }),
        ...(uri === undefined ? {} : { uri }),
        ...(entry.temperature === undefined ? {} : { temperature: entry.temperature }),
        ...(entry.timeout_secs === undefined ? {} : { timeoutSecs: entry.timeout_secs }),
        ...(entry.max_tokens === undefined ? {} : { maxTokens: entry.max_tokens }),
        ...(entry.extra_headers === undefined ? {} : { extraHeaders: entry.extra_headers }),
        ...(entry.think === undefined ? {} : { think: entry.think }),
        ...(entry.context_window === undefined || entry.context_window === 0
          ? {}
          : { contextWindow: entry.context_window }),
        ...(otherModels.length === 0 ? {} : { otherModels })
      }
}

const providers = (file: ConfigFile): ReadonlyArray<readonly [name: string, type: string, alias: string]> =>
  Object.entries(file.providers?.models ?? {}).flatMap(([type, entries]) =>
    Object.keys(entries).map((alias) => [`${type}.${alias}`, type, alias] as const)
  )

/** All that name a model, the one named `own` first. */
const usable = (file: ConfigFile, own: string | undefined): ReadonlyArray<ProviderSettings> => {
  const found = providers(file).flatMap(([name, type, alias]) => {
    const entry = file.providers?.models?.[type]?.[alias]
    const settings = entry === undefined ? undefined : provider(type, alias, entry)
    return settings === undefined ? [] : [{ name, settings }]
  })
  const [first, rest] = Arr.partition(found, ({ name }) => name !== own)
  return [...first, ...rest].map(({ settings }) => settings)
}

/** Every configured model provider, `<type>.<alias>`. */
export const providerNames = (file: ConfigFile): ReadonlyArray<string> => providers(file).map(([name]) => name)

/** The provider of the agent that a new session gets; undefined for the offline agent. */
export const defaultProvider = (
  file: ConfigFile,
  paths: Paths.Paths,
  processDefault: string | undefined
): Either.Either<ProviderSettings | undefined, ConfigError> =>
  Either.flatMap(choose(file, undefined, processDefault), (alias) =>
    Either.map(find(file, paths, alias), ({ provider }) => provider)
  )

const findProvider = (file: ConfigFile, name: string): Either.Either<ProviderSettings, ConfigError> => {
  const found = providers(file).find(([known]) => known === name)
  if (found === undefined) {
    const known = providers(file).map(([known]) => known)
    return refuse(
      `Configuration error: model provider "${name}" is not configured. ${known.length === 0 ? `Add a table [providers.models.${name}].` : `Configured: ${known.join(", ")}.`}`
    )
  }
  const [, type, alias] = found
  const entry = file.providers?.models?.[type]?.[alias]
  const settings = entry === undefined ? undefined : provider(type, alias, entry)
  return settings === undefined
    ? refuse(`Configuration error: providers.models.${name}.model is missing. Name the model to use.`)
    : Either.right(settings)
}

const profile = (entry: typeof RiskProfile.Type): Profile => ({
  level: entry.level ?? "supervised",
  workspaceOnly: entry.workspace_only ?? true,
  blockHighRisk: entry.block_high_risk_commands ?? true,
  requireApprovalForMediumRisk: entry.require_approval_for_medium_risk ?? true,
  ...(entry.allowed_commands === undefined ? {} : { allowedCommands: entry.allowed_commands }),
  shellEnvPassthrough: entry.shell_env_passthrough ?? [],
  sandbox: {
    backend: entry.sandbox_enabled === false ? "none" : (entry.sandbox_backend ?? "auto"),
    network: entry.sandbox?.network === "on"
  },
  autoApprove: entry.auto_approve ?? [],
  alwaysAsk: entry.always_ask ?? [],
  allowedTools: entry.allowed_tools ?? [],
  excludedTools: entry.excluded_tools ?? [],
  allowedRoots: [entry.allowed_roots, entry.allowed_path, entry.allowed_paths].flatMap((roots) => roots ?? []),
  ...(entry.forbidden_paths === undefined ? {} : { forbiddenPaths: entry.forbidden_paths })
})

const named = <A>(
  kind: string,
  table: Readonly<Record<string, A>> | undefined,
  name: string | undefined,
  fallback: A
): Either.Either<A, ConfigError> => {
  if (name === undefined || name.trim() === "") return Either.right(fallback)
  const entries = table ?? {}
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined
  return entry === undefined
    ? refuse(`Configuration error: ${kind}.${name} is not configured. Add a table [${kind}.${name}].`)
    : Either.right(entry)
}

/**
 * The agent named `alias`. With no agents configured there is one, `default`: the only configured model provider, or
 * the offline agent.
 */
export const find = (file: ConfigFile, paths: Paths.Paths, alias: string): Either.Either<Agent, ConfigError> =>
  Either.gen(function* () {
    const agents = file.agents ?? {}
    const entry = Object.hasOwn(agents, alias)
      ? agents[alias]
      : Object.keys(agents).length === 0 && alias === defaultAlias
        ? {}
        : undefined
    if (entry === undefined) {
      const known = Object.keys(agents)
      return yield* refuse(
        `Unknown agent "${alias}". ${known.length === 0 ? `Without configured agents there is only "${defaultAlias}".` : `Configured agents: ${known.join(", ")}.`}`
      )
    }
    if (entry.enabled === false) {
      return yield* refuse(`Agent "${alias}" is disabled. Set agents.${alias}.enabled = true to use it.`)
    }
    const all = providers(file)
    const only = all.length === 1 ? all[0]?.[0] : undefined
    const name = entry.model_provider ?? only
    if (name === undefined && all.length > 1) {
      return yield* refuse(
        `Configuration error: several model providers are configured; set agents.${alias}.model_provider to one of ${all.map(([name]) => name).join(", ")}.`
      )
    }
    const settings = name === undefined ? undefined : yield* findProvider(file, name)
    const risk = yield* named(
      "risk_profiles",
      file.risk_profiles,
      entry.risk_profile,
      file.risk_profiles?.["default"] ?? {}
    )
    const runtime = yield* named(
      "runtime_profiles",
      file.runtime_profiles,
      entry.runtime_profile,
      file.runtime_profiles?.["default"] ?? {}
    )
    return {
      alias,
      ...(settings === undefined ? {} : { provider: settings }),
      providers: usable(file, name),
      profile: profile(risk),
      workspace: entry.workspace?.path ?? Paths.agentWorkspace(paths, alias),
      skillBundles: entry.skill_bundles ?? [],
      maxSteps: runtime.max_tool_iterations || (settings === undefined ? offlineMaxSteps : defaultMaxSteps),
      offlineMaxSteps: runtime.max_tool_iterations || offlineMaxSteps,
      shellTimeoutSecs: runtime.shell_timeout_secs || defaultShellTimeoutSecs
    }
  })

/** Which agent a new session gets: asked for, the process default, `acp.default_agent`, the only one. */
export const choose = (
  file: ConfigFile,
  asked: string | undefined,
  processDefault: string | undefined
): Either.Either<string, ConfigError> => {
  const present = (value: string | undefined) => (value === undefined || value.trim() === "" ? undefined : value.trim())
  const names = Object.keys(file.agents ?? {})
  const alias =
    present(asked) ??
    present(processDefault) ??
    present(file.acp?.default_agent) ??
    (names.length === 0 ? defaultAlias : names.length === 1 ? names[0] : undefined)
  return alias === undefined
    ? refuse(
        `Several agents are configured: name one in _meta.zeroclaw.agentAlias (${names.join(", ")}), or set acp.default_agent.`
      )
    : Either.right(alias)
}

export interface Limits {
  readonly maxSessions: number
  /** Seconds a permission question waits; 0 waits without end. */
  readonly sessionTimeoutSecs: number
  /** What happens to a prompt while another runs. */
  readonly busy: "reject" | "queue"
}

export const defaultLimits: Limits = { maxSessions: 10, sessionTimeoutSecs: 3600, busy: "reject" }

export const limits = (
  file: ConfigFile,
  overrides: { readonly maxSessions?: number; readonly sessionTimeoutSecs?: number }
): Limits => ({
  maxSessions: overrides.maxSessions ?? file.acp?.max_sessions ?? defaultLimits.maxSessions,
  sessionTimeoutSecs:
    overrides.sessionTimeoutSecs ?? file.acp?.session_timeout_secs ?? defaultLimits.sessionTimeoutSecs,
  busy: file.acp?.busy ?? defaultLimits.busy
})
