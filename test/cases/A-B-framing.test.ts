// Kinds A and B: bytes, lines, and what may stand on stdout. As a subprocess: the point is in the pipes.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Cases from "../support/Cases.ts"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

const { initialize, line, pipe } = Cases
const open = (project: string) => line("new", "session/new", { cwd: project, mcpServers: [] })

describe("A. framing", () => {
  it.scopedLive("A01 characters cut by reads stay whole, live and stored", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { child, peer, sessionId } = yield* Server.open(place)
      const text = "echo 读 🎉"
      const bytes = Buffer.from(line("cut", "session/prompt", Peer.promptParams(sessionId, text)))
      const at = bytes.indexOf(Buffer.from("读"))
      peer.note("cut", "session/prompt")
      const cuts = [0, at + 1, at + 2, at + 6, bytes.length]
      for (const [n, to] of cuts.entries()) {
        child.stdin.write(bytes.subarray(cuts[n - 1] ?? 0, to))
        yield* Effect.sleep("40 millis")
      }
      assert.strictEqual(Cases.stopReason(yield* peer.response("cut")), "end_turn")
      assert.strictEqual(Peer.textOf(peer.updates(), "agent_message_chunk").slice(-4), "读 🎉")
      const seen = peer.frames().length
      yield* peer.request("session/load", { sessionId, cwd: place.project, mcpServers: [] })
      const replay = JSON.stringify(peer.frames().slice(seen))
      assert.include(replay, text)
      assert.notInclude(JSON.stringify(peer.frames()), "\ufffd")
    })
  )

  it.scopedLive("A02 a line of 8 MB is read, and the next one too", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { peer, sessionId } = yield* Server.open(place)
      const blob = Buffer.alloc(6_000_000, "x").toString("base64")
      const prompt = [{ type: "resource", resource: { uri: "file:///big.bin", blob } }]
      const big = yield* peer.request("session/prompt", { sessionId, prompt })
      assert.isTrue(big.result !== undefined || big.error?.code === -32602)
      assert.strictEqual(Cases.stopReason(yield* Server.prompt(peer, sessionId, "echo still there?")), "end_turn")
    })
  )

  it.scopedLive("A04 a byte order mark, CRLF and blank lines are read; a bare newline is written", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      const { lines, out } = pipe(home, `\ufeff${initialize.trimEnd()}\r\n\r\n\n${open(project).trimEnd()}\r\n`)
      const answers = lines.map((text) => JSON.parse(text)).filter(({ id }) => id !== undefined)
      assert.deepStrictEqual(
        answers.map(({ error, id }) => [id, error]),
        [
          ["init", undefined],
          ["new", undefined]
        ]
      )
      assert.notInclude(out, "\r")
    })
  )

  it.scopedLive("A05 a last line without its newline is answered, half a one at most refused; both exit with 0", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place()
      const whole = pipe(home, initialize.trimEnd())
      assert.strictEqual(whole.status, 0)
      assert.deepStrictEqual(
        whole.lines.map((text) => JSON.parse(text).id),
        ["init"]
      )
      const half = pipe(home, initialize + initialize.slice(0, 30))
      assert.strictEqual(half.status, 0)
      assert.deepStrictEqual(
        Cases.others(half.lines).map((text) => [JSON.parse(text).id, JSON.parse(text).error.code]),
        [[null, -32700]]
      )
    })
  )

  it.scopedLive("A06 escapes in keys and methods mean what they spell", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      const params = JSON.stringify({ cwd: project, mcpServers: [] })
      const spelled = [
        `{"jsonrpc":"2.0","id":1,"method":"session\\/new","params":${params}}`,
        `{"jsonrpc":"2.0","id":2,"\\u006dethod":"\\u0073ession/new","params":${params}}`
      ]
      const answers = pipe(home, `${initialize}${spelled.join("\n")}\n`)
        .lines.map((text) => JSON.parse(text))
        .filter(({ id }) => id === 1 || id === 2)
      assert.strictEqual(new Set(answers.map(({ result }) => result.sessionId)).size, 2)
    })
  )

  it.scopedLive("A08 odd characters, prototype keys and 20 000 levels do no harm; NUL is stored", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { peer, sessionId } = yield* Server.open(place)
      const text = "echo a\u2028b\u0000c"
      const odd = `{"jsonrpc":"2.0","id":"odd","method":"session/prompt","params":{"sessionId":"${sessionId}","prompt":[{"type":"text","text":${JSON.stringify(text)}}],"_meta":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}}`
      yield* Cases.sendRaw(peer, "odd", "session/prompt", odd)
      assert.strictEqual(Cases.stopReason(yield* peer.response("odd")), "end_turn")
      const nested = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`
      yield* peer.send(
        `{"jsonrpc":"2.0","id":"deep","method":"session/prompt","params":{"sessionId":"${sessionId}","prompt":[],"_meta":${nested}}}`
      )
      const refused = yield* peer.until((frame) => frame._tag === "Response" && frame.error !== undefined)
      assert.isTrue(refused._tag === "Response" && (refused.id === null || refused.id === "deep"))
      const seen = peer.frames().length
      yield* peer.request("session/load", { sessionId, cwd: place.project, mcpServers: [] })
      const replay = peer.frames().slice(seen)
      assert.isTrue(replay.some((frame) => JSON.stringify(frame).includes(JSON.stringify(text).slice(1, -1))))
      assert.strictEqual((yield* peer.request("session/list", {})).error, undefined)
    })
  )
})

describe("B. stdout", () => {
  it.scopedLive("B01 every line is JSON-RPC, on the first run, with everything that makes noise turned on", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      const env = { DEBUG: "*", NODE_DEBUG: "*", LOG_LEVEL: "debug", NODE_OPTIONS: "--trace-warnings" }
      const script = initialize + open(project) + line(3, "no/such", {}) + line(4, "session/load", { sessionId: "x" })
      const { lines } = pipe(home, script, env, ["--log-level", "trace", "--verbose"])
      assert.isAtLeast(lines.length, 4)
      for (const text of lines) assert.strictEqual(JSON.parse(text).jsonrpc, "2.0")
    })
  )

  it.scopedLive("B02 no escape sequence and no bell stands on stdout, whatever colours are forced", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const env = { TERM: "xterm-256color", COLORTERM: "truecolor", FORCE_COLOR: "3" }
      const { child, peer, sessionId } = yield* Server.open(place, { env })
      const bytes: Array<Buffer> = []
      child.stdout.on("data", (chunk: Buffer) => bytes.push(chunk))
      peer.answer(() => Server.allowOnce)
      yield* Server.prompt(peer, sessionId, "run printf '\\033[31mred\\007'")
      const all = Buffer.concat(bytes)
      assert.isTrue(all.includes("red"))
      assert.isFalse(all.includes(0x1b) || all.includes(0x07))
    })
  )

  it.scopedLive("B04 when nobody reads any more the turn is stopped and stored, and the program ends", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      const sessionId = yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* Server.open({ home, project })
          yield* server.peer.start("session/prompt", Peer.promptParams(server.sessionId, "repeat 100000 chunk"))
          yield* server.peer.until(Peer.isUpdateOf("agent_message_chunk"))
          server.child.stdout.destroy()
          const exit = yield* Effect.timeoutOption(server.exit, "5 seconds")
          assert.deepStrictEqual(exit, Option.some({ code: 0, signal: null }))
          assert.strictEqual(server.stderr(), "")
          return server.sessionId
        })
      )
      const { peer } = yield* Server.start(home)
      yield* Peer.initialize(peer)
      yield* peer.request("session/load", { sessionId, cwd: project, mcpServers: [] })
      assert.include(Peer.textOf(peer.updates(), "user_message_chunk"), "repeat 100000")
      assert.include(Peer.textOf(peer.updates(), "agent_message_chunk"), "chunk")
      assert.isFalse(fs.existsSync(path.join(project, "core")))
    })
  )
})
