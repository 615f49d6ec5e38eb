// `zeroclaw client`: prompts from the command line, from a pipe or typed one by one; answers an exit code.
import { Effect, Option } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import type { AgentCommand, AgentLauncher } from "./AgentProcess.ts"
import * as Exit from "./Exit.ts"
import type * as Permission from "./Permission.ts"
import * as Session from "./Session.ts"
import { paint } from "./Style.ts"
import { Terminal } from "./Terminal.ts"
import { oneLine } from "./Visible.ts"

export interface Settings {
  /** Words of the prompt; empty to read one from stdin or to ask for them. */
  readonly prompt: string
  readonly yes: boolean
  readonly json: boolean
  readonly verbose: boolean
  readonly cwd: string
  readonly session?: string
  readonly agent?: string
  readonly command: Omit<AgentCommand, "onStderr">
  readonly version: string
}

const answerer = (settings: Settings, canAsk: boolean): Permission.Answerer => {
  if (settings.yes) return { _tag: "Yes", said: "--yes" }
  return canAsk ? { _tag: "Person" } : { _tag: "Nobody", why: "no terminal to ask on; start with --yes to allow" }
}

const header = (session: Session.Session): string => {
  const info = session.agent.agentInfo
  const name = info === undefined ? "agent without a name" : `${info.title ?? info.name} ${info.version}`
  return `Agent: ${oneLine(name, 120)}`
}

const footer = (session: Session.Session): string => {
  const id = oneLine(session.id, 200)
  return session.agent.agentCapabilities.loadSession
    ? `Session: ${id} (continue with --session ${id})`
    : `Session: ${id}`
}

const stopLine = (reason: StopReason): ReadonlyArray<string> =>
  reason === "end_turn" ? [] : [reason === "cancelled" ? "The turn was cancelled." : `The turn stopped: ${reason}.`]

/** Tells an error response; the agent is still there. */
const turn = (session: Session.Session, text: string) =>
  session.prompt(text).pipe(
    Effect.tap((reason) => session.say(stopLine(reason))),
    Effect.map(Exit.ofStopReason),
    Effect.catchTag("CallFailed", Exit.report("client"))
  )

/** Until `/quit` or Ctrl-D. The exit code is that of the last turn that did not end well. */
const loop = (session: Session.Session) =>
  Effect.gen(function* () {
    const terminal = yield* Terminal
    let code: number = Exit.ExitCode.Done
    for (;;) {
      const line = Option.map(yield* terminal.readLine("> "), (text) => text.trim())
      if (Option.isNone(line) || line.value === "/quit") return code
      if (line.value === "") continue
      // A Ctrl-C from before this turn is not meant for it.
      yield* terminal.interrupts.clear
      const result = yield* turn(session, line.value)
      if (result !== Exit.ExitCode.Done) code = result
    }
  })

const interrupted = Effect.gen(function* () {
  const terminal = yield* Terminal
  yield* Effect.orDie(terminal.interrupts.take)
  return yield* new Session.Ended({ message: "ended before the session was open" })
})

/** Ctrl-C before the session is there ends at once. */
export const openSession = (options: Session.Options) => Effect.raceFirst(Session.open(options), interrupted)

const talk = (settings: Settings, prompt: string | undefined) =>
  Effect.gen(function* () {
    const terminal = yield* Terminal
    const session = yield* openSession({
      command: settings.command,
      verbose: settings.verbose,
      cwd: settings.cwd,
      ...(settings.session === undefined ? {} : { sessionId: settings.session }),
      ...(settings.agent === undefined ? {} : { agentAlias: settings.agent }),
      answerer: answerer(settings, terminal.canAsk),
      display: settings.json ? "frames" : "transcript",
      version: settings.version
    })
    const say = settings.json ? () => Effect.void : session.say
    yield* say([paint(terminal.style, "dim", header(session))])
    return yield* Effect.ensuring(
      prompt === undefined ? loop(session) : turn(session, prompt),
      say([paint(terminal.style, "dim", footer(session))])
    )
  }).pipe(Effect.scoped, Effect.catchAll(Exit.report("client")))

export const run = (settings: Settings): Effect.Effect<number, never, Terminal | AgentLauncher> =>
  Effect.gen(function* () {
    const terminal = yield* Terminal
    if (settings.prompt !== "") return yield* talk(settings, settings.prompt)
    if (terminal.typed) return yield* talk(settings, undefined)
    const piped = (yield* terminal.readAll).trim()
    if (piped !== "") return yield* talk(settings, piped)
    yield* terminal.err(
      "zeroclaw client: no prompt: write one after `client`, or pipe it in; see zeroclaw client --help\n"
    )
    return Exit.ExitCode.Usage
  })
