// Attacks on the permission question: whatever is not a clear yes, in time, to this very question, runs nothing.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, TestClock } from "effect"
import type { Decision } from "../../src/policy/Decision.ts"
import type { Tool } from "../../src/tools/Tool.ts"
import { fence, visibleLines } from "../../src/tools/Visible.ts"
import * as Cases from "../support/Cases.ts"
import * as Embedded from "../support/Embedded.ts"
import * as MockModel from "../support/MockModel.ts"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

const { call, cwd, policy, say, scripted, start } = Embedded
const selected = (optionId: unknown, more: object = {}) => ({
  result: { outcome: { outcome: "selected", optionId, ...more } }
})
const allow = selected("allow-once")
const reject = selected("reject-once")

/** A model on a port of its own. */
const provider = (url: string) =>
  `[providers.models.custom.main]\nmodel = "m"\nbase_url = "${url}/v1"\napi_key = "0123456789"\n[risk_profiles.default]\nalways_ask = ["shell"]\n`

/** A shell that writes down what it would run. */
const recorder = () => {
  const ran: Array<string> = []
  const shell: Tool = {
    spec: { name: "shell", description: "", inputSchema: { type: "object" } },
    prepare: (input) => {
      const { command = "" }: { readonly command?: string } = JSON.parse(input)
      return Effect.succeed({
        action: { _tag: "Execute", tool: "shell", command },
        face: {
          title: "Run a command",
          kind: "execute",
          locations: [],
          content: [{ type: "content", content: { type: "text", text: fence(visibleLines(command)) } }]
        },
        rawInput: { command },
        run: () =>
          Effect.sync(() => {
            ran.push(command)
            return { text: "done" }
          })
      })
    }
  }
  return { ran, shell }
}

const touch = { command: "touch MARK" }

const opened = (setup: Partial<Embedded.Setup> = {}, capabilities: unknown = {}) =>
  Effect.gen(function* () {
    const { ran, shell } = recorder()
    const model = setup.model ?? scripted(call(["shell", touch]), say("on"))
    const server = yield* start({ policy: Embedded.ask, tools: [shell], ...setup, model })
    yield* Peer.initialize(server.peer, capabilities)
    return { ...server, ran, model, sessionId: yield* Peer.newSession(server.peer, cwd) }
  })
type Opened = Effect.Effect.Success<ReturnType<typeof opened>>

const go = ({ peer, sessionId }: Opened) => peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
const questions = (peer: Peer.Peer) => peer.frames().filter(Peer.isPermission)
/** Waits for the question number `n`. */
const asked = (peer: Peer.Peer, n = 0): Effect.Effect<Peer.Request> =>
  Effect.flatMap(
    peer.until((frame) => Peer.isPermission(frame) && questions(peer).indexOf(frame) === n),
    (frame) => (Peer.isPermission(frame) ? Effect.succeed(frame) : Effect.dieMessage("no question"))
  )
const blocksOf = ({ params }: Peer.Request): string => JSON.stringify(params["toolCall"])
const textsOf = ({ params }: Peer.Request): ReadonlyArray<string> => {
  const toolCall: { readonly content?: ReadonlyArray<{ readonly content?: { readonly text?: string } }> } = JSON.parse(
    JSON.stringify(params["toolCall"])
  )
  return (toolCall.content ?? []).flatMap(({ content }) => content?.text ?? [])
}
const ends = (peer: Peer.Peer) => [...Cases.lastStatuses(peer).values()]

/** The turn ended as turns do, the call failed, nothing ran. */
const denied = (it: Opened, id: string | number, stopReason = "end_turn") =>
  Effect.gen(function* () {
    const answer = yield* it.peer.response(id)
    assert.strictEqual(Cases.stopReason(answer), stopReason)
    assert.deepStrictEqual(it.ran, [])
    assert.isTrue(ends(it.peer).length > 0 && ends(it.peer).every((status) => status === "failed"))
  })

/** One server and one turn for each answer. */
const deniedBy = (answers: ReadonlyArray<NonNullable<Peer.Answer>>, setup: Partial<Embedded.Setup> = {}) =>
  Effect.forEach(answers, (answer) =>
    Effect.gen(function* () {
      const it = yield* opened(setup)
      it.peer.answer(() => answer)
      yield* denied(it, yield* go(it))
      assert.strictEqual(questions(it.peer).length, 1)
    })
  )

describe("answers that are no yes", () => {
  it.scoped("PERM-001 an option that was never offered", () => deniedBy([selected("allow-forever")]))

  it.scoped("PERM-001 of the same kind: nearly the id, of another type, or huge", () =>
    deniedBy(
      ["allow-once ", " allow-once", "Allow-Once", "allow-once\u0000", "allow\u2010once", "", "0", "Allow once"]
        .map((id) => selected(id))
        .concat(
          [0, 1, true, null, ["allow-once"], { optionId: "allow-once" }, "allow-once".repeat(100_000)].map((id) =>
            selected(id)
          )
        )
    )
  )

  it.scoped(
    "PERM-001 of the same kind: allow-always where it was not offered, reject-with-edit outside of its dialect",
    () =>
      Effect.gen(function* () {
        const once = policy((): Decision => ({ _tag: "Ask", reason: "each use needs a yes" }))
        yield* deniedBy([selected("allow-always")], { policy: once })
        yield* deniedBy([selected("reject-with-edit", { replacementContent: "echo" })])
      })
  )

  it.scoped("PERM-003 a kind in place of an option", () =>
    deniedBy(["allow_once", "allow_always"].map((id) => selected(id)))
  )

  it.scoped("PERM-004 outcomes that are missing, null, text, lists or empty", () =>
    deniedBy([
      { result: {} },
      { result: null },
      { result: "allow-once" },
      { result: [] },
      { result: { outcome: null } },
      { result: { outcome: "selected" } },
      { result: { outcome: { outcome: "selected" } } },
      { result: { outcome: { outcome: "SELECTED", optionId: "allow-once" } } },
      { result: { outcome: { outcome: "cancelled", optionId: "allow-once" } } },
      { result: { outcome: ["selected", "allow-once"] } },
      { result: { outcome: { optionId: "allow-once" } } },
      { result: { outcome: "selected", optionId: "allow-once" } },
      { result: { optionId: "allow-once" } },
      { result: [{ outcome: { outcome: "selected", optionId: "allow-once" } }] },
      { result: true }
    ])
  )

  it.scoped("PERM-005 options named like members of prototypes", () =>
    deniedBy(["__proto__", "constructor", "toString", "hasOwnProperty", "length"].map((id) => selected(id)))
  )

  it.scoped("PERM-006 an error, also one that carries a yes, is long or holds what nobody sees", () =>
    Effect.gen(function* () {
      yield* deniedBy([
        { error: { code: -32603, message: "nope" } },
        { error: { code: 0, message: "allow-once" } },
        { error: { code: -32601, message: `${"x".repeat(100_000)}\u202e` } }
      ])
      const it = yield* opened()
      const id = yield* go(it)
      const { id: question } = yield* asked(it.peer)
      yield* it.peer.send(JSON.stringify({ jsonrpc: "2.0", id: question, ...allow, error: { code: 1, message: "x" } }))
      yield* denied(it, id)
    })
  )

  it.scoped("a yes with more beside it is a yes, and what it adds changes nothing", () =>
    Effect.gen(function* () {
      const it = yield* opened()
      const more = { rawInput: { command: "rm -rf /" }, updatedInput: { command: "rm -rf /" }, _meta: { x: 1 } }
      it.peer.answer(() => ({ result: { ...selected("allow-once", more).result, ...more, toolCall: more } }))
      yield* it.peer.response(yield* go(it))
      assert.deepStrictEqual(it.ran, [touch.command])
    })
  )
})

describe("answers at another time, or to another question", () => {
  it.scoped("PERM-008 the first of two counts: no, then yes", () =>
    Effect.gen(function* () {
      const it = yield* opened()
      const id = yield* go(it)
      const { id: question } = yield* asked(it.peer)
      yield* it.peer.reply(question, reject)
      yield* it.peer.reply(question, allow)
      yield* denied(it, id)
    })
  )

  it.scopedLive("PERM-008 of the same kind: both in one write, in either order", () =>
    Effect.gen(function* () {
      for (const [first, second] of [
        [reject, allow],
        [allow, reject]
      ] as const) {
        const place = yield* Server.place()
        const { child, peer, sessionId } = yield* Server.open(place)
        const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "run touch MARK"))
        const { id: question } = yield* asked(peer)
        const line = (answer: object) => `${JSON.stringify({ jsonrpc: "2.0", id: question, ...answer })}\n`
        child.stdin.write(line(first) + line(second))
        assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "end_turn")
        assert.strictEqual(fs.existsSync(path.join(place.project, "MARK")), first === allow)
        assert.strictEqual(questions(peer).length, 1)
      }
    })
  )

  it.scoped("PERM-010 a yes after the time is over", () =>
    Effect.gen(function* () {
      const it = yield* opened({ config: { acp: { session_timeout_secs: 2 } } })
      const id = yield* go(it)
      const { id: question } = yield* asked(it.peer)
      yield* TestClock.adjust("2 seconds")
      yield* denied(it, id)
      yield* TestClock.adjust("1 second")
      yield* it.peer.reply(question, allow)
      assert.strictEqual((yield* it.peer.request("session/list", {})).error, undefined)
      assert.deepStrictEqual(it.ran, [])
    })
  )

  it.scopedLive("PERM-012 the client goes while it is asked: nothing runs and nothing is left", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { child, exit, peer, sessionId } = yield* Server.open(place)
      const word = `MARK-${crypto.randomUUID()}`
      yield* peer.start("session/prompt", Peer.promptParams(sessionId, `run touch ${word}`))
      yield* asked(peer)
      child.stdin.end()
      assert.deepStrictEqual(yield* exit, { code: 0, signal: null })
      assert.isFalse(fs.existsSync(path.join(place.project, word)))
      assert.strictEqual(Cases.countProcesses(word), 0)
      // The card is closed in what is stored.
      const again = yield* Server.start(place.home)
      yield* Peer.initialize(again.peer)
      yield* again.peer.request("session/load", { sessionId, cwd: place.project, mcpServers: [] })
      assert.deepStrictEqual(ends(again.peer), ["failed"])
    })
  )

  it.scoped("PERM-013 ids that were guessed, spelled otherwise, or of another type", () =>
    Effect.gen(function* () {
      const it = yield* opened()
      const id = yield* go(it)
      yield* asked(it.peer)
      for (const wrong of [
        "zc-out-999",
        "zc-out-0 ",
        "ZC-OUT-0",
        "zc-out-00",
        0,
        null,
        ["zc-out-0"],
        { id: "zc-out-0" }
      ]) {
        yield* it.peer.send(JSON.stringify({ jsonrpc: "2.0", id: wrong, ...allow }))
      }
      yield* it.peer.send(JSON.stringify({ jsonrpc: "2.0", ...allow }))
      yield* it.peer.send(JSON.stringify({ id: "zc-out-0", ...allow }))
      assert.strictEqual((yield* it.peer.request("session/list", {})).error, undefined)
      assert.deepStrictEqual(it.ran, [])
      yield* it.peer.reply("zc-out-0", reject)
      yield* denied(it, id)
    })
  )

  it.scoped("PERM-013 of the same kind: a yes before anything was asked", () =>
    Effect.gen(function* () {
      const it = yield* opened()
      for (const early of ["zc-out-0", "zc-out-1"]) yield* it.peer.reply(early, allow)
      const id = yield* go(it)
      const { id: question } = yield* asked(it.peer)
      assert.deepStrictEqual(it.ran, [])
      yield* it.peer.reply(question, reject)
      yield* denied(it, id)
    })
  )

  it.scoped("PERM-013 of the same kind: a yes to another session's question, and to an older one", () =>
    Effect.gen(function* () {
      const it = yield* opened({ model: scripted(call(["shell", touch])) })
      const other = yield* Peer.newSession(it.peer, cwd)
      const first = yield* go(it)
      yield* asked(it.peer, 0)
      yield* it.peer.start("session/prompt", Peer.promptParams(other, "go"))
      const { id: second, params } = yield* asked(it.peer, 1)
      assert.strictEqual(params["sessionId"], other)
      yield* it.peer.reply(second, reject)
      const { id: third } = yield* asked(it.peer, 2)
      for (const old of [second, second]) yield* it.peer.reply(old, allow)
      assert.deepStrictEqual(it.ran, [])
      yield* it.peer.reply(third, allow)
      yield* asked(it.peer, 3)
      assert.strictEqual(it.ran.length, 1)
      yield* it.peer.notify("session/cancel", { sessionId: it.sessionId })
      assert.strictEqual(Cases.stopReason(yield* it.peer.response(first)), "cancelled")
      assert.strictEqual(it.ran.length, 1)
    })
  )

  it.scoped(
    "PERM-015 cancel while it is asked answers the prompt; the question is withdrawn and a late yes is nothing",
    () =>
      Effect.gen(function* () {
        const it = yield* opened()
        const id = yield* go(it)
        const { id: question } = yield* asked(it.peer)
        yield* it.peer.notify("session/cancel", { sessionId: it.sessionId })
        yield* denied(it, id, "cancelled")
        yield* it.peer.reply(question, allow)
        const withdrawn = it.peer
          .frames()
          .flatMap((frame) =>
            frame._tag === "Notification" && frame.method === "$/cancel_request" ? [frame.params["requestId"]] : []
          )
        assert.deepStrictEqual(withdrawn, [question])
        assert.strictEqual(
          Cases.stopReason(yield* it.peer.request("session/prompt", Peer.promptParams(it.sessionId, "x"))),
          "end_turn"
        )
        assert.deepStrictEqual(it.ran, [])
      })
  )

  it.scoped.each(["session/close", "session/delete"])("PERM-015 of the same kind: %s while it is asked", (method) =>
    Effect.gen(function* () {
      const it = yield* opened()
      const id = yield* go(it)
      const { id: question } = yield* asked(it.peer)
      const ended = yield* it.peer.start(method, { sessionId: it.sessionId })
      yield* it.peer.reply(question, allow)
      yield* denied(it, id, "cancelled")
      assert.strictEqual((yield* it.peer.response(ended)).error, undefined)
    })
  )

  it.scoped("PERM-015 of the same kind: the mode is set to readonly before the yes", () =>
    Effect.gen(function* () {
      let readonly = false
      const it = yield* opened({
        model: scripted(call(["shell", touch]), say("on"), call(["shell", touch]), say("on")),
        policy: policy(
          (): Decision =>
            readonly
              ? { _tag: "Deny", reason: "this agent only reads" }
              : { _tag: "Ask", reason: "it runs", always: "it" }
        )
      })
      for (const [n, optionId] of ["allow-once", "allow-always"].entries()) {
        readonly = false
        const id = yield* go(it)
        const { id: question } = yield* asked(it.peer, n)
        readonly = true
        yield* it.peer.reply(question, selected(optionId))
        yield* denied(it, id)
      }
    })
  )
})

describe("what is asked", () => {
  it.scoped("PERM-017 what was shown is what runs, and nothing else runs on the same yes", () =>
    Effect.gen(function* () {
      const other = { command: "touch MARK; rm -rf /" }
      const model = scripted(call(["shell", touch]), call(["shell", other]), call(["shell", touch]), say("on"))
      const it = yield* opened({ model })
      it.peer.answer(({ params }) => {
        // A client that changes what it was given changes its own copy.
        for (const part of [params, params["toolCall"]])
          if (typeof part === "object" && part) Reflect.set(part, "rawInput", other)
        return selected(questions(it.peer).length === 1 ? "allow-always" : "reject-once")
      })
      yield* it.peer.response(yield* go(it))
      assert.strictEqual(questions(it.peer).length, 2)
      assert.deepStrictEqual(it.ran, [touch.command, touch.command])
    })
  )

  it.scopedLive("PERM-017 of the same kind: a file that changes between the question and the yes is not written", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const file = path.join(place.project, "notes.md")
      fs.writeFileSync(file, "alpha\n")
      const { peer, sessionId } = yield* Server.open(place)
      const id = yield* peer.start(
        "session/prompt",
        Peer.promptParams(sessionId, 'replace "alpha" with "beta" in notes.md')
      )
      const question = yield* asked(peer)
      assert.include(blocksOf(question), '"newText":"beta\\n"')
      fs.writeFileSync(file, "alpha and more\n")
      yield* peer.reply(question.id, allow)
      yield* peer.response(id)
      assert.strictEqual(fs.readFileSync(file, "utf8"), "alpha and more\n")
      assert.strictEqual(ends(peer).at(-1), "failed")
    })
  )

  it.scoped("is asked on the call's own card, which comes first, with the policy's reason in words", () =>
    Effect.gen(function* () {
      const it = yield* opened({
        policy: policy(() => ({ _tag: "Ask", reason: "It runs\u202e a command.", always: "it" }))
      })
      it.peer.answer(() => reject)
      yield* it.peer.response(yield* go(it))
      const [question] = questions(it.peer)
      const at = it.peer.frames().findIndex(Peer.isPermission)
      const card = it.peer.frames().slice(0, at).findLast(Peer.isUpdateOf("tool_call"))
      assert.nestedPropertyVal(card, "params.update.toolCallId", "call-0")
      assert.nestedPropertyVal(card, "params.update.status", "pending")
      assert.nestedPropertyVal(question, "params.toolCall.toolCallId", "call-0")
      assert.nestedPropertyVal(question, "params.toolCall.status", "pending")
      assert.deepStrictEqual(question === undefined ? [] : textsOf(question), [
        fence(touch.command),
        "It runs\\u202e a command."
      ])
    })
  )

  it.scopedLive("shows the whole command, with all that is not seen spelled out", () =>
    Effect.gen(function* () {
      const model = yield* MockModel.start
      const place = yield* Server.place(provider(model.url))
      const long = `echo ${"x".repeat(10_000)}; touch MARK`
      const commands = [long, "touch MARK \u202e\u200b"]
      const calls = commands.map((command, n) => ({ id: `c${n}`, name: "shell", input: { command } }))
      yield* model.script(MockModel.openai.toolCalls(calls), MockModel.openai.text("on"))
      const { peer, sessionId } = yield* Server.open(place)
      peer.answer(() => reject)
      yield* Server.prompt(peer, sessionId, "go")
      const shown = questions(peer).map((question) => textsOf(question)[0])
      assert.include(shown[0], long)
      // It may as well be refused without a question.
      assert.include(shown[1] ?? "touch MARK \\u202e\\u200b", "touch MARK \\u202e\\u200b")
      assert.deepStrictEqual(ends(peer), ["failed", "failed"])
    })
  )

  it.scoped("shows the input of what has nothing else to show", () =>
    Effect.gen(function* () {
      const bare = Embedded.tool("bare", Effect.succeed("x"))
      const it = yield* opened({ tools: [bare], model: scripted(call(["bare", { path: "a\u202eb" }]), say("on")) })
      it.peer.answer(() => reject)
      yield* it.peer.response(yield* go(it))
      const [question] = questions(it.peer)
      assert.include(question === undefined ? "" : textsOf(question)[0], "a\\u202eb")
    })
  )

  it.scopedLive("names characters of a change that nobody sees", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      fs.writeFileSync(path.join(place.project, "a.md"), "alpha\n")
      const { peer, sessionId } = yield* Server.open(place)
      peer.answer(() => reject)
      yield* Server.prompt(peer, sessionId, 'replace "alpha" with "be\u202eta" in a.md')
      const [question] = questions(peer)
      assert.include(question === undefined ? "" : textsOf(question).join("\n"), "not seen: \\u202e")
    })
  )

  it.scoped("is asked one after another, each with its place, and calls run in their order", () =>
    Effect.gen(function* () {
      const calls = ["a", "b", "c"].map((name) => ["shell", { command: name }, name] as const)
      const it = yield* opened({ model: scripted(call(...calls), call(["shell", { command: "d" }]), say("on")) })
      const open: Array<string> = []
      it.peer.answer(({ params }) => {
        open.push(JSON.stringify(params).match(/Call \d of \d in this step/)?.[0] ?? "no place")
        return open.length === 2 ? reject : allow
      })
      yield* it.peer.response(yield* go(it))
      assert.deepStrictEqual(open, [
        "Call 1 of 3 in this step",
        "Call 2 of 3 in this step",
        "Call 3 of 3 in this step",
        "no place"
      ])
      assert.deepStrictEqual(it.ran, ["a", "c", "d"])
      const order = it.peer.frames().flatMap((frame) => {
        if (Peer.isPermission(frame)) return ["?"]
        const update = frame._tag === "Notification" ? JSON.stringify(frame.params["update"]) : ""
        return /"sessionUpdate":"tool_call_update".*"status":"(completed|failed)"/.test(update) ? ["!"] : []
      })
      assert.strictEqual(order.join(""), "?!?!?!?!")
    })
  )

  it.scoped("W5 the same command, allowed once and asked for again in the turn, just runs", () =>
    Effect.gen(function* () {
      const it = yield* opened({
        model: scripted(call(["shell", touch], ["shell", touch, "b"]), call(["shell", touch]), say("on"))
      })
      it.peer.answer(() => allow)
      assert.strictEqual(Cases.stopReason(yield* it.peer.response(yield* go(it))), "end_turn")
      assert.strictEqual(it.ran.length, 3)
    })
  )

  it.scopedLive("W25 always is for exactly this command: another one asks", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { peer, sessionId } = yield* Server.open(place)
      peer.answer(() => selected("allow-always"))
      for (const command of ["touch a", "touch a", "touch b", "touch a && touch c"])
        yield* Server.prompt(peer, sessionId, `run ${command}`)
      assert.strictEqual(questions(peer).length, 3)
    })
  )

  it.scopedLive("PERM-019 a thousand questions of one reply: one at a time, each answered, in bounded memory", () =>
    Effect.gen(function* () {
      const model = yield* MockModel.start
      const place = yield* Server.place(provider(model.url))
      const calls = Array.from({ length: 1000 }, (_, n) => ({
        id: `c${n}`,
        name: "shell",
        input: { command: `touch MARK # ${n}` }
      }))
      yield* model.script(MockModel.openai.text("warm"), MockModel.openai.toolCalls(calls), MockModel.openai.text("on"))
      const { child, peer, sessionId } = yield* Server.open(place)
      yield* Server.prompt(peer, sessionId, "warm up")
      const before = Cases.residentMiB(child.pid)
      let open = 0
      let most = 0
      peer.answer(() => {
        most = Math.max(most, ++open, peer.frames().filter(Peer.isPermission).length - questions(peer).length)
        open--
        return reject
      })
      const answer = yield* Effect.timeoutOption(Server.prompt(peer, sessionId, "go"), "25 seconds")
      assert.strictEqual(Option.isSome(answer) ? Cases.stopReason(answer.value) : "late", "end_turn")
      assert.strictEqual(questions(peer).length, 1000)
      assert.strictEqual(most, 1)
      assert.isFalse(fs.existsSync(path.join(place.project, "MARK")))
      assert.isBelow(Cases.residentMiB(child.pid) - before, 64)
      assert.strictEqual((yield* peer.request("session/list", {})).error, undefined)
    })
  )
})
