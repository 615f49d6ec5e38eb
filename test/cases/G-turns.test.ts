// Kind G: cancellation, order, and more than one prompt.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import type { Message } from "../../src/model/Message.ts"
import type { ModelEvent } from "../../src/model/Model.ts"
import * as Cases from "../support/Cases.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

const { ask, call, cwd, say, scripted, start, stop, tool } = Embedded
const { hang } = Cases

const opened = (setup: Partial<Embedded.Setup> & Pick<Embedded.Setup, "model">) =>
  Effect.gen(function* () {
    const server = yield* start(setup)
    yield* Peer.initialize(server.peer)
    return { ...server, sessionId: yield* Peer.newSession(server.peer, cwd) }
  })
const prompt = (peer: Peer.Peer, sessionId: string, text = "go") =>
  peer.start("session/prompt", Peer.promptParams(sessionId, text))
const streaming = Peer.isUpdateOf("agent_message_chunk")
const userTexts = (messages: ReadonlyArray<Message> = []) =>
  messages.flatMap((message) => (message._tag === "User" ? [JSON.stringify(message)] : []))

describe("G. turns", () => {
  it.scoped("G01 a cancelled stream ends as cancelled, once; a turn nobody cancelled never does", () =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened({ model: scripted(hang, say("fine")) })
      const id = yield* prompt(peer, sessionId)
      yield* peer.until(streaming)
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "cancelled")
      assert.strictEqual(Cases.stopReason(yield* peer.response(yield* prompt(peer, sessionId))), "end_turn")
      assert.strictEqual(Cases.answersTo(peer, id).length, 1)
    })
  )

  it.scoped("G03 a cancel does not wait for the open question, and a late yes runs nothing", () =>
    Effect.gen(function* () {
      let ran = false
      const touch = tool(
        "touch",
        Effect.sync(() => {
          ran = true
          return "done"
        })
      )
      const { peer, sessionId } = yield* opened({
        model: scripted(call(["touch", {}]), say("next")),
        policy: ask,
        tools: [touch]
      })
      const id = yield* prompt(peer, sessionId)
      const question = yield* peer.until(Peer.isPermission)
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "cancelled")
      const next = yield* prompt(peer, sessionId, "next")
      if (Peer.isPermission(question)) {
        yield* peer.reply(question.id, { result: { outcome: { outcome: "selected", optionId: "allow-once" } } })
      }
      assert.strictEqual(Cases.stopReason(yield* peer.response(next)), "end_turn")
      assert.isFalse(ran)
    })
  )

  it.scoped("G04 a cancel stops the session it names and no other", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const model = scripted(() =>
        Stream.concat(Stream.fromEffect(Effect.as(Deferred.await(gate), stop)), Stream.empty)
      )
      const { peer, sessionId } = yield* opened({ model })
      const other = yield* Peer.newSession(peer, cwd)
      const first = yield* prompt(peer, sessionId)
      const second = yield* prompt(peer, other)
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual(Cases.stopReason(yield* peer.response(first)), "cancelled")
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(Cases.stopReason(yield* peer.response(second)), "end_turn")
    })
  )

  it.scoped("G05 what was asked and said before a cancel stays in the history and in the replay", () =>
    Effect.gen(function* () {
      const model = scripted(hang, say("fine"))
      const { peer, sessionId } = yield* opened({ model, store: yield* Cases.durableStore })
      const id = yield* prompt(peer, sessionId, "the first question")
      yield* peer.until(streaming)
      yield* peer.notify("session/cancel", { sessionId })
      yield* peer.response(id)
      yield* peer.response(yield* prompt(peer, sessionId, "what did I ask before?"))
      const told = JSON.stringify(model.requests.at(-1))
      assert.include(told, "the first question")
      assert.include(told, "working")
      const seen = peer.updates().length
      yield* peer.request("session/load", { sessionId, cwd, mcpServers: [] })
      const replay = JSON.stringify(peer.updates().slice(seen))
      assert.match(replay, /the first question.*working.*what did I ask before.*fine/)
    })
  )

  it.scoped.each([0, 1, 77, 499])("G06 nothing of a turn follows its answer (cancelled at chunk %s)", (at) =>
    Effect.gen(function* () {
      const chunks = Stream.range(1, 500).pipe(Stream.map((n): ModelEvent => ({ _tag: "Text", text: `${n} ` })))
      const model = scripted(() => Stream.concat(chunks, call(["seq", {}])()), say("the end"))
      const seq = tool("seq", Effect.succeed("1\n2\n3\n".repeat(3000)))
      const { peer, sessionId } = yield* opened({ model, tools: [seq] })
      const id = yield* prompt(peer, sessionId)
      if (at > 0) {
        yield* peer.until((frame) => JSON.stringify(frame).includes(`"${at} "`) || Cases.kindOf(frame) === "tool_call")
        yield* peer.notify("session/cancel", { sessionId })
      }
      yield* peer.response(id)
      yield* Effect.repeatN(Effect.yieldNow(), 200)
      yield* peer.request("no/such", {})
      const [answer = assert.fail()] = Cases.answersTo(peer, id)
      const late = peer.frames().slice(answer).map(Cases.kindOf)
      assert.isFalse(late.some((kind) => Cases.turnKinds.has(kind)))
    })
  )

  it.scoped("G07 with acp.busy = reject a second prompt is refused at once, the first goes on", () =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened({ model: scripted(hang) })
      const first = yield* prompt(peer, sessionId, "first")
      const refused = yield* peer.response(yield* prompt(peer, sessionId, "second"))
      assert.strictEqual(refused.error?.code, -31001)
      assert.isEmpty(Cases.answersTo(peer, first))
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual(Cases.stopReason(yield* peer.response(first)), "cancelled")
    })
  )

  it.scoped("G07 with acp.busy = queue it runs after the first, and a cancel ends both", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const model = scripted(() => Stream.fromEffect(Effect.as(Deferred.await(gate), stop)), say("two"), hang)
      const { peer, sessionId } = yield* opened({ model, config: { acp: { busy: "queue" } } })
      const first = yield* prompt(peer, sessionId, "first")
      const second = yield* prompt(peer, sessionId, "second")
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(Cases.stopReason(yield* peer.response(second)), "end_turn")
      const [one = -1, two = -1] = [first, second].flatMap((id) => Cases.answersTo(peer, id))
      assert.isTrue(one !== -1 && one < two)
      assert.match(userTexts(model.requests.at(-1)).join(), /first.*second/)
      const third = yield* prompt(peer, sessionId, "third")
      const fourth = yield* prompt(peer, sessionId, "fourth")
      yield* peer.until((frame) => JSON.stringify(frame).includes('"working"'))
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual(Cases.stopReason(yield* peer.response(third)), "cancelled")
      assert.strictEqual(Cases.stopReason(yield* peer.response(fourth)), "cancelled")
    })
  )

  it.scoped("G08 the next prompt is taken as soon as the answer to the last one is read, 300 times", () =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened({ model: scripted(say("ok")) })
      for (let n = 0; n < 300; n++) {
        assert.strictEqual(Cases.stopReason(yield* peer.response(yield* prompt(peer, sessionId))), "end_turn")
      }
    })
  )

  it.scoped("G10 a withdrawn prompt is answered once; other ids and bad params mean nothing", () =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened({ model: scripted(hang) })
      const id = yield* prompt(peer, sessionId)
      yield* peer.until(streaming)
      const before = peer.frames().length
      for (const params of [{ requestId: 424242 }, { requestId: String(id) }, {}]) {
        yield* peer.notify("$/cancel_request", params)
      }
      yield* peer.request("no/such", {})
      assert.strictEqual(peer.frames().length, before + 1)
      yield* peer.notify("$/cancel_request", { requestId: id })
      const answer = yield* peer.response(id)
      assert.isTrue(Cases.stopReason(answer) === "cancelled" || answer.error?.code === -32800)
      yield* peer.request("no/such", {})
      assert.strictEqual(Cases.answersTo(peer, id).length, 1)
    })
  )

  it.scoped("G11 a cancel without a session that is known is passed over in silence", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(say("ok")) })
      yield* Peer.initialize(peer)
      yield* peer.notify("session/cancel", { sessionId: "nope" })
      yield* peer.notify("session/cancel", {})
      yield* peer.send('{"jsonrpc":"2.0","method":"session/cancel"}')
      yield* peer.request("session/list", {})
      assert.strictEqual(peer.frames().length, 2)
    })
  )

  it.scopedLive("G12 what a command leaves in the background keeps no turn open and is not shown later", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { peer, sessionId } = yield* Server.open(place)
      peer.answer(() => Server.allowOnce)
      const first = yield* Server.prompt(peer, sessionId, "run (sleep 0.5; echo late) & echo now")
      assert.strictEqual(Cases.stopReason(first), "end_turn")
      const seen = peer.frames().length
      yield* Effect.sleep("800 millis")
      assert.isFalse(
        peer
          .frames()
          .slice(seen)
          .some((frame) => Cases.turnKinds.has(Cases.kindOf(frame)))
      )
      assert.strictEqual(Cases.stopReason(yield* Server.prompt(peer, sessionId, "echo next")), "end_turn")
    })
  )
})
