// The whole server in memory: real peer, methods, sessions and loop; scripted model, tools as a test gives them.
import { Context, Effect, Layer, Stream } from "effect"
import { Credentials } from "../../src/auth/Credentials.ts"
import { Config } from "../../src/config/Config.ts"
import * as Paths from "../../src/config/Paths.ts"
import * as Dialect from "../../src/dialect/Dialect.ts"
import { AgentLoop } from "../../src/loop/AgentLoop.ts"
import { Agreement } from "../../src/methods/Agreement.ts"
import type { Message } from "../../src/model/Message.ts"
import type { FinishReason, ModelEvent, ModelService, Usage } from "../../src/model/Model.ts"
import type { ModelError } from "../../src/model/ModelError.ts"
import { Models } from "../../src/model/Models.ts"
import { Caller } from "../../src/peer/Caller.ts"
import type { Action, Decision } from "../../src/policy/Decision.ts"
import { FetchError, PathError, PolicyService } from "../../src/policy/PolicyService.ts"
import { serve } from "../../src/program/Serve.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import * as Store from "../../src/store/Store.ts"
import * as TimePrefix from "../../src/text/TimePrefix.ts"
import type { Tool, ToolError } from "../../src/tools/Tool.ts"
import { Toolbox } from "../../src/tools/Toolbox.ts"
import * as Memory from "../../src/transport/Memory.ts"
import { Transport } from "../../src/transport/Transport.ts"
import * as Peer from "./Peer.ts"

export const cwd = "/project"

export type Script = (messages: ReadonlyArray<Message>) => Stream.Stream<ModelEvent, ModelError>

/** Without the time that is put before a prompt: what tests of other things look at. */
const said = (message: Message): Message =>
  message._tag === "User" ? { ...message, text: TimePrefix.remove(message.text) } : message

/** A model that answers the n-th request with the n-th script; the last one again when there are no more. */
export const scripted = (
  ...scripts: ReadonlyArray<Script>
): ModelService & { readonly requests: Array<ReadonlyArray<Message>> } => {
  const requests: Array<ReadonlyArray<Message>> = []
  return {
    id: "test",
    requests,
    stream: ({ messages }) => {
      requests.push(messages.map(said))
      const script = scripts[Math.min(requests.length, scripts.length) - 1]
      return script ? script(messages) : Stream.empty
    }
  }
}

export const stop: ModelEvent = { _tag: "Finish", reason: "stop", usage: {} }
export const say =
  (...texts: ReadonlyArray<string>): (() => Stream.Stream<ModelEvent>) =>
  () =>
    Stream.fromIterable<ModelEvent>([...texts.map((text): ModelEvent => ({ _tag: "Text", text })), stop])
/** One text, and what it used. */
export const finish =
  (text: string, usage: Usage, reason: FinishReason = "stop") =>
  (): Stream.Stream<ModelEvent> =>
    Stream.fromIterable<ModelEvent>([
      { _tag: "Text", text },
      { _tag: "Finish", reason, usage }
    ])
export const call =
  (...calls: ReadonlyArray<readonly [name: string, input: unknown, id?: string]>) =>
  () =>
    Stream.fromIterable<ModelEvent>([
      ...calls.map(
        ([name, input, id], at): ModelEvent => ({
          _tag: "ToolCall",
          id: id ?? `call-${at}`,
          name,
          input: typeof input === "string" ? input : JSON.stringify(input)
        })
      ),
      { _tag: "Finish", reason: "tool_calls", usage: {} }
    ])

/** A tool that does what a test says; its action is Execute, so that policy is asked. */
export const tool = (name: string, run: Effect.Effect<string, ToolError>): Tool => ({
  spec: { name, description: name, inputSchema: { type: "object" } },
  prepare: (input) =>
    Effect.succeed({
      action: { _tag: "Execute", tool: name, command: input },
      face: { title: `Run ${name}`, kind: "execute", locations: [], content: [] },
      rawInput: { input },
      run: () => Effect.map(run, (text) => ({ text }))
    })
})

/** A tool named `run`, and how often it ran. */
export const counted = () => {
  let runs = 0
  return {
    run: tool(
      "run",
      Effect.sync(() => String(++runs))
    ),
    runs: () => runs
  }
}

const noFiles = () => new PathError({ reason: "denied", message: "no files in this test" })

/** Decides as a test says; opens nothing. */
export const policy = (decide: (action: Action) => Decision): Layer.Layer<PolicyService> =>
  Layer.succeed(PolicyService, {
    open: (spec) =>
      Effect.sync(() => {
        const granted = new Set<string>()
        let { level } = spec.profile
        const key = (action: Action) => JSON.stringify(action)
        return {
          get level() {
            return level
          },
          setLevel: (next) =>
            Effect.sync(() => {
              level = next
            }),
          cwd: spec.cwd,
          offers: () => true,
          decide: (action) =>
            Effect.sync(() =>
              granted.has(key(action)) ? { _tag: "Allow", reason: "always allowed" } : decide(action)
            ),
          searchable: () => true,
          launch: noFiles,
          grant: (action) => Effect.sync(() => void granted.add(key(action))),
          absolute: (path) => path,
          readFile: noFiles,
          checkWrite: noFiles,
          writeFile: noFiles,
          listDirectory: noFiles,
          openDirectory: noFiles,
          fetchUrl: () => new FetchError({ reason: "unreachable", message: "no web in this test" })
        }
      })
  })

export const allow = policy(() => ({ _tag: "Allow", reason: "test" }))
export const ask = policy(() => ({ _tag: "Ask", reason: "it runs a command", always: "this exact command" }))

/** A durable store in memory, changed as a test says. */
export const storeWith = (
  change: (store: typeof SessionStore.Service) => typeof SessionStore.Service
): Layer.Layer<SessionStore> =>
  Layer.map(Store.memoryWith({ durable: true }), (context) =>
    Context.make(SessionStore, change(Context.get(context, SessionStore)))
  )

/** One durable store for several servers. */
export const sharedStore = Effect.map(
  Effect.flatMap(Effect.scope, (scope) => Layer.buildWithScope(Store.memoryWith({ durable: true }), scope)),
  Layer.succeedContext
)

export interface Setup {
  readonly model: ModelService
  /** What sessions may choose from, where that is more than the one model. */
  readonly models?: Layer.Layer<Models>
  readonly tools?: ReadonlyArray<Tool>
  readonly policy?: Layer.Layer<PolicyService>
  readonly store?: Layer.Layer<SessionStore>
  readonly config?: unknown
  readonly paths?: Paths.Paths
  /** Whether the client speaks ZeroClaw's dialect, and so may read its extras. */
  readonly zeroclaw?: boolean
  readonly credentials?: Layer.Layer<Credentials>
}

/** The client's end of a server. It is stopped by the scope, or by `close`, which is the client's end of input. */
export const connect = ({
  config,
  credentials = Credentials.test(),
  model,
  models = Models.test(model),
  paths = Paths.resolve({}, "/nowhere"),
  policy = allow,
  store = Store.memory,
  tools = []
}: Setup) =>
  Effect.gen(function* () {
    const pair = yield* Memory.pair
    const services = Layer.mergeAll(store, policy, credentials, AgentLoop.layer, models, Toolbox.test(tools)).pipe(
      Layer.provideMerge(Config.test(paths, config ?? {}))
    )
    const layers = Caller.layer("zc-out-").pipe(
      Layer.provideMerge(Dialect.layer),
      Layer.provideMerge(Agreement.layer),
      Layer.provideMerge(
        Layer.merge(Layer.succeed(Transport, pair.agent), Layer.provideMerge(Sessions.layer, services))
      )
    )
    const server = yield* Effect.forkScoped(Effect.ensuring(Effect.provide(serve, layers), pair.closeAgent))
    return { transport: pair.client, server, close: pair.closeClient }
  })

/** The same, with a peer that checks every line. */
export const start = (setup: Setup) =>
  Effect.gen(function* () {
    const { close, server, transport } = yield* connect(setup)
    const peer = yield* Peer.make(transport, { zeroclaw: setup.zeroclaw ?? false })
    return { peer, server, close }
  })
