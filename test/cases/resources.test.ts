// Resources: nothing is left behind, nothing grows, nothing blocks, however a process or its client ends.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Sqlite from "better-sqlite3"
import { Effect, Option, Random } from "effect"
import * as Streams from "../../src/transport/Streams.ts"
import * as Cases from "../support/Cases.ts"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

let words = 0
/** A number of seconds that no other process sleeps for. */
const seconds = () => `${5_000_000 + (process.pid % 100_000)}.${++words}`

/** Waits until so many processes have the word on their command line; false when that takes too long. */
const count = (word: string, fits: (count: number) => boolean, patience: "2 seconds" | "10 seconds" = "10 seconds") =>
  Effect.map(
    Effect.timeoutOption(
      Effect.repeat(Effect.sleep("20 millis"), { until: () => fits(Cases.countProcesses(word)) }),
      patience
    ),
    Option.isSome
  )
const alive = (peer: Peer.Peer) =>
  Effect.map(peer.request("no/such", {}), ({ error }) => assert.strictEqual(error?.code, -32601))
const prompting = (peer: Peer.Peer, sessionId: string, text: string) =>
  peer.start("session/prompt", Peer.promptParams(sessionId, text))

/** A server in whose session a command runs that sleeps in `many` processes. */
const busy = (command: (word: string) => string, many: number, options: Parameters<typeof Server.open>[1] = {}) =>
  Effect.gen(function* () {
    const place = yield* Server.place()
    const server = yield* Server.open(place, options)
    const word = seconds()
    server.peer.answer(() => Server.allowOnce)
    const id = yield* prompting(server.peer, server.sessionId, `run ${command(word)}`)
    assert.isTrue(yield* count(word, (found) => found >= many))
    return { ...server, place, word, id }
  })

const exited = (exit: Effect.Effect<Server.Exit>) => Effect.timeoutOption(exit, "10 seconds")
const peacefully = Option.some({ code: 0, signal: null })

/** The database is whole, and the turn is in it with its call closed. */
const isWhole = (home: string): void => {
  const db = new Sqlite(path.join(home, "data", "sessions", "acp-sessions.db"), { readonly: true })
  try {
    assert.deepStrictEqual(db.pragma("integrity_check"), [{ integrity_check: "ok" }])
  } finally {
    db.close()
  }
}
const storedStatuses = (place: Server.Place, sessionId: string) =>
  Effect.gen(function* () {
    const { peer } = yield* Server.start(place.home)
    yield* Peer.initialize(peer)
    yield* peer.request("session/load", { sessionId, cwd: place.project, mcpServers: [] })
    return [...Cases.lastStatuses(peer).values()]
  })

describe("what is left when a process ends", () => {
  it.scopedLive(
    "RES-001 the end of input, with background jobs, other sessions of processes and an open question",
    () =>
      Effect.gen(function* () {
        const started = yield* busy(
          (word) => `setsid sleep ${word} & nohup sleep ${word} & (sleep ${word} &) ; sleep ${word}`,
          4
        )
        const { child, exit, peer, place, sessionId, word } = started
        const other = yield* Peer.newSession(peer, place.project)
        peer.answer(() => undefined)
        yield* prompting(peer, other, "run touch MARK")
        yield* peer.until((frame) => Peer.isPermission(frame) && frame.params["sessionId"] === other)
        child.stdin.end()
        assert.deepStrictEqual(yield* exited(exit), peacefully)
        assert.strictEqual(Cases.countProcesses(word), 0)
        assert.isFalse(fs.existsSync(path.join(place.project, "MARK")))
        assert.deepStrictEqual(yield* storedStatuses(place, sessionId), ["failed"])
      })
  )

  it.scopedLive.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("RES-002 %s in the middle of a turn", (signal) =>
    Effect.gen(function* () {
      const { child, exit, id, peer, place, sessionId, word } = yield* busy(
        (word) => `(trap '' TERM INT HUP; sleep ${word}) & sleep ${word}`,
        2
      )
      child.kill(signal)
      assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "cancelled")
      assert.deepStrictEqual(yield* exited(exit), peacefully)
      assert.strictEqual(Cases.countProcesses(word), 0)
      isWhole(place.home)
      assert.deepStrictEqual(yield* storedStatuses(place, sessionId), ["failed"])
    })
  )

  it.scopedLive("RES-004 SIGKILL leaves no process of a command", () =>
    Effect.gen(function* () {
      const { child, exit, place, word } = yield* busy(
        (word) => `setsid sleep ${word} & nohup sleep ${word} & sleep ${word}`,
        3
      )
      yield* Effect.addFinalizer(() => Effect.sync(() => endAll(word)))
      child.kill("SIGKILL")
      yield* exit
      assert.isTrue(yield* count(word, (found) => found === 0, "2 seconds"))
      isWhole(place.home)
    })
  )

  it.scopedLive("RES-005 a client that stops to read ends the process, with what it runs", () =>
    Effect.gen(function* () {
      const { child, exit, peer, place, word } = yield* busy((word) => `sleep ${word}`, 1)
      const other = yield* Peer.newSession(peer, place.project)
      yield* prompting(peer, other, `repeat 100000 ${"x".repeat(100)}`)
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      child.stdout.destroy()
      const ended = yield* exited(exit)
      assert.include([0, 1], Option.getOrUndefined(ended)?.code)
      assert.strictEqual(Cases.countProcesses(word), 0)
    })
  )

  it.scopedLive("RES-011 a timeout ends the whole tree, with other sessions and processes that ignore SIGTERM", () =>
    Effect.gen(function* () {
      const place = yield* Server.place("[runtime_profiles.default]\nshell_timeout_secs = 1\n")
      const { peer, sessionId } = yield* Server.open(place)
      peer.answer(() => Server.allowOnce)
      const word = seconds()
      const command = `trap '' TERM; setsid sh -c 'trap "" TERM; sleep ${word}; sleep ${word}' & sleep ${word}`
      assert.strictEqual(Cases.stopReason(yield* Server.prompt(peer, sessionId, `run ${command}`)), "end_turn")
      assert.strictEqual(Cases.countProcesses(word), 0)
      assert.include(JSON.stringify(peer.updates()), "not done after 1 s")
      assert.deepStrictEqual([...Cases.lastStatuses(peer).values()], ["failed"])
    })
  )
})

describe("pipes", () => {
  it.scopedLive("RES-006 nobody reads stderr, or it is closed, while much is logged there", () =>
    Effect.gen(function* () {
      for (const how of ["full", "closed"]) {
        const place = yield* Server.place()
        const { child, peer, sessionId } = yield* Server.open(place, { args: ["--verbose", "--log-level", "debug"] })
        child.stderr.removeAllListeners("data")
        child.stderr.pause()
        if (how === "closed") child.stderr.destroy()
        const before = Cases.residentMiB(child.pid)
        const line = JSON.stringify({ jsonrpc: "2.0", method: `no/${"x".repeat(8000)}`, params: {} })
        for (let n = 0; n < 100; n++) yield* peer.send(Array.from({ length: 100 }, () => line).join("\n"))
        yield* alive(peer)
        assert.strictEqual(Cases.stopReason(yield* Server.prompt(peer, sessionId, "echo ok")), "end_turn")
        assert.isBelow(Cases.residentMiB(child.pid) - before, 64, how)
      }
    })
  )

  it.scopedLive("RES-013 a command reads the end of its input, never the protocol", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { peer, sessionId } = yield* Server.open(place)
      peer.answer(() => Server.allowOnce)
      const id = yield* prompting(peer, sessionId, "run cat | wc -c")
      yield* alive(peer)
      assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "end_turn")
      assert.match(JSON.stringify(peer.updates().find(({ status }) => status === "completed")), /"output":"0\\n"/)
      yield* alive(peer)
    })
  )
})

const descriptors = (pid: number | undefined): number => fs.readdirSync(`/proc/${pid}/fd`).length
const range = (length: number): ReadonlyArray<number> => Array.from({ length }, (_, n) => n)

describe("what grows", () => {
  it.scopedLive("RES-007 a thousand sessions that are closed leave no descriptor open", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { child, peer } = yield* Server.open(place)
      const once = () =>
        Effect.gen(function* () {
          const sessionId = yield* Peer.newSession(peer, place.project)
          assert.deepStrictEqual((yield* peer.request("session/close", { sessionId })).result, {})
        })
      yield* Effect.forEach(range(20), once, { concurrency: 5 })
      const before = descriptors(child.pid)
      yield* Effect.forEach(range(1000), once, { concurrency: 5, discard: true })
      assert.isAtMost(descriptors(child.pid) - before, 5)
    })
  )

  it.scopedLive(
    "RES-009 thousands of prompts of one session leave the memory as it was",
    () =>
      Effect.gen(function* () {
        const place = yield* Server.place()
        // A heap that can't grow: what is kept of each prompt beyond a few kilobytes would end the process.
        const { child, peer, sessionId } = yield* Server.open(place, {
          env: { NODE_OPTIONS: "--max-old-space-size=96 --max-semi-space-size=2" }
        })
        const ask = (session: string) =>
          Effect.map(
            Effect.suspend(() => Server.prompt(peer, session, "echo x")),
            (answer) => assert.strictEqual(Cases.stopReason(answer), "end_turn")
          )
        yield* Effect.forEach(range(1000), () => ask(sessionId), { discard: true })
        const before = Cases.residentMiB(child.pid)
        yield* Effect.forEach(range(3000), () => ask(sessionId), { discard: true })
        assert.isBelow(Cases.residentMiB(child.pid) - before, 64)
      }),
    120_000
  )
})

/** Ends processes of a test that failed: those with this very word of ours. */
const endAll = (word: string): void => {
  for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const cmdline = fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
      if (cmdline.includes(word)) process.kill(Number(pid), "SIGKILL")
    } catch {}
  }
}

describe("many at once", () => {
  it.scopedLive("RES-015 cancels, stops, closes and prompts in random order: one answer each, nothing left", () =>
    Effect.gen(function* () {
      const place = yield* Server.place('[acp]\ndialect = "zeroclaw"\n')
      const server = yield* Server.launch(place.home)
      const peer = yield* Peer.make(yield* Streams.make(server.child.stdout, server.child.stdin), { zeroclaw: true })
      yield* Peer.initialize(peer)
      peer.answer(() => Server.allowOnce)
      const word = seconds()
      const sessionId = yield* Peer.newSession(peer, place.project)
      const start = (method: string, params: object = {}) => peer.start(method, { sessionId, ...params })
      const acts = [
        () => start("session/prompt", { prompt: [{ type: "text", text: `run sleep ${word}` }] }),
        () => start("session/prompt", { prompt: [{ type: "text", text: "echo hi" }] }),
        () => start("session/cancel"),
        () => start("session/stop"),
        () => start("session/close"),
        () => start("session/load", { cwd: place.project, mcpServers: [] }),
        () => Effect.as(peer.notify("session/cancel", { sessionId }), undefined)
      ]
      const random = Random.make("RES-015")
      const ids: Array<unknown> = []
      for (let round = 0; round < 10; round++) {
        const some = yield* Effect.forEach(range(100), () =>
          Effect.flatMap(random.nextIntBetween(0, acts.length), (n) => acts[n]?.() ?? Effect.succeed(undefined))
        )
        ids.push(...some.filter((id) => id !== undefined))
        yield* peer.notify("session/cancel", { sessionId })
        for (const id of some) if (id !== undefined) yield* peer.response(id)
      }
      yield* peer.request("no/such", {})
      for (const id of ids) assert.strictEqual(Cases.answersTo(peer, id).length, 1)
      assert.isTrue(yield* count(word, (found) => found === 0))
      server.child.stdin.end()
      assert.deepStrictEqual(yield* exited(server.exit), peacefully)
    })
  )
})
