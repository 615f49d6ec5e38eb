// The ways to sign in that a client is offered. Pure. @see acp-v1 sections 1.4 and 7.2
import type { AuthMethod, ClientCapabilities } from "../contract/Capabilities.ts"

export const offlineId = "offline"
export const apiKeyId = "api-key"
export const loginId = "login"

export interface Situation {
  readonly client: ClientCapabilities
  /** Of the agent that new sessions get: `<type>.<alias>`; undefined for the offline agent. */
  readonly provider: string | undefined
  /** How this program is started, but for its arguments. */
  readonly self: { readonly command: string; readonly args: ReadonlyArray<string> }
  /** The configuration folder: a login in a terminal has to find the same one. */
  readonly root: string
}

const offline: AuthMethod = {
  id: offlineId,
  name: "Use without an account",
  description: "The embedded offline agent, or the model that config.toml names. Nothing to sign in to."
}

const apiKey = (provider: string): AuthMethod => ({
  id: apiKeyId,
  name: "Use the stored API key",
  description: `For ${provider}: the key in config.toml, in the environment, or stored by zeroclaw login.`
})

/** The convention from before terminal methods; clients that know only it say so. */
const saysTerminalAuth = ({ _meta }: ClientCapabilities): boolean => _meta?.["terminal-auth"] === true

const login = ({ client, provider, root, self }: Situation): ReadonlyArray<AuthMethod> => {
  // In place of the words an editor starts us with, or behind them: both start the login.
  const words = [loginId]
  const env = { ZEROCLAW_CONFIG_DIR: root }
  const name = "Store an API key"
  const method = {
    id: loginId,
    name,
    description: `Asks for an API key in a terminal and keeps it on this computer${provider === undefined ? "" : ` for ${provider}`}.`,
    ...(saysTerminalAuth(client)
      ? { _meta: { "terminal-auth": { command: self.command, args: [...self.args, ...words], env, label: name } } }
      : {})
  }
  if (client.auth.terminal) return [{ type: "terminal", ...method, args: words, env }]
  return saysTerminalAuth(client) ? [method] : []
}

/** The first one is never of type `terminal`: some clients take it unasked. */
export const offered = (situation: Situation): ReadonlyArray<AuthMethod> => [
  ...(situation.provider === undefined ? [] : [apiKey(situation.provider)]),
  offline,
  ...login(situation)
]

/** Those that `authenticate` may name. */
export const agentIds = (situation: Situation): ReadonlyArray<string> =>
  offered(situation)
    .filter((method) => !("type" in method))
    .map(({ id }) => id)
