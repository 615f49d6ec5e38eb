// The dialect on the wire, rows 1 to 5: what is agreed on, and where a session works.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Dialects from "../support/Dialects.ts"
import { cwd } from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"
import { tempFolder } from "../support/TestPolicy.ts"

const { agreed, all, each, inProtocol, inZeroclaw, start, strict, taking, unknownCode, unsigned } = Dialects
const get = (value: unknown, ...keys: ReadonlyArray<string>): unknown =>
  keys.reduce((at, key) => (typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined), value)
const workspace = (result: unknown) => get(result, "_meta", "zeroclaw", "workspaceDir")
const provider = { providers: { models: { ollama: { local: { model: "small", base_url: "http://127.0.0.1:1" } } } } }

describe("row 1, initialize without a version", () => {
  for (const params of [undefined, null, {}, { clientCapabilities: {} }]) {
    each(taking, `is answered with 1 and begins the dialect: ${JSON.stringify(params)}`, (speech) =>
      Effect.gen(function* () {
        const { peer } = yield* start({ ...speech, zeroclaw: true })
        assert.strictEqual((yield* peer.request("initialize", params)).result?.["protocolVersion"], 1)
        assert.strictEqual(yield* unknownCode(peer), inZeroclaw)
      })
    )
    each([strict], `is refused: ${JSON.stringify(params)}`, (speech) =>
      Effect.gen(function* () {
        const { peer } = yield* start(speech)
        const { error } = yield* peer.request("initialize", params)
        assert.strictEqual(error?.code, -32602)
        assert.include(error?.message ?? "", "protocolVersion")
      })
    )
  }

  each(all, "but with any other is answered with 1 as well, and begins nothing", (speech) =>
    Effect.gen(function* () {
      const peer = yield* agreed(speech)
      for (const protocolVersion of [0, 1, 2, 65535]) {
        const { result } = yield* peer.request("initialize", { protocolVersion })
        assert.strictEqual(result?.["protocolVersion"], 1)
      }
      assert.strictEqual(yield* unknownCode(peer), speech.zeroclaw ? inZeroclaw : inProtocol)
    })
  )
})

describe("row 2, what initialize tells of ZeroClaw", () => {
  each(all, "is always in _meta: the limits, and the default model where one is configured", (speech) =>
    Effect.gen(function* () {
      const told = (setup: Dialects.Setup) =>
        Effect.gen(function* () {
          const { peer } = yield* start(speech, setup)
          const { result } = yield* peer.request("initialize", speech.sign ? {} : { protocolVersion: 1 })
          return get(result, "_meta", "zeroclaw")
        })
      const limits = { maxSessions: 3, sessionTimeoutSecs: 60 }
      const acp = { max_sessions: 3, session_timeout_secs: 60 }
      assert.deepStrictEqual(yield* told({ acp }), limits)
      assert.deepStrictEqual(yield* told({ acp, config: provider }), { ...limits, defaultModel: "small" })
      assert.deepStrictEqual(yield* told({}), { maxSessions: 10, sessionTimeoutSecs: 3600 })
    })
  )
})

describe("row 3, ways to sign in", () => {
  each(all, "are advertised although none is needed, in a terminal only where the client has one", (speech) =>
    Effect.gen(function* () {
      const types = (capabilities: unknown) =>
        Effect.gen(function* () {
          const { peer } = yield* start(speech)
          const params = { clientCapabilities: capabilities }
          const { result } = yield* peer.request("initialize", speech.sign ? params : { protocolVersion: 1, ...params })
          return [result?.["authMethods"] ?? []].flat().map((method) => get(method, "type"))
        })
      const without = yield* types({})
      assert.isNotEmpty(without)
      assert.notInclude(without, "terminal")
      const { 0: first, length } = yield* types({ auth: { terminal: true } })
      assert.strictEqual(first, undefined)
      assert.strictEqual(length, without.length + 1)
    })
  )
})

describe("row 4, session/new", () => {
  const agents = Effect.map(tempFolder, (folder) => ({
    folder: fs.realpathSync(folder),
    config: {
      agents: {
        one: { workspace: { path: path.join(fs.realpathSync(folder), "one") } },
        two: { workspace: { path: path.join(fs.realpathSync(folder), "two") } },
        off: { enabled: false }
      }
    }
  }))
  const aliasOf = (result: unknown) => get(result, "_meta", "zeroclaw", "agentAlias")
  const meta = (agentAlias: string) => ({ _meta: { zeroclaw: { agentAlias } } })

  each(taking, "takes the agent by each of its names, and the canonical one wins", (speech) =>
    Effect.gen(function* () {
      const { config } = yield* agents
      const peer = yield* agreed({ ...speech, zeroclaw: true }, { config, acp: { default_agent: "one" } })
      const opened = (params: unknown) =>
        Effect.map(peer.request("session/new", params), ({ result }) => aliasOf(result))
      const place = { cwd, mcpServers: [] }
      assert.strictEqual(yield* opened({ ...place, agentAlias: "two" }), "two")
      assert.strictEqual(yield* opened({ ...place, agent_alias: " two " }), "two")
      assert.strictEqual(yield* opened({ ...place, agent: "two" }), "two")
      assert.strictEqual(yield* opened({ ...place, agent: "one", ...meta("two") }), "two")
      assert.strictEqual(yield* opened({ ...place, agent: "  " }), "one")
      assert.strictEqual(yield* unknownCode(peer), inZeroclaw)
    })
  )

  each(all, "takes the agent from _meta, else the default one, else the only one, else none", (speech) =>
    Effect.gen(function* () {
      const { config } = yield* agents
      const place = { cwd, mcpServers: [] }
      const opened = (acp: Dialects.Setup["acp"], params: unknown, setup: Dialects.Setup = { config }) =>
        Effect.flatMap(agreed(speech, { ...setup, acp: acp ?? {} }), (peer) => peer.request("session/new", params))
      assert.strictEqual(aliasOf((yield* opened({}, { ...place, ...meta("two") })).result), "two")
      assert.strictEqual(aliasOf((yield* opened({ default_agent: "two" }, place)).result), "two")
      assert.strictEqual(aliasOf((yield* opened({ default_agent: "two" }, { ...place, ...meta("") })).result), "two")
      assert.strictEqual(aliasOf((yield* opened({}, place, { config: { agents: { sole: {} } } })).result), "sole")
      assert.strictEqual((yield* opened({}, place)).error?.code, -32602)
      for (const alias of ["nobody", "off", "constructor", "__proto__"]) {
        const { error } = yield* opened({}, { ...place, ...meta(alias) })
        assert.strictEqual(error?.code, -32602, alias)
        assert.include(error?.message ?? "", alias)
      }
    })
  )

  each(taking, "needs no folder and no MCP servers: it works in the agent's own folder", (speech) =>
    Effect.gen(function* () {
      const { config, folder } = yield* agents
      const peer = yield* agreed({ ...speech, zeroclaw: true }, { config, acp: { default_agent: "one" } })
      for (const params of [undefined, {}, { cwd: null }, { _meta: { zeroclaw: { agentAlias: 5 } } }, { _meta: "x" }]) {
        const { result } = yield* peer.request("session/new", params)
        assert.strictEqual(workspace(result), path.join(folder, "one"), JSON.stringify(params))
      }
      const { result } = yield* peer.request("session/new", { agent: "two", mcpServers: [] })
      assert.strictEqual(workspace(result), path.join(folder, "two"))
    })
  )

  each(taking, "means a relative folder from that of the process, under each of its names", (speech) =>
    Effect.gen(function* () {
      const peer = yield* agreed({ ...speech, zeroclaw: true })
      const opened = (params: unknown) =>
        Effect.map(peer.request("session/new", params), ({ result }) => workspace(result))
      assert.strictEqual(yield* opened({ cwd: "." }), process.cwd())
      assert.strictEqual(yield* opened({ workspaceDir: "sub" }), path.resolve("sub"))
      assert.strictEqual(yield* opened({ workspace_dir: "/abs" }), "/abs")
      assert.strictEqual(yield* opened({ cwd: "/canonical", workspaceDir: "/alias" }), "/canonical")
    })
  )

  each([unsigned, strict], "wants an absolute folder where no sign was seen", (speech) =>
    Effect.gen(function* () {
      const peer = yield* agreed(speech)
      for (const place of [{}, { cwd: null }, { cwd: "." }, { cwd: "sub" }, { cwd: "" }]) {
        const { error } = yield* peer.request("session/new", { ...place, mcpServers: [] })
        assert.strictEqual(error?.code, -32602)
        assert.include(error?.message ?? "", "cwd")
      }
      assert.strictEqual(yield* unknownCode(peer), inProtocol)
    })
  )

  it.scoped("knows no other name than the protocol's (strict)", () =>
    Effect.gen(function* () {
      const peer = yield* agreed(strict)
      const refused: ReadonlyArray<readonly [params: unknown, field: string]> = [
        [{ cwd }, "mcpServers"],
        [{ mcpServers: [], workspaceDir: cwd }, "cwd"],
        [{ cwd: "", mcpServers: [], _meta: { zeroclaw: { defaultCwd: true } } }, "cwd"],
        [{ cwd: "", mcpServers: [], _meta: { zeroclaw: { storedCwd: true } } }, "cwd"]
      ]
      for (const [params, field] of refused) {
        const { error } = yield* peer.request("session/new", params)
        assert.strictEqual(error?.code, -32602, JSON.stringify(params))
        assert.include(error?.message ?? "", field)
      }
      const config = { agents: { one: {}, two: {} } }
      const several = yield* agreed(strict, { config, acp: { default_agent: "one" } })
      const { result } = yield* several.request("session/new", { cwd, mcpServers: [], agentAlias: "two" })
      assert.strictEqual(aliasOf(result), "one")
    })
  )
})

describe("row 5, the folder in the answer", () => {
  each(all, "is always in _meta, at the root only in the dialect", (speech) =>
    Effect.gen(function* () {
      const peer = yield* agreed(speech)
      const { result } = yield* peer.request("session/new", { cwd, mcpServers: [] })
      assert.strictEqual(workspace(result), cwd)
      assert.strictEqual(get(result, "workspaceDir"), speech.zeroclaw ? cwd : undefined)
    })
  )

  it.scoped("is at the root from the very message on that bears the sign", () =>
    Effect.gen(function* () {
      const peer = yield* agreed({ ...unsigned, zeroclaw: true })
      const before = yield* peer.request("session/new", { cwd, mcpServers: [] })
      assert.notProperty(before.result, "workspaceDir")
      assert.strictEqual(yield* unknownCode(peer), inProtocol)
      assert.propertyVal((yield* peer.request("session/new", { cwd })).result, "workspaceDir", cwd)
      const { result } = yield* peer.request(
        "session/prompt",
        Peer.promptParams(String(before.result?.["sessionId"]), "a")
      )
      assert.propertyVal(result, "content", "ok")
    })
  )
})
