// The shipped bundle as a subprocess: `zeroclaw acp` with a configuration folder and a project of its own.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Deferred, Effect, type Scope } from "effect"
import * as Streams from "../../src/transport/Streams.ts"
import * as Peer from "./Peer.ts"

/** Built by the test command before the tests run. */
export const bundle = fileURLToPath(new URL("../../dist/zeroclaw.js", import.meta.url))

/** Records a conversation that is not led by our own peer. */
export const tee = fileURLToPath(new URL("tee.mjs", import.meta.url))

export const temporary = (name: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), `zeroclaw-${name}-`)))),
    (dir) => Effect.sync(() => fs.rmSync(dir, { recursive: true, force: true }))
  )

export interface Place {
  /** The configuration folder: config.toml, data, logs. */
  readonly home: string
  /** The session's working directory. */
  readonly project: string
}

/** Two empty folders; `toml` becomes config.toml. */
export const place = (toml?: string): Effect.Effect<Place, never, Scope.Scope> =>
  Effect.gen(function* () {
    const home = yield* temporary("home")
    const project = yield* temporary("project")
    if (toml !== undefined) fs.writeFileSync(path.join(home, "config.toml"), toml)
    return { home, project }
  })

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Server {
  readonly peer: Peer.Peer
  readonly child: ChildProcessWithoutNullStreams
  readonly exit: Effect.Effect<Exit>
  readonly stderr: () => string
}

export const environment = (home: string): Readonly<Record<string, string | undefined>> => ({
  PATH: process.env["PATH"],
  ZEROCLAW_CONFIG_DIR: home
})

export const launch = (
  home: string,
  options: {
    readonly args?: ReadonlyArray<string>
    /** File for the lines of both directions. */
    readonly record?: string
    readonly env?: Readonly<Record<string, string>>
    readonly cwd?: string
  } = {}
): Effect.Effect<Omit<Server, "peer">, never, Scope.Scope> =>
  Effect.gen(function* () {
    const exit = yield* Deferred.make<Exit>()
    const errors: Array<Buffer> = []
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const words = [bundle, "acp", ...(options.args ?? [])]
        const recorded = options.record === undefined ? [] : [tee, options.record, process.execPath]
        const child = spawn(process.execPath, [...recorded, ...words], {
          env: { ...environment(home), ...options.env },
          ...(options.cwd === undefined ? {} : { cwd: options.cwd })
        })
        child.stderr.on("data", (bytes: Buffer) => errors.push(bytes))
        child.on("exit", (code, signal) => Deferred.unsafeDone(exit, Effect.succeed({ code, signal })))
        return child
      }),
      (child) =>
        Effect.zipRight(
          Effect.sync(() => child.kill("SIGKILL")),
          Deferred.await(exit)
        )
    )
    return { child, exit: Deferred.await(exit), stderr: () => Buffer.concat(errors).toString("utf8") }
  })

/** A server with a peer on its pipes; every line it writes is checked. */
export const start = (
  home: string,
  options: Parameters<typeof launch>[1] = {}
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* launch(home, options)
    const transport = yield* Streams.make(server.child.stdout, server.child.stdin)
    const peer = yield* Peer.make(transport)
    return { ...server, peer }
  })

/** Initialized, with a session on the project. */
export const open = (place: Place, options: Parameters<typeof launch>[1] = {}) =>
  Effect.gen(function* () {
    const server = yield* start(place.home, options)
    yield* Peer.initialize(server.peer)
    const sessionId = yield* Peer.newSession(server.peer, place.project)
    return { ...server, sessionId }
  })

export const prompt = (peer: Peer.Peer, sessionId: string, text: string) =>
  peer.request("session/prompt", Peer.promptParams(sessionId, text))

export const allowOnce: Peer.Answer = { result: { outcome: { outcome: "selected", optionId: "allow-once" } } }
export const rejectOnce: Peer.Answer = { result: { outcome: { outcome: "selected", optionId: "reject-once" } } }
