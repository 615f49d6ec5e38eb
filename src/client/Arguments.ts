// The command lines of `zeroclaw client` and `zeroclaw demo`, to settings.
import { Args, CliConfig, CommandDescriptor, Options } from "@effect/cli"
import { FileSystem, Path, Terminal } from "@effect/platform"
import { Effect, Either, Layer, Option } from "effect"
import * as CommandLine from "./CommandLine.ts"
import { type CommandSpec, check, type Flag, helpText } from "./Flags.ts"

const server: ReadonlyArray<Flag> = [
  { name: "server", value: "CMD", help: "agent to start instead of our own" },
  { name: "server-args", value: '"ARGS"', help: "its arguments, quoted as in a shell" }
]

export const clientSpec: CommandSpec = {
  name: "client",
  summary: "Talks to an ACP agent: one prompt, or many typed one by one.",
  operand: "[prompt]",
  flags: [
    { name: "yes", short: "y", help: "allow once whatever the agent asks permission for" },
    { name: "json", help: "print the frames of both directions, one JSON object a line" },
    { name: "cwd", value: "DIR", help: "folder of the session (default: the current one)" },
    { name: "session", value: "ID", help: "load this session and go on with it" },
    { name: "agent", value: "ALIAS", help: "agent of our own server that a new session gets" },
    ...server,
    { name: "verbose", help: "show the agent's stderr; has our own server log there" }
  ],
  notes: [
    "Without a prompt it is read from a pipe, or asked for line by line; /quit or Ctrl-D ends.",
    "Ctrl-C cancels a turn, a second one ends the client.",
    "Exit codes: 0 done, 1 error, 2 usage, 3 stopped early, 70 the agent died, 130 cancelled."
  ]
}

export const demoSpec: CommandSpec = {
  name: "demo",
  summary: "Shows a whole turn in a folder, offline and without a key, and that it outlives the server.",
  operand: "[folder]",
  flags: [{ name: "ask", help: "answer the permission question yourself" }, ...server],
  notes: ["Keeps its configuration in a temporary folder that is removed at the end."]
}

const optional = (name: string) => Options.optional(Options.text(name))
const serverOptions = { server: optional("server"), serverArgs: optional("server-args") }

const clientCommand = CommandDescriptor.make(
  "client",
  Options.all({
    yes: Options.boolean("yes"),
    json: Options.boolean("json"),
    verbose: Options.boolean("verbose"),
    cwd: optional("cwd"),
    session: optional("session"),
    agent: optional("agent"),
    ...serverOptions
  }),
  Args.none
)
const demoCommand = CommandDescriptor.make(
  "demo",
  Options.all({ ask: Options.boolean("ask"), ...serverOptions }),
  Args.none
)

/** No option reads a file or asks back, so the parser gets no more than it wants by its types. */
const environment = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Layer.succeed(
    Terminal.Terminal,
    Terminal.Terminal.of({
      columns: Effect.succeed(80),
      rows: Effect.succeed(24),
      isTTY: Effect.succeed(false),
      readInput: Effect.die("no input here"),
      readLine: Effect.die("no input here"),
      display: () => Effect.void
    })
  )
)

interface Server {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

export interface ClientArguments {
  readonly _tag: "Client"
  readonly prompt: string
  readonly yes: boolean
  readonly json: boolean
  readonly verbose: boolean
  readonly cwd: Option.Option<string>
  readonly session: Option.Option<string>
  readonly agent: Option.Option<string>
  /** None: our own. */
  readonly server: Option.Option<Server>
}
export interface DemoArguments {
  readonly _tag: "Demo"
  readonly folder: Option.Option<string>
  readonly ask: boolean
  readonly server: Option.Option<Server>
}
export type Arguments = ClientArguments | DemoArguments | { readonly _tag: "Help"; readonly text: string }

const serverOf = (
  command: Option.Option<string>,
  args: Option.Option<string>
): Either.Either<Option.Option<Server>, string> => {
  if (Option.isNone(command)) {
    return Option.isSome(args) ? Either.left("--server-args needs --server") : Either.right(Option.none())
  }
  const name = command.value.trim()
  if (name === "") return Either.left("--server must not be empty")
  const words = CommandLine.split(Option.getOrElse(args, () => ""))
  return words === undefined
    ? Either.left("--server-args has a quote that is not closed")
    : Either.right(Option.some({ command: name, args: words }))
}

const values = <A>(command: CommandDescriptor.Command<A>, name: string, words: ReadonlyArray<string>) =>
  CommandDescriptor.parse(command, [name, ...words], CliConfig.defaultConfig).pipe(
    Effect.provide(environment),
    Effect.mapError(() => "these options do not fit together"),
    Effect.flatMap((directive) =>
      directive._tag === "UserDefined" && directive.leftover.length === 0
        ? Effect.succeed(directive.value)
        : Effect.fail("these options do not fit together")
    )
  )

const parseClient = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const { help, operands, options: words } = yield* check(clientSpec, args)
  if (help) return { _tag: "Help", text: helpText(clientSpec) } as const
  const { options } = yield* values(clientCommand, "client", words)
  const { serverArgs, server: command, ...rest } = options
  if (Option.isSome(rest.session) && Option.isSome(rest.agent)) {
    return yield* Effect.fail("--agent is for a new session, --session loads one: give one of them")
  }
  return {
    ...rest,
    _tag: "Client",
    server: yield* serverOf(command, serverArgs),
    prompt: operands.join(" ").trim()
  } as const
})

const parseDemo = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const { help, operands, options: words } = yield* check(demoSpec, args)
  if (help) return { _tag: "Help", text: helpText(demoSpec) } as const
  const { options } = yield* values(demoCommand, "demo", words)
  if (operands.length > 1) return yield* Effect.fail("takes one folder")
  return {
    _tag: "Demo",
    ask: options.ask,
    folder: Option.fromNullable(operands[0]),
    server: yield* serverOf(options.server, options.serverArgs)
  } as const
})

/** `argv` begins with `client` or `demo`. Fails with one line for the person. */
export const parse = (argv: ReadonlyArray<string>): Effect.Effect<Arguments, string> =>
  argv[0] === "demo" ? parseDemo(argv.slice(1)) : parseClient(argv.slice(1))
