// The shipped program on real pipes.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as OfficialSchema from "../support/OfficialSchema.ts"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

const line = (id: number | string, method: string, params: unknown) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`
const initialize = line(0, "initialize", { protocolVersion: 1 })
const answer = (peer: Peer.Peer) => Peer.textOf(peer.updates(), "agent_message_chunk")

/** Runs the program on fixed input; gives what it printed, each line checked. */
const pipe = (
  home: string,
  input: string,
  env: Readonly<Record<string, string>> = {},
  args: ReadonlyArray<string> = []
) => {
  const out = execFileSync(process.execPath, [Server.bundle, "acp", ...args], {
    input,
    env: { ...Server.environment(home), ...env },
    timeout: 20_000,
    stdio: ["pipe", "pipe", "pipe"]
  }).toString("utf8")
  const lines = (text: string) =>
    text
      .replace("\ufeff", "")
      .split(/\r?\n/)
      .filter((line) => line !== "")
  OfficialSchema.checkAll(lines(input), lines(out))
  return out
}

/** The responses in what it printed. */
const answers = (out: string): ReadonlyArray<{ readonly id?: unknown; readonly result?: unknown }> =>
  out
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text))
    .filter(({ id }) => id !== undefined)

const countProcesses = (marker: string): number =>
  fs.readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(marker)
    } catch {
      return false
    }
  }).length

describe("zeroclaw acp", () => {
  it.scopedLive("answers a last line without a newline, then exits with 0", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place()
      const out = pipe(home, initialize.trimEnd())
      assert.strictEqual(out.split("\n").length, 2)
      assert.include(out, '"protocolVersion":1')
    })
  )

  it.scopedLive("exits with 0 and prints nothing when its input is empty", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place()
      assert.strictEqual(pipe(home, ""), "")
    })
  )

  it.scopedLive("accepts a byte order mark, CRLF and blank lines, and writes bare newlines", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      const input = `\ufeff${initialize.trimEnd()}\r\n\r\n\n${line(1, "session/new", { cwd: project, mcpServers: [] }).trimEnd()}\r\n`
      const out = pipe(home, input)
      assert.notInclude(out, "\r")
      assert.deepStrictEqual(
        answers(out).map(({ id }) => id),
        [0, 1]
      )
    })
  )

  it.scopedLive("answers everything it got before the end of input", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      const lines = Array.from({ length: 9 }, (_, id) => line(id + 1, "session/new", { cwd: project, mcpServers: [] }))
      const out = pipe(home, initialize + lines.join(""))
      const answered = answers(out)
      assert.strictEqual(answered.length, 10)
      assert.isTrue(answered.every(({ result }) => result !== undefined))
    })
  )

  it.scopedLive("prints nothing but JSON-RPC at any log level, and no colours", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      const env = {
        DEBUG: "*",
        NODE_DEBUG: "*",
        LOG_LEVEL: "debug",
        FORCE_COLOR: "3",
        TERM: "xterm-256color",
        NODE_OPTIONS: "--trace-warnings"
      }
      const input = initialize + line(1, "session/new", { cwd: project, mcpServers: [] }) + line(2, "no/such", {})
      for (const text of pipe(home, input, env, ["--log-level", "trace", "--verbose"]).trim().split("\n")) {
        assert.strictEqual(JSON.parse(text).jsonrpc, "2.0")
      }
    })
  )

  it.scopedLive("keeps text whose UTF-8 arrives in pieces", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { child, peer, sessionId } = yield* Server.open(place)
      const bytes = Buffer.from(line("utf8", "session/prompt", Peer.promptParams(sessionId, "echo 读 🎉")))
      peer.note("utf8", "session/prompt")
      const write = (byte: number) =>
        Effect.zipRight(
          Effect.sync(() => child.stdin.write(Buffer.of(byte))),
          Effect.yieldNow()
        )
      yield* Effect.forEach([...bytes], write, { discard: true })
      assert.strictEqual((yield* peer.response("utf8")).result?.["stopReason"], "end_turn")
      assert.isTrue(answer(peer).endsWith("读 🎉"))
      assert.notInclude(answer(peer), "\ufffd")
    })
  )

  it.scopedLive("skips a line over the limit with one error and goes on", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { child, peer, sessionId } = yield* Server.open(place)
      const chunk = Buffer.alloc(1024 * 1024, "a")
      for (let n = 0; n < 40; n++) {
        yield* Effect.async<void>((resume) => {
          child.stdin.write(chunk, () => resume(Effect.void))
        })
      }
      yield* peer.send("")
      const error = yield* peer.until((frame) => frame._tag === "Response" && frame.error?.code === -32700)
      assert.strictEqual(error._tag === "Response" ? error.id : undefined, null)
      assert.strictEqual((yield* Server.prompt(peer, sessionId, "echo ok")).result?.["stopReason"], "end_turn")
      assert.strictEqual(peer.frames().filter((frame) => frame._tag === "Response" && frame.error).length, 1)
    })
  )

  it.scopedLive("keeps an upload of 6 MB in the session's folder", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { peer, sessionId } = yield* Server.open(place)
      const blob = Buffer.alloc(6_000_000, "x").toString("base64")
      const block = { type: "resource", resource: { uri: "file:///big.bin", blob } }
      const { result } = yield* peer.request("session/prompt", {
        sessionId,
        prompt: [block, { type: "text", text: "echo got it" }]
      })
      assert.strictEqual(result?.["stopReason"], "end_turn")
      const [name] = fs.readdirSync(path.join(place.project, "uploads"))
      assert.match(name ?? "", /^[0-9a-f]{64}\.bin$/)
      for (const bad of ["a*b$", "YQ==garbage", "YR=="]) {
        const refused = yield* peer.request("session/prompt", {
          sessionId,
          prompt: [{ type: "resource", resource: { uri: "file:///x", blob: bad } }]
        })
        assert.strictEqual(refused.error?.code, -32602)
      }
    })
  )

  it.scopedLive(
    "reads, asks before it runs, and shows output, exit and files in the card; its stderr stays silent",
    () =>
      Effect.gen(function* () {
        const place = yield* Server.place()
        fs.writeFileSync(path.join(place.project, "a.txt"), "alpha\nbeta\n")
        const { peer, sessionId, stderr } = yield* Server.open(place)
        peer.answer(() => Server.allowOnce)
        yield* Server.prompt(peer, sessionId, "read a.txt; run echo out; echo err >&2")
        const { result } = yield* Server.prompt(
          peer,
          sessionId,
          'plan: read a.txt; replace "beta" with "gamma" in a.txt; run `cat a.txt`'
        )
        assert.strictEqual(result?.["stopReason"], "end_turn")
        assert.strictEqual(fs.readFileSync(path.join(place.project, "a.txt"), "utf8"), "alpha\ngamma\n")
        const cards = peer.updates().filter(({ sessionUpdate }) => sessionUpdate === "tool_call")
        assert.isTrue(
          cards.some(({ kind, content }) => kind === "edit" && JSON.stringify(content).includes('"type":"diff"'))
        )
        assert.isTrue(
          cards.some(({ kind, locations }) => kind === "read" && JSON.stringify(locations).includes("a.txt"))
        )
        assert.isTrue(peer.updates().some(({ sessionUpdate }) => sessionUpdate === "plan"))
        assert.include(answer(peer), "gamma")
        assert.strictEqual(stderr(), "")
      })
  )

  it.scopedLive("runs in the session's folder wherever it was started, and keeps two sessions apart", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const other = yield* Server.temporary("other")
      const { peer, sessionId } = yield* Server.open(place, { cwd: "/" })
      const second = yield* Peer.newSession(peer, other)
      peer.answer(() => Server.allowOnce)
      yield* Effect.all([Server.prompt(peer, sessionId, "run pwd"), Server.prompt(peer, second, "run pwd")], {
        concurrency: 2
      })
      assert.include(Peer.textOf(peer.updates(sessionId), "agent_message_chunk"), place.project)
      assert.include(Peer.textOf(peer.updates(second), "agent_message_chunk"), other)
    })
  )

  it.scopedLive("kills what a command started when the turn is cancelled, when input ends and on a signal", () =>
    Effect.gen(function* () {
      const seconds = String(4_000_000 + (process.pid % 100_000))
      const command = `run (trap '' TERM; sleep ${seconds}) & setsid sleep ${seconds} & sleep ${seconds}`
      for (const end of ["cancel", "eof", "SIGTERM", "SIGHUP"] as const) {
        const place = yield* Server.place()
        const { child, exit, peer, sessionId } = yield* Server.open(place)
        peer.answer(() => Server.allowOnce)
        const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, command))
        yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => countProcesses(seconds) >= 3 })
        if (end === "cancel") yield* peer.notify("session/cancel", { sessionId })
        else if (end === "eof") child.stdin.end()
        else child.kill(end)
        assert.strictEqual((yield* peer.response(id)).result?.["stopReason"], "cancelled", end)
        if (end !== "cancel") assert.deepStrictEqual(yield* exit, { code: 0, signal: null }, end)
        assert.strictEqual(countProcesses(seconds), 0, end)
      }
    })
  )

  it.scopedLive("ends when nobody reads its output any more", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      const { child, exit, stderr } = yield* Server.launch(home)
      const next = Effect.async<string>((resume) => {
        child.stdout.once("data", (bytes: Buffer) => resume(Effect.succeed(bytes.toString("utf8"))))
      })
      child.stdin.write(initialize)
      yield* next
      child.stdin.write(line(1, "session/new", { cwd: project, mcpServers: [] }))
      const [opened = ""] = (yield* next).split("\n", 1)
      const { sessionId } = JSON.parse(opened).result
      child.stdin.write(line(2, "session/prompt", Peer.promptParams(sessionId, `repeat 100000 ${"x".repeat(100)}`)))
      yield* next
      child.stdout.destroy()
      assert.deepStrictEqual(yield* Effect.timeoutOption(exit, "10 seconds"), Option.some({ code: 0, signal: null }))
      assert.strictEqual(stderr(), "")
    })
  )

  it.scopedLive("starts with a broken configuration and says at session/new where it is broken", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place('[acp]\nmax_sessions = "many\n')
      const { peer } = yield* Server.start(home)
      assert.strictEqual((yield* Peer.initialize(peer)).error, undefined)
      const { error } = yield* peer.request("session/new", { cwd: project, mcpServers: [] })
      assert.strictEqual(error?.code, -32603)
      assert.match(error?.message ?? "", /config\.toml at line 2, column \d+/)
    })
  )

  it.scopedLive("refuses folders that do not exist or are files, naming cwd", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      fs.writeFileSync(path.join(place.project, "file"), "")
      const { peer } = yield* Server.start(place.home)
      yield* Peer.initialize(peer)
      for (const cwd of ["/no/such/dir", path.join(place.project, "file")]) {
        const { error } = yield* peer.request("session/new", { cwd, mcpServers: [] })
        assert.strictEqual(error?.code, -32602)
        assert.include(error?.message ?? "", "cwd")
      }
    })
  )

  it.scopedLive("names a wrong option and exits with 2", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place()
      const { exit, stderr } = yield* Server.launch(home, { args: ["--max-sessions", "many"] })
      assert.strictEqual((yield* exit).code, 2)
      assert.include(stderr(), "--max-sessions")
    })
  )

  it.scopedLive("does what --max-sessions says", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { peer } = yield* Server.open(place, { args: ["--max-sessions", "1"] })
      const { error } = yield* peer.request("session/new", { cwd: place.project, mcpServers: [] })
      assert.strictEqual(error?.code, -31002)
    })
  )
})
