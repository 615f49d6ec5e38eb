import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AgentLauncher } from "../../src/client/AgentProcess.ts"
import * as Demo from "../../src/client/Demo.ts"
import * as DemoPlan from "../../src/client/DemoPlan.ts"
import { text } from "../../src/contract/Content.ts"
import type { ToolKind } from "../../src/contract/ToolCall.ts"
import type { SessionUpdate } from "../../src/contract/Update.ts"
import * as FakeAgent from "../support/FakeAgent.ts"
import * as FakeTerminal from "../support/FakeTerminal.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "client-demo-test-"))),
  (made) => Effect.sync(() => fs.rmSync(made, { recursive: true }))
)

const done = (kind: ToolKind): SessionUpdate => ({
  sessionUpdate: "tool_call",
  toolCallId: `call-${kind}`,
  title: kind,
  kind,
  status: "completed"
})
const plan: SessionUpdate = {
  sessionUpdate: "plan",
  entries: [{ content: "all", priority: "high", status: "completed" }]
}
const answer = (words: string): SessionUpdate => ({ sessionUpdate: "agent_message_chunk", content: text(words) })

const whole = [plan, done("read"), done("search"), done("execute"), answer("all done")]

/** A server that does `live` with one question, and one that replays `replay`. */
const demo = Effect.fnUntraced(function* (
  live: ReadonlyArray<SessionUpdate>,
  replay: ReadonlyArray<SessionUpdate> = live,
  settings: Partial<Demo.Settings> = {}
) {
  const place = yield* folder
  fs.writeFileSync(path.join(place, "README.md"), "# A thing\n")
  const terminal = yield* FakeTerminal.make()
  const configs: Array<string | undefined> = []
  const launcher = AgentLauncher.test(({ env }) =>
    Effect.suspend(() => {
      configs.push(env["ZEROCLAW_CONFIG_DIR"])
      assert.isTrue(fs.statSync(configs[0] ?? "").isDirectory())
      return Effect.map(
        FakeAgent.make({
          turn: (turn) =>
            Effect.gen(function* () {
              yield* turn.ask({ toolCallId: "call-execute", title: "Run", kind: "execute", status: "pending" })
              yield* Effect.forEach(live, turn.update)
              return "end_turn" as const
            }),
          replay: [{ sessionUpdate: "user_message_chunk", content: text("plan") }, ...replay]
        }),
        ({ link }) => link
      )
    })
  )
  const command = { command: "fake", args: [], env: {} }
  const run = Demo.run({ folder: place, ask: false, command, version: "0", ...settings })
  const code = yield* Effect.provide(run, Layer.merge(terminal.layer, launcher))
  return { code, configs, ...terminal.written }
})

describe("the demo", () => {
  it.scopedLive("runs one turn, ends the server, loads the session in a new one with the same configuration", () =>
    Effect.gen(function* () {
      const { code, configs, err, out } = yield* demo(whole)
      assert.strictEqual(err, "")
      assert.strictEqual(code, 0)
      assert.include(out, '> plan: list the files; read README.md:1-12; search "thing" in README.md; run echo hello\n')
      assert.include(out, "allowed (the demo answers yes")
      assert.include(out, "1 prompt, 3 tool calls (1 ")
      assert.include(out, "Its last answer:\n  all done\n")
      assert.include(out, "the session outlived its server")
      assert.strictEqual(configs.length, 2)
      assert.strictEqual(configs[0], configs[1])
      assert.isFalse(fs.existsSync(configs[0] ?? "/"))
    })
  )

  it.scopedLive("fails and names each thing it did not see", () =>
    Effect.gen(function* () {
      const { code, err } = yield* demo([done("execute"), answer("done")])
      assert.strictEqual(code, 1)
      assert.include(err, "missed: no file was read\n")
      assert.include(err, "missed: nothing was searched\n")
      assert.include(err, "missed: no plan was shown\n")
      assert.notInclude(err, "shell command")
    })
  )

  it.scopedLive("fails when the replay lacks a call or tells another answer", () =>
    Effect.gen(function* () {
      const { code, err } = yield* demo(whole, [plan, done("read"), done("search"), answer("other")])
      assert.strictEqual(code, 1)
      assert.include(err, "the replay lacks tool calls: call-execute\n")
      assert.include(err, "another answer text\n")
    })
  )

  it.scopedLive("with --ask and nobody to ask rejects, so the shell command is missed", () =>
    Effect.gen(function* () {
      const { code, err, out } = yield* demo(whole.slice(0, 3), whole.slice(0, 3), { ask: true })
      assert.strictEqual(code, 1)
      assert.include(out, "rejected (--ask, but there is no terminal")
      assert.include(err, "no shell command ran behind a permission question")
    })
  )

  it.scopedLive("says that a folder has nothing to read", () =>
    Effect.gen(function* () {
      const { code, err } = yield* demo(whole, whole, { folder: yield* folder })
      assert.strictEqual(code, 2)
      assert.include(err, "no text file to read")
    })
  )
})

describe("the demo's prompt", () => {
  it("reads the README, or the first text file with a plain name", () => {
    assert.strictEqual(DemoPlan.chooseFile(["a.ts", "README.md", "readme.txt"]), "README.md")
    assert.strictEqual(DemoPlan.chooseFile(["b.ts", "Readme.rst"]), "Readme.rst")
    assert.strictEqual(DemoPlan.chooseFile(["my file.md", "x.png", "b.py", "-rf.md"]), "b.py")
    assert.isUndefined(DemoPlan.chooseFile(["x.png", ".env"]))
  })

  it("searches a word that is there, and runs what can work", () => {
    assert.strictEqual(DemoPlan.chooseWord("# ZeroClaw"), "zeroclaw")
    assert.strictEqual(DemoPlan.chooseWord("1 a to project"), "project")
    assert.include(DemoPlan.promptFor("a.md", "x", true), "; run git log -1 --oneline")
    assert.include(DemoPlan.promptFor("a.md", "x", false), "; run echo hello")
  })
})
