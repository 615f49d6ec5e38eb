// `zeroclaw demo`: one real turn in a folder, then a second server process that still knows it.
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, Logger, LogLevel } from "effect"
import { Sandbox } from "../sandbox/Sandbox.ts"
import type { AgentCommand, AgentLauncher } from "./AgentProcess.ts"
import { openSession } from "./Client.ts"
import * as DemoPlan from "./DemoPlan.ts"
import * as Exit from "./Exit.ts"
import type * as Permission from "./Permission.ts"
import type * as Session from "./Session.ts"
import { paint } from "./Style.ts"
import { Terminal } from "./Terminal.ts"
import { visible } from "./Visible.ts"

export interface Settings {
  /** Absolute. */
  readonly folder: string
  /** The person answers the permission question. */
  readonly ask: boolean
  readonly command: Omit<AgentCommand, "onStderr">
  readonly version: string
}

/** Enough of a file to find a word in. */
const peek = async (file: string): Promise<string> => {
  const handle = await fs.open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16_384), 0, 16_384, 0)
    return buffer.toString("utf8", 0, bytesRead)
  } finally {
    await handle.close()
  }
}

const hasCommits = async (folder: string): Promise<boolean> => {
  const { execFile } = await import("node:child_process")
  return new Promise((resolve) => {
    execFile("git", ["-C", folder, "rev-parse", "--verify", "--quiet", "HEAD"], { timeout: 5000 }, (error) =>
      resolve(error === null)
    )
  })
}

/** The prompt for this folder; undefined when it has no file that can be read. */
const choosePrompt = (folder: string): Effect.Effect<string | undefined> =>
  Effect.promise(async () => {
    const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => [])
    const file = DemoPlan.chooseFile(entries.filter((entry) => entry.isFile()).map(({ name }) => name))
    if (file === undefined) return undefined
    const text = await peek(path.join(folder, file)).catch(() => "")
    return DemoPlan.promptFor(file, DemoPlan.chooseWord(text), await hasCommits(folder))
  })

/** A configuration of its own: nothing of the person's is read or changed. */
const temporaryConfig = (text: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await fs.mkdtemp(path.join(os.tmpdir(), "zeroclaw-demo-"))
      await fs.writeFile(path.join(folder, "config.toml"), text)
      return folder
    }),
    (folder) => Effect.ignore(Effect.tryPromise(() => fs.rm(folder, { recursive: true, force: true, maxRetries: 5 })))
  )

/** Why there is no sandbox here; undefined where there is one. */
const noSandbox = Effect.provide(
  Effect.map(
    Effect.flatMap(Sandbox, ({ status }) => status("auto")),
    (status) => (status._tag === "Missing" ? status.reason : undefined)
  ),
  Sandbox.layer
).pipe(Logger.withMinimumLogLevel(LogLevel.None))

const demo = Effect.fnUntraced(function* (settings: Settings, prompt: string) {
  const terminal = yield* Terminal
  const lacking = yield* noSandbox
  const config = yield* temporaryConfig(DemoPlan.configFor(lacking === undefined))
  const heading = (text: string) => terminal.out(`${paint(terminal.style, "bold", text)}\n`)
  const answerer: Permission.Answerer = !settings.ask
    ? { _tag: "Yes", said: "the demo answers yes; --ask lets you answer" }
    : terminal.canAsk
      ? { _tag: "Person" }
      : { _tag: "Nobody", why: "--ask, but there is no terminal to ask on" }
  const command = {
    ...settings.command,
    env: { ...settings.command.env, ZEROCLAW_CONFIG_DIR: config }
  }
  const base = { command, verbose: false, cwd: settings.folder, answerer, version: settings.version }
  const pidText = (session: Session.Session) => (session.pid === undefined ? "" : ` (process ${session.pid})`)

  const live = yield* Effect.scoped(
    Effect.gen(function* () {
      const session = yield* openSession({ ...base, display: "transcript" })
      yield* session.say([paint(terminal.style, "bold", `1. A server${pidText(session)}, a session, one prompt`)])
      if (lacking !== undefined) {
        yield* session.say([`Without a sandbox: the demo's one command runs as it is, once it is approved. ${lacking}`])
      }
      yield* session.say([`> ${prompt}`])
      const stopReason = yield* session.prompt(prompt)
      return { id: session.id, stopReason, pid: pidText(session), tally: yield* session.tally }
    })
  )
  yield* heading(`\n2. That server${live.pid} has ended; a new one loads the session`)
  const replay = yield* Effect.scoped(
    Effect.gen(function* () {
      const session = yield* openSession({ ...base, display: "quiet", sessionId: live.id })
      return { pid: pidText(session), tally: yield* session.tally }
    })
  )
  yield* terminal.out(`Replayed by the new server${replay.pid}: ${DemoPlan.summary(replay.tally)}\n`)
  yield* terminal.out(`Its last answer:\n${visible(replay.tally.lastAnswer).trim().replace(/^/gm, "  ")}\n`)

  const missing = [...DemoPlan.missing(live.tally, live.stopReason), ...DemoPlan.differences(live.tally, replay.tally)]
  if (missing.length === 0) {
    yield* heading("\nThe same tool calls and the same answer: the session outlived its server.")
    return Exit.ExitCode.Done
  }
  for (const line of missing) yield* terminal.err(`zeroclaw demo: missed: ${line}\n`)
  return live.stopReason === "cancelled" ? Exit.ExitCode.Cancelled : Exit.ExitCode.Failed
})

export const run = (settings: Settings): Effect.Effect<number, never, Terminal | AgentLauncher> =>
  Effect.gen(function* () {
    const terminal = yield* Terminal
    const prompt = yield* choosePrompt(settings.folder)
    if (prompt === undefined) {
      yield* terminal.err(
        `zeroclaw demo: no text file to read in ${visible(settings.folder)}; name another folder: zeroclaw demo FOLDER\n`
      )
      return Exit.ExitCode.Usage
    }
    return yield* demo(settings, prompt)
  }).pipe(Effect.scoped, Effect.catchAll(Exit.report("demo")))
