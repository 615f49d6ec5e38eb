// Slash commands over the wire: what each answers, changes and refuses, and which are listed.
// @see acp-v1 sections 1.4 and 1.5
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { text } from "../../src/contract/Content.ts"
import type { SessionUpdate } from "../../src/contract/Update.ts"
import { StoreError } from "../../src/store/SessionStore.ts"
import * as Store from "../../src/store/Store.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"
import { listed, open, twoModels, userTexts } from "./support.ts"

const { cwd, say, scripted } = Embedded
const plain = ["help", "status", "mode", "model", "title", "compact"]
const thinking = ["help", "status", "mode", "model", "thinking", "title", "compact"]

const choosing = () => {
  const model = scripted(say("ok"))
  return { model, models: twoModels(model), store: Store.memoryWith({ durable: true }) }
}

const kinds = (updates: ReadonlyArray<SessionUpdate>) => updates.map(({ sessionUpdate }) => sessionUpdate)
const current = (updates: ReadonlyArray<SessionUpdate>, id: string) =>
  updates
    .flatMap((update) => (update.sessionUpdate === "config_option_update" ? update.configOptions : []))
    .findLast((option) => option.id === id)?.currentValue

describe("a command", () => {
  it.scoped("is answered without the model, which never hears of it, and is replayed as it was seen", () =>
    Effect.gen(function* () {
      const setup = choosing()
      const session = yield* open(setup)
      const { content, stopReason, text: shown, updates } = yield* session.say("/help")
      assert.strictEqual(stopReason, "end_turn")
      assert.strictEqual(content, shown)
      assert.deepStrictEqual(kinds(updates), ["agent_message_chunk", "session_info_update"])
      yield* session.say("Hello")
      assert.deepStrictEqual(setup.model.requests.map(userTexts), [["Hello"]])
      const replayed = yield* session.reload
      assert.deepStrictEqual(
        replayed.flatMap((update) => (update.sessionUpdate === "user_message_chunk" ? [update.content] : [])),
        ["/help", "Hello"].map((said) => text(said))
      )
      const [message] = updates
      assert.deepInclude(replayed, message)
      yield* session.say("Again")
      assert.deepStrictEqual(userTexts(setup.model.requests[1]), ["Hello", "Again"])
    })
  )

  it.scoped("a text that only looks like one goes to the model", () =>
    Effect.gen(function* () {
      const setup = choosing()
      const session = yield* open(setup)
      const texts = ["/etc/passwd is x", " /help", "// note"]
      for (const text of texts) yield* session.say(text)
      assert.deepStrictEqual(userTexts(setup.model.requests[2]), texts)
    })
  )

  it.scoped("that there is none of is answered with what was meant, not with an error", () =>
    Effect.gen(function* () {
      const setup = choosing()
      const session = yield* open(setup)
      const suggestions: ReadonlyArray<readonly [string, string | undefined]> = [
        ["/hlep", "help"],
        ["/stat", "status"],
        ["/COMPACTT now", "compact"],
        ["/m", undefined],
        ["/thinkin", undefined],
        ["/tmp", undefined],
        [`/${"x".repeat(50_000)}`, undefined]
      ]
      for (const [typed, meant] of suggestions) {
        const { stopReason, text } = yield* session.say(typed)
        assert.strictEqual(stopReason, "end_turn")
        assert.include(text, "There is no command")
        assert.strictEqual(/Did you mean `\/(\w+)`\?/.exec(text)?.[1], meant, typed.slice(0, 20))
        for (const name of plain) assert.include(text, `\`/${name}\``)
        assert.isBelow(text.length, 4_000)
      }
      assert.deepStrictEqual(setup.model.requests, [])
    })
  )
})

describe("available_commands_update", () => {
  it.scoped("lists after each opening what works in the session, the same as /help", () =>
    Effect.gen(function* () {
      const session = yield* open(choosing())
      const { peer, sessionId } = session
      yield* peer.until(Peer.isUpdateOf("available_commands_update"))
      assert.deepStrictEqual(listed(session.updatesFrom(0)), plain)
      const { text } = yield* session.say("/help")
      assert.deepStrictEqual(
        [...text.matchAll(/^- `\/(\w+)`/gm)].map(([, name]) => name),
        plain
      )
      assert.deepStrictEqual(listed(yield* session.reload), plain)
      for (const method of ["session/resume", "session/fork"]) {
        const from = peer.frames().length
        assert.isUndefined((yield* peer.request(method, { sessionId, cwd, mcpServers: [] })).error)
        yield* peer.until(Peer.isUpdateOf("available_commands_update"), from)
      }
    })
  )

  it.scoped(
    "goes with the options: each has its category, and the thought level is there with a model that thinks",
    () =>
      Effect.gen(function* () {
        const { peer, reload, sessionId } = yield* open(choosing())
        const set = (configId: string, value: string) =>
          Effect.map(peer.request("session/set_config_option", { sessionId, configId, value }), ({ error, result }) => {
            if (error) return error.code
            const options = result?.["configOptions"]
            assert.isTrue(Array.isArray(options))
            return Array.isArray(options)
              ? options.map(({ category, currentValue, id, type }) => [id, category, type, currentValue])
              : []
          })
        const mode = ["mode", "mode", "select", "supervised"]
        assert.strictEqual(yield* set("thought_level", "high"), -32602)
        assert.deepStrictEqual(yield* set("model", "deep"), [
          mode,
          ["model", "model", "select", "deep"],
          ["thought_level", "thought_level", "select", "off"]
        ])
        assert.strictEqual(yield* set("thought_level", "enormous"), -32602)
        const high = [mode, ["model", "model", "select", "deep"], ["thought_level", "thought_level", "select", "high"]]
        assert.deepStrictEqual(yield* set("thought_level", "high"), high)
        yield* reload
        assert.deepStrictEqual(yield* set("mode", "supervised"), high)
      })
  )

  it.scoped("is sent again with another model, whoever chooses it", () =>
    Effect.gen(function* () {
      const session = yield* open(choosing())
      const { peer, sessionId } = session
      const choose: ReadonlyArray<readonly [string, Effect.Effect<unknown>, ReadonlyArray<string>]> = [
        ["/model", session.say("/model deep"), thinking],
        ["/model back", session.say("/model plain"), plain],
        [
          "set_config_option",
          peer.request("session/set_config_option", { sessionId, configId: "model", value: "deep" }),
          thinking
        ],
        ["set_model", peer.request("session/set_model", { sessionId, modelId: "plain" }), plain]
      ]
      for (const [how, change, names] of choose) {
        const from = peer.updates(sessionId).length
        yield* change
        assert.deepStrictEqual(listed(session.updatesFrom(from)), names, how)
      }
      yield* session.say("/model deep")
      assert.deepStrictEqual(listed(yield* session.reload), thinking)
    })
  )
})

describe("/status", () => {
  it.scoped("shows the session in one list", () =>
    Effect.gen(function* () {
      const setup = choosing()
      const session = yield* open({ ...setup, tools: [Embedded.tool("shell", Effect.succeed("ok"))] })
      const first = yield* session.say("/status")
      assert.include(first.text, "- **Title:** none yet")
      assert.include(first.text, `- **Session:** \`${session.sessionId}\``)
      assert.include(first.text, `- **Folder:** \`${cwd}\``)
      assert.include(first.text, "- **Mode:** `supervised` (`Supervised`)")
      assert.include(first.text, "- **Model:** `plain` (`Plain`)")
      assert.include(first.text, "- **Tools:** `shell`")
      assert.include(first.text, "- **Messages the model knows:** 0")
      assert.notInclude(first.text, "Thinking")
      assert.notInclude(first.text, "Tokens")
      yield* session.say("Mend the parser")
      yield* session.say("/model deep")
      yield* session.say("/thinking high")
      const second = yield* session.say("/status")
      assert.include(second.text, "- **Title:** `Mend the parser`")
      assert.include(second.text, "- **Model:** `deep` (`Deep thinker`)")
      assert.include(second.text, "- **Thinking:** `high`")
      assert.include(second.text, "- **Messages the model knows:** 2")
    })
  )

  it.scoped("tells how full the model is, and nothing of it once that is not known any more", () =>
    Effect.gen(function* () {
      const usage = { inputTokens: 900, outputTokens: 100 }
      const model = {
        ...scripted(Embedded.finish("ok", usage), Embedded.finish("A summary", usage)),
        contextWindow: 4_000
      }
      const session = yield* open({ model })
      assert.include((yield* session.say("/status")).text, "- **Tokens:** window of 4000")
      yield* session.say("Hello")
      assert.include((yield* session.say("/status")).text, "- **Tokens:** 1000 of 4000 in use (25 %)")
      yield* session.say("/compact")
      assert.include((yield* session.say("/status")).text, "- **Tokens:** window of 4000")
    })
  )
})

describe("/mode", () => {
  it.scoped("lists the modes and changes between them, told both ways", () =>
    Effect.gen(function* () {
      const session = yield* open({ ...choosing(), config: { acp: { max_mode: "full" } } })
      const list = yield* session.say("/mode")
      assert.match(list.text, /`supervised` .*← current/)
      assert.deepStrictEqual(
        [...list.text.matchAll(/^- `(\w+)`/gm)].map(([, id]) => id),
        ["readonly", "supervised", "full"]
      )
      const { text, updates } = yield* session.say("/mode Read")
      assert.strictEqual(text, "The mode is now `readonly`.")
      assert.deepInclude(updates, { sessionUpdate: "current_mode_update", currentModeId: "readonly" })
      assert.strictEqual(current(updates, "mode"), "readonly")
      assert.strictEqual((yield* session.say("/mode readonly")).text, "The mode is `readonly` already.")
      const replayed = yield* session.reload
      assert.notInclude(kinds(replayed), "config_option_update")
      assert.notInclude(kinds(replayed), "current_mode_update")
      assert.match((yield* session.say("/mode")).text, /`readonly` .*← current/)
    })
  )

  it.scoped("never gives more than the configuration allows", () =>
    Effect.gen(function* () {
      const session = yield* open(choosing())
      const { text, updates } = yield* session.say("/mode full")
      assert.include(text, "There is no mode `full`.")
      assert.deepStrictEqual(kinds(updates), ["agent_message_chunk", "session_info_update"])
      assert.match((yield* session.say("/mode")).text, /`supervised` .*← current/)
    })
  )
})

describe("/model and /thinking", () => {
  it.scoped("change what the next prompt is answered by, and stay for the session", () =>
    Effect.gen(function* () {
      const session = yield* open(choosing())
      assert.match((yield* session.say("/model")).text, /`plain` \(`Plain`\) \*\*← current\*\*/)
      const model = yield* session.say("/model thinker")
      assert.strictEqual(model.text, "The model is now `deep`.")
      assert.strictEqual(current(model.updates, "model"), "deep")
      assert.strictEqual(current(model.updates, "thought_level"), "off")
      assert.match((yield* session.say("/thinking")).text, /`off` \*\*← current\*\*/)
      const level = yield* session.say("/thinking HIGH")
      assert.strictEqual(level.text, "The thinking level is now `high`.")
      assert.strictEqual(current(level.updates, "thought_level"), "high")
      yield* session.reload
      assert.strictEqual((yield* session.say("/thinking high")).text, "The thinking level is `high` already.")
      assert.strictEqual((yield* session.say("/model deep")).text, "The model is `deep` already.")
    })
  )

  it.scoped("refuse what there is not, and change nothing", () =>
    Effect.gen(function* () {
      const session = yield* open(choosing())
      const refusals: ReadonlyArray<readonly [string, string]> = [
        ["/model shallow", "There is no model `shallow`."],
        ["/model pla1n", "Did you mean `plain`?"],
        ["/model n", "fits more than one model"],
        ["/thinking", "The model `plain` has no thinking levels"],
        ["/thinking high", "The model `plain` has no thinking levels"]
      ]
      for (const [typed, why] of refusals) {
        const { stopReason, text, updates } = yield* session.say(typed)
        assert.strictEqual(stopReason, "end_turn")
        assert.include(text, why)
        assert.deepStrictEqual(kinds(updates), ["agent_message_chunk", "session_info_update"], typed)
      }
      assert.match((yield* session.say("/model")).text, /`plain` \(`Plain`\) \*\*← current\*\*/)
    })
  )
})

describe("/title", () => {
  it.scoped("shows and changes the title, normalised, and tells the client", () =>
    Effect.gen(function* () {
      const session = yield* open(choosing())
      assert.include((yield* session.say("/title")).text, "no title yet")
      const { text, updates } = yield* session.say("/title  My\u202e\n `parser` ")
      assert.strictEqual(text, "The title is now `` My `parser` ``.")
      assert.deepInclude(updates, { sessionUpdate: "session_info_update", title: "My `parser`" })
      assert.include((yield* session.say("/title")).text, "The title is `` My `parser` ``.")
      yield* session.say("First prompt")
      yield* session.reload
      assert.include((yield* session.say("/title")).text, "The title is `` My `parser` ``.")
    })
  )

  it.scoped("nothing visible is no title, and says so", () =>
    Effect.gen(function* () {
      const session = yield* open(choosing())
      const { text, updates } = yield* session.say("/title \u200b\u2060")
      assert.include(text, "title: is empty")
      assert.isFalse(updates.some((update) => update.sessionUpdate === "session_info_update" && "title" in update))
      assert.include((yield* session.say("/title")).text, "no title yet")
    })
  )

  it.scoped("a store that fails refuses it in one line; the title stays", () =>
    Effect.gen(function* () {
      const session = yield* open({
        model: scripted(say("ok")),
        store: Embedded.storeWith((store) => ({
          ...store,
          change: () => Effect.fail(new StoreError({ reason: "full", message: "the disk is full" }))
        }))
      })
      const { stopReason, text } = yield* session.say("/title Mine")
      assert.strictEqual(stopReason, "end_turn")
      assert.strictEqual(text, "the disk is full")
      assert.include((yield* session.say("/title")).text, "no title yet")
    })
  )
})
