// escalate_to_human: one message of its own, and an answer for the model.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { escalateToHuman } from "../../src/tools/Escalate.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"
import { bench, call, prepare } from "../support/ToolRun.ts"

describe("escalate_to_human", () => {
  it.scoped("says one formatted block and returns at once", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const input = { summary: "The disk\nis full\u202e", context: "Free some.\n\nThen go on.", urgency: "high" }
      const { action, face } = yield* prepare(escalateToHuman, it, input)
      assert.deepStrictEqual(action, { _tag: "Converse", tool: "escalate_to_human" })
      assert.include(face.title, "high")
      const outcome = yield* call(escalateToHuman, it, input)
      assert.deepStrictEqual(JSON.parse(outcome.text), { status: "escalated", urgency: "high", channel: "acp" })
      assert.deepStrictEqual(it.said, [
        "\n\n> **Needs a person** (urgency: high)\n>\n> The disk\\nis full\\u202e\n>\n> Free some.\n>\n> Then go on.\n\n"
      ])
    })
  )

  it.scoped("medium when nothing is said of urgency", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const { text } = yield* call(escalateToHuman, it, { summary: "x", channel: "acp", timeout_secs: 5 })
      assert.propertyVal(JSON.parse(text), "urgency", "medium")
      assert.lengthOf(it.said, 1)
    })
  )

  it.scoped("fails at once, and says nothing, where it would have to wait or there is no such channel", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const why = (input: object) => Effect.map(Effect.flip(call(escalateToHuman, it, input)), ({ message }) => message)
      assert.include(yield* why({ summary: "x", wait_for_response: true }), "ask_user")
      assert.include(yield* why({ summary: "x", channel: "slack" }), "slack")
      assert.include(yield* why({ summary: " " }), "blank")
      assert.include(yield* why({}), '"summary" is missing')
      assert.include(yield* why({ summary: "x", urgency: "extreme" }), '"urgency"')
      assert.deepStrictEqual(it.said, [])
    })
  )

  it.scoped("the person sees one message, and sees it again when the session is loaded", () =>
    Effect.gen(function* () {
      const model = Embedded.scripted(
        Embedded.call(["escalate_to_human", { summary: "Stuck here" }]),
        Embedded.say("I stop.")
      )
      const { peer } = yield* Embedded.start({ model, tools: [escalateToHuman], store: yield* Embedded.sharedStore })
      yield* Peer.initialize(peer)
      const sessionId = yield* Peer.newSession(peer, Embedded.cwd)
      yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
      const said = () =>
        peer
          .updates()
          .filter((it) => it["sessionUpdate"] === "agent_message_chunk" && JSON.stringify(it).includes("Stuck"))
      const [first] = said()
      assert.lengthOf(said(), 1)
      assert.isString(first?.["messageId"])
      yield* peer.request("session/close", { sessionId })
      yield* peer.request("session/load", { sessionId, cwd: Embedded.cwd, mcpServers: [] })
      assert.deepStrictEqual(said(), [first, first])
    })
  )
})
