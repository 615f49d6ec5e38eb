// The turn over an in-memory connection: order, cancellation, questions, failures.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream, TestClock } from "effect"
import type { ModelEvent } from "../../src/model/Model.ts"
import { ModelError } from "../../src/model/ModelError.ts"
import { ToolError } from "../../src/tools/Tool.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"

const { ask, call, counted, cwd, say, scripted, start, stop, tool } = Embedded
const hang = () => Stream.concat(Stream.succeed<ModelEvent>({ _tag: "Text", text: "working" }), Stream.never)
const open = (peer: Peer.Peer) => Effect.zipRight(Peer.initialize(peer), Peer.newSession(peer, cwd))
const at = (peer: Peer.Peer, fits: (frame: Peer.Frame) => boolean) => peer.frames().findIndex(fits)
const isResponse = (id: unknown) => (frame: Peer.Frame) => frame._tag === "Response" && frame.id === id
const statuses = (peer: Peer.Peer, id: string) =>
  peer.updates().flatMap((update) => (update["toolCallId"] === id && update["status"] ? [update["status"]] : []))

describe("prompt turn", () => {
  it.scoped("streams text and thoughts and answers last", () =>
    Effect.gen(function* () {
      const model = scripted(() =>
        Stream.make<Array<ModelEvent>>(
          { _tag: "Thought", text: "hm" },
          { _tag: "Text", text: "Hello " },
          { _tag: "Text", text: "you" },
          stop
        )
      )
      const { peer } = yield* start({ model })
      const sessionId = yield* open(peer)
      const { result } = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "hi"))
      assert.strictEqual(result?.["stopReason"], "end_turn")
      assert.strictEqual(Peer.textOf(peer.updates(sessionId), "agent_message_chunk"), "Hello you")
      assert.strictEqual(Peer.textOf(peer.updates(sessionId), "agent_thought_chunk"), "hm")
      assert.isTrue(isResponse(3)(peer.frames().at(-1) ?? assert.fail()))
    })
  )

  it.scoped("walks a tool call from pending through the question to completed, and gives the model its result", () =>
    Effect.gen(function* () {
      const model = scripted(call(["run", { x: 1 }]), say("done"))
      const { peer } = yield* start({ model, policy: ask, tools: [tool("run", Effect.succeed("output"))] })
      const sessionId = yield* open(peer)
      peer.answer(() => ({ result: { outcome: { outcome: "selected", optionId: "allow-once" } } }))
      const { result } = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      assert.strictEqual(result?.["stopReason"], "end_turn")
      assert.deepStrictEqual(statuses(peer, "call-0"), ["pending", "in_progress", "completed"])
      const card = at(peer, Peer.isUpdateOf("tool_call"))
      const question = at(peer, Peer.isPermission)
      assert.isTrue(card !== -1 && card < question)
      const asked = peer.frames()[question]
      assert.strictEqual(asked?._tag === "Request" ? asked.id : undefined, "zc-out-0")
      assert.deepStrictEqual(model.requests[1]?.at(-1), {
        _tag: "ToolResults",
        results: [{ id: "call-0", name: "run", text: "output", isError: false }]
      })
    })
  )

  it.scoped("asks again in the next turn after allow once, not after always", () =>
    Effect.gen(function* () {
      const model = scripted(
        call(["run", { x: 1 }]),
        say("one"),
        call(["run", { x: 1 }]),
        say("two"),
        call(["run", { x: 1 }]),
        say("3")
      )
      const { peer } = yield* start({ model, policy: ask, tools: [tool("run", Effect.succeed("output"))] })
      const sessionId = yield* open(peer)
      const answers = ["allow-once", "allow-always"]
      peer.answer(() => ({ result: { outcome: { outcome: "selected", optionId: answers.shift() ?? "none" } } }))
      for (const text of ["a", "b", "c"]) yield* peer.request("session/prompt", Peer.promptParams(sessionId, text))
      assert.strictEqual(peer.frames().filter(Peer.isPermission).length, 2)
      const ids = peer
        .updates()
        .flatMap((update) => (update.sessionUpdate === "tool_call" ? [update["toolCallId"]] : []))
      assert.strictEqual(new Set(ids).size, 3)
    })
  )

  const denials: ReadonlyArray<readonly [string, NonNullable<Peer.Answer>]> = [
    ["an error", { error: { code: -32601, message: "Method not found" } }],
    ["an empty object", { result: {} }],
    ["null", { result: null }],
    ["an empty outcome", { result: { outcome: {} } }],
    ["a string outcome", { result: { outcome: "selected" } }],
    ["no option id", { result: { outcome: { outcome: "selected" } } }],
    ["an option never offered", { result: { outcome: { outcome: "selected", optionId: "never-offered" } } }],
    ["a kind as option id", { result: { outcome: { outcome: "selected", optionId: "allow_once" } } }],
    ["a prototype name", { result: { outcome: { outcome: "selected", optionId: "constructor" } } }],
    ["another case", { result: { outcome: { outcome: "SELECTED", optionId: "allow-once" } } }],
    ["an array", { result: [] }],
    ["cancelled", { result: { outcome: { outcome: "cancelled" } } }],
    ["a rejection", { result: { outcome: { outcome: "selected", optionId: "reject-once" } } }]
  ]
  it.scoped.each(denials)("denies when the client answers with %s", ([, answer]) =>
    Effect.gen(function* () {
      const model = scripted(call(["run", {}]), say("understood"))
      const { run, runs } = counted()
      const { peer } = yield* start({ model, policy: ask, tools: [run] })
      const sessionId = yield* open(peer)
      peer.answer(() => answer)
      const { result } = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      assert.strictEqual(result?.["stopReason"], "end_turn")
      assert.strictEqual(runs(), 0)
      assert.deepStrictEqual(statuses(peer, "call-0"), ["pending", "failed"])
    })
  )

  it.scoped("takes the first answer to a question and no other id's", () =>
    Effect.gen(function* () {
      const model = scripted(call(["run", {}]), say("ok"))
      const { run, runs } = counted()
      const { peer } = yield* start({ model, policy: ask, tools: [run] })
      const sessionId = yield* open(peer)
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isPermission)
      const allow = { result: { outcome: { outcome: "selected", optionId: "allow-once" } } }
      for (const wrong of ["zc-out-999", "zc-out-0 ", "ZC-OUT-0", 0, null]) yield* peer.reply(wrong, allow)
      yield* peer.reply("zc-out-0", { result: { outcome: { outcome: "selected", optionId: "reject-once" } } })
      yield* peer.reply("zc-out-0", allow)
      yield* peer.response(id)
      assert.strictEqual(runs(), 0)
    })
  )

  it.scoped("denies a question that nobody answers in time, once for the turn", () =>
    Effect.gen(function* () {
      const model = scripted(call(["run", { n: 1 }], ["run", { n: 2 }]), say("ok"))
      const { peer } = yield* start({
        model,
        policy: ask,
        tools: [tool("run", Effect.succeed("ran"))],
        config: { acp: { session_timeout_secs: 5 } }
      })
      const sessionId = yield* open(peer)
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isPermission)
      yield* TestClock.adjust("5 seconds")
      const { result } = yield* peer.response(id)
      assert.strictEqual(result?.["stopReason"], "end_turn")
      assert.strictEqual(peer.frames().filter(Peer.isPermission).length, 1)
      assert.deepStrictEqual(statuses(peer, "call-1"), ["pending", "failed"])
    })
  )

  it.scoped("answers cancelled while text streams, and goes on afterwards with what was said", () =>
    Effect.gen(function* () {
      const model = scripted(hang, say("next"))
      const { peer } = yield* start({ model })
      const sessionId = yield* open(peer)
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "first"))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual((yield* peer.response(id)).result?.["stopReason"], "cancelled")
      const second = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "second"))
      assert.strictEqual(second.result?.["stopReason"], "end_turn")
      assert.deepStrictEqual(model.requests[1], [
        { _tag: "User", text: "first" },
        { _tag: "Assistant", parts: [{ _tag: "Text", text: "working" }] },
        { _tag: "User", text: "second" }
      ])
    })
  )

  it.scoped("finds the turn when prompt and cancel come in one write", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(hang) })
      const sessionId = yield* open(peer)
      const [id] = yield* Effect.all([
        peer.start("session/prompt", Peer.promptParams(sessionId, "go")),
        peer.notify("session/cancel", { sessionId })
      ])
      assert.strictEqual((yield* peer.response(id)).result?.["stopReason"], "cancelled")
    })
  )

  it.scoped("cancels while a permission question is open, withdraws it and ignores the late answer", () =>
    Effect.gen(function* () {
      const model = scripted(call(["run", {}]), say("next"))
      const { run, runs } = counted()
      const { peer } = yield* start({ model, policy: ask, tools: [run] })
      const sessionId = yield* open(peer)
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isPermission)
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual((yield* peer.response(id)).result?.["stopReason"], "cancelled")
      const withdrawn = at(peer, (frame) => frame._tag === "Notification" && frame.method === "$/cancel_request")
      assert.isTrue(withdrawn !== -1 && withdrawn < at(peer, isResponse(id)))
      assert.deepStrictEqual(statuses(peer, "call-0"), ["pending", "failed"])
      yield* peer.reply("zc-out-0", { result: { outcome: { outcome: "selected", optionId: "allow-once" } } })
      const next = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "next"))
      assert.strictEqual(next.result?.["stopReason"], "end_turn")
      assert.strictEqual(runs(), 0)
      assert.isTrue(model.requests[1]?.some((message) => message._tag === "ToolResults" && message.results[0]?.isError))
    })
  )

  it.scoped("stops a running tool on cancel and closes its card before the answer", () =>
    Effect.gen(function* () {
      const stopped = yield* Deferred.make<void>()
      const slow = tool(
        "slow",
        Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined))
      )
      const { peer } = yield* start({ model: scripted(call(["slow", {}])), tools: [slow] })
      const sessionId = yield* open(peer)
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until((frame) => Peer.isUpdateOf("tool_call_update")(frame))
      // Some clients send the notification with an id: answered, and the turn is stopped all the same.
      const answer = yield* peer.start("session/cancel", { sessionId }).pipe(Effect.zipRight(peer.response(id)))
      yield* Deferred.await(stopped)
      assert.strictEqual(answer.result?.["stopReason"], "cancelled")
      assert.deepStrictEqual(statuses(peer, "call-0"), ["pending", "in_progress", "failed"])
    })
  )

  it.scoped("answers a running prompt with cancelled before the answer to session/close", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(hang) })
      const sessionId = yield* open(peer)
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      const closing = yield* peer.start("session/close", { sessionId })
      yield* peer.response(closing)
      assert.strictEqual((yield* peer.response(id)).result?.["stopReason"], "cancelled")
      assert.isBelow(at(peer, isResponse(id)), at(peer, isResponse(closing)))
    })
  )

  it.scoped("answers a prompt that $/cancel_request withdrew exactly once, and ignores other ids", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(hang) })
      const sessionId = yield* open(peer)
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      for (const requestId of [424242, String(id), undefined, {}]) yield* peer.notify("$/cancel_request", { requestId })
      yield* peer.notify("$/cancel_request", { requestId: id })
      assert.strictEqual((yield* peer.response(id)).result?.["stopReason"], "cancelled")
      assert.strictEqual(peer.frames().filter(isResponse(id)).length, 1)
    })
  )

  it.scoped("refuses a second prompt at once with its own code and leaves the running turn alone", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const model = scripted(() =>
        Stream.concat(
          Stream.fromEffect(Effect.as(Deferred.await(gate), { _tag: "Text", text: "a" } as const)),
          Stream.succeed(stop)
        )
      )
      const { peer } = yield* start({ model })
      const sessionId = yield* open(peer)
      const first = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "one"))
      const second = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "two"))
      assert.strictEqual(second.error?.code, -31001)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* peer.response(first)).result?.["stopReason"], "end_turn")
    })
  )

  it.scoped("takes the next prompt as soon as the answer is out", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(say("ok")) })
      const sessionId = yield* open(peer)
      for (let n = 0; n < 100; n++) {
        const { result } = yield* peer.request("session/prompt", Peer.promptParams(sessionId, `${n}`))
        assert.strictEqual(result?.["stopReason"], "end_turn")
      }
    })
  )

  it.scoped("cancels only the session it names", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(hang) })
      const a = yield* open(peer)
      const b = yield* Peer.newSession(peer, cwd)
      const first = yield* peer.start("session/prompt", Peer.promptParams(a, "a"))
      const second = yield* peer.start("session/prompt", Peer.promptParams(b, "b"))
      yield* peer.notify("session/cancel", { sessionId: b })
      yield* peer.response(second)
      assert.isFalse(peer.frames().some(isResponse(first)))
      yield* peer.notify("session/cancel", { sessionId: a })
      assert.strictEqual((yield* peer.response(first)).result?.["stopReason"], "cancelled")
    })
  )

  it.scoped("reports a provider failure as an error with its cause, keeps what was said, and lives on", () =>
    Effect.gen(function* () {
      const broken = () =>
        Stream.concat(
          Stream.succeed<ModelEvent>({ _tag: "Text", text: "partial" }),
          Stream.fail(new ModelError({ reason: "overloaded", message: "The provider is overloaded.", status: 529 }))
        )
      const model = scripted(broken, say("fine"))
      const { peer } = yield* start({ model })
      const sessionId = yield* open(peer)
      const { error } = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      assert.strictEqual(error?.code, -32603)
      assert.strictEqual(error?.message, "The provider is overloaded.")
      assert.deepStrictEqual(error?.data, { reason: "overloaded", status: 529 })
      assert.strictEqual(Peer.textOf(peer.updates(), "agent_message_chunk"), "partial")
      const next = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "again"))
      assert.strictEqual(next.result?.["stopReason"], "end_turn")
    })
  )

  it.scoped("forgets a prompt that the provider refuses as it is, so that the session goes on", () =>
    Effect.gen(function* () {
      const refused = () => Stream.fail(new ModelError({ reason: "bad_request", message: "too long", status: 400 }))
      const model = scripted(say("one"), refused, say("three"))
      const { peer } = yield* start({ model })
      const sessionId = yield* open(peer)
      for (const text of ["first", "poison", "third"])
        yield* peer.request("session/prompt", Peer.promptParams(sessionId, text))
      assert.notInclude(JSON.stringify(model.requests[2]), "poison")
      assert.include(JSON.stringify(model.requests[2]), "first")
    })
  )

  it.scoped("says authentication required only when the key is missing or refused", () =>
    Effect.gen(function* () {
      const model = scripted(() => Stream.fail(new ModelError({ reason: "auth", message: "Set ANTHROPIC_API_KEY." })))
      const { peer } = yield* start({ model })
      const sessionId = yield* open(peer)
      const { error } = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      assert.strictEqual(error?.code, -32000)
    })
  )

  it.scoped(
    "fails the card of an unknown tool, of bad arguments and of a tool that fails or breaks; the turn goes on",
    () =>
      Effect.gen(function* () {
        const failing = tool("fails", new ToolError({ message: "no such file" }))
        const breaking = tool("breaks", Effect.dieMessage("bug"))
        const model = scripted(call(["nope", {}], ["fails", "{not json"], ["breaks", {}]), say("ok"))
        const { peer } = yield* start({ model, tools: [failing, breaking] })
        const sessionId = yield* open(peer)
        const { result } = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
        assert.strictEqual(result?.["stopReason"], "end_turn")
        for (const id of ["call-0", "call-1", "call-2"]) assert.strictEqual(statuses(peer, id).at(-1), "failed")
      })
  )

  it.scoped("keeps tool call ids unique when the provider repeats them", () =>
    Effect.gen(function* () {
      const model = scripted(call(["run", {}, "same"], ["run", {}, "same"]), call(["run", {}, "same"]), say("ok"))
      const { peer } = yield* start({ model, tools: [tool("run", Effect.succeed("x"))] })
      const sessionId = yield* open(peer)
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      const ids = peer
        .updates()
        .flatMap((update) => (update.sessionUpdate === "tool_call" ? [update["toolCallId"]] : []))
      assert.deepStrictEqual(ids, ["same", "same-2", "same-3"])
    })
  )

  it.scoped.each([
    ["max_tokens", "max_tokens"],
    ["refusal", "refusal"]
  ] as const)("maps the finish reason %s to its stop reason", ([reason, expected]) =>
    Effect.gen(function* () {
      const cut = () =>
        Stream.make<Array<ModelEvent>>({ _tag: "Text", text: "a" }, { _tag: "Finish", reason, usage: {} })
      const model = scripted(cut, say("b"))
      const { peer } = yield* start({ model })
      const sessionId = yield* open(peer)
      const { result } = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      assert.strictEqual(result?.["stopReason"], expected)
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "next"))
      assert.strictEqual(model.requests[1]?.length, reason === "refusal" ? 1 : 3)
    })
  )

  it.scoped("ends with max_turn_requests when the model does not stop calling", () =>
    Effect.gen(function* () {
      const model = scripted(call(["run", {}]))
      const { peer } = yield* start({
        model,
        tools: [tool("run", Effect.succeed("x"))],
        config: { runtime_profiles: { default: { max_tool_iterations: 3 } } }
      })
      const sessionId = yield* open(peer)
      const { result } = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      assert.strictEqual(result?.["stopReason"], "max_turn_requests")
      assert.strictEqual(model.requests.length, 3)
    })
  )

  it.scoped("starts a new message after a stream that broke off", () =>
    Effect.gen(function* () {
      const model = scripted(() =>
        Stream.make<Array<ModelEvent>>(
          { _tag: "Text", text: "half" },
          { _tag: "Restart", reason: "The connection broke off; asking again." },
          { _tag: "Text", text: "whole" },
          stop
        )
      )
      const { peer } = yield* start({ model })
      const sessionId = yield* open(peer)
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "next"))
      const ids = new Set(peer.updates().map((update) => update["messageId"]))
      assert.isAtLeast(ids.size, 2)
      assert.deepStrictEqual(model.requests[1]?.[1], { _tag: "Assistant", parts: [{ _tag: "Text", text: "whole" }] })
    })
  )

  it.scoped("stops, stores and answers running turns at the client's end of input", () =>
    Effect.gen(function* () {
      const { close, peer, server } = yield* start({ model: scripted(hang) })
      const sessionId = yield* open(peer)
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      yield* close
      assert.strictEqual((yield* peer.response(id)).result?.["stopReason"], "cancelled")
      yield* Fiber.join(server)
    })
  )
})
