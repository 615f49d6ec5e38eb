// `zeroclaw client` and `zeroclaw demo`: arguments, layers, exit code.
import * as fs from "node:fs"
import * as path from "node:path"
import { Cause, Effect, Exit, Layer, Logger, LogLevel, Option } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { type AgentCommand, AgentLauncher } from "../client/AgentProcess.ts"
import * as Arguments from "../client/Arguments.ts"
import * as Client from "../client/Client.ts"
import * as Demo from "../client/Demo.ts"
import { ExitCode } from "../client/Exit.ts"
import { Terminal } from "../client/Terminal.ts"
import { oneLine } from "../client/Visible.ts"

type Command = Omit<AgentCommand, "onStderr">
type Server = Arguments.DemoArguments["server"]

/** What of this process a run depends on. */
export interface Surroundings {
  readonly cwd: string
  /** How our own server is started, but for its arguments. */
  readonly self: { readonly command: string; readonly args: ReadonlyArray<string> }
}

const commandOf = (server: Server, verbose: boolean, { self }: Surroundings): Command =>
  Option.match(server, {
    onSome: ({ args, command }) => ({ command, args, env: {} }),
    onNone: () => ({ command: self.command, args: [...self.args, "acp", ...(verbose ? ["--verbose"] : [])], env: {} })
  })

/** Absolute; fails with one line when it is not a folder. */
const folderOf = (cwd: string, given: Option.Option<string>): Effect.Effect<string, string> => {
  const folder = path.resolve(
    cwd,
    Option.getOrElse(given, () => ".")
  )
  return Effect.filterOrFail(
    Effect.sync(() => fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true),
    (isFolder) => isFolder,
    () => `no such folder: ${oneLine(folder)}`
  ).pipe(Effect.as(folder))
}

/** Runs parsed arguments; answers the exit code, or fails with a usage error in one line. */
export const execute = Effect.fnUntraced(function* (parsed: Arguments.Arguments, here: Surroundings) {
  const version = packageJson.version
  switch (parsed._tag) {
    case "Help": {
      const terminal = yield* Terminal
      yield* terminal.out(parsed.text)
      return ExitCode.Done
    }
    case "Client":
      return yield* Client.run({
        prompt: parsed.prompt,
        yes: parsed.yes,
        json: parsed.json,
        // Our own server is silent there unless something is wrong: then a person wants to see it.
        verbose: parsed.verbose || Option.isNone(parsed.server),
        cwd: yield* folderOf(here.cwd, parsed.cwd),
        ...(Option.isSome(parsed.session) ? { session: parsed.session.value } : {}),
        ...(Option.isSome(parsed.agent) ? { agent: parsed.agent.value } : {}),
        command: commandOf(parsed.server, parsed.verbose, here),
        version
      })
    case "Demo":
      return yield* Demo.run({
        folder: yield* folderOf(here.cwd, parsed.folder),
        ask: parsed.ask,
        command: commandOf(parsed.server, false, here),
        version
      })
  }
})

const usage = (name: string, message: string) =>
  Effect.gen(function* () {
    const terminal = yield* Terminal
    yield* terminal.err(`zeroclaw ${name}: ${message} (see zeroclaw ${name} --help)\n`)
    return ExitCode.Usage
  })

/** What the peer has to complain about, such as an update it can't read: one line each, on stderr. */
const logger = Logger.make<unknown, void>(({ cause, message }) => {
  const parts = (Array.isArray(message) ? message : [message]).map(String)
  const why = Cause.isEmpty(cause) ? [] : [Cause.pretty(cause).split("\n")[0] ?? ""]
  process.stderr.write(`! ${oneLine([...parts, ...why].join(": "))}\n`)
})
const logging = Layer.merge(Logger.replace(Logger.defaultLogger, logger), Logger.minimumLogLevel(LogLevel.Warning))

/** From arguments to the exit code, with everything written. */
export const program = (argv: ReadonlyArray<string>, here: Surroundings): Effect.Effect<number> =>
  Effect.gen(function* () {
    const name = argv[0] === "demo" ? "demo" : "client"
    const parsed = yield* Effect.either(Arguments.parse(argv))
    const framesOnly = parsed._tag === "Right" && parsed.right._tag === "Client" && parsed.right.json
    const main = Effect.flatMap(parsed, (args) => execute(args, here)).pipe(
      Effect.catchAll((message) => usage(name, message)),
      Effect.tap(() => Effect.flatMap(Terminal, (terminal) => terminal.flush))
    )
    return yield* Effect.provide(main, Layer.mergeAll(Terminal.layer({ framesOnly }), AgentLauncher.layer, logging))
  })

const signals = { SIGTERM: 143, SIGHUP: 129 } as const

/** `argv` begins with `client` or `demo`. Ends the process. */
export const run = async (argv: ReadonlyArray<string>): Promise<void> => {
  const self = { command: process.execPath, args: process.argv[1] === undefined ? [] : [process.argv[1]] }
  const fiber = Effect.runFork(program(argv, { cwd: process.cwd(), self }))
  let code: number = ExitCode.Failed
  for (const [signal, number] of Object.entries(signals)) {
    process.on(signal, () => {
      code = number
      fiber.unsafeInterruptAsFork(fiber.id())
    })
  }
  const exit = await Effect.runPromise(fiber.await)
  if (Exit.isSuccess(exit)) code = exit.value
  else if (!Cause.isInterruptedOnly(exit.cause)) {
    process.stderr.write(`zeroclaw: internal error, this is a bug: ${oneLine(Cause.pretty(exit.cause))}\n`)
  }
  // A pipe on stdin that is still open must not keep us.
  process.exit(code)
}
