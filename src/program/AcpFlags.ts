// The few flags of `zeroclaw acp`, from one table. Parsed by node:util, which is loaded only when there are any.
import { Either, type LogLevel } from "effect"
import type { Overrides } from "../config/Config.ts"
import * as Logging from "./Logging.ts"

export interface AcpFlags {
  readonly verbose: boolean
  readonly logLevel?: LogLevel.LogLevel
  readonly overrides: Overrides
}

export const options = {
  agent: { type: "string", help: "agent that new sessions get when the client names none" },
  "config-dir": { type: "string", help: "folder of config.toml and data (default ~/.zeroclaw)" },
  "log-level": { type: "string", help: `${Logging.levelNames.join(", ")} (default warn)` },
  "max-sessions": { type: "string", help: "sessions open at once (default 10)" },
  "session-timeout": {
    type: "string",
    help: "seconds a permission question waits and a session may be idle; 0: without end (default 3600)"
  },
  verbose: { type: "boolean", short: "v", help: "copy the log to stderr" }
} as const

const count = (name: string, text: string | undefined): Either.Either<number | undefined, string> => {
  if (text === undefined) return Either.right(undefined)
  return /^\d{1,9}$/.test(text)
    ? Either.right(Number(text))
    : Either.left(`--${name} wants a whole number, got "${text}"`)
}

/** Left is a line for the person. `--config-dir` is put into the environment by the caller. */
export const parse = async (
  argv: ReadonlyArray<string>
): Promise<Either.Either<{ readonly flags: AcpFlags; readonly configDir?: string }, string>> => {
  if (argv.length === 0) return Either.right({ flags: { verbose: false, overrides: {} } })
  const { parseArgs } = await import("node:util")
  return Either.gen(function* () {
    const { values } = yield* Either.try({
      try: () => parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }),
      catch: (error) => (error instanceof Error ? (error.message.split(".")[0] ?? "") : String(error))
    })
    const maxSessions = yield* count("max-sessions", values["max-sessions"])
    const sessionTimeoutSecs = yield* count("session-timeout", values["session-timeout"])
    const level = values["log-level"]
    const logLevel = level === undefined ? undefined : Logging.levelOf(level)
    if (level !== undefined && logLevel === undefined) {
      return yield* Either.left(`--log-level is one of ${Logging.levelNames.join(", ")}, got "${level}"`)
    }
    const configDir = values["config-dir"]
    if (configDir !== undefined && configDir.trim() === "") return yield* Either.left("--config-dir must not be empty")
    return {
      flags: {
        verbose: values.verbose ?? false,
        ...(logLevel === undefined ? {} : { logLevel }),
        overrides: {
          ...(maxSessions === undefined ? {} : { maxSessions }),
          ...(sessionTimeoutSecs === undefined ? {} : { sessionTimeoutSecs }),
          ...(values.agent === undefined ? {} : { agent: values.agent })
        }
      },
      ...(configDir === undefined ? {} : { configDir })
    }
  })
}
