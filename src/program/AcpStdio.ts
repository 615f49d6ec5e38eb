// `zeroclaw acp`: the ACP agent on stdin and stdout. Which layers, and nothing else.
import { Effect, Either, Layer, LogLevel } from "effect"
import { Credentials } from "../auth/Credentials.ts"
import { Config, type Overrides } from "../config/Config.ts"
import type * as Paths from "../config/Paths.ts"
import * as Dialect from "../dialect/Dialect.ts"
import { AgentLoop } from "../loop/AgentLoop.ts"
import { Agreement } from "../methods/Agreement.ts"
import { Models } from "../model/Models.ts"
import { Caller } from "../peer/Caller.ts"
import { PolicyService } from "../policy/PolicyService.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { Sessions } from "../session/Sessions.ts"
import * as Store from "../store/Store.ts"
import { Toolbox } from "../tools/Toolbox.ts"
import * as Stdio from "../transport/Stdio.ts"
import type { Transport } from "../transport/Transport.ts"
import * as AcpFlags from "./AcpFlags.ts"
import * as Home from "./Home.ts"
import * as Logging from "./Logging.ts"
import { serve } from "./Serve.ts"
import { runMain } from "./Shutdown.ts"
import * as YoungGeneration from "./YoungGeneration.ts"

const warn = (message: string): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stderr.write(`zeroclaw: ${message}\n`)
  })

/** Everything between the transport and the model. */
export const agent = (paths: Paths.Paths, overrides: Overrides) =>
  Sessions.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Store.layer({ file: paths.database, warn }),
        Layer.provideMerge(PolicyService.layer, Sandbox.layer),
        AgentLoop.layer,
        Models.layer,
        Toolbox.layer
      )
    ),
    Layer.provideMerge(Credentials.layer),
    Layer.provideMerge(Config.layer(paths, overrides, warn))
  )

const program = (flags: AcpFlags.AcpFlags, transport: Layer.Layer<Transport>): Effect.Effect<void> => {
  const paths = Home.paths()
  const logging = Logging.layer({
    file: paths.logFile,
    level: flags.logLevel ?? (flags.verbose ? LogLevel.Info : LogLevel.Warning),
    verbose: flags.verbose
  })
  const layers = Caller.layer("zc-out-").pipe(
    Layer.provideMerge(Dialect.layer),
    Layer.provideMerge(Agreement.layer),
    Layer.provideMerge(Layer.merge(transport, agent(paths, flags.overrides))),
    Layer.provideMerge(logging)
  )
  return Effect.provide(serve, layers)
}

/** Starts the server from the command line's words; never returns while it serves. */
export const main = async (argv: ReadonlyArray<string>): Promise<void> => {
  const parsed = await AcpFlags.parse(argv)
  if (Either.isLeft(parsed)) {
    process.stderr.write(`zeroclaw acp: ${parsed.left}. See zeroclaw acp --help.\n`, () => process.exit(2))
    return
  }
  const { configDir, flags } = parsed.right
  if (configDir !== undefined) process.env["ZEROCLAW_CONFIG_DIR"] = configDir
  YoungGeneration.keepSmall()
  runMain(program(flags, Stdio.layer))
}
