// The command lines of `zeroclaw login` and `zeroclaw logout`, also as an editor writes them. Pure.
import { Either } from "effect"
import { type CommandSpec, check, type Flag, helpText } from "../client/Flags.ts"
import * as AcpFlags from "./AcpFlags.ts"

const folder: Flag = { name: "config-dir", value: "DIR", help: AcpFlags.options["config-dir"].help }

export const loginSpec: CommandSpec = {
  name: "login",
  summary: "Stores the API key of a model provider, readable for you alone. It is asked for without being shown.",
  operand: "[provider]",
  flags: [
    { name: "stdin", help: "read the key from a pipe, for scripts" },
    { name: "agent", value: "ALIAS", help: "take the provider of this agent when none is named" },
    folder
  ],
  notes: [
    "The provider is a type (anthropic) or a type and an alias of config.toml (anthropic.main).",
    "A key in config.toml or in the environment comes before the stored one.",
    "Exit codes: 0 stored, 1 not stored, 2 wrong options."
  ]
}

export const logoutSpec: CommandSpec = {
  name: "logout",
  summary:
    "Removes the stored API key of a provider, or all of them. config.toml and the environment stay as they are.",
  operand: "[provider]",
  flags: [folder],
  notes: ["Exit codes: 0 nothing is stored any more, 1 it could not be removed, 2 wrong options."]
}

export type LoginArguments =
  | { readonly _tag: "Help"; readonly text: string }
  | {
      readonly _tag: "Login" | "Logout"
      readonly provider?: string
      readonly stdin: boolean
      readonly agent?: string
      readonly configDir?: string
    }

/** Flags of the server that may stand before `login` in an editor's settings; only two of them mean something here. */
const tolerated: ReadonlyArray<Flag> = Object.entries(AcpFlags.options).map(([name, option]) => ({
  name,
  help: option.help,
  ...("short" in option ? { short: option.short } : {}),
  ...(option.type === "string" ? { value: "VALUE" } : {})
}))

/**
 * The words for `login` when `zeroclaw acp …` has one: a client runs the program again with `login` in place of its
 * words, or behind them. Undefined when the server is meant.
 */
export const loginWords = (words: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ""
    if (word === "login" || word === "--login") return [...words.slice(0, at), ...words.slice(at + 1)]
    if (tolerated.some(({ name, value }) => value !== undefined && word === `--${name}`)) at++
  }
  return undefined
}

const givenFor = (options: ReadonlyArray<string>, name: string): string | undefined => {
  const at = options.indexOf(`--${name}`)
  return at === -1 ? undefined : options[at + 1]
}

/** `argv` begins with `login` or `logout`. Left is one line for the person. */
export const parse = (argv: ReadonlyArray<string>): Either.Either<LoginArguments, string> =>
  Either.gen(function* () {
    const spec = argv[0] === "logout" ? logoutSpec : loginSpec
    const own = new Set(spec.flags.map(({ name }) => name))
    const more = spec === loginSpec ? tolerated.filter(({ name }) => !own.has(name)) : []
    const { help, operands, options } = yield* check({ ...spec, flags: [...spec.flags, ...more] }, argv.slice(1))
    if (help) return { _tag: "Help" as const, text: helpText(spec) }
    // Never repeated: someone may have typed the key there.
    if (operands.length > 1) return yield* Either.left("takes one provider; a key is never given on the command line")
    const [provider] = operands
    const agent = givenFor(options, "agent")
    const configDir = givenFor(options, "config-dir")
    if (configDir?.trim() === "") return yield* Either.left("--config-dir must not be empty")
    return {
      _tag: spec === loginSpec ? ("Login" as const) : ("Logout" as const),
      stdin: options.includes("--stdin"),
      ...(provider === undefined ? {} : { provider }),
      ...(agent === undefined ? {} : { agent }),
      ...(configDir === undefined ? {} : { configDir })
    }
  })
