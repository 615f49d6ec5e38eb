// What tells the dialect by its mere name.
import { assert, describe, it } from "@effect/vitest"
import { AgentNotifications, AgentRequests, DialectRequests } from "../../src/contract/AgentMethods.ts"
import * as Signals from "../../src/dialect/Signals.ts"

describe("signs of ZeroClaw's dialect", () => {
  it("are session/stop, session/event and a client's session/update", () => {
    assert.sameMembers([...Signals.methods], ["session/stop", "session/event", "session/update"])
    for (const method of DialectRequests.requests.keys()) assert.isTrue(Signals.methods.has(method), method)
  })

  it("are no method of the protocol", () => {
    for (const method of [...AgentRequests.requests.keys(), ...AgentNotifications.requests.keys()]) {
      assert.isFalse(Signals.methods.has(method), method)
    }
  })

  it("are looked at in ZeroClaw's order", () => {
    assert.deepStrictEqual([...Signals.agentKeys], ["agentAlias", "agent_alias", "agent"])
    assert.deepStrictEqual([...Signals.folderKeys], ["workspaceDir", "workspace_dir"])
    assert.strictEqual(Signals.sessionKey, "session_id")
    assert.strictEqual(Signals.subprotocol, "zeroclaw.acp.v1")
  })
})
