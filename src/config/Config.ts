// Reads config.toml once, when first needed. A broken file never ends the program: whoever asks gets a clear error.
import * as fs from "node:fs"
import { Context, Effect, Layer, ParseResult, Schema } from "effect"
import { ConfigFile, laterRiskKeys, RiskProfile } from "./ConfigFile.ts"
import type { Paths } from "./Paths.ts"

export class ConfigError extends Schema.TaggedError<ConfigError>()("ConfigError", {
  /** One line: the file, the place, what is wrong, how to mend it. */
  message: Schema.String
}) {}

/** What flags of this run override. */
export interface Overrides {
  readonly maxSessions?: number
  readonly sessionTimeoutSecs?: number
  readonly agent?: string
}

export interface ConfigService {
  readonly paths: Paths
  readonly overrides: Overrides
  readonly file: Effect.Effect<ConfigFile, ConfigError>
}

/** A larger file is not a configuration. */
const maxBytes = 1024 * 1024

const unknownRiskKey = (json: unknown): string | undefined => {
  const profiles = Schema.decodeUnknownOption(
    Schema.Struct({
      risk_profiles: Schema.Record({
        key: Schema.String,
        value: Schema.Record({ key: Schema.String, value: Schema.Unknown })
      })
    })
  )(json)
  if (profiles._tag === "None") return undefined
  const known = [...Object.keys(RiskProfile.fields), ...laterRiskKeys]
  for (const [name, profile] of Object.entries(profiles.value.risk_profiles)) {
    const key = Object.keys(profile).find((key) => !known.includes(key))
    if (key !== undefined) return `risk_profiles.${name}.${key}`
  }
  return undefined
}

/** Pure: TOML value to configuration. A mistyped key of a risk profile is refused: it would loosen the policy unseen. */
export const decode = (json: unknown, where: string): Effect.Effect<ConfigFile, ConfigError> => {
  const unknown = unknownRiskKey(json)
  if (unknown !== undefined) {
    return new ConfigError({
      message: `Configuration error in ${where}: unknown key ${unknown}. Correct its spelling or remove it.`
    })
  }
  return Effect.mapError(Schema.decodeUnknown(ConfigFile, { errors: "all" })(json), (error) => {
    const issues = ParseResult.ArrayFormatter.formatErrorSync(error)
    const place = issues[0]?.path.join(".") ?? ""
    // A value that fits none of several is one issue each: they are told together.
    const same = issues
      .filter(({ path }) => path.join(".") === place)
      .map(({ message }) => message.replace(/,? actual [\s\S]*$/, "").replace(/\s+/g, " "))
    const what = `${place}: ${[...new Set(same)].join("; or ")}`
    return new ConfigError({ message: `Configuration error in ${where}: ${what}. Correct this value.` })
  })
}

const read = (file: string): Effect.Effect<unknown, ConfigError> =>
  Effect.gen(function* () {
    const unreadable = (error: unknown) =>
      new ConfigError({
        message: `Configuration error: ${file} cannot be read (${error instanceof Error ? error.message : "unknown"}). Check the folder and its permissions.`
      })
    const stat = yield* Effect.try({ try: () => fs.statSync(file, { throwIfNoEntry: false }), catch: unreadable })
    if (stat === undefined) return {}
    if (!stat.isFile() || stat.size > maxBytes) {
      return yield* new ConfigError({
        message: `Configuration error: ${file} is not a regular file of at most 1 MiB. Replace it by one.`
      })
    }
    const text = yield* Effect.try({
      try: () => fs.readFileSync(file, "utf8"),
      catch: unreadable
    })
    const toml = yield* Effect.promise(() => import("smol-toml"))
    return yield* Effect.try({
      try: (): unknown => toml.parse(text),
      catch: (error) => new ConfigError({ message: tomlMessage(file, error) })
    })
  })

/** smol-toml's errors carry line and column, then a drawing of the place. */
const tomlMessage = (file: string, error: unknown): string => {
  const at =
    typeof error === "object" && error !== null && "line" in error && "column" in error
      ? ` at line ${error.line}, column ${error.column}`
      : ""
  const what = (error instanceof Error ? error.message : String(error)).split("\n")[0]
  return `Configuration error in ${file}${at}: ${what}. Correct that line.`
}

export class Config extends Context.Tag("zeroclaw/Config")<Config, ConfigService>() {
  static readonly layer = (paths: Paths, overrides: Overrides = {}): Layer.Layer<Config> =>
    Layer.effect(
      Config,
      Effect.map(
        Effect.cached(Effect.flatMap(read(paths.configFile), (json) => decode(json, paths.configFile))),
        (file) => ({ paths, overrides, file })
      )
    )

  static readonly test = (paths: Paths, json: unknown = {}, overrides: Overrides = {}): Layer.Layer<Config> =>
    // Cached as the file is: what waits for it waits in tests too.
    Layer.effect(
      Config,
      Effect.map(Effect.cached(decode(json, "test")), (file) => ({ paths, overrides, file }))
    )
}
