// What the client offers is used, what it does not offer is never asked for; every failure of it has a local way out.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { PolicyService } from "../../src/policy/PolicyService.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { askUser } from "../../src/tools/AskUser.ts"
import { makeTools } from "../../src/tools/Tools.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"
import { tempFolder } from "../support/TestPolicy.ts"

const { call, say, scripted, start } = Embedded
const tools = makeTools({ shellTimeoutSecs: 60 })
const allow = (request: Peer.Request): Peer.Answer =>
  request.method === "session/request_permission"
    ? { result: { outcome: { outcome: "selected", optionId: "allow-once" } } }
    : undefined

/** One turn of one tool call over real policy and files; `answers` is the client beside permission questions. */
const turn = (
  capabilities: unknown,
  calls: ReadonlyArray<readonly [name: string, input: unknown, id?: string]>,
  answers: (request: Peer.Request, root: string) => Peer.Answer = () => undefined,
  files: Readonly<Record<string, string>> = { "a.txt": "disk\n" }
) =>
  Effect.gen(function* () {
    const root = fs.realpathSync(yield* tempFolder)
    for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(root, name), content)
    const model = scripted(call(...calls), say("done"))
    const { close, peer } = yield* start({
      model,
      tools,
      policy: Layer.provide(PolicyService.layer, Sandbox.test({ _tag: "Off" }))
    })
    yield* Peer.initialize(peer, capabilities)
    const sessionId = yield* Peer.newSession(peer, root)
    peer.answer((request) => answers(request, root) ?? allow(request))
    const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
    const asked = () => peer.frames().flatMap((frame) => (frame._tag === "Request" ? [frame.method] : []))
    const result = () => {
      const message = model.requests[1]?.at(-1)
      return message?._tag === "ToolResults" ? message.results[0] : undefined
    }
    return {
      peer,
      root,
      sessionId,
      id,
      asked,
      result,
      close,
      read: (name: string) => fs.readFileSync(path.join(root, name), "utf8")
    }
  })

const fsBoth = { fs: { readTextFile: true, writeTextFile: true } }
const edit = ["file_edit", { path: "a.txt", old_string: "unsaved", new_string: "edited" }] as const

describe("the client's files", () => {
  it.scopedLive("reads what the editor shows and writes through it, with the real path", () =>
    Effect.gen(function* () {
      let buffer = "unsaved\n"
      const paths: Array<unknown> = []
      const { asked, id, peer, read, root } = yield* turn(fsBoth, [edit], ({ method, params }) => {
        if (method.startsWith("fs/")) paths.push(params["path"])
        if (method === "fs/read_text_file") return { result: { content: buffer } }
        if (method !== "fs/write_text_file") return undefined
        buffer = String(params["content"])
        // Some clients answer null.
        return { result: null }
      })
      assert.strictEqual((yield* peer.response(id)).result?.["stopReason"], "end_turn")
      assert.strictEqual(buffer, "edited\n")
      assert.strictEqual(read("a.txt"), "disk\n")
      assert.include(asked(), "fs/write_text_file")
      assert.deepStrictEqual([...new Set(paths)], [path.join(root, "a.txt")])
    })
  )

  it.scopedLive("writes locally when the client only reads, or fails", () =>
    Effect.gen(function* () {
      for (const capabilities of [{ fs: { readTextFile: true } }, fsBoth]) {
        const { asked, id, peer, read } = yield* turn(capabilities, [edit], ({ method }) =>
          method === "fs/read_text_file"
            ? { result: { content: "unsaved\n" } }
            : method === "fs/write_text_file"
              ? { error: { code: -32603, message: "no" } }
              : undefined
        )
        yield* peer.response(id)
        assert.strictEqual(read("a.txt"), "edited\n")
        if (capabilities !== fsBoth) assert.notInclude(asked(), "fs/write_text_file")
      }
    })
  )

  it.scopedLive("falls back to the disk when the editor fails or answers nonsense", () =>
    Effect.gen(function* () {
      for (const answer of [{ error: { code: -32002, message: "no" } }, { result: {} }, { result: { content: 7 } }]) {
        const { id, peer, result } = yield* turn(fsBoth, [["file_read", { path: "a.txt" }]], ({ method }) =>
          method === "fs/read_text_file" ? answer : undefined
        )
        yield* peer.response(id)
        assert.include(result()?.text ?? "", "disk")
      }
    })
  )

  it.scopedLive("never asks the editor for what policy refuses", () =>
    Effect.gen(function* () {
      const outside = fs.realpathSync(yield* tempFolder)
      fs.writeFileSync(path.join(outside, "secret.txt"), "secret")
      const root = fs.realpathSync(yield* tempFolder)
      fs.symlinkSync(outside, path.join(root, "link"))
      const model = scripted(
        call(
          ["file_read", { path: "link/secret.txt" }, "1"],
          ["file_read", { path: path.join(outside, "secret.txt") }, "2"],
          ["file_write", { path: "link/new.txt", content: "x" }, "3"]
        ),
        say("done")
      )
      const { peer } = yield* start({
        model,
        tools,
        policy: Layer.provide(PolicyService.layer, Sandbox.test({ _tag: "Off" }))
      })
      yield* Peer.initialize(peer, fsBoth)
      const sessionId = yield* Peer.newSession(peer, root)
      peer.answer((request) => (request.method.startsWith("fs/") ? { result: { content: "x" } } : allow(request)))
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      assert.isFalse(peer.frames().some((frame) => frame._tag === "Request" && frame.method.startsWith("fs/")))
      assert.deepStrictEqual(fs.readdirSync(outside), ["secret.txt"])
    })
  )

  it.scopedLive("asks for nothing that was not advertised, whatever stands in its place", () =>
    Effect.gen(function* () {
      for (const capabilities of [
        {},
        null,
        "yes",
        { fs: null, terminal: "yes", elicitation: {} },
        { fs: { readTextFile: "true", writeTextFile: 1 }, terminal: null, elicitation: { form: true } }
      ]) {
        const { asked, id, peer, read } = yield* turn(capabilities, [
          ["file_write", { path: "new.txt", content: "x" }, "1"],
          ["shell", { command: "echo hi > ran.txt" }, "2"],
          ["ask_user", { question: "which?", choices: ["a", "b"] }, "3"]
        ])
        yield* peer.response(id)
        assert.deepStrictEqual([...new Set(asked())], ["session/request_permission"])
        assert.strictEqual(read("new.txt") + read("ran.txt"), "xhi\n")
      }
    })
  )
})

describe("the client's terminal", () => {
  const count = (asked: ReadonlyArray<string>, method: string) => asked.filter((one) => one === method).length
  const shell = ["shell", { command: "echo hi" }] as const
  const terminal =
    (exit: Peer.Answer, create: Peer.Answer = { result: { terminalId: "t1" } }) =>
    ({ method }: Peer.Request): Peer.Answer => {
      switch (method) {
        case "terminal/create":
          return create
        case "terminal/wait_for_exit":
          return exit
        case "terminal/output":
          return { result: { output: "hi\r\n", truncated: false } }
        case "terminal/kill":
        case "terminal/release":
          return { result: {} }
        default:
          return undefined
      }
    }

  it.scopedLive("shows the terminal on the card, gives the model its output, and releases it once", () =>
    Effect.gen(function* () {
      for (const [exit, ends, status] of [
        [{ exitCode: 0 }, "[exit code 0]", "completed"],
        [{ exitCode: 3, signal: null }, "[exit code 3]", "failed"],
        [{ signal: "SIGKILL" }, "[ended by SIGKILL]", "failed"]
      ] as const) {
        const { asked, id, peer, result } = yield* turn({ terminal: true }, [shell], terminal({ result: exit }))
        yield* peer.response(id)
        assert.strictEqual(result()?.text, `hi\n${ends}`)
        assert.strictEqual(count(asked(), "terminal/create"), 1)
        assert.strictEqual(count(asked(), "terminal/release"), 1)
        const last = peer.updates().findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update")
        assert.strictEqual(last?.["status"], status)
        assert.deepInclude(last?.["content"], { type: "terminal", terminalId: "t1" })
        const release = peer
          .frames()
          .findIndex((frame) => frame._tag === "Request" && frame.method === "terminal/release")
        const shown = peer.frames().findIndex((frame) => JSON.stringify(frame).includes('"terminalId":"t1"'))
        assert.isBelow(shown, release)
      }
    })
  )

  it.scopedLive("runs the command here when the client makes no terminal", () =>
    Effect.gen(function* () {
      const failing = terminal({ result: {} }, { error: { code: -32603, message: "no" } })
      const { id, peer, result } = yield* turn({ terminal: true }, [shell], failing)
      yield* peer.response(id)
      assert.strictEqual(result()?.text, "hi\n[exit code 0]")
    })
  )

  it.scopedLive("a cancel does not wait for the client, and the terminal is released", () =>
    Effect.gen(function* () {
      const { asked, id, peer, sessionId } = yield* turn({ terminal: true }, [shell], terminal(undefined))
      yield* peer.until((frame) => frame._tag === "Request" && frame.method === "terminal/wait_for_exit")
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual((yield* peer.response(id)).result?.["stopReason"], "cancelled")
      assert.strictEqual(count(asked(), "terminal/release"), 1)
    })
  )

  it.scopedLive("a terminal that is made after the cancel is released too", () =>
    Effect.gen(function* () {
      const { id, peer, sessionId } = yield* turn({ terminal: true }, [shell], ({ method }) =>
        method === "terminal/release" ? { result: {} } : undefined
      )
      const create = yield* peer.until((frame) => frame._tag === "Request" && frame.method === "terminal/create")
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual((yield* peer.response(id)).result?.["stopReason"], "cancelled")
      if (create._tag === "Request") yield* peer.reply(create.id, { result: { terminalId: "late" } })
      const release = yield* peer.until((frame) => frame._tag === "Request" && frame.method === "terminal/release")
      assert.deepInclude(release._tag === "Request" ? release.params : {}, { terminalId: "late" })
    })
  )
})

describe("ask_user", () => {
  const question = { question: "Which one?", choices: ["the first", "the second"] }
  const form = { elicitation: { form: {} } }

  it.scopedLive("asks by a form where the client has one, without an approval first", () =>
    Effect.gen(function* () {
      const { asked, id, peer, result } = yield* turn(form, [["ask_user", question]], ({ method }) =>
        method === "elicitation/create" ? { result: { action: "accept", content: { choice: "choice-1" } } } : undefined
      )
      yield* peer.response(id)
      assert.deepStrictEqual(asked(), ["elicitation/create"])
      assert.strictEqual(result()?.text, "the second")
    })
  )

  it.scopedLive("takes a written answer only by a form", () =>
    Effect.gen(function* () {
      const free = ["ask_user", { question: "Why?" }] as const
      const written = yield* turn(form, [free], ({ method }) =>
        method === "elicitation/create" ? { result: { action: "accept", content: { answer: "because" } } } : undefined
      )
      yield* written.peer.response(written.id)
      assert.strictEqual(written.result()?.text, "because")
      const without = yield* turn({}, [free])
      yield* without.peer.response(without.id)
      assert.isTrue(without.result()?.isError)
      assert.include(without.result()?.text ?? "", "choices are required")
      assert.deepStrictEqual(without.asked(), [])
    })
  )

  it.scopedLive("asks by options of one spec kind on its own card where there is no form", () =>
    Effect.gen(function* () {
      const { id, peer, result } = yield* turn({}, [["ask_user", question]], ({ method }) =>
        method === "session/request_permission"
          ? { result: { outcome: { outcome: "selected", optionId: "choice-0" } } }
          : undefined
      )
      yield* peer.response(id)
      assert.strictEqual(result()?.text, "the first")
      const asked = peer.frames().find(Peer.isPermission)
      const options = asked?.params["options"]
      assert.deepStrictEqual(Array.isArray(options) ? options.map(({ kind }) => kind) : [], [
        "allow_once",
        "allow_once"
      ])
      assert.deepInclude(asked?.params["toolCall"], { toolCallId: "call-0", title: "Which one?" })
    })
  )

  it.scopedLive.each([
    { action: "decline" },
    { action: "cancel" },
    { action: "_later" },
    { action: "accept" },
    { action: "accept", content: { choice: "choice-9" } },
    { action: "accept", content: { choice: ["choice-0"] } },
    {}
  ])("%o is no answer", (answer) =>
    Effect.gen(function* () {
      const { id, peer, result } = yield* turn(form, [["ask_user", question]], ({ method }) =>
        method === "elicitation/create" ? { result: answer } : undefined
      )
      yield* peer.response(id)
      assert.isTrue(result()?.isError)
    })
  )

  it("is offered to models with what it takes", () => {
    assert.deepStrictEqual(askUser.spec.inputSchema["required"], ["question"])
  })
})
