// `zeroclaw login` and `zeroclaw logout`: API keys stored and removed by a person. Never prints a key.
import { Effect, Either, Layer, type Redacted } from "effect"
import { Credentials } from "../auth/Credentials.ts"
import * as Text from "../auth/CredentialsText.ts"
import { oneLine } from "../client/Visible.ts"
import * as Agents from "../config/Agents.ts"
import { Config } from "../config/Config.ts"
import * as Home from "./Home.ts"
import * as LoginArguments from "./LoginArguments.ts"
import * as Target from "./LoginTarget.ts"

type Arguments = Exclude<LoginArguments.LoginArguments, { readonly _tag: "Help" }>

/** More than any key: what is piped in by mistake is not read to its end. */
const maxPiped = 64 * 1024

const messageOf = ({ message }: { readonly message: string }): string => message

const piped: Effect.Effect<Redacted.Redacted, string> = Effect.flatMap(
  Effect.tryPromise({
    try: async () => {
      const parts: Array<Uint8Array> = []
      let length = 0
      for await (const part of process.stdin) {
        const bytes = Buffer.from(part)
        parts.push(bytes)
        length += bytes.length
        if (length > maxPiped) break
      }
      return Buffer.concat(parts).toString("utf8")
    },
    catch: () => "stdin can't be read"
  }),
  (text) => Either.mapLeft(Text.readKey(text), (why) => `the key on stdin ${why}; nothing was stored`)
)

const prompts = Effect.promise(() => import("./LoginPrompt.ts"))

interface Here {
  /** A person can be asked. */
  readonly canAsk: boolean
  /** Stdin is a terminal: what is read from it is shown as it is typed. */
  readonly typed: boolean
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Named, the default agent's, the only one, or picked by the person. */
const choose = (given: Arguments, configured: ReadonlyArray<string>, usual: string | undefined, here: Here) => {
  if (given.provider !== undefined) return Target.read(given.provider, configured)
  const known = given.agent === undefined && configured.length > 1 ? undefined : (usual ?? configured[0])
  if (here.canAsk && !given.stdin) {
    return known === undefined ? Effect.flatMap(prompts, ({ provider }) => provider(configured)) : Effect.succeed(known)
  }
  const found = usual ?? known
  return found === undefined
    ? Effect.fail(
        configured.length === 0
          ? "config.toml names no model provider; say which one: zeroclaw login anthropic --stdin"
          : `several model providers are configured; name one of ${configured.join(", ")}`
      )
    : Effect.succeed(found)
}

/** What comes before the stored key, so that nobody wonders why the new one is not used. */
const shadowed = (provider: string, inConfig: boolean, { env }: Here): ReadonlyArray<string> => {
  const variable = Target.keyVariables(provider).find((name) => (env[name] ?? "").trim() !== "")
  if (inConfig) return [`Note: config.toml has an api_key for ${provider}; that one is used instead.`]
  return variable === undefined ? [] : [`Note: ${variable} is set in this environment and is used instead.`]
}

const toAdd = (provider: string, configFile: string, isFirst: boolean): ReadonlyArray<string> => [
  "",
  `To use it, add these lines to ${configFile}; the model is an example:`,
  "",
  ...Target.configLines(provider),
  ...(isFirst
    ? []
    : ["", `Other providers are configured too: name this one in the agent, model_provider = "${provider}".`])
]

/** The lines to print; fails with one line. */
const login = Effect.fnUntraced(function* (given: Arguments, here: Here) {
  const credentials = yield* Credentials
  const config = yield* Config
  const file = yield* Effect.mapError(config.file, messageOf)
  if (given.stdin && here.typed) {
    return yield* Effect.fail("--stdin is for a pipe; without it the key is asked for, and not shown")
  }
  if (!given.stdin && !here.canAsk) {
    return yield* Effect.fail("there is no terminal to ask on; run it in one, or pipe the key in with --stdin")
  }
  const configured = Agents.providerNames(file)
  const usual = Either.match(Agents.defaultProvider(file, config.paths, config.overrides.agent), {
    onLeft: () => undefined,
    onRight: (provider) => (provider === undefined ? undefined : `${provider.type}.${provider.alias}`)
  })
  const provider = yield* choose(given, configured, usual, here)
  const isNew = !configured.includes(provider)
  const more = isNew ? toAdd(provider, config.paths.configFile, configured.length === 0) : []
  // Told before the question: a file that can't be used would cost the person the key they typed.
  yield* Effect.mapError(credentials.all, messageOf)
  if (!given.stdin && !Target.needsKey(provider) && given.provider === undefined && isNew) {
    return [`${provider} needs no key.`, ...more]
  }
  const key = given.stdin ? yield* piped : yield* Effect.flatMap(prompts, ({ key }) => key(provider))
  yield* Effect.mapError(credentials.store(provider, key), messageOf)
  const [type = "", alias = ""] = provider.split(/\.(.*)/s)
  const inConfig = (file.providers?.models?.[type]?.[alias]?.api_key ?? "").trim() !== ""
  return [
    `The API key for ${provider} is stored in ${config.paths.credentials}.`,
    ...shadowed(provider, inConfig, here),
    ...more
  ]
})

const logout = Effect.fnUntraced(function* (given: Arguments) {
  const credentials = yield* Credentials
  const stored = [...(yield* Effect.mapError(credentials.all, messageOf)).keys()]
  const names = given.provider === undefined ? stored : [yield* Target.read(given.provider, stored)]
  const removed = yield* Effect.mapError(credentials.remove(names), messageOf)
  return [
    removed.length > 0
      ? `Removed the stored API key of ${removed.join(", ")}.`
      : `No API key is stored${given.provider === undefined ? "" : ` for ${names.join(", ")}`}.`
  ]
})

const write = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
  new Promise((resolve) => {
    stream.once("error", () => resolve())
    stream.write(text, () => resolve())
  })

/** `argv` begins with `login` or `logout`. Ends the process. */
export const run = async (argv: ReadonlyArray<string>): Promise<void> => {
  const name = argv[0] === "logout" ? "logout" : "login"
  const parsed = LoginArguments.parse(argv)
  if (Either.isLeft(parsed)) {
    await write(process.stderr, `zeroclaw ${name}: ${parsed.left} (see zeroclaw ${name} --help)\n`)
    process.exit(2)
  }
  const given = parsed.right
  if (given._tag === "Help") {
    await write(process.stdout, given.text)
    process.exit(0)
  }
  if (given.configDir !== undefined) process.env["ZEROCLAW_CONFIG_DIR"] = given.configDir
  const typed = process.stdin.isTTY === true
  const here: Here = { typed, canAsk: typed && process.stdout.isTTY === true, env: process.env }
  const layers = Credentials.layer.pipe(
    Layer.provideMerge(Config.layer(Home.paths(), given.agent === undefined ? {} : { agent: given.agent }))
  )
  const lines = given._tag === "Login" ? login(given, here) : logout(given)
  const exit = await Effect.runPromise(Effect.either(Effect.provide(lines, layers)))
  if (Either.isLeft(exit)) {
    await write(process.stderr, `zeroclaw ${name}: ${oneLine(exit.left)}\n`)
    process.exit(1)
  }
  await write(process.stdout, exit.right.map((line) => `${line}\n`).join(""))
  process.exit(0)
}
