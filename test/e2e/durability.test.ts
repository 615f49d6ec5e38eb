// What was answered is kept, whatever happens to the process.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Sqlite from "better-sqlite3"
import { Effect, Random } from "effect"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

const load = (peer: Peer.Peer, sessionId: string, cwd: string) =>
  peer.request("session/load", { sessionId, cwd, mcpServers: [] })

/** Chunks of one message joined, calls in their last state: what a person sees in the end. */
const seen = (updates: ReadonlyArray<Peer.Update>) => {
  const calls = new Map<unknown, Record<string, unknown>>()
  const order: Array<unknown> = []
  for (const { sessionUpdate, ...rest } of updates) {
    if (sessionUpdate === "tool_call" || sessionUpdate === "tool_call_update") {
      if (!calls.has(rest["toolCallId"])) order.push(rest["toolCallId"])
      calls.set(rest["toolCallId"], { ...calls.get(rest["toolCallId"]), ...rest })
    } else if (sessionUpdate === "plan") order.push(rest)
  }
  return {
    order: order.map((entry) => calls.get(entry) ?? entry),
    message: Peer.textOf(updates, "agent_message_chunk"),
    thought: Peer.textOf(updates, "agent_thought_chunk")
  }
}

describe("durability", () => {
  it.scopedLive("replays in a new process what the live turn showed, then answers and is silent", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      fs.writeFileSync(path.join(place.project, "a.txt"), "alpha\n")
      const first = yield* Server.open(place)
      first.peer.answer(() => Server.allowOnce)
      const prompts = [
        'plan: read a.txt; replace "alpha" with "omega" in a.txt; run cat a.txt',
        "read missing.txt",
        "echo 读 🎉\u0000!"
      ]
      for (const text of prompts) yield* Server.prompt(first.peer, first.sessionId, text)
      first.child.stdin.end()
      yield* first.exit

      const second = yield* Server.start(place.home)
      const initialized = yield* Peer.initialize(second.peer)
      assert.nestedPropertyVal(initialized.result, "agentCapabilities.loadSession", true)
      const answer = yield* load(second.peer, first.sessionId, place.project)
      assert.isDefined(answer.result)
      assert.deepStrictEqual(second.peer.frames().at(-1), answer)
      assert.deepStrictEqual(seen(second.peer.updates()), seen(first.peer.updates()))
      assert.strictEqual(Peer.textOf(second.peer.updates(), "user_message_chunk"), prompts.join(""))
      const again = yield* load(second.peer, first.sessionId, place.project)
      assert.deepStrictEqual(again.result, answer.result)
      const next = yield* Server.prompt(second.peer, first.sessionId, "echo next")
      assert.strictEqual(next.result?.["stopReason"], "end_turn")
    })
  )

  it.scopedLive("keeps a cancelled turn with its calls closed", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const first = yield* Server.open(place)
      first.peer.answer(() => Server.allowOnce)
      const id = yield* first.peer.start(
        "session/prompt",
        Peer.promptParams(first.sessionId, "run echo started; sleep 600")
      )
      yield* first.peer.until((frame) => JSON.stringify(frame).includes('"in_progress"'))
      yield* first.peer.notify("session/cancel", { sessionId: first.sessionId })
      yield* first.peer.response(id)
      first.child.kill("SIGKILL")
      yield* first.exit
      const second = yield* Server.start(place.home)
      yield* Peer.initialize(second.peer)
      yield* load(second.peer, first.sessionId, place.project)
      const calls = seen(second.peer.updates()).order
      assert.strictEqual(calls.length, 1)
      assert.include(JSON.stringify(calls), '"failed"')
      const next = yield* Server.prompt(second.peer, first.sessionId, "echo next")
      assert.strictEqual(next.result?.["stopReason"], "end_turn")
    })
  )

  it.scopedLive("loses nothing that was answered to kill -9 at any point", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const made = yield* Effect.scoped(Effect.map(Server.open(place), ({ sessionId }) => sessionId))
      let answered = 0
      for (let round = 0; round < 12; round++) {
        const wait = yield* Random.nextIntBetween(0, 120)
        answered = yield* Effect.scoped(
          Effect.gen(function* () {
            const { child, exit, peer } = yield* Server.start(place.home)
            yield* Peer.initialize(peer)
            yield* load(peer, made, place.project)
            const texts = new Set(Peer.textOf(peer.updates(), "agent_message_chunk").match(/turn-\d+;/g))
            for (let n = 0; n < answered; n++)
              assert.isTrue(texts.has(`turn-${n};`), `turn ${n} of ${answered} is lost`)
            let count = Math.max(answered, texts.size)
            const loop: Effect.Effect<never> = Effect.flatMap(
              Effect.suspend(() => Server.prompt(peer, made, `echo turn-${count};`)),
              () => {
                count++
                return loop
              }
            )
            yield* Effect.race(
              Effect.catchAllCause(loop, () => Effect.never),
              Effect.zipRight(Effect.sleep(wait), Effect.sync(() => child.kill("SIGKILL")).pipe(Effect.zipRight(exit)))
            )
            return count
          })
        )
      }
      assert.isAbove(answered, 0)
      const database = new Sqlite(path.join(place.home, "data", "sessions", "acp-sessions.db"), { readonly: true })
      assert.strictEqual(database.pragma("integrity_check", { simple: true }), "ok")
      database.close()
    })
  )

  it.scopedLive(
    "says once on stderr that sessions end with the process when the database can't be had, and works",
    () =>
      Effect.gen(function* () {
        const place = yield* Server.place()
        fs.mkdirSync(path.join(place.home, "data"))
        fs.writeFileSync(path.join(place.home, "data", "sessions"), "a file where a folder should be")
        const { peer, stderr } = yield* Server.start(place.home)
        const { result } = yield* Peer.initialize(peer)
        assert.nestedPropertyVal(result, "agentCapabilities.loadSession", false)
        const sessionId = yield* Peer.newSession(peer, place.project)
        assert.strictEqual((yield* Server.prompt(peer, sessionId, "echo hi")).result?.["stopReason"], "end_turn")
        assert.strictEqual(stderr().trim().split("\n").length, 1)
        assert.include(stderr(), "will not outlive this process")
      })
  )

  it.scopedLive("refuses to load a session with another folder, and one that it does not know", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const other = yield* Server.temporary("other")
      const first = yield* Effect.scoped(Effect.map(Server.open(place), ({ sessionId }) => sessionId))
      const { peer } = yield* Server.start(place.home)
      yield* Peer.initialize(peer)
      const wrong = yield* load(peer, first, other)
      assert.strictEqual(wrong.error?.code, -32602)
      assert.include(wrong.error?.message ?? "", place.project)
      const link = path.join(place.home, "link")
      fs.symlinkSync(place.project, link)
      assert.strictEqual((yield* load(peer, first, `${link}/.`)).error, undefined)
      const unknown = yield* load(peer, "never-made", place.project)
      assert.strictEqual(unknown.error?.code, -32002)
      assert.deepStrictEqual(unknown.error?.data, {
        reason: "unknown",
        sessionId: "never-made",
        zeroclawCode: "SESSION_NOT_FOUND"
      })
    })
  )
})
