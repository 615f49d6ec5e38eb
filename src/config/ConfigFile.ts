// The shape of config.toml, as far as this program reads it. Other keys are left alone. @see zeroclaw section 10
import { Schema } from "effect"
import { levels } from "../policy/Decision.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
const strings = optional(Schema.Array(Schema.String))
const count = optional(Schema.NonNegativeInt)

export const Acp = Schema.Struct({
  default_agent: optional(Schema.String),
  max_sessions: count,
  session_timeout_secs: count,
  /** Which dialect a connection speaks; `auto` is the protocol's own until a sign of ZeroClaw's is seen. */
  dialect: optional(Schema.Literal("auto", "strict", "zeroclaw")),
  /** A prompt sent while one runs is refused, or waits its turn. */
  busy: optional(Schema.Literal("reject", "queue")),
  /** The laxest mode a client may switch a session to; the level of the agent's risk profile when absent. */
  max_mode: optional(Schema.Literal(...levels))
})

/** Bundles are folders by these names, so that none leads out of the folder they are in. */
const bundle = Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/))

export const AgentEntry = Schema.Struct({
  enabled: optional(Schema.Boolean),
  model_provider: optional(Schema.String),
  risk_profile: optional(Schema.String),
  runtime_profile: optional(Schema.String),
  /** Folders of skills in `shared/skills`. */
  skill_bundles: optional(Schema.Array(bundle)),
  workspace: optional(Schema.Struct({ path: optional(Schema.String) }))
})

export const RiskProfile = Schema.Struct({
  level: optional(Schema.Literal(...levels)),
  workspace_only: optional(Schema.Boolean),
  block_high_risk_commands: optional(Schema.Boolean),
  require_approval_for_medium_risk: optional(Schema.Boolean),
  /** Programs that commands may start; `*` is any. Absent: their risk alone decides. */
  allowed_commands: strings,
  /** Names of the program's own variables that commands get too. */
  shell_env_passthrough: strings,
  /** `false` is the backend `none`. */
  sandbox_enabled: optional(Schema.Boolean),
  /** auto, bubblewrap, seatbelt or none; anything else counts as missing, and commands are not run. */
  sandbox_backend: optional(Schema.String),
  sandbox: optional(Schema.Struct({ network: optional(Schema.Literal("on", "off")) })),
  auto_approve: strings,
  always_ask: strings,
  allowed_tools: strings,
  excluded_tools: strings,
  allowed_roots: strings,
  /** The same as `allowed_roots`, by their older names. */
  allowed_path: optional(Schema.Union(Schema.String, Schema.Array(Schema.String))),
  allowed_paths: strings,
  forbidden_paths: strings
})

/** Keys of a risk profile that exist but that this release does not act on. */
export const laterRiskKeys: ReadonlyArray<string> = ["delegation_policy", "approval_route", "firejail_args"]

export const RuntimeProfile = Schema.Struct({
  max_tool_iterations: count,
  shell_timeout_secs: count
})

export const ModelProvider = Schema.Struct({
  api_key: optional(Schema.String),
  uri: optional(Schema.String),
  base_url: optional(Schema.String),
  model: optional(Schema.String),
  temperature: optional(Schema.Finite),
  timeout_secs: optional(Schema.Positive),
  max_tokens: optional(Schema.Int.pipe(Schema.positive())),
  extra_headers: optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  /** The default of a session's thought level: `true` is medium, `false` off; of a model that can be asked to think. */
  think: optional(Schema.Boolean),
  /** Tokens that fit into one conversation with any of this entry's models; 0 is unknown. */
  context_window: count,
  /** Further models of the same provider, which a session may choose beside `model`. */
  fallback_models: strings,
  /** The same as `fallback_models`, listed behind them. */
  models: strings
})

const table = <A, I>(schema: Schema.Schema<A, I>) => optional(Schema.Record({ key: Schema.String, value: schema }))

export const ConfigFile = Schema.Struct({
  acp: optional(Acp),
  agents: table(AgentEntry),
  risk_profiles: table(RiskProfile),
  runtime_profiles: table(RuntimeProfile),
  providers: optional(Schema.Struct({ models: table(Schema.Record({ key: Schema.String, value: ModelProvider })) }))
})
export type ConfigFile = typeof ConfigFile.Type
