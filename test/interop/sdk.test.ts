// The official SDK's client against the shipped program.

import * as fs from "node:fs"
import * as path from "node:path"
import { Readable, Writable } from "node:stream"
import * as acp from "@agentclientprotocol/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as OfficialSchema from "../support/OfficialSchema.ts"
import * as Server from "../support/Server.ts"

/** Plays one conversation; gives what the client was told. */
const converse = async (server: Effect.Effect.Success<ReturnType<typeof Server.launch>>, cwd: string) => {
  const updates: Array<acp.SessionNotification> = []
  const asked: Array<acp.RequestPermissionRequest> = []
  const stream = acp.ndJsonStream(
    Writable.toWeb(server.child.stdin),
    // The two declarations of this web stream differ between node and the DOM.
    Readable.toWeb(server.child.stdout) as ReadableStream<Uint8Array>
  )
  const client = acp
    .client({ name: "interop" })
    .onNotification(acp.methods.client.session.update, ({ params }) => {
      updates.push(params)
    })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      asked.push(params)
      const option = params.options.find(({ kind }) => kind === "allow_once")
      return { outcome: { outcome: "selected", optionId: option?.optionId ?? "" } }
    })
  return client.connectWith(stream, async (agent) => {
    const initialized = await agent.request(acp.methods.agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: {}
    })
    const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] })
    const turn = await agent.request(acp.methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text: "plan: read a.txt; run cp a.txt b.txt" }]
    })
    const before = updates.length
    await agent.request(acp.methods.agent.session.load, { sessionId, cwd, mcpServers: [] })
    const waiting = agent.request(acp.methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text: "wait" }]
    })
    await agent.notify(acp.methods.agent.session.cancel, { sessionId })
    return { asked, before, cancelled: await waiting, initialized, turn, updates }
  })
}

describe("the official client", () => {
  it.scopedLive("initializes, prompts, answers the question, loads and cancels", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      fs.writeFileSync(path.join(place.project, "a.txt"), "alpha\n")
      const record = path.join(place.home, "frames")
      const server = yield* Server.launch(place.home, { record })
      const { asked, before, cancelled, initialized, turn, updates } = yield* Effect.promise(() =>
        converse(server, place.project)
      )
      assert.strictEqual(initialized.protocolVersion, 1)
      assert.isTrue(initialized.agentCapabilities?.loadSession)
      assert.strictEqual(turn.stopReason, "end_turn")
      assert.strictEqual(cancelled.stopReason, "cancelled")
      assert.strictEqual(asked.length, 1)
      assert.include(asked[0]?.toolCall.title ?? "", "cp a.txt b.txt")
      const kinds = new Set(updates.slice(0, before).map(({ update }) => update.sessionUpdate))
      for (const kind of ["agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"]) {
        assert.isTrue(kinds.has(kind as acp.SessionUpdate["sessionUpdate"]), kind)
      }
      assert.isTrue(updates.slice(before).some(({ update }) => update.sessionUpdate === "user_message_chunk"))
      assert.isAbove(OfficialSchema.checkRecording(record).length, 10)
      assert.strictEqual(server.stderr(), "")
    })
  )
})
