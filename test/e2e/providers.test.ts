// The shipped program on a model provider: real wire formats, real tools, real errors.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as MockModel from "../support/MockModel.ts"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

const key = "sk-test-0123456789abcdef"
const toml = (wire: "anthropic" | "openai", url: string, extra = "") =>
  wire === "anthropic"
    ? `[providers.models.anthropic.main]\nmodel = "claude-test"\nbase_url = "${url}"\n${extra}`
    : `[providers.models.custom.main]\nmodel = "gpt-test"\nbase_url = "${url}/v1"\n${extra}`
const withKey = `api_key = "${key}"\n`

describe.each(["anthropic", "openai"] as const)("a turn on %s", (wire) => {
  const say = (text: string) => (wire === "anthropic" ? MockModel.anthropic.text(text) : MockModel.openai.text(text))
  const call = (calls: ReadonlyArray<MockModel.Call>) =>
    wire === "anthropic" ? MockModel.anthropic.toolUse(calls) : MockModel.openai.toolCalls(calls)

  it.scopedLive(
    "edits a file behind a question, runs several calls of one reply, and tells the model their results",
    () =>
      Effect.gen(function* () {
        const model = yield* MockModel.start
        const place = yield* Server.place(toml(wire, model.url, withKey))
        fs.writeFileSync(path.join(place.project, "a.txt"), "alpha\n")
        yield* model.script(
          call([
            { id: "one", name: "file_read", input: { path: "a.txt" } },
            { id: "two", name: "file_edit", input: { path: "a.txt", old_string: "alpha", new_string: "omega" } },
            { id: "three", name: "no_such_tool", input: {} }
          ]),
          say("All done.")
        )
        const { peer, sessionId, stderr } = yield* Server.open(place)
        peer.answer(() => Server.allowOnce)
        const { result } = yield* Server.prompt(peer, sessionId, "change it")
        assert.strictEqual(result?.["stopReason"], "end_turn")
        assert.strictEqual(fs.readFileSync(path.join(place.project, "a.txt"), "utf8"), "omega\n")
        const ends = peer
          .updates()
          .flatMap(({ sessionUpdate, status, toolCallId }) =>
            sessionUpdate === "tool_call_update" && (status === "completed" || status === "failed")
              ? [`${toolCallId} ${status}`]
              : []
          )
        assert.deepStrictEqual(ends, ["one completed", "two completed", "three failed"])
        assert.strictEqual(peer.frames().filter(Peer.isPermission).length, 1)
        const told = JSON.stringify(model.requests[1]?.body)
        assert.include(told, "alpha")
        assert.include(told, "no_such_tool")
        assert.include(Peer.textOf(peer.updates(), "agent_message_chunk"), "All done.")
        assert.strictEqual(stderr(), "")
      })
  )

  it.scopedLive("shows thinking as thoughts", () =>
    Effect.gen(function* () {
      const model = yield* MockModel.start
      const place = yield* Server.place(toml(wire, model.url, withKey))
      yield* model.script(
        wire === "anthropic"
          ? MockModel.anthropic.thinking("let me see", "signature", "42")
          : MockModel.openai.thinking("let me see", "42")
      )
      const { peer, sessionId } = yield* Server.open(place)
      yield* Server.prompt(peer, sessionId, "how many?")
      assert.strictEqual(Peer.textOf(peer.updates(), "agent_thought_chunk"), "let me see")
      assert.strictEqual(Peer.textOf(peer.updates(), "agent_message_chunk"), "42")
    })
  )

  it.scopedLive("tells a rejected key as authentication required, without the key, and lives on", () =>
    Effect.gen(function* () {
      const model = yield* MockModel.start
      const place = yield* Server.place(toml(wire, model.url, withKey))
      yield* model.script(
        MockModel.http(401, { error: { type: "authentication_error", message: `invalid key ${key}` } }),
        say("back")
      )
      const { peer, sessionId } = yield* Server.open(place)
      const { error } = yield* Server.prompt(peer, sessionId, "hi")
      assert.strictEqual(error?.code, -32000)
      assert.notInclude(JSON.stringify(peer.frames()), key)
      assert.strictEqual((yield* Server.prompt(peer, sessionId, "again")).result?.["stopReason"], "end_turn")
    })
  )

  it.scopedLive("asks again after 529 and after a stream that broke off", () =>
    Effect.gen(function* () {
      const model = yield* MockModel.start
      const place = yield* Server.place(toml(wire, model.url, withKey))
      yield* model.script(
        MockModel.http(529, { error: { type: "overloaded_error", message: "overloaded" } }),
        MockModel.cutAfter(say("a long answer that will not arrive"), 3),
        say("whole answer")
      )
      const { peer, sessionId } = yield* Server.open(place)
      assert.strictEqual((yield* Server.prompt(peer, sessionId, "hi")).result?.["stopReason"], "end_turn")
      assert.isTrue(Peer.textOf(peer.updates(), "agent_message_chunk").endsWith("whole answer"))
      assert.strictEqual(model.requests.length, 3)
    })
  )

  it.scopedLive("tells what the provider refused and names a page that is no answer, never as an empty end_turn", () =>
    Effect.gen(function* () {
      const model = yield* MockModel.start
      const bad = yield* Server.place(toml(wire, model.url, withKey))
      yield* model.script(
        MockModel.http(400, { error: { type: "invalid_request_error", message: "max_tokens is too large" } })
      )
      const first = yield* Server.open(bad)
      const refused = yield* Server.prompt(first.peer, first.sessionId, "hi")
      assert.strictEqual(refused.error?.code, -32603)
      assert.include(refused.error?.message ?? "", "max_tokens is too large")
      yield* model.script(MockModel.html(200, "<html><body>Sign in</body></html>"))
      const page = yield* Server.prompt(first.peer, first.sessionId, "hi")
      assert.strictEqual(page.error?.code, -32603)
    })
  )

  it.scopedLive("stops the request when the turn is cancelled", () =>
    Effect.gen(function* () {
      const model = yield* MockModel.start
      const place = yield* Server.place(toml(wire, model.url, withKey))
      yield* model.script(MockModel.stallAfter(say("a first word and more"), wire === "anthropic" ? 5 : 3))
      const { peer, sessionId } = yield* Server.open(place)
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      const request = yield* model.nextRequest
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual((yield* peer.response(id)).result?.["stopReason"], "cancelled")
      assert.isTrue(yield* request.hungUp)
    })
  )
})

describe("a provider that cannot be asked", () => {
  it.scopedLive("is named with its address, after the retries", () =>
    Effect.gen(function* () {
      const url = yield* MockModel.deadUrl
      const place = yield* Server.place(toml("openai", url, withKey))
      const { peer, sessionId } = yield* Server.open(place)
      const { error } = yield* Server.prompt(peer, sessionId, "hi")
      assert.strictEqual(error?.code, -32603)
      assert.include(error?.message ?? "", url.replace("http://", ""))
    })
  )

  it.scopedLive("without a key asks for it by the name of its variable; session/new works", () =>
    Effect.gen(function* () {
      const place = yield* Server.place(toml("anthropic", "http://127.0.0.1:9"))
      const { peer, sessionId } = yield* Server.open(place)
      const { error } = yield* Server.prompt(peer, sessionId, "hi")
      assert.strictEqual(error?.code, -32000)
      assert.include(error?.message ?? "", "ANTHROPIC_API_KEY")
    })
  )

  it.scopedLive("takes the key from the environment", () =>
    Effect.gen(function* () {
      const model = yield* MockModel.start
      yield* model.script(MockModel.anthropic.text("hello"))
      const place = yield* Server.place(toml("anthropic", model.url))
      const { peer, sessionId } = yield* Server.open(place, { env: { ANTHROPIC_API_KEY: key } })
      assert.strictEqual((yield* Server.prompt(peer, sessionId, "hi")).result?.["stopReason"], "end_turn")
      assert.strictEqual(model.requests[0]?.headers["x-api-key"], key)
      peer.answer(() => Server.allowOnce)
      yield* model.script(
        MockModel.anthropic.toolUse([{ id: "e", name: "shell", input: { command: "env" } }]),
        MockModel.anthropic.text("ok")
      )
      yield* Server.prompt(peer, sessionId, "env")
      assert.notInclude(JSON.stringify(peer.frames()), key)
    })
  )

  it.scopedLive("is refused when configuration names no model, or one that is not there", () =>
    Effect.gen(function* () {
      const cases = [
        ['[providers.models.anthropic.main]\napi_key = "x"\n', "model"],
        ['[agents.a]\nmodel_provider = "anthropic.none"\n', "anthropic.none"],
        ['[agents.a]\nrisk_profile = "none"\n', "risk_profiles.none"]
      ]
      for (const [config, named] of cases) {
        const place = yield* Server.place(config)
        const { peer } = yield* Server.start(place.home)
        yield* Peer.initialize(peer)
        const { error } = yield* peer.request("session/new", { cwd: place.project, mcpServers: [] })
        assert.include(error?.message ?? "", named ?? "")
      }
    })
  )
})
