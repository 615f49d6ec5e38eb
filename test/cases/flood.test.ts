// Floods and sizes, on the real pipes: memory stays bounded, every request is answered, the end comes in time.
import type { ChildProcessWithoutNullStreams } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Option } from "effect"
import * as Cases from "../support/Cases.ts"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

const write = (child: ChildProcessWithoutNullStreams, bytes: Uint8Array | string) =>
  Effect.async<void>((resume) => {
    child.stdin.write(bytes, () => resume(Effect.void))
  })

/** Runs it and gives by how many MiB the process had grown at most, looked at after each step. */
const growth = (child: ChildProcessWithoutNullStreams, steps: number, step: (n: number) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const before = Cases.residentMiB(child.pid)
    let most = before
    for (let n = 0; n < steps; n++) {
      yield* step(n)
      most = Math.max(most, Cases.residentMiB(child.pid))
    }
    return most - before
  })

const alive = (peer: Peer.Peer) =>
  Effect.map(peer.request("no/such", {}), ({ error }) => assert.strictEqual(error?.code, -32601))

describe("floods", () => {
  // A gigabyte has the same point and takes longer: the limit is 32 MiB.
  it.scopedLive("PROTO-001 a line of 256 MiB is refused once, never held, and skipped to its end", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { child, peer } = yield* Server.open(place)
      const chunk = Buffer.alloc(1024 * 1024, "a")
      const grown = yield* growth(child, 256, () => write(child, chunk))
      yield* peer.send("")
      yield* alive(peer)
      const errors = peer.frames().flatMap((frame) => (frame._tag === "Response" && frame.error ? [frame] : []))
      assert.deepStrictEqual(errors.map(({ error, id }) => [id, error?.code]).slice(0, -1), [[null, -32700]])
      // The line's 32 MiB, and what the collector has not yet taken of the chunks.
      assert.isBelow(grown, 128)
    })
  )

  it.scopedLive("PROTO-016 300 000 notifications are passed over without an answer and without growing", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { child, peer } = yield* Server.open(place)
      const seen = peer.frames().filter(({ _tag }) => _tag === "Response").length
      const line = `${JSON.stringify({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId: "nope" } })}\n`
      const chunk = line.repeat(5000)
      const grown = yield* growth(child, 60, () => write(child, chunk))
      yield* alive(peer)
      assert.strictEqual(peer.frames().filter(({ _tag }) => _tag === "Response").length, seen + 1)
      assert.isBelow(grown, 64)
    })
  )

  it.scopedLive("PROTO-017 10 000 prompts on one session are answered once each, all but one as busy", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { child, peer, sessionId } = yield* Server.open(place)
      const running = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "wait"))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      const grown = yield* growth(child, 100, (at) =>
        Effect.gen(function* () {
          const ids = Array.from({ length: 100 }, (_, n) => `p${at * 100 + n}`)
          for (const id of ids) peer.note(id, "session/prompt")
          yield* write(
            child,
            ids.map((id) => Cases.line(id, "session/prompt", Peer.promptParams(sessionId, "x"))).join("")
          )
        })
      )
      yield* peer.response("p9999")
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual(Cases.stopReason(yield* peer.response(running)), "cancelled")
      const answers = new Map<unknown, number>()
      for (const frame of peer.frames()) {
        if (frame._tag !== "Response" || frame.error?.code !== -31001) continue
        answers.set(frame.id, (answers.get(frame.id) ?? 0) + 1)
      }
      assert.strictEqual(answers.size, 10_000)
      assert.isTrue([...answers.values()].every((count) => count === 1))
      assert.isBelow(grown, 128)
    })
  )

  it.scopedLive("PROTO-025 a prompt of 100 000 parts, and one of 20 MB, hold up no other request for long", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { peer, sessionId } = yield* Server.open(place)
      const other = yield* Peer.newSession(peer, place.project)
      const prompts: ReadonlyArray<unknown> = [
        Array.from({ length: 100_000 }, () => ({ type: "text", text: "x" })),
        [{ type: "text", text: "x".repeat(20_000_000) }]
      ]
      for (const prompt of prompts) {
        const id = yield* peer.start("session/prompt", { sessionId, prompt })
        const [elapsed] = yield* Effect.timed(alive(peer))
        const answer = yield* peer.response(id)
        assert.isTrue(answer.error?.code === -32602 || Cases.stopReason(answer) === "end_turn")
        assert.isBelow(Duration.toSeconds(elapsed), 10)
        assert.strictEqual(Cases.stopReason(yield* Server.prompt(peer, other, "echo ok")), "end_turn")
      }
    })
  )

  it.scopedLive("a reader that stops makes the agent wait, not grow", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { child, peer, sessionId } = yield* Server.open(place)
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, `repeat 100000 ${"x".repeat(500)}`))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      child.stdout.pause()
      const before = Cases.residentMiB(child.pid)
      yield* Effect.sleep("1500 millis")
      // 100 000 updates of 650 bytes are 62 MiB: less than that, and no more with time.
      assert.isBelow(Cases.residentMiB(child.pid) - before, 48)
      child.stdout.resume()
      yield* peer.notify("session/cancel", { sessionId })
      assert.include(["cancelled", "end_turn"], Cases.stopReason(yield* peer.response(id)))
    })
  )

  it.scopedLive("an agent that waits for a reader still ends at a signal", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      const { child, exit } = yield* Server.launch(home)
      const session = yield* Deferred.make<string>()
      child.stdout.on("data", (bytes: Buffer) => {
        const found = /"sessionId":"([^"]+)"/.exec(bytes.toString("utf8"))?.[1]
        if (found !== undefined) Deferred.unsafeDone(session, Effect.succeed(found))
      })
      yield* write(child, Cases.initialize + Cases.line(1, "session/new", { cwd: project, mcpServers: [] }))
      const sessionId = yield* Deferred.await(session)
      child.stdout.removeAllListeners("data")
      child.stdout.pause()
      yield* write(
        child,
        Cases.line(2, "session/prompt", Peer.promptParams(sessionId, `repeat 100000 ${"x".repeat(500)}`))
      )
      yield* Effect.sleep("700 millis")
      child.kill("SIGTERM")
      assert.isTrue(Option.isSome(yield* Effect.timeoutOption(exit, "5 seconds")))
    })
  )
})

describe("the end", () => {
  it.scopedLive.each(["SIGTERM", "SIGHUP"] as const)("%s ends an idle and a busy agent within two seconds", (signal) =>
    Effect.gen(function* () {
      for (const busy of [false, true]) {
        const place = yield* Server.place()
        const { child, exit, peer, sessionId } = yield* Server.open(place)
        const id = busy ? yield* peer.start("session/prompt", Peer.promptParams(sessionId, "wait")) : undefined
        if (busy) yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
        child.kill(signal)
        const [elapsed, ended] = yield* Effect.timed(Effect.timeoutOption(exit, "10 seconds"))
        assert.deepStrictEqual(ended, Option.some({ code: 0, signal: null }))
        assert.isBelow(Duration.toSeconds(elapsed), 2)
        if (id !== undefined) assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "cancelled")
      }
    })
  )

  it.scopedLive("the end of input lets every answer out first, also to a slow reader", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place()
      const { child, exit } = yield* Server.launch(home)
      const bytes: Array<Buffer> = []
      const ended = yield* Deferred.make<void>()
      const requests = Array.from({ length: 5000 }, (_, n) => Cases.line(n, "no/such", {})).join("")
      child.stdin.end(Cases.initialize + requests)
      yield* Effect.sleep("500 millis")
      child.stdout.on("data", (chunk: Buffer) => bytes.push(chunk))
      child.stdout.on("end", () => Deferred.unsafeDone(ended, Effect.void))
      yield* Deferred.await(ended)
      assert.deepStrictEqual(yield* exit, { code: 0, signal: null })
      const lines = Buffer.concat(bytes).toString("utf8").trimEnd().split("\n")
      assert.strictEqual(lines.length, 5001)
      assert.deepStrictEqual(
        Cases.others(lines).map((text) => JSON.parse(text).id),
        Array.from({ length: 5000 }, (_, n) => n)
      )
    })
  )
})
