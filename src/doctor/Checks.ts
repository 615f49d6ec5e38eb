// From what was found on this machine to what a person is told about it. Pure.
import { Either, type Redacted } from "effect"
import type { Agent, ProviderSettings } from "../config/Agents.ts"
import * as Endpoint from "../model/Endpoint.ts"
import * as Families from "../model/Families.ts"
import type { Status } from "../sandbox/Sandbox.ts"
import { type Check, fail, ok, warn } from "./Check.ts"

const leastMajor = 20
const leastMinor = 19

/** `version` as in `process.versions.node`. */
export const node = (version: string, platform: string): Check => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
    ? ok("node", `Node.js ${version} on ${platform}`)
    : fail("node", `Node.js ${version} is too old`, `Install Node.js ${leastMajor}.${leastMinor} or newer.`)
}

export interface ConfigFound {
  readonly file: string
  readonly exists: boolean
  /** Why it can't be used. */
  readonly error?: string
  /** What is dangerous about it, and not wrong in it. */
  readonly concerns: ReadonlyArray<string>
}

export const configuration = ({ concerns, error, exists, file }: ConfigFound): Check => {
  if (error !== undefined) return fail("configuration", error)
  if (concerns.length > 0) return warn("configuration", concerns.join(" "))
  return ok("configuration", exists ? file : `${file} is not there: the defaults count`)
}

/** `objection`: why nothing can be kept there. */
export const sessions = (database: string, objection: string | undefined): Check =>
  objection === undefined
    ? ok("sessions", `kept in ${database}`)
    : fail("sessions", `${objection}. Until then sessions live in memory and end with the server.`)

/** `objection`: why it can't be written. */
export const log = (file: string, objection: string | undefined): Check =>
  objection === undefined
    ? ok("log", file)
    : warn("log", `${file} can't be written (${objection})`, "Check the folder and its permissions.")

/** `error`: why there is none. */
export const agent = (found: Either.Either<Agent, string>): Check =>
  Either.match(found, {
    onLeft: (message) => fail("agent", message),
    onRight: ({ alias, profile }) =>
      ok("agent", `"${alias}" works ${profile.level}, network for commands ${profile.sandbox.network ? "on" : "off"}`)
  })

const placeOfKey = (settings: ProviderSettings, env: Endpoint.Environment, isStored: boolean): string => {
  if (settings.apiKey !== undefined && Endpoint.hasKey({ ...settings }, {})) return "API key in config.toml"
  const variable = Families.find(settings.type)?.keys.find((name) => (env[name] ?? "").trim() !== "")
  if (variable !== undefined) return `API key in ${variable}`
  return isStored ? "API key stored by zeroclaw login" : "without an API key"
}

/** `stored` is the key that was stored for this provider, or why the stored ones can't be read. Nothing is sent. */
export const model = (
  settings: ProviderSettings | undefined,
  env: Endpoint.Environment,
  stored: Either.Either<Redacted.Redacted | undefined, string>
): Check => {
  if (settings === undefined) return ok("model", "the embedded offline agent; zeroclaw login adds a model provider")
  const isKeyKnown = Endpoint.hasKey(settings, env)
  if (Either.isLeft(stored) && !isKeyKnown && Families.find(settings.type)?.needsKey === true) {
    return fail("model", stored.left)
  }
  const key = Either.getOrUndefined(stored)
  return Either.match(Endpoint.resolve(settings, env, key), {
    onLeft: ({ message }) => fail("model", message),
    onRight: ({ baseUrl }) =>
      ok(
        "model",
        `${settings.model} of ${settings.type}.${settings.alias} at ${baseUrl}, ${placeOfKey(settings, env, key !== undefined)}; not asked`
      )
  })
}

type Profile = Agent["profile"]

/** What commands do where no sandbox holds them. */
const unconfined = ({ blockHighRisk, level }: Profile, isOff: boolean): string => {
  if (level === "readonly") return "no command is run at the level readonly anyway"
  return level === "full" && (isOff || !blockHighRisk)
    ? "commands run with all your rights, without a question"
    : "commands run with all your rights, and each one asks first"
}

/** Where a missing sandbox keeps commands from running, the agent can't do its work. */
export const sandbox = (status: Status, profile: Profile): Check => {
  switch (status._tag) {
    case "Ready":
      return ok("sandbox", `${status.backend}, ${status.evidence}`)
    case "Off":
      return warn(
        "sandbox",
        `switched off: ${unconfined(profile, true)}`,
        'Set sandbox_backend = "auto" in the risk profile.'
      )
    case "Missing":
      return status.asked || profile.level === "supervised"
        ? fail("sandbox", "missing: no command is run", status.reason)
        : warn("sandbox", `missing: ${unconfined(profile, false)}`, status.reason)
  }
}
