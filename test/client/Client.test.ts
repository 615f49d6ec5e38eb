import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { AgentLauncher } from "../../src/client/AgentProcess.ts"
import * as Client from "../../src/client/Client.ts"
import { text } from "../../src/contract/Content.ts"
import { Code, RequestError } from "../../src/contract/Errors.ts"
import * as FakeAgent from "../support/FakeAgent.ts"
import * as FakeTerminal from "../support/FakeTerminal.ts"

const settings: Client.Settings = {
  prompt: "go",
  yes: false,
  json: false,
  verbose: false,
  cwd: "/project",
  command: { command: "fake", args: [], env: {} },
  version: "0.0.0"
}

const start = Effect.fnUntraced(function* (
  script: FakeAgent.Script | ((pressCtrlC: Effect.Effect<void>) => FakeAgent.Script),
  given: Partial<Client.Settings> = {},
  input: FakeTerminal.Input = {}
) {
  const terminal = yield* FakeTerminal.make(input)
  const fake = yield* FakeAgent.make(typeof script === "function" ? script(terminal.interrupt) : script)
  const launcher = AgentLauncher.test(() => Effect.succeed(fake.link))
  const run = Effect.provide(Client.run({ ...settings, ...given }), Layer.merge(terminal.layer, launcher))
  return { fake, terminal, run, written: terminal.written }
})

const edit = { toolCallId: "t1", title: "Edit `a.ts`", kind: "edit", status: "pending" } as const
const diff = { type: "diff", path: "/project/a.ts", oldText: "one\ntwo\n", newText: "one\nTWO\n" } as const

/** Asks once and says what was answered. */
const asking: FakeAgent.Script = {
  turn: (turn) =>
    Effect.gen(function* () {
      yield* turn.update({
        sessionUpdate: "tool_call",
        ...edit,
        content: [diff],
        locations: [{ path: "/project/a.ts" }]
      })
      const answer = yield* turn.ask({ ...edit, content: [diff] })
      yield* turn.say(`answered ${answer}`)
      return answer === "cancelled" ? ("cancelled" as const) : ("end_turn" as const)
    })
}

describe("a turn", () => {
  it.scoped("shows the answer as it streams and the session id at the end", () =>
    Effect.gen(function* () {
      const { run, written } = yield* start({
        turn: (turn) =>
          Effect.gen(function* () {
            yield* turn.update({ sessionUpdate: "agent_thought_chunk", content: text("hm") })
            yield* turn.say(`you said ${turn.prompt}`)
            yield* turn.say(", twice")
            return "end_turn" as const
          })
      })
      assert.strictEqual(yield* run, 0)
      assert.strictEqual(
        written.out,
        "Agent: fake 9.9\n: hm\nyou said go, twice\nSession: fake-1 (continue with --session fake-1)\n"
      )
      assert.strictEqual(written.err, "")
    })
  )

  it.scoped("initializes with version 1, then opens a session with the cwd and the agent's alias", () =>
    Effect.gen(function* () {
      const { fake, run } = yield* start({}, { agent: "helper" })
      yield* run
      assert.deepStrictEqual(
        fake.received.map(({ method }) => method),
        ["initialize", "session/new", "session/prompt"]
      )
      const [initialize, created] = fake.received.map(({ params }) => params)
      assert.deepInclude(initialize, { protocolVersion: 1 })
      assert.deepInclude(created, {
        cwd: "/project",
        mcpServers: [],
        _meta: { zeroclaw: { agentAlias: "helper" } }
      })
    })
  )

  for (const [reason, code] of [
    ["end_turn", 0],
    ["max_tokens", 3],
    ["max_turn_requests", 3],
    ["refusal", 3],
    ["cancelled", 130]
  ] as const) {
    it.scoped(`exits with ${code} after ${reason}`, () =>
      Effect.gen(function* () {
        const { run } = yield* start({ turn: () => Effect.succeed(reason) })
        assert.strictEqual(yield* run, code)
      })
    )
  }

  it.scoped("exits with 1 after an error response, and says which", () =>
    Effect.gen(function* () {
      const { run, written } = yield* start({
        turn: () => new RequestError({ code: Code.InternalError, message: "the model is\nunreachable" })
      })
      assert.strictEqual(yield* run, 1)
      assert.include(written.err, "the model is unreachable (session/prompt, error -32603)\n")
      assert.include(written.out, "Session: fake-1")
    })
  )

  it.scoped("says that the agent wants authentication", () =>
    Effect.gen(function* () {
      const { run, written } = yield* start({
        newSession: new RequestError({ code: Code.AuthRequired, message: "Authentication required" })
      })
      assert.strictEqual(yield* run, 1)
      assert.include(written.err, "wants authentication first")
    })
  )

  it.scoped("refuses another protocol version with a message that names both", () =>
    Effect.gen(function* () {
      const { fake, run, written } = yield* start({ protocolVersion: 2 })
      assert.strictEqual(yield* run, 1)
      assert.match(written.err, /version 2.*version 1/)
      assert.deepStrictEqual(
        fake.received.map(({ method }) => method),
        ["initialize"]
      )
    })
  )

  it.scoped("keeps escape sequences of the agent from the terminal", () =>
    Effect.gen(function* () {
      const { run, written } = yield* start({
        turn: (turn) => Effect.as(turn.say("\u001b]0;owned\u0007\u001b[2Jhi\u009b1m"), "end_turn" as const)
      })
      yield* run
      assert.include(written.out, "^[]0;owned^G^[[2Jhi<U+009B>1m")
    })
  )

  it.scoped("shows noise as a protocol fault and goes on", () =>
    Effect.gen(function* () {
      const { run, written } = yield* start({
        turn: (turn) =>
          Effect.gen(function* () {
            for (const line of ["starting...", '{"level":"info","id":0}', '"just a string"']) yield* turn.raw(line)
            yield* turn.say("fine")
            return "end_turn" as const
          })
      })
      assert.strictEqual(yield* run, 0)
      assert.strictEqual(written.out.match(/! protocol fault/g)?.length, 3)
      assert.match(written.out, /protocol fault.*starting\.\.\.\n/)
      assert.include(written.out, "fine\n")
    })
  )

  it.scoped("tells an update of another session as a fault", () =>
    Effect.gen(function* () {
      const frame = (sessionId: string) =>
        JSON.stringify({
          jsonrpc: "2.0",
          method: "session/update",
          params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content: text("lost") } }
        })
      const { run, written } = yield* start({
        turn: (turn) => Effect.as(turn.raw(frame("other")), "end_turn" as const)
      })
      yield* run
      assert.include(written.out, "update of another session")
      assert.notInclude(written.out, "lost")
    })
  )
})

describe("prompts", () => {
  it.scoped("come from a pipe when none is given", () =>
    Effect.gen(function* () {
      const { run, written } = yield* start(
        { turn: (turn) => Effect.as(turn.say(`<${turn.prompt}>`), "end_turn" as const) },
        { prompt: "" },
        { piped: "from\nthe pipe\n" }
      )
      assert.strictEqual(yield* run, 0)
      assert.include(written.out, "<from\nthe pipe>")
    })
  )

  it.scoped("are missing: exit 2 and what to do", () =>
    Effect.gen(function* () {
      const { run, written } = yield* start({}, { prompt: "" }, { piped: " \n" })
      assert.strictEqual(yield* run, 2)
      assert.include(written.err, "no prompt")
    })
  )

  it.scoped("are typed one by one until /quit; the exit code remembers a turn that failed", () =>
    Effect.gen(function* () {
      const { fake, run } = yield* start(
        {
          turn: (turn) =>
            turn.prompt === "bad"
              ? new RequestError({ code: Code.InternalError, message: "no" })
              : Effect.as(turn.say("ok"), "end_turn" as const)
        },
        { prompt: "" },
        { person: true, typedLines: ["one", "", "bad", "two", "/quit", "never"] }
      )
      assert.strictEqual(yield* run, 1)
      const prompts = fake.received.filter(({ method }) => method === "session/prompt")
      assert.strictEqual(prompts.length, 3)
    })
  )
})

describe("a loaded session", () => {
  it.scoped("shows what is replayed, then goes on", () =>
    Effect.gen(function* () {
      const { fake, run, written } = yield* start(
        {
          replay: [
            { sessionUpdate: "user_message_chunk", content: text("earlier") },
            { sessionUpdate: "agent_message_chunk", content: text("answer") }
          ]
        },
        { session: "fake-1" }
      )
      assert.strictEqual(yield* run, 0)
      assert.include(written.out, "> earlier\nanswer\n")
      assert.strictEqual(fake.received[1]?.["method"], "session/load")
    })
  )

  it.scoped("is refused when the agent can't load", () =>
    Effect.gen(function* () {
      const { run, written } = yield* start({ loadSession: false }, { session: "fake-1" })
      assert.strictEqual(yield* run, 1)
      assert.include(written.err, "does not offer session/load")
    })
  )
})

describe("a permission question", () => {
  it.scoped("is answered yes by --yes, visibly, with the diff shown once", () =>
    Effect.gen(function* () {
      const { run, written } = yield* start(asking, { yes: true })
      assert.strictEqual(yield* run, 0)
      assert.include(written.out, "? Allow Edit `a.ts` (edit)\n  allowed (--yes)\nanswered opt-once")
      assert.strictEqual(written.out.match(/\+TWO/g)?.length, 1)
      assert.include(written.out, "  -two\n  +TWO\n")
    })
  )

  it.scoped("is rejected where nobody can be asked, and says why", () =>
    Effect.gen(function* () {
      const { run, written } = yield* start(asking)
      assert.strictEqual(yield* run, 0)
      assert.match(written.out, /rejected \(no terminal to ask on.*--yes.*\)\nanswered opt-no/)
    })
  )

  it.scoped("takes keys; one that means nothing is passed over", () =>
    Effect.gen(function* () {
      const { run, terminal, written } = yield* start(asking, {}, { person: true })
      yield* Effect.forEach(["x", "9", "A"], terminal.key)
      assert.strictEqual(yield* run, 0)
      assert.include(written.out, "1, y  Allow once\n  2, a  Always allow\n  3, n  Reject\n")
      assert.include(written.out, "allowed always\nanswered opt-always")
    })
  )

  it.scoped("cancels the turn with Esc", () =>
    Effect.gen(function* () {
      const { fake, run, terminal } = yield* start(asking, {}, { person: true })
      yield* terminal.key("escape")
      assert.strictEqual(yield* run, 130)
      const cancel = fake.received.find(({ method }) => method === "session/cancel")
      assert.deepStrictEqual(cancel?.["params"], { sessionId: "fake-1" })
      assert.isFalse("id" in (cancel ?? {}))
    })
  )

  it.scoped("is answered cancelled at the first Ctrl-C, beside session/cancel (O04)", () =>
    Effect.gen(function* () {
      const { fake, run, terminal } = yield* start(asking, {}, { person: true })
      const running = yield* Effect.fork(run)
      yield* terminal.asked
      yield* terminal.interrupt
      assert.strictEqual(yield* Fiber.join(running), 130)
      assert.isTrue(fake.received.some(({ method }) => method === "session/cancel"))
      assert.deepInclude(
        fake.received.find(({ result }) => result !== undefined),
        { result: { outcome: { outcome: "cancelled" } } }
      )
    })
  )

  it.scoped("that comes after the cancel is not asked, even with --yes", () =>
    Effect.gen(function* () {
      const { run, written } = yield* start(
        (pressCtrlC) => ({
          turn: (turn) =>
            Effect.gen(function* () {
              yield* pressCtrlC
              yield* turn.cancelled
              const answer = yield* turn.ask(edit)
              yield* turn.say(`answered ${answer}`)
              return "cancelled" as const
            })
        }),
        { yes: true }
      )
      assert.strictEqual(yield* run, 130)
      assert.include(written.out, "answered cancelled")
      assert.notInclude(written.out, "? Allow")
    })
  )
})

describe("Ctrl-C", () => {
  it.scoped("twice ends without the agent's answer (O04)", () =>
    Effect.gen(function* () {
      const { fake, run, written } = yield* start((pressCtrlC) => ({
        turn: () => Effect.zipRight(Effect.zipRight(pressCtrlC, pressCtrlC), Effect.never)
      }))
      assert.strictEqual(yield* run, 130)
      assert.include(written.err, "ended before the agent answered the cancelled turn")
      assert.isTrue(fake.received.some(({ method }) => method === "session/cancel"))
    })
  )

  it.scoped("once waits for the agent's answer (O04)", () =>
    Effect.gen(function* () {
      const { run, written } = yield* start((pressCtrlC) => ({
        turn: (turn) =>
          Effect.gen(function* () {
            yield* pressCtrlC
            yield* turn.cancelled
            yield* turn.say("cleaned up")
            return "cancelled" as const
          })
      }))
      assert.strictEqual(yield* run, 130)
      assert.include(written.out, "cleaned up\n")
      assert.include(written.out, "The turn was cancelled.\n")
    })
  )
})

describe("an agent that never ends a cancelled turn", () => {
  it.scoped("is given ten seconds", () =>
    Effect.gen(function* () {
      const { run, written } = yield* start((pressCtrlC) => ({ turn: () => Effect.zipRight(pressCtrlC, Effect.never) }))
      const running = yield* Effect.fork(run)
      // The sleep must have begun before the clock moves: the request and the press take a few turns of the scheduler.
      while (!written.out.includes("Cancelling")) yield* Effect.promise(() => new Promise((next) => setImmediate(next)))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(running), 130)
      assert.include(written.err, "within 10 seconds")
    })
  )
})

describe("--json", () => {
  it.scoped("prints the frames of both directions and nothing else", () =>
    Effect.gen(function* () {
      const { fake, run, written } = yield* start(
        {
          turn: (turn) =>
            Effect.gen(function* () {
              yield* turn.raw("noise")
              const answer = yield* turn.ask(edit)
              yield* turn.say(answer)
              return "end_turn" as const
            })
        },
        { json: true, yes: true }
      )
      assert.strictEqual(yield* run, 0)
      const lines: ReadonlyArray<{ dir: string; frame: Record<string, unknown> }> = written.out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.isTrue(lines.every(({ frame }) => frame["jsonrpc"] === "2.0"))
      assert.deepStrictEqual(
        lines.filter(({ dir }) => dir === "out").map(({ frame }) => frame),
        [...fake.received]
      )
      assert.isTrue(lines.some(({ dir, frame }) => dir === "in" && frame["method"] === "session/update"))
      assert.include(written.err, "noise")
      assert.include(written.err, "allowed (--yes)")
    })
  )
})
