// Reads config.toml when it is needed, and again when it has changed. A broken file never ends the program: whoever asks gets a clear error.
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
  /** As it is now. */
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

const unreadable = (file: string, error: unknown) =>
  new ConfigError({
    message: `Configuration error: ${file} cannot be read (${error instanceof Error ? error.message : "unknown"}). Check the folder and its permissions.`
  })

/** Of at most one byte more than allowed; undefined for what is no file of that size. Never waits for a pipe. */
const readText = (file: string): string | undefined => {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
  try {
    const stat = fs.fstatSync(fd)
    if (!stat.isFile() || stat.size > maxBytes) return undefined
    const bytes = Buffer.alloc(maxBytes + 1)
    let filled = 0
    for (let read = -1; read !== 0 && filled < bytes.length; filled += read) {
      read = fs.readSync(fd, bytes, filled, bytes.length - filled, null)
    }
    return filled > maxBytes ? undefined : bytes.toString("utf8", 0, filled)
  } finally {
    fs.closeSync(fd)
  }
}

const read = (file: string): Effect.Effect<unknown, ConfigError> =>
  Effect.gen(function* () {
    const attempt = <A>(act: () => A) => Effect.try({ try: act, catch: (error) => unreadable(file, error) })
    const stat = yield* attempt(() => fs.statSync(file, { throwIfNoEntry: false }))
    if (stat === undefined) return {}
    // Looked at before it is opened, too: to open a device may do something.
    const text = stat.isFile() ? yield* attempt(() => readText(file)) : undefined
    if (text === undefined) {
      return yield* new ConfigError({
        message: `Configuration error: ${file} is not a regular file of at most 1 MiB. Replace it by one.`
      })
    }
    const toml = yield* Effect.promise(() => import("smol-toml"))
    return yield* Effect.try({
      try: (): unknown => toml.parse(text),
      catch: (error) => new ConfigError({ message: tomlMessage(file, error) })
    })
  })

/** Who else may decide what is allowed here, in words for a person. */
const concerns = (file: string): ReadonlyArray<string> => {
  try {
    const link = fs.lstatSync(file).isSymbolicLink()
    const { mode } = fs.statSync(file)
    return [
      ...(link ? [`${file} is a symbolic link: whoever can write where it leads decides what is allowed here.`] : []),
      ...((mode & 0o022) === 0 ? [] : [`${file} can be written by other users. Run: chmod go-w ${file}`])
    ]
  } catch {
    return []
  }
}

/** Changes with the file. */
const markOf = (file: string): string => {
  try {
    const { ctimeNs, dev, ino, mtimeNs, size } = fs.statSync(file, { bigint: true })
    return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch {
    return ""
  }
}

type Warn = (message: string) => Effect.Effect<void>

/** Reads the file when it is first needed, and again when it has changed. */
const watched = (file: string, warn: Warn): Effect.Effect<ConfigFile, ConfigError> => {
  let seen: { readonly mark: string; readonly content: Effect.Effect<ConfigFile, ConfigError> } | undefined
  const load = Effect.suspend(() => Effect.forEach(concerns(file), warn, { discard: true })).pipe(
    Effect.zipRight(Effect.flatMap(read(file), (json) => decode(json, file))),
    // A turn that is cancelled while it waits must not spoil this for all.
    Effect.uninterruptible
  )
  return Effect.suspend(() => {
    const mark = markOf(file)
    if (seen?.mark === mark) return seen.content
    return Effect.flatMap(Effect.cached(load), (content) => {
      seen = { mark, content }
      return content
    })
  })
}

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
  /** `warn` is told what is dangerous about the file, and not wrong in it. */
  static readonly layer = (
    paths: Paths,
    overrides: Overrides = {},
    warn: Warn = Effect.logWarning
  ): Layer.Layer<Config> => Layer.sync(Config, () => ({ paths, overrides, file: watched(paths.configFile, warn) }))

  static readonly test = (paths: Paths, json: unknown = {}, overrides: Overrides = {}): Layer.Layer<Config> =>
    // Cached as the file is: what waits for it waits in tests too.
    Layer.effect(
      Config,
      Effect.map(Effect.cached(decode(json, "test")), (file) => ({ paths, overrides, file }))
    )
}
