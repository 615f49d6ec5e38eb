import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Layer, Option } from "effect"
import { AgentLauncher } from "../../src/client/AgentProcess.ts"
import * as Arguments from "../../src/client/Arguments.ts"
import * as CommandLine from "../../src/client/CommandLine.ts"
import * as ClientCli from "../../src/program/ClientCli.ts"
import { nearest } from "../../src/text/Suggest.ts"
import * as FakeAgent from "../support/FakeAgent.ts"
import * as FakeTerminal from "../support/FakeTerminal.ts"

const wrong = (...argv: ReadonlyArray<string>) =>
  Effect.map(Effect.either(Arguments.parse(argv)), (result) => (Either.isLeft(result) ? result.left : "no error"))

describe("arguments of client", () => {
  it.effect("are read in any order", () =>
    Effect.gen(function* () {
      const parsed = yield* Arguments.parse([
        "client",
        "fix",
        "-y",
        "the bug",
        "--cwd=/tmp",
        "--server",
        "other-agent",
        "--server-args",
        "--acp 'two words'"
      ])
      assert.deepInclude(parsed, {
        _tag: "Client",
        prompt: "fix the bug",
        yes: true,
        json: false,
        cwd: Option.some("/tmp"),
        server: Option.some({ command: "other-agent", args: ["--acp", "two words"] })
      })
    })
  )

  it.effect("after -- are words of the prompt", () =>
    Effect.gen(function* () {
      const parsed = yield* Arguments.parse(["client", "--json", "--", "-v", "--yes"])
      assert.deepInclude(parsed, { prompt: "-v --yes", json: true, yes: false })
    })
  )

  it.effect("that are wrong get one clear line", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* wrong("client", "--jsn"), "unknown option --jsn; did you mean --json?")
      assert.include(yield* wrong("client", "-x"), "unknown option -x; put -- before")
      assert.strictEqual(yield* wrong("client", "--cwd"), "--cwd wants a value: --cwd DIR")
      assert.strictEqual(yield* wrong("client", "--cwd", "--yes"), "--cwd wants a value: --cwd DIR")
      assert.strictEqual(yield* wrong("client", "--yes=no"), "--yes takes no value")
      assert.strictEqual(yield* wrong("client", "--json", "--json"), "--json is given twice")
      assert.strictEqual(yield* wrong("client", "--server-args", "x"), "--server-args needs --server")
      assert.include(yield* wrong("client", "--server", "x", "--server-args", "'"), "not closed")
      assert.include(yield* wrong("client", "--session", "1", "--agent", "a"), "give one of them")
      assert.strictEqual(yield* wrong("demo", "a", "b"), "takes one folder")
      assert.include(yield* wrong("client", "--wizard"), "unknown option --wizard")
    })
  )

  it.effect("help is plain text that names every option", () =>
    Effect.gen(function* () {
      for (const name of ["client", "demo"]) {
        const parsed = yield* Arguments.parse([name, "-h"])
        const text = parsed._tag === "Help" ? parsed.text : ""
        assert.notInclude(text, "\u001b")
        for (const { name: flag } of (name === "demo" ? Arguments.demoSpec : Arguments.clientSpec).flags) {
          assert.include(text, `--${flag}`)
        }
      }
    })
  )
})

describe("execute", () => {
  const here = { cwd: "/", self: { command: "node", args: ["zeroclaw.js"] } }
  const executed = Effect.fnUntraced(function* (...argv: ReadonlyArray<string>) {
    const fake = yield* FakeAgent.make({})
    const terminal = yield* FakeTerminal.make()
    const commands: Array<ReadonlyArray<string>> = []
    const launcher = AgentLauncher.test(({ args, command }) =>
      Effect.sync(() => {
        commands.push([command, ...args])
        return fake.link
      })
    )
    const parsed = yield* Arguments.parse(argv)
    const result = yield* Effect.either(
      Effect.provide(ClientCli.execute(parsed, here), Layer.merge(terminal.layer, launcher))
    )
    return { result, commands, written: terminal.written }
  })

  it.scoped("starts our own server, verbose when asked", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* executed("client", "hi")).commands, [["node", "zeroclaw.js", "acp"]])
      assert.deepStrictEqual((yield* executed("client", "hi", "--verbose")).commands, [
        ["node", "zeroclaw.js", "acp", "--verbose"]
      ])
    })
  )

  it.scoped("starts another agent with nothing added", () =>
    Effect.gen(function* () {
      const { commands } = yield* executed("client", "hi", "--server", "x", "--server-args", "a", "--verbose")
      assert.deepStrictEqual(commands, [["x", "a"]])
    })
  )

  it.scoped("refuses a folder that is not there", () =>
    Effect.gen(function* () {
      const { commands, result } = yield* executed("client", "hi", "--cwd", "no/such/folder")
      assert.deepStrictEqual(result, Either.left("no such folder: /no/such/folder"))
      assert.deepStrictEqual(commands, [])
    })
  )
})

describe("split", () => {
  it("parts at blanks and keeps what is quoted", () => {
    assert.deepStrictEqual(CommandLine.split(` a  'b c' "d \\"e" f\\ g h"i"'j' "" `), [
      "a",
      "b c",
      'd "e',
      "f g",
      "hij",
      ""
    ])
    assert.deepStrictEqual(CommandLine.split("C:\\dir\\agent"), ["C:\\dir\\agent"])
    assert.deepStrictEqual(CommandLine.split(""), [])
    assert.isUndefined(CommandLine.split("a 'b"))
  })
})

describe("nearest", () => {
  it("finds a near word and no far one", () => {
    assert.strictEqual(nearest("--sesion", ["--session", "--server"]), "--session")
    assert.isUndefined(nearest("--colour", ["--session", "--server"]))
    assert.isUndefined(nearest("x", []))
  })
})
