// What a model is really sent in a turn, and what a person sees of it later.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream, TestClock } from "effect"
import * as Paths from "../../src/config/Paths.ts"
import type { ModelRequest, ModelService } from "../../src/model/Model.ts"
import { PolicyService } from "../../src/policy/PolicyService.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

const remembering = () => {
  const requests: Array<ModelRequest> = []
  const model: ModelService = {
    id: "test",
    stream: (request) => {
      requests.push({ ...request, messages: [...request.messages] })
      return Stream.fromIterable([{ _tag: "Text" as const, text: "ok" }, Embedded.stop])
    }
  }
  return { model, requests }
}

const policy = Layer.provide(PolicyService.layer, Sandbox.test())

describe("what a model is sent", () => {
  it.scoped("is the agent's files, its skills and the project's notes, as they are at each turn", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      const paths = Paths.resolve({ ZEROCLAW_CONFIG_DIR: home }, home)
      const { model, requests } = remembering()
      const workspace = Paths.agentWorkspace(paths, "default")
      fs.mkdirSync(workspace, { recursive: true })
      fs.writeFileSync(path.join(workspace, "SOUL.md"), "Be terse.")
      fs.writeFileSync(path.join(workspace, "MEMORY.md"), "The cat is called Bit.")
      fs.mkdirSync(path.join(home, "shared", "skills", "work", "release"), { recursive: true })
      fs.writeFileSync(path.join(home, "shared", "skills", "work", "release", "SKILL.md"), "How to release.")
      fs.writeFileSync(path.join(project, "AGENTS.md"), "Use tabs.")
      const config = { agents: { default: { skill_bundles: ["work"] } } }
      const { peer } = yield* Embedded.start({ model, paths, policy, config })
      yield* Peer.initialize(peer)
      const sessionId = yield* Peer.newSession(peer, project)
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "hi"))
      fs.writeFileSync(path.join(project, "AGENTS.md"), "Use spaces.")
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "hi"))
      const [first = "", second = ""] = requests.map(({ system }) => system)
      for (const text of ["Be terse.", "The cat is called Bit.", "- release: How to release.", "Use tabs."]) {
        assert.include(first, text)
      }
      assert.include(first, `Working directory: ${project}\n`)
      assert.isAbove(first.indexOf("Use tabs."), first.indexOf("## Attachments"))
      assert.include(second, "Use spaces.")
      assert.notInclude(second, "Use tabs.")
    })
  )

  it.scoped("says when the person sent each prompt; a replay and the title do not", () =>
    Effect.gen(function* () {
      const store = yield* Embedded.sharedStore
      const { model, requests } = remembering()
      const { close, peer } = yield* Embedded.start({ model, store })
      yield* Peer.initialize(peer)
      const sessionId = yield* Peer.newSession(peer, Embedded.cwd)
      yield* TestClock.adjust("10 minutes")
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "what time is it?"))
      const said = requests[0]?.messages[0]
      assert.match(
        said?._tag === "User" ? said.text : "",
        /^\[19\d\d-\d\d-\d\d \d\d:\d\d:00 [+-]\d\d:\d\d\] what time is it\?$/
      )
      yield* close
      const again = yield* Embedded.start({ model, store })
      yield* Peer.initialize(again.peer)
      yield* again.peer.request("session/load", { sessionId, cwd: Embedded.cwd, mcpServers: [] })
      yield* again.peer.request("session/prompt", Peer.promptParams(sessionId, "and now?"))
      assert.strictEqual(requests[1]?.messages.filter(({ _tag }) => _tag === "User").length, 2)
      for (const seen of [peer, again.peer]) {
        const shown = JSON.stringify(seen.frames())
        assert.include(shown, "what time is it?")
        assert.notInclude(shown, "] what time is it?")
      }
    })
  )

  it.scoped("offers no tool of a memory, even where a profile lists it", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      const { model, requests } = remembering()
      const nothing = Effect.succeed("")
      const tools = ["memory_recall", "memory_store", "memory_forget", "file_read"].map((name) =>
        Embedded.tool(name, nothing)
      )
      const { peer } = yield* Embedded.start({
        model,
        tools,
        policy,
        paths: Paths.resolve({ ZEROCLAW_CONFIG_DIR: home }, home),
        config: { risk_profiles: { default: { allowed_tools: ["memory_recall", "memory_store", "*"] } } }
      })
      yield* Peer.initialize(peer)
      const sessionId = yield* Peer.newSession(peer, project)
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "hi"))
      assert.deepStrictEqual(
        requests[0]?.tools.map(({ name }) => name),
        ["file_read"]
      )
      assert.deepStrictEqual(requests[0]?.messages.length, 1)
    })
  )
})
