// Where things are kept. Pure.
import * as path from "node:path"

export interface Paths {
  /** The install root: holds config.toml. */
  readonly root: string
  readonly configFile: string
  readonly database: string
  readonly logFile: string
  /** API keys that `zeroclaw login` stored. */
  readonly credentials: string
  /** Never for tools: configuration, tokens, sessions, logs. */
  readonly own: ReadonlyArray<string>
}

/** `home` is the passwd entry's folder: an editor may start us without HOME. @see zeroclaw section 10.1 */
export const resolve = (env: Readonly<Record<string, string | undefined>>, home: string): Paths => {
  const given = [env["ZEROCLAW_CONFIG_DIR"], env["ZEROCLAW_DATA_DIR"], env["ZEROCLAW_WORKSPACE"]].find(
    (value) => value !== undefined && value.trim() !== ""
  )
  const root = given === undefined ? path.join(home, ".zeroclaw") : path.resolve(given)
  const data = path.join(root, "data")
  return {
    root,
    configFile: path.join(root, "config.toml"),
    database: path.join(data, "sessions", "acp-sessions.db"),
    logFile: path.join(data, "logs", "zeroclaw.log"),
    credentials: path.join(data, "credentials.json"),
    own: [path.join(root, "config.toml"), path.join(root, "acp-bridge-token"), data]
  }
}

/** Bundles of skills, for all agents. @see zeroclaw section 10.1 */
export const skills = (root: string): string => path.join(root, "shared", "skills")

export const agentWorkspace = (paths: Paths, alias: string): string =>
  path.join(paths.root, "agents", alias, "workspace")
