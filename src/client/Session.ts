// One session with an agent: opened or loaded, prompted, cancelled; what it says is shown, what it asks is answered.
import { Context, Data, Deferred, Effect, Layer, type Scope } from "effect"
import { Cancel, LoadSession, NewSession, Prompt, SessionId, type StopReason } from "../contract/AgentMethods.ts"
import { noClientCapabilities } from "../contract/Capabilities.ts"
import { type PermissionOption, RequestPermission, Update } from "../contract/ClientMethods.ts"
import { text as textBlock } from "../contract/Content.ts"
import { Code, RequestError } from "../contract/Errors.ts"
import type { ToolCallUpdate } from "../contract/ToolCall.ts"
import { Caller } from "../peer/Caller.ts"
import * as Connection from "../peer/Connection.ts"
import { onNotification, onRequest, routes } from "../peer/Router.ts"
import { Transport } from "../transport/Transport.ts"
import type * as JsonRpc from "../wire/JsonRpc.ts"
import type { Line } from "../wire/Lines.ts"
import { type AgentCommand, AgentLauncher, type AgentStartError, type Ending } from "./AgentProcess.ts"
import * as DiffText from "./DiffText.ts"
import * as Frames from "./Frames.ts"
import * as Handshake from "./Handshake.ts"
import * as Permission from "./Permission.ts"
import { paint } from "./Style.ts"
import * as Tally from "./Tally.ts"
import { Terminal } from "./Terminal.ts"
import * as Transcript from "./Transcript.ts"
import { oneLine } from "./Visible.ts"

/** The agent ended, or closed its stdout. */
export class AgentGone extends Data.TaggedError("AgentGone")<Ending> {}

/** An error response, and the method it answers. */
export class CallFailed extends Data.TaggedError("CallFailed")<{ readonly message: string }> {}

/** The person wants out, or the agent does not answer a cancel. */
export class Ended extends Data.TaggedError("Ended")<{ readonly message: string }> {}

export type OpenError = AgentStartError | AgentGone | CallFailed | Handshake.Refused

export interface Options {
  readonly command: Omit<AgentCommand, "onStderr">
  /** The agent's stderr is copied to ours. */
  readonly verbose: boolean
  /** Absolute. */
  readonly cwd: string
  /** Loaded instead of a new one. */
  readonly sessionId?: string
  readonly agentAlias?: string
  readonly answerer: Permission.Answerer
  /** `frames`: nothing but frames on stdout. `quiet`: updates are counted, not shown. */
  readonly display: "transcript" | "frames" | "quiet"
  readonly version: string
}

export interface Session {
  readonly id: string
  readonly agent: Handshake.AgentFacts
  readonly pid: number | undefined
  /**
   * Runs one turn. The first Ctrl-C cancels it and waits for its answer, for ten seconds at most; the second gives up.
   */
  readonly prompt: (text: string) => Effect.Effect<StopReason, AgentGone | CallFailed | Ended>
  readonly tally: Effect.Effect<Tally.Tally>
  /** Whole lines of our own, in the transcript; on stderr where stdout is for frames. */
  readonly say: (lines: ReadonlyArray<string>) => Effect.Effect<void>
}

/** How long the answer to a cancelled turn may take. */
const cancelPatience = "10 seconds"

const clientCapabilities = { ...noClientCapabilities, session: { notices: {} } }

/** What is on the screen and what was counted. Writes at once, so that the order on the wire is the order shown. */
const makeView = Effect.fnUntraced(function* (options: Options) {
  const terminal = yield* Terminal
  const context: Transcript.Context = { style: terminal.style, cwd: options.cwd, hunks: yield* DiffText.load }
  let transcript = Transcript.initial
  let tally = Tally.empty

  const show = (next: Transcript.State): Effect.Effect<void> => {
    transcript = next
    return options.display === "transcript" && next.page.text !== "" ? terminal.out(next.page.text) : Effect.void
  }
  return {
    style: terminal.style,
    tally: Effect.sync(() => tally),
    update: (update: Parameters<typeof Transcript.step>[2]) =>
      Effect.suspend(() => {
        tally = Tally.step(tally, update)
        return show(Transcript.step(context, transcript, update))
      }),
    /** Shows the call as far as it was not shown; answers its title. */
    ask: (call: ToolCallUpdate) =>
      Effect.suspend(() => {
        tally = Tally.ask(tally, call)
        const next = Transcript.stepTool(context, transcript, call)
        return Effect.as(show(next), next.tools.get(call.toolCallId)?.title ?? call.toolCallId)
      }),
    say: (lines: ReadonlyArray<string>) =>
      Effect.suspend(() =>
        options.display === "frames"
          ? terminal.err(lines.map((line) => `${line}\n`).join(""))
          : show(Transcript.note(transcript, lines))
      ),
    close: Effect.suspend(() => show(Transcript.close(transcript)))
  }
})
type View = Effect.Effect.Success<ReturnType<typeof makeView>>

const noise = (view: View, line: Line, message: JsonRpc.Incoming): Effect.Effect<void> => {
  const reason =
    message._tag === "Malformed" ? message.error.message : message._tag === "Ignored" ? message.reason : undefined
  if (reason === undefined) return Effect.void
  const what = line._tag === "Text" ? `: ${oneLine(line.text, 300)}` : ""
  return view.say([`${paint(view.style, "yellow", "! protocol fault")} (${oneLine(reason, 120)})${what}`])
}

const askPerson = Effect.fnUntraced(function* (view: View, choices: ReadonlyArray<PermissionOption>) {
  const terminal = yield* Terminal
  yield* view.say(Permission.optionLines(view.style, choices))
  const next: Effect.Effect<Permission.Choice> = Effect.flatMap(terminal.readKey, (key) => {
    const choice = Permission.byKey(choices, key)
    return choice ? Effect.succeed(choice) : next
  })
  return yield* next
})

/** One question at a time. */
const makeAsker = Effect.fnUntraced(function* (options: Options, view: View) {
  const terminal = yield* Terminal
  const one = yield* Effect.makeSemaphore(1)
  return (call: ToolCallUpdate, choices: ReadonlyArray<PermissionOption>, cancelled: Deferred.Deferred<void>) => {
    const question = Effect.gen(function* () {
      const title = yield* view.ask(call)
      yield* view.say(Permission.questionLines(view.style, call, title))
      return options.answerer._tag === "Person"
        ? yield* Effect.provideService(askPerson(view, choices), Terminal, terminal)
        : Permission.automatic(choices, options.answerer)
    })
    const whenCancelled = Effect.as(Deferred.await(cancelled), Permission.turnCancelled)
    return Effect.flatMap(Deferred.isDone(cancelled), (done) =>
      done ? Effect.succeed(Permission.turnCancelled) : Effect.raceFirst(question, whenCancelled)
    ).pipe(
      Effect.tap((choice) => view.say([Permission.verdict(view.style, choice)])),
      one.withPermits(1)
    )
  }
})

/** Starts the agent and opens the session. The agent is stopped when the scope closes. */
export const open: (options: Options) => Effect.Effect<Session, OpenError, Terminal | AgentLauncher | Scope.Scope> =
  Effect.fnUntraced(function* (options) {
    const terminal = yield* Terminal
    const launcher = yield* AgentLauncher
    const onStderr = (text: string) => (options.verbose ? terminal.err(text) : Effect.void)
    const [link, view] = yield* Effect.all([launcher.start({ ...options.command, onStderr }), makeView(options)], {
      concurrency: 2
    })
    yield* Effect.addFinalizer(() => view.close)
    const asker = yield* makeAsker(options, view)

    const recordsFrames = options.display === "frames"
    const transport = recordsFrames ? Frames.recordOut(link.transport, terminal.out) : link.transport
    const peer = yield* Layer.build(Layer.provideMerge(Caller.layer("zc-client-"), Layer.succeed(Transport, transport)))
    const caller = Context.get(peer, Caller)

    // What the handlers below need to know: they run before the next message is read.
    let sessionId: SessionId | undefined
    let turn: Deferred.Deferred<void> | undefined
    let death: { readonly request: RequestError; readonly gone: AgentGone } | undefined
    const never = yield* Deferred.make<void>()

    const cancel = Effect.suspend(() => {
      const current = turn
      const id = sessionId
      if (current === undefined || id === undefined) return Effect.void
      return Effect.flatMap(Deferred.succeed(current, undefined), (first) =>
        first
          ? Effect.zipRight(
              caller.notify(Cancel, { sessionId: id }),
              view.say([paint(view.style, "yellow", "Cancelling the turn; Ctrl-C again ends at once.")])
            )
          : Effect.void
      )
    })

    const table = routes(
      [
        onRequest(RequestPermission, (params) =>
          Effect.gen(function* () {
            const choice = yield* asker(params.toolCall, params.options, turn ?? never)
            if (choice._tag === "Cancelled" && options.answerer._tag === "Person") yield* cancel
            return { outcome: Permission.outcome(choice) }
          })
        )
      ],
      [
        onNotification(Update, (params) =>
          sessionId !== undefined && params.sessionId !== sessionId
            ? view.say([`! protocol fault (update of another session): ${oneLine(params.sessionId, 80)}`])
            : view.update(params.update)
        )
      ]
    )
    const observe = (line: Line, message: JsonRpc.Incoming) =>
      Effect.zipRight(recordsFrames ? Frames.recordIn(line, terminal.out) : Effect.void, noise(view, line, message))
    const gone = Effect.map(link.ending, (ending) => {
      const request = new RequestError({ code: Code.InternalError, message: ending.message })
      death = { request, gone: new AgentGone(ending) }
      return request
    })
    yield* Effect.forkScoped(Effect.provide(Connection.run(table, { observe, gone }), peer))

    let facts: Handshake.AgentFacts | undefined
    const failed = (method: string) => (error: RequestError) =>
      death && error === death.request
        ? death.gone
        : new CallFailed({ message: Handshake.describeError(method, error, facts) })

    const agent = yield* Effect.mapError(
      caller.call(Handshake.InitializeAny, {
        protocolVersion: Handshake.protocolVersion,
        clientCapabilities,
        clientInfo: { name: "zeroclaw-client", title: "ZeroClaw client", version: options.version }
      }),
      failed("initialize")
    )
    facts = agent
    if (agent.protocolVersion !== Handshake.protocolVersion) {
      return yield* Handshake.versionMismatch(agent.protocolVersion)
    }
    const place = { cwd: options.cwd, mcpServers: [], additionalDirectories: [] }
    if (options.sessionId !== undefined) {
      if (!agent.agentCapabilities.loadSession) return yield* Handshake.cannotLoad
      sessionId = SessionId.make(options.sessionId)
      yield* Effect.mapError(caller.call(LoadSession, { ...place, sessionId }), failed(LoadSession._tag))
    } else {
      const meta = options.agentAlias === undefined ? {} : { _meta: { zeroclaw: { agentAlias: options.agentAlias } } }
      const created = yield* Effect.mapError(caller.call(NewSession, { ...place, ...meta }), failed(NewSession._tag))
      sessionId = created.sessionId
    }
    const id = sessionId

    const watch = (cancelled: Deferred.Deferred<void>) =>
      Effect.gen(function* () {
        const press = Effect.orDie(terminal.interrupts.take)
        yield* Effect.raceFirst(press, Deferred.await(cancelled))
        yield* cancel
        return yield* Effect.raceFirst(
          Effect.zipRight(press, new Ended({ message: "ended before the agent answered the cancelled turn" })),
          Effect.zipRight(
            Effect.sleep(cancelPatience),
            new Ended({ message: `the agent did not end the cancelled turn within ${cancelPatience}; it is stopped` })
          )
        )
      })

    return {
      id,
      agent,
      pid: link.pid,
      tally: view.tally,
      say: view.say,
      prompt: (text) =>
        Effect.gen(function* () {
          const cancelled = yield* Deferred.make<void>()
          turn = cancelled
          const answer = Effect.mapError(
            caller.call(Prompt, { sessionId: id, prompt: [textBlock(text)] }),
            failed(Prompt._tag)
          )
          const { stopReason } = yield* Effect.raceFirst(answer, watch(cancelled))
          yield* view.close
          return stopReason
        }).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              turn = undefined
            })
          )
        )
    }
  })
