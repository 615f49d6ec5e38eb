// Kinds D, E and F: what is agreed on, where a session works, what a prompt carries.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Cases from "../support/Cases.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

const { cwd, say, scripted, start } = Embedded
const strict = { acp: { dialect: "strict" } }

const opened = (setup: Partial<Embedded.Setup> = {}) =>
  Effect.gen(function* () {
    const model = scripted(say("ok"))
    const { peer } = yield* start({ model, ...setup })
    yield* Peer.initialize(peer)
    return { peer, model, sessionId: yield* Peer.newSession(peer, cwd) }
  })
const asked = (model: ReturnType<typeof scripted>) => JSON.stringify(model.requests.at(-1))

describe("D. initialize", () => {
  it.scoped("D01 a strict connection refuses a version that is missing or no number, and takes the next try", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(say("ok")), config: strict })
      for (const params of [{}, { protocolVersion: "2025-06-18" }, undefined]) {
        const { error } = yield* peer.request("initialize", params)
        assert.strictEqual(error?.code, -32602)
        assert.include(error?.message ?? "", "protocolVersion")
      }
      assert.strictEqual((yield* peer.request("initialize", { protocolVersion: 1 })).result?.["protocolVersion"], 1)
    })
  )

  it.scoped("D02 a version nobody has is answered with ours, one out of range at most refused", () =>
    Effect.gen(function* () {
      for (const protocolVersion of [99, 0, 70000]) {
        const { peer } = yield* start({ model: scripted(say("ok")) })
        const { error, result } = yield* peer.request("initialize", { protocolVersion })
        if (protocolVersion === 70000 && error !== undefined) assert.strictEqual(error.code, -32602)
        else assert.strictEqual(result?.["protocolVersion"], 1)
      }
    })
  )

  it.scopedLive("D03 what the client does not offer, or offers in the wrong type, is done here", () =>
    Effect.gen(function* () {
      const offers = [{ fs: { readTextFile: true }, terminal: "yes" }, undefined, null, "yes", { fs: null }]
      for (const clientCapabilities of offers) {
        const { home, project } = yield* Server.place()
        fs.writeFileSync(path.join(project, "a.txt"), "alpha\n")
        const { peer } = yield* Server.start(home)
        peer.answer((request) => {
          if (request.method === "session/request_permission") return Server.allowOnce
          return request.method === "fs/read_text_file"
            ? { result: { content: "alpha\n" } }
            : { error: { code: -32601, message: "Not offered" } }
        })
        const { error } = yield* peer.request("initialize", { protocolVersion: 1, clientCapabilities })
        assert.strictEqual(error, undefined)
        const sessionId = yield* Peer.newSession(peer, project)
        yield* Server.prompt(peer, sessionId, 'plan: replace "alpha" with "omega" in a.txt; run echo hi > b.txt')
        const asked = peer.frames().flatMap((frame) => (frame._tag === "Request" ? [frame.method] : []))
        assert.notMatch(asked.join(" "), /fs\/write|terminal\//)
        assert.strictEqual(fs.readFileSync(path.join(project, "a.txt"), "utf8"), "omega\n")
        assert.strictEqual(fs.readFileSync(path.join(project, "b.txt"), "utf8"), "hi\n")
      }
    })
  )

  it.scoped("D04 initialize and session/new fit the schema, with nothing else at the root", () =>
    Effect.gen(function* () {
      // The peer checks each line against the official schema, root keys included.
      const { peer, sessionId } = yield* opened()
      assert.isNotEmpty(sessionId)
      const [first] = peer.frames()
      const agreed = first?._tag === "Response" ? first.result : undefined
      const capabilities = JSON.stringify(agreed?.["agentCapabilities"])
      assert.notMatch(capabilities, /"(list|delete|resume|close|additionalDirectories|logout)":(true|false|null)/)
    })
  )
})

describe("E. session setup", () => {
  it.scoped("E01 a strict connection wants an absolute cwd, says so, and leaves no session behind", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(say("ok")), config: strict })
      yield* Peer.initialize(peer)
      for (const params of [{ cwd: "." }, { cwd: "~/p" }, { cwd: "" }, {}, { cwd: "file:///tmp" }]) {
        const { error } = yield* peer.request("session/new", { ...params, mcpServers: [] })
        assert.strictEqual(error?.code, -32602)
        assert.include(error?.message ?? "", "cwd")
      }
      assert.deepStrictEqual((yield* peer.request("session/list", {})).result?.["sessions"], [])
    })
  )

  it.scopedLive("E02 a folder that is not there, or is a file, is refused when the session is opened", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      fs.writeFileSync(path.join(project, "file"), "")
      const { peer } = yield* Server.start(home)
      yield* Peer.initialize(peer)
      for (const folder of ["/no/such/dir", path.join(project, "file")]) {
        const { error } = yield* peer.request("session/new", { cwd: folder, mcpServers: [] })
        assert.isTrue(error?.code === -32602 || error?.code === -32002)
        assert.include(error?.message ?? "", folder)
      }
    })
  )

  it.scopedLive("E03 a session works in its folder wherever the program was started, two never mix", () =>
    Effect.gen(function* () {
      const first = yield* Server.place()
      const other = yield* Server.temporary("other")
      const { peer, sessionId } = yield* Server.open(first, { cwd: "/" })
      const second = yield* Peer.newSession(peer, other)
      peer.answer(() => Server.allowOnce)
      const work = (id: string) => Server.prompt(peer, id, "plan: run pwd; create rel.txt with x")
      yield* Effect.all([work(sessionId), work(second)], { concurrency: 2 })
      for (const [id, folder, foreign] of [
        [sessionId, first.project, other],
        [second, other, first.project]
      ] as const) {
        assert.isTrue(fs.existsSync(path.join(folder, "rel.txt")))
        const said = Peer.textOf(peer.updates(id), "agent_message_chunk")
        assert.include(said, folder)
        assert.notInclude(said, foreign)
      }
    })
  )

  it.scopedLive("E04 a session is not loaded with another folder; the error names both", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      const other = yield* Server.temporary("other")
      const { peer, sessionId } = yield* Server.open({ home, project })
      const { error } = yield* peer.request("session/load", { sessionId, cwd: other, mcpServers: [] })
      assert.strictEqual(error?.code, -32602)
      assert.include(error?.message ?? "", project)
      assert.include(error?.message ?? "", other)
    })
  )

  it.scoped("E06 mcpServers may be null, are named where they must not be missing; a bad entry is told of", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ model: scripted(say("ok")), config: strict })
      yield* Peer.initialize(peer)
      const missing = yield* peer.request("session/new", { cwd })
      if (missing.error !== undefined) {
        assert.strictEqual(missing.error.code, -32602)
        assert.include(missing.error.message, "mcpServers")
      }
      assert.strictEqual((yield* peer.request("session/new", { cwd, mcpServers: null })).error, undefined)
      const ok = { name: "fine", command: "/bin/true", args: [], env: [] }
      for (const bad of [{ name: "x" }, { ...ok, name: "odd-env", env: { A: "b" } }]) {
        const { result } = yield* peer.request("session/new", { cwd, mcpServers: [bad, ok] })
        const sessionId = String(result?.["sessionId"])
        yield* peer.request("session/prompt", Peer.promptParams(sessionId, "hi"))
        assert.match(JSON.stringify(peer.updates(sessionId)), /malformed|odd-env|\bx\b/)
      }
    })
  )

  it.scoped("E08 MCP servers that are not started are named to the person, on new, load and resume", () =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened({ store: yield* Cases.durableStore })
      const mcpServers = [{ name: "fs-echo", command: "/bin/true", args: ["--x"], env: [{ name: "K", value: "v" }] }]
      for (const method of ["session/load", "session/resume"]) {
        const { error } = yield* peer.request(method, { sessionId, cwd, mcpServers })
        assert.strictEqual(error, undefined)
        const seen = peer.updates(sessionId).length
        yield* peer.request("session/prompt", Peer.promptParams(sessionId, "hi"))
        assert.include(JSON.stringify(peer.updates(sessionId).slice(seen)), "fs-echo")
      }
      const { result } = yield* peer.request("session/new", { cwd, mcpServers })
      const made = String(result?.["sessionId"])
      yield* peer.request("session/prompt", Peer.promptParams(made, "hi"))
      assert.include(JSON.stringify(peer.updates(made)), "fs-echo")
    })
  )
})

describe("F. prompts", () => {
  it.scoped("F01 links and text reach the model in order, paths decoded, other URIs as they are", () =>
    Effect.gen(function* () {
      const { model, peer, sessionId } = yield* opened()
      const prompt = [
        { type: "resource_link", name: "a b.lua", uri: "file:///tmp/a%20b%23.lua" },
        { type: "text", text: "explain" },
        { type: "resource_link", name: "w", uri: "https://x/?a=//b" }
      ]
      assert.strictEqual(Cases.stopReason(yield* peer.request("session/prompt", { sessionId, prompt })), "end_turn")
      assert.match(asked(model), /\/tmp\/a b#\.lua.*explain.*https:\/\/x\/\?a=\/\/b/)
    })
  )

  it.scoped("F02 an empty prompt is refused or ends at once, and leaves nothing in the history", () =>
    Effect.gen(function* () {
      const { model, peer, sessionId } = yield* opened({ config: strict })
      for (const prompt of [[], [{ type: "text", text: "" }]]) {
        const answer = yield* peer.request("session/prompt", { sessionId, prompt })
        assert.isTrue(answer.error?.code === -32602 || Cases.stopReason(answer) === "end_turn")
      }
      assert.strictEqual((yield* peer.request("session/prompt", { sessionId, prompt: "hi" })).error?.code, -32602)
      assert.strictEqual(model.requests.length, 0)
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "ok?"))
      assert.strictEqual(model.requests.at(-1)?.filter(({ _tag }) => _tag === "User").length, 1)
    })
  )

  it.scoped("F04 a block that was not offered is refused by its name", () =>
    Effect.gen(function* () {
      const { model, peer, sessionId } = yield* opened()
      const { result } = yield* Peer.initialize(peer)
      assert.nestedPropertyVal(result, "agentCapabilities.promptCapabilities.image", false)
      const image = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" }
      const refused = yield* peer.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "?" }, image] })
      assert.strictEqual(refused.error?.code, -32602)
      assert.include(refused.error?.message ?? "", "image")
      const odd = yield* peer.request("session/prompt", { sessionId, prompt: [{ type: "hologram", x: 1 }] })
      assert.strictEqual(odd.error?.code, -32602)
      assert.strictEqual(model.requests.length, 0)
    })
  )

  it.scoped("F05 the data of an image counts, its uri is never opened: the refusal is the same with any uri", () =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened()
      const messages: Array<string | undefined> = []
      for (const uri of ["zed:///agent/pasted-image?name=Image", "file:///Users/x/Screen%20Shot.png", undefined]) {
        const image = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=", ...(uri ? { uri } : {}) }
        const answer = yield* peer.request("session/prompt", { sessionId, prompt: [image] })
        messages.push(answer.error?.message ?? String(Cases.stopReason(answer)))
      }
      assert.strictEqual(new Set(messages).size, 1)
    })
  )

  it.scoped("F06 20 MB of text are refused before the model is asked, and not kept", () =>
    Effect.gen(function* () {
      const { model, peer, sessionId } = yield* opened()
      const resource = { uri: "file:///log.txt", text: "x".repeat(20_000_000) }
      const big = yield* peer.request("session/prompt", { sessionId, prompt: [{ type: "resource", resource }] })
      assert.strictEqual(big.error?.code, -32602)
      assert.strictEqual(model.requests.length, 0)
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "ok?"))
      assert.isBelow(asked(model).length, 100_000)
    })
  )
})
