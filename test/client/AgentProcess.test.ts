import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AgentLauncher, describeEnd } from "../../src/client/AgentProcess.ts"
import * as Client from "../../src/client/Client.ts"
import * as FakeTerminal from "../support/FakeTerminal.ts"

const agent = path.join(path.dirname(fileURLToPath(import.meta.url)), "../support/line-agent.mjs")

const run = Effect.fnUntraced(function* (mode: string, given: Partial<Client.Settings> = {}) {
  const terminal = yield* FakeTerminal.make()
  const settings: Client.Settings = {
    prompt: "go",
    yes: true,
    json: false,
    verbose: false,
    cwd: process.cwd(),
    command: { command: process.execPath, args: [agent, mode, "a b", "c"], env: {} },
    version: "0.0.0",
    ...given
  }
  const code = yield* Effect.provide(Client.run(settings), Layer.merge(terminal.layer, AgentLauncher.layer))
  return { code, ...terminal.written }
})

describe("an agent in a process of its own", () => {
  it.scopedLive("answers a turn and gets its arguments whole", () =>
    Effect.gen(function* () {
      const { code, err, out } = yield* run("good")
      assert.strictEqual(code, 0)
      assert.include(out, "args a b,c\n")
      assert.strictEqual(err, "")
    })
  )

  it.scopedLive("that dies in a turn fails it at once, with its exit code and last words", () =>
    Effect.gen(function* () {
      const { code, err, out } = yield* run("dies")
      assert.strictEqual(code, 70)
      assert.include(err, "the agent ended with exit code 3; last line of its stderr: out of luck\n")
      assert.include(err, "  first trouble\n  out of luck\n")
      assert.include(out, "half an ans\n")
    })
  )

  it.scopedLive("that dies before it answers initialize is told likewise (O05)", () =>
    Effect.gen(function* () {
      const { code, err } = yield* run("dies-early")
      assert.strictEqual(code, 70)
      assert.include(err, "exit code 7; last line of its stderr: no licence")
    })
  )

  it.scopedLive("that exits with half a line fails the turn (O05)", () =>
    Effect.gen(function* () {
      const { code, err, out } = yield* run("half-line")
      assert.strictEqual(code, 70)
      assert.include(err, "exit code 4; it wrote nothing to stderr")
      assert.include(out, "protocol fault")
    })
  )

  it.scopedLive("that closes stdout but lives fails the turn and is stopped (O05)", () =>
    Effect.gen(function* () {
      const { code, err } = yield* run("closes-stdout")
      assert.strictEqual(code, 70)
      assert.include(err, "closed its stdout but is still running")
    })
  )

  it.scopedLive("that leaves stdout to a grandchild ends the turn all the same", () =>
    Effect.gen(function* () {
      const { code, err } = yield* run("grandchild")
      assert.strictEqual(code, 70)
      assert.include(err, "exit code 5")
    })
  )

  it.scopedLive("may print noise: it is shown, its frames are still matched (O01)", () =>
    Effect.gen(function* () {
      const { code, out } = yield* run("noise")
      assert.strictEqual(code, 0)
      assert.strictEqual(out.match(/! protocol fault/g)?.length, 4)
      assert.include(out, "^[[2J")
      assert.notInclude(out, "\u001b")
      assert.include(out, "args ")
    })
  )

  it.scopedLive("gets -32601 at once for requests that were not advertised (O03)", () =>
    Effect.gen(function* () {
      const { code, out } = yield* run("unasked")
      assert.strictEqual(code, 0)
      assert.include(out, '"f1":-32601 9:-32601')
    })
  )

  it.scopedLive("of version 2 is refused, naming both versions (O05)", () =>
    Effect.gen(function* () {
      const { code, err } = yield* run("version-2")
      assert.strictEqual(code, 1)
      assert.match(err, /version 2.*version 1/)
    })
  )

  it.scopedLive("that ignores SIGTERM is killed (O04)", () =>
    Effect.gen(function* () {
      const { code, err } = yield* run("deaf", { verbose: true })
      assert.strictEqual(code, 0)
      assert.include(err, "SIGTERM is ignored")
    })
  )

  it.scopedLive("that can't be started: exit 70 and what to check", () =>
    Effect.gen(function* () {
      const { code, err } = yield* run("", { command: { command: "no-such-agent-here", args: [], env: {} } })
      assert.strictEqual(code, 70)
      assert.include(err, 'could not start the agent "no-such-agent-here": no such program; check --server')
    })
  )

  it.scopedLive("prints only frames with --json, whatever the agent prints", () =>
    Effect.gen(function* () {
      const { err, out } = yield* run("noise", { json: true })
      const lines: ReadonlyArray<{ frame: unknown }> = out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.isTrue(lines.every(({ frame }) => typeof frame === "object"))
      assert.include(err, "starting...")
    })
  )
})

describe("describeEnd", () => {
  it("names the signal, and keeps the last ten lines without control characters", () => {
    const stderr = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n")
    const ending = describeEnd({ code: null, signal: "SIGKILL" }, `${stderr}\n\u001b[31mred\n\n`)
    assert.strictEqual(ending.message, "the agent was ended by SIGKILL; last line of its stderr: ^[[31mred")
    assert.strictEqual(ending.stderrTail.length, 10)
  })
})
