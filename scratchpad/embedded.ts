// The agent without a process: the server and a client in memory, the embedded offline model, nothing stored.
import * as os from "node:os"
import { Console, Effect, Layer } from "effect"
import { Credentials } from "../src/auth/Credentials.ts"
import { Config } from "../src/config/Config.ts"
import * as Paths from "../src/config/Paths.ts"
import * as Agent from "../src/contract/AgentMethods.ts"
import { noClientCapabilities } from "../src/contract/Capabilities.ts"
import { RequestPermission, Update } from "../src/contract/ClientMethods.ts"
import * as Dialect from "../src/dialect/Dialect.ts"
import { AgentLoop } from "../src/loop/AgentLoop.ts"
import { Agreement } from "../src/methods/Agreement.ts"
import { Models } from "../src/model/Models.ts"
import { Caller } from "../src/peer/Caller.ts"
import * as Connection from "../src/peer/Connection.ts"
import * as Router from "../src/peer/Router.ts"
import { PolicyService } from "../src/policy/PolicyService.ts"
import { serve } from "../src/program/Serve.ts"
import { Sandbox } from "../src/sandbox/Sandbox.ts"
import { Sessions } from "../src/session/Sessions.ts"
import * as Store from "../src/store/Store.ts"
import { Toolbox } from "../src/tools/Toolbox.ts"
import * as Memory from "../src/transport/Memory.ts"
import { Transport } from "../src/transport/Transport.ts"

const services = Sessions.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Store.memory,
      Layer.provide(PolicyService.layer, Sandbox.layer),
      AgentLoop.layer,
      Models.layer,
      Toolbox.layer
    )
  ),
  Layer.provideMerge(Layer.merge(Config.layer(Paths.resolve(process.env, os.homedir())), Credentials.test()))
)

const routes = Router.routes(
  [Router.onRequest(RequestPermission, () => Effect.succeed({ outcome: { outcome: "cancelled" } }))],
  [Router.onNotification(Update, ({ update }) => Console.log(JSON.stringify(update)))]
)

const conversation = Effect.gen(function* () {
  const { call } = yield* Caller
  yield* Effect.forkScoped(Connection.run(routes))
  yield* call(Agent.Initialize, { protocolVersion: 1, clientCapabilities: noClientCapabilities })
  const { sessionId } = yield* call(Agent.NewSession, { cwd: process.cwd(), mcpServers: [], additionalDirectories: [] })
  const { stopReason } = yield* call(Agent.Prompt, { sessionId, prompt: [{ type: "text", text: "outline README.md" }] })
  yield* Console.log(stopReason)
})

const program = Effect.gen(function* () {
  const { agent, client } = yield* Memory.pair
  const transport = (end: typeof agent) => Layer.succeed(Transport, end)
  const server = Caller.layer("zc-out-").pipe(
    Layer.provideMerge(Dialect.layer),
    Layer.provideMerge(Agreement.layer),
    Layer.provideMerge(Layer.merge(transport(agent), services))
  )
  yield* Effect.forkScoped(Effect.provide(serve, server))
  yield* Effect.provide(conversation, Caller.layer("c-").pipe(Layer.provideMerge(transport(client))))
})

Effect.runPromise(Effect.scoped(program))
