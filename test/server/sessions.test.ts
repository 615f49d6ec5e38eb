// Stored sessions over the wire: list, resume, fork, name, delete, stop; their modes and options.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import type { Message } from "../../src/model/Message.ts"
import * as Store from "../../src/store/Store.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"

const { call, cwd, say, scripted, start, stop, tool } = Embedded
const params = { cwd, mcpServers: [] }
const durable = Store.memoryWith({ durable: true })

const open = (peer: Peer.Peer) => Effect.zipRight(Peer.initialize(peer), Peer.newSession(peer, cwd))
const prompt = (peer: Peer.Peer, sessionId: string, text: string) =>
  peer.request("session/prompt", Peer.promptParams(sessionId, text))

const ids = (result: Readonly<Record<string, unknown>> | undefined): ReadonlyArray<unknown> => {
  const sessions = result?.["sessions"]
  return Array.isArray(sessions) ? sessions.map(({ sessionId }) => sessionId) : []
}

const texts = (messages: ReadonlyArray<Message> | undefined) =>
  (messages ?? []).flatMap((message) => (message._tag === "User" ? [message.text] : []))

/** Answers only when the gate opens. */
const gated = (gate: Deferred.Deferred<void>) => () =>
  Stream.concat(
    Stream.fromIterable([{ _tag: "Text" as const, text: "working" }]),
    Stream.fromEffect(Effect.as(Deferred.await(gate), stop))
  )

describe("session/list", () => {
  it.scoped("shows each session once, latest activity first, also when one is used between two pages", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(say("ok")), config: { acp: { max_sessions: 1000 } } })
      yield* Peer.initialize(peer)
      const made: Array<string> = []
      for (let n = 0; n < 230; n++) made.push(yield* Peer.newSession(peer, n % 23 === 0 ? "/other" : cwd))
      const first = yield* peer.request("session/list", { cwd })
      assert.strictEqual(ids(first.result).length, 100)
      const untouched = made.find((id, n) => n % 23 !== 0 && !ids(first.result).includes(id))
      yield* prompt(peer, untouched ?? "", "hi")
      const second = yield* peer.request("session/list", { cwd, cursor: first.result?.["nextCursor"] })
      const third = yield* peer.request("session/list", { cursor: second.result?.["nextCursor"] })
      assert.notProperty(third.result, "nextCursor")
      const seen = [first, second, third].flatMap(({ result }) => ids(result))
      assert.deepStrictEqual([...seen].sort(), made.filter((_, n) => n % 23 !== 0).sort())
    })
  )

  it.scoped("refuses a malformed cursor and a relative cwd; a folder without sessions has none", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(say("ok")) })
      const sessionId = yield* open(peer)
      for (const cursor of ["garbage!!", "", "e30", "eyJ2IjoxfQ", "x".repeat(20_000)]) {
        const { error } = yield* peer.request("session/list", { cursor })
        assert.strictEqual(error?.code, -32602, cursor.slice(0, 20))
        assert.include(error?.message ?? "", "cursor")
      }
      assert.strictEqual((yield* peer.request("session/list", { cwd: "relative" })).error?.code, -32602)
      assert.deepStrictEqual(ids((yield* peer.request("session/list", { cwd: "/nobody/here" })).result), [])
      for (const all of [{}, null, undefined, { cwd: null, cursor: null }, { cwd: `${cwd}/.` }]) {
        assert.deepStrictEqual(ids((yield* peer.request("session/list", all)).result), [sessionId])
      }
    })
  )

  it.scoped("shows the title of the first prompt, and the one that a person gave", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(say("ok")) })
      const sessionId = yield* open(peer)
      yield* prompt(peer, sessionId, "\n# Mend the   parser\nIt fails.")
      const title = Effect.suspend(() => peer.request("session/list", {})).pipe(
        Effect.map(({ result }) => {
          const sessions = result?.["sessions"]
          return Array.isArray(sessions) ? sessions[0]?.title : undefined
        })
      )
      assert.strictEqual(yield* title, "Mend the parser")
      assert.isTrue(
        peer.updates().some((update) => update.sessionUpdate === "session_info_update" && update["title"] !== undefined)
      )
      const set = yield* peer.request("session/set_title", { sessionId, title: "  My\nparser " })
      assert.deepStrictEqual(set.result, { title: "My parser" })
      yield* prompt(peer, sessionId, "Something else")
      assert.strictEqual(yield* title, "My parser")
      assert.strictEqual((yield* peer.request("session/set_title", { sessionId, title: " \n" })).error?.code, -32602)
      const none = yield* peer.request("session/set_title", { sessionId: "nope", title: "x" })
      assert.strictEqual(none.error?.code, -32002)
    })
  )
})

describe("session/resume, fork and delete", () => {
  it.scoped("resume gives the model the history and shows none of it", () =>
    Effect.gen(function* () {
      const model = scripted(say("ok"))
      const { peer } = yield* start({ model, store: durable })
      const sessionId = yield* open(peer)
      yield* prompt(peer, sessionId, "first")
      yield* peer.request("session/close", { sessionId })
      const from = peer.updates().length
      assert.strictEqual((yield* peer.request("session/resume", { sessionId, cwd })).error, undefined)
      yield* prompt(peer, sessionId, "second")
      const after = peer.updates().slice(from)
      assert.notInclude(
        after.map(({ sessionUpdate }) => sessionUpdate),
        "user_message_chunk"
      )
      assert.deepStrictEqual(texts(model.requests[1]), ["first", "second"])
    })
  )

  it.scoped("a fork goes on by itself, with the history of the original", () =>
    Effect.gen(function* () {
      const model = scripted(say("ok"))
      const { peer } = yield* start({ model, store: durable })
      const sessionId = yield* open(peer)
      yield* prompt(peer, sessionId, "first")
      const { result } = yield* peer.request("session/fork", { sessionId, ...params })
      const forked = String(result?.["sessionId"])
      assert.notStrictEqual(forked, sessionId)
      yield* prompt(peer, forked, "in the fork")
      yield* prompt(peer, sessionId, "in the original")
      assert.deepStrictEqual(texts(model.requests[1]), ["first", "in the fork"])
      assert.deepStrictEqual(texts(model.requests[2]), ["first", "in the original"])
      yield* peer.request("session/load", { sessionId: forked, ...params })
      assert.strictEqual(
        peer.updates(forked).filter(({ sessionUpdate }) => sessionUpdate === "user_message_chunk").length,
        2
      )
      assert.strictEqual((yield* peer.request("session/fork", { sessionId: "nope", ...params })).error?.code, -32002)
    })
  )

  it.scoped("delete stops the running turn, forgets the session for good, and may be repeated", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { peer } = yield* start({ model: scripted(gated(gate)), store: durable })
      const sessionId = yield* open(peer)
      const running = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      assert.deepStrictEqual((yield* peer.request("session/delete", { sessionId })).result, {})
      assert.strictEqual((yield* peer.response(running)).result?.["stopReason"], "cancelled")
      assert.deepStrictEqual(ids((yield* peer.request("session/list", {})).result), [])
      assert.deepStrictEqual((yield* peer.request("session/delete", { sessionId })).result, {})
      for (const method of ["session/load", "session/resume", "session/fork"]) {
        const { error } = yield* peer.request(method, { sessionId, ...params })
        assert.strictEqual(error?.code, -32002, method)
        assert.deepInclude(error?.data, { sessionId })
      }
    })
  )
})

describe("modes and config options", () => {
  const state = (result: Readonly<Record<string, unknown>> | undefined) => {
    const modes = result?.["modes"]
    return typeof modes === "object" && modes !== null && "currentModeId" in modes ? modes.currentModeId : undefined
  }

  it.scoped("a mode set once is there after a load, in modes and options alike", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(say("ok")), store: durable })
      const sessionId = yield* open(peer)
      assert.strictEqual((yield* peer.request("session/set_mode", { sessionId, modeId: "readonly" })).error, undefined)
      const both = peer.updates().map(({ sessionUpdate }) => sessionUpdate)
      assert.includeMembers(both, ["current_mode_update", "config_option_update"])
      yield* peer.request("session/close", { sessionId })
      const { result } = yield* peer.request("session/load", { sessionId, ...params })
      assert.strictEqual(state(result), "readonly")
      const options = result?.["configOptions"]
      assert.strictEqual(Array.isArray(options) ? options[0].currentValue : undefined, "readonly")
      const { result: set } = yield* peer.request("session/set_config_option", {
        sessionId,
        configId: "mode",
        value: "supervised"
      })
      const all = set?.["configOptions"]
      assert.deepStrictEqual(Array.isArray(all) ? all.map(({ id }) => id) : [], ["mode", "model"])
    })
  )

  it.scoped("refuses what is not offered and changes nothing", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(say("ok")) })
      const sessionId = yield* open(peer)
      const refused = [
        ["session/set_mode", { sessionId, modeId: "nope" }, "modeId"],
        // Laxer than the profile of the agent.
        ["session/set_mode", { sessionId, modeId: "full" }, "modeId"],
        ["session/set_config_option", { sessionId, configId: "model", value: "nope" }, "value"],
        ["session/set_config_option", { sessionId, configId: "nope", value: "x" }, "configId"],
        ["session/set_config_option", { sessionId, configId: "mode", value: true }, ""],
        ["session/set_config_option", { sessionId, configId: "mode", type: "boolean", value: true }, "value"],
        ["session/set_model", { sessionId, modelId: "nope" }, "value"]
      ] as const
      for (const [method, wrong, field] of refused) {
        const { error } = yield* peer.request(method, wrong)
        assert.strictEqual(error?.code, -32602, JSON.stringify(wrong))
        assert.include(error?.message ?? "", field)
      }
      assert.strictEqual((yield* peer.request("session/set_mode", { sessionId: "x", modeId: "y" })).error?.code, -32002)
      assert.strictEqual(state((yield* peer.request("session/resume", { sessionId, cwd })).result), "supervised")
    })
  )

  it.scoped("acp.max_mode allows a laxer mode than the profile of the agent", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({
        model: scripted(say("ok")),
        store: durable,
        config: { acp: { max_mode: "full" } }
      })
      const sessionId = yield* open(peer)
      assert.strictEqual((yield* peer.request("session/set_mode", { sessionId, modeId: "full" })).error, undefined)
      assert.strictEqual(state((yield* peer.request("session/resume", { sessionId, cwd })).result), "full")
    })
  )

  it.scoped("a mode set while a turn runs holds for that turn's next decision", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const ran = { times: 0 }
      const work = tool(
        "work",
        Effect.sync(() => `ran ${++ran.times}`)
      )
      const { peer } = yield* start({ model: scripted(gated(gate), call(["work", {}])), tools: [work] })
      const sessionId = yield* open(peer)
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      assert.deepStrictEqual((yield* peer.request("session/set_mode", { sessionId, modeId: "readonly" })).result, {})
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* peer.response(id)).result?.["stopReason"], "end_turn")
    })
  )
})

describe("busy", () => {
  const frameAt = (peer: Peer.Peer, id: string | number) =>
    peer.frames().findIndex((frame) => frame._tag === "Response" && frame.id === id)

  it.scoped("queue: prompts run in order, each after the answer of the one before", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const model = scripted(gated(gate), say("second"), say("third"))
      const { peer } = yield* start({ model, config: { acp: { busy: "queue" } } })
      const sessionId = yield* open(peer)
      const asked: Array<string | number> = []
      for (const text of ["one", "two", "three"]) {
        asked.push(yield* peer.start("session/prompt", Peer.promptParams(sessionId, text)))
      }
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      yield* Deferred.succeed(gate, undefined)
      for (const id of asked) assert.strictEqual((yield* peer.response(id)).result?.["stopReason"], "end_turn")
      assert.deepStrictEqual(texts(model.requests[2]), ["one", "two", "three"])
      const chunk = (said: string) =>
        peer
          .frames()
          .findIndex((frame) => frame._tag === "Notification" && JSON.stringify(frame.params).includes(`"${said}"`))
      assert.isAbove(chunk("second"), frameAt(peer, asked[0] ?? ""))
      assert.isAbove(chunk("third"), frameAt(peer, asked[1] ?? ""))
    })
  )

  it.scoped("queue: cancel ends the running turn and all that wait; the next prompt runs", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const model = scripted(gated(gate), say("next"))
      const { peer } = yield* start({ model, config: { acp: { busy: "queue" } } })
      const sessionId = yield* open(peer)
      const asked: Array<string | number> = []
      for (const text of ["one", "two", "three"]) {
        asked.push(yield* peer.start("session/prompt", Peer.promptParams(sessionId, text)))
      }
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      yield* peer.notify("session/cancel", { sessionId })
      for (const id of asked) assert.strictEqual((yield* peer.response(id)).result?.["stopReason"], "cancelled")
      assert.strictEqual((yield* prompt(peer, sessionId, "next")).result?.["stopReason"], "end_turn")
      assert.deepStrictEqual(texts(model.requests.at(-1)), ["one", "next"])
    })
  )

  it.scoped("queue: a waiting prompt that is withdrawn gives up its place", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const model = scripted(gated(gate), say("third"))
      const { peer } = yield* start({ model, config: { acp: { busy: "queue" } } })
      const sessionId = yield* open(peer)
      const first = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "one"))
      const second = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "two"))
      const third = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "three"))
      yield* peer.notify("$/cancel_request", { requestId: second })
      assert.strictEqual((yield* peer.response(second)).result?.["stopReason"], "cancelled")
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* peer.response(first)).result?.["stopReason"], "end_turn")
      assert.strictEqual((yield* peer.response(third)).result?.["stopReason"], "end_turn")
      assert.deepStrictEqual(texts(model.requests[1]), ["one", "three"])
    })
  )
})
