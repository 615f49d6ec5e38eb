// Looks at everything an agent needs on this machine, and changes nothing.
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Either, Option } from "effect"
import { Credentials } from "../auth/Credentials.ts"
import * as Agents from "../config/Agents.ts"
import { Config, type ConfigService } from "../config/Config.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import * as Preflight from "../store/Preflight.ts"
import type { Check } from "./Check.ts"
import * as Checks from "./Checks.ts"

type Environment = Readonly<Record<string, string | undefined>>

const { R_OK, W_OK, X_OK } = fs.constants

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : String(error)

/** Why nothing can be made in `folder`, or in the next one above that exists. */
const folderObjection = (folder: string): string | undefined => {
  try {
    fs.accessSync(folder, R_OK | W_OK | X_OK)
    return fs.statSync(folder).isDirectory() ? undefined : "ENOTDIR"
  } catch (error) {
    const above = path.dirname(folder)
    return codeOf(error) === "ENOENT" && above !== folder ? folderObjection(above) : codeOf(error)
  }
}

const fileObjection = (file: string): string | undefined => {
  try {
    fs.accessSync(file, W_OK)
    return fs.statSync(file).isFile() ? undefined : "it is not a regular file"
  } catch (error) {
    return codeOf(error) === "ENOENT" ? folderObjection(path.dirname(file)) : codeOf(error)
  }
}

const storeObjection = (database: string): string | undefined => {
  const folder = path.dirname(database)
  // The store's own check makes a missing folder, and a look at things must not.
  if (fs.existsSync(folder)) return Option.getOrUndefined(Preflight.check(database))?.message
  const code = folderObjection(folder)
  return code === undefined ? undefined : `${folder} can't be made (${code}); check the folder and its permissions`
}

const agentOf = ({ overrides, paths }: ConfigService, file: Effect.Effect.Success<ConfigService["file"]>) =>
  Either.mapLeft(
    Either.flatMap(Agents.choose(file, undefined, overrides.agent), (alias) => Agents.find(file, paths, alias)),
    ({ message }) => message
  )

/** `concerns` is what reading the configuration told about the file. */
export const examine = (
  env: Environment,
  concerns: () => ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Check>, never, Config | Credentials | Sandbox> =>
  Effect.gen(function* () {
    const config = yield* Config
    const credentials = yield* Credentials
    const sandboxes = yield* Sandbox
    const { configFile, database, logFile } = config.paths
    const file = yield* Effect.either(config.file)
    const found = Either.flatMap(
      Either.mapLeft(file, () => "Unknown until the configuration can be read."),
      (file) => agentOf(config, file)
    )
    const general = [
      Checks.node(process.versions.node, `${process.platform} ${process.arch}`),
      Checks.configuration({
        file: configFile,
        exists: fs.existsSync(configFile),
        concerns: concerns(),
        ...(Either.isLeft(file) ? { error: file.left.message } : {})
      }),
      Checks.sessions(database, storeObjection(database)),
      Checks.log(logFile, fileObjection(logFile)),
      Checks.agent(found)
    ]
    if (Either.isLeft(found)) return general
    const { profile, provider } = found.right
    const stored =
      provider === undefined
        ? Either.right(undefined)
        : yield* Effect.either(
            Effect.mapError(credentials.find(`${provider.type}.${provider.alias}`), ({ message }) => message)
          )
    return [
      ...general,
      Checks.model(provider, env, stored),
      Checks.sandbox(yield* sandboxes.status(profile.sandbox.backend), profile)
    ]
  })
