// Where a session works, as ZeroClaw's clients say it.
import { assert, describe, it } from "@effect/vitest"
import * as Place from "../../src/dialect/Place.ts"
import type { Params } from "../../src/dialect/Read.ts"

const base = "/base"
const unspoken = { spoken: false, base }
const spoken = { spoken: true, base }
const ofNew = (params: unknown, ground = unspoken) => Place.ofNew(params, ground)
const stored = (params: unknown, ground = unspoken, method = "session/load") => Place.ofStored(method, params, ground)
const cwd = "/project"
const agent = (agentAlias: string) => ({ _meta: { zeroclaw: { agentAlias } } })

describe("session/new", () => {
  it("of the protocol stays as it came, absolute or not", () => {
    for (const folder of [cwd, ".", "", 5, null, undefined]) {
      const params = { cwd: folder, mcpServers: [] }
      assert.deepStrictEqual(ofNew(params), { params, sign: false })
      assert.strictEqual(ofNew(params).params, params)
    }
  })

  it("without mcpServers has none, and is a sign", () => {
    assert.deepStrictEqual(ofNew({ cwd }), { params: { cwd, mcpServers: [] }, sign: true })
    assert.isFalse(ofNew({ cwd, mcpServers: null }).sign)
  })

  it.each([undefined, null, {}])("with %j for parameters is of the agent's own workspace", (params) => {
    const read = ofNew(params)
    assert.deepStrictEqual(read.params, { mcpServers: [], cwd: "", _meta: { zeroclaw: { defaultCwd: true } } })
    assert.isTrue(read.sign)
  })

  it.each([
    [".", "/base"],
    ["sub", "/base/sub"],
    ["../other", "/other"]
  ])("means %s from the folder of this process: %s", (relative, folder) => {
    assert.deepStrictEqual(ofNew({ cwd: relative }).params, { cwd: folder, mcpServers: [] })
    assert.deepStrictEqual(ofNew({ cwd: relative, mcpServers: [] }, spoken).params, { cwd: folder, mcpServers: [] })
  })

  it.each(["", "   "])("leaves the folder %j for the method to refuse", (blank) => {
    assert.deepStrictEqual(ofNew({ cwd: blank }).params, { cwd: blank, mcpServers: [] })
  })

  it.each(["workspaceDir", "workspace_dir"])("takes %s for cwd where there is none, which is a sign", (key) => {
    for (const place of [{}, { cwd: null }]) {
      const params = { ...place, [key]: cwd, mcpServers: [] }
      assert.deepStrictEqual(ofNew(params), { params: { ...params, cwd }, sign: true })
    }
    const both = { cwd: "/canonical", [key]: "/alias", mcpServers: [] }
    assert.deepStrictEqual(ofNew(both), { params: both, sign: true })
  })

  it("reads workspaceDir before workspace_dir, and neither where it is blank or no text", () => {
    const folder = (params: Params) => ofNew({ ...params, mcpServers: [] }, spoken).params
    assert.propertyVal(folder({ workspaceDir: "/a", workspace_dir: "/b" }), "cwd", "/a")
    assert.propertyVal(folder({ workspaceDir: " ", workspace_dir: "/b" }), "cwd", "/b")
    assert.propertyVal(folder({ workspaceDir: 5, workspace_dir: "/b" }), "cwd", "/b")
    assert.propertyVal(folder({ workspaceDir: null }), "cwd", "")
  })

  it.each(["agentAlias", "agent_alias", "agent"])("takes %s for the agent, trimmed, which is a sign", (key) => {
    const params = { cwd, mcpServers: [], [key]: " coder " }
    assert.deepStrictEqual(ofNew(params), { params: { ...params, ...agent("coder") }, sign: true })
  })

  it("lets the canonical name of the agent win, and keeps what is beside it", () => {
    const canonical = { cwd, mcpServers: [], agent: "alias", ...agent("canonical") }
    assert.strictEqual(ofNew(canonical).params, canonical)
    const beside = { cwd, mcpServers: [], agent: "alias", _meta: { trace: 1, zeroclaw: { other: 2, agentAlias: " " } } }
    assert.deepStrictEqual(ofNew(beside).params, {
      ...beside,
      _meta: { trace: 1, zeroclaw: { other: 2, agentAlias: "alias" } }
    })
    const broken = { cwd, mcpServers: [], agent: "alias", _meta: "text" }
    assert.deepStrictEqual(ofNew(broken).params, { ...broken, ...agent("alias") })
  })

  it("reads agentAlias, then agent_alias, then agent", () => {
    const alias = (params: Params) => ofNew({ cwd, mcpServers: [], ...params }).params
    const is = (params: Params, name: string) =>
      assert.nestedPropertyVal(alias(params), "_meta.zeroclaw.agentAlias", name)
    is({ agentAlias: "a", agent_alias: "b", agent: "c" }, "a")
    is({ agent_alias: "b", agent: "c" }, "b")
    is({ agentAlias: "", agent: "c" }, "c")
    is({ agentAlias: null, agent: "c" }, "c")
  })
})

describe("session/load and session/resume", () => {
  const sessionId = "s"

  it("of the protocol stay as they came", () => {
    for (const params of [{ sessionId, cwd, mcpServers: [] }, { sessionId, cwd: ".", mcpServers: [] }, { cwd }, {}]) {
      assert.strictEqual(stored(params).params, params)
      assert.isFalse(stored(params).sign)
    }
    const resumed = { sessionId, cwd }
    assert.deepStrictEqual(stored(resumed, unspoken, "session/resume"), { params: resumed, sign: false })
  })

  it.each(["session/load", "session/resume"])("%s needs only the id, and is a sign then", (method) => {
    assert.deepStrictEqual(stored({ sessionId }, unspoken, method), {
      params: { sessionId, mcpServers: [], cwd: "", _meta: { zeroclaw: { storedCwd: true } } },
      sign: true
    })
  })

  it("takes the stored folder where cwd is missing, which alone is no sign", () => {
    const { params, sign } = stored({ sessionId, mcpServers: [] })
    assert.isFalse(sign)
    assert.nestedPropertyVal(params, "_meta.zeroclaw.storedCwd", true)
  })

  it("takes the stored folder for a relative one, once the dialect is spoken", () => {
    for (const read of [stored({ sessionId, cwd: "." }), stored({ sessionId, cwd: ".", mcpServers: [] }, spoken)]) {
      assert.nestedPropertyVal(read.params, "_meta.zeroclaw.storedCwd", true)
      assert.propertyVal(read.params, "cwd", "")
    }
  })

  it("keeps an absolute folder, under any of its names", () => {
    assert.deepStrictEqual(stored({ sessionId, cwd }).params, { sessionId, cwd, mcpServers: [] })
    const { params, sign } = stored({ sessionId, workspaceDir: cwd, mcpServers: [] })
    assert.propertyVal(params, "cwd", cwd)
    assert.isTrue(sign)
  })

  it("without an id is for the contract to refuse", () => {
    for (const params of [{ sessionId: 5 }, { sessionId: null }, null, [], "s"]) {
      assert.strictEqual(stored(params, spoken).params, params)
    }
  })
})

describe("the marks of a folder left out", () => {
  const mark = (name: string, value: unknown = true) => ({ cwd: "", _meta: { zeroclaw: { [name]: value } } })

  it("are read only beside an empty cwd, and only as true", () => {
    assert.isTrue(Place.usesAgentWorkspace(mark("defaultCwd")))
    assert.isTrue(Place.usesStoredFolder(mark("storedCwd")))
    assert.isFalse(Place.usesAgentWorkspace(mark("storedCwd")))
    assert.isFalse(Place.usesStoredFolder(mark("defaultCwd")))
    assert.isFalse(Place.usesAgentWorkspace({ ...mark("defaultCwd"), cwd }))
    assert.isFalse(Place.usesAgentWorkspace(mark("defaultCwd", "true")))
    assert.isFalse(Place.usesAgentWorkspace({ cwd: "" }))
  })
})
