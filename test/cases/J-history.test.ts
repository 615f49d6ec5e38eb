// Kind J: what is kept of a session, and how it comes back.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { ModelEvent } from "../../src/model/Model.ts"
import { ToolError } from "../../src/tools/Tool.ts"
import * as Cases from "../support/Cases.ts"
import * as Embedded from "../support/Embedded.ts"
import * as MockModel from "../support/MockModel.ts"
import * as OfficialSchema from "../support/OfficialSchema.ts"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

const { call, cwd, say, scripted, start, tool } = Embedded
const { place } = Cases
const { isRecord } = OfficialSchema

const connected = (setup: Partial<Embedded.Setup> & Pick<Embedded.Setup, "model">) =>
  Effect.tap(start(setup), ({ peer }) => Peer.initialize(peer))
const opened = (setup: Partial<Embedded.Setup> & Pick<Embedded.Setup, "model">) =>
  Effect.flatMap(connected(setup), (server) =>
    Effect.map(Peer.newSession(server.peer, cwd), (sessionId) => ({ ...server, sessionId }))
  )
const prompt = (peer: Peer.Peer, sessionId: string, text: string) =>
  peer.request("session/prompt", Peer.promptParams(sessionId, text))

/** What is shown of a conversation, chunks of one kind joined, each call by its last status. */
const shown = (updates: ReadonlyArray<Peer.Update>): ReadonlyArray<string> => {
  const last = new Map(updates.flatMap((one) => (one["status"] ? [[one["toolCallId"], one["status"]] as const] : [])))
  const rows: Array<[string, string]> = []
  for (const one of updates) {
    if (one.sessionUpdate === "tool_call") {
      rows.push(["tool_call", `${one["toolCallId"]} ${last.get(one["toolCallId"])}`])
      continue
    }
    if (!one.sessionUpdate.endsWith("_chunk")) continue
    const text = Peer.textOf([one], one.sessionUpdate)
    const before = rows.at(-1)
    if (before?.[0] === one.sessionUpdate) before[1] += text
    else rows.push([one.sessionUpdate, text])
  }
  return rows.map((row) => row.join(": "))
}

const field = (value: unknown, ...keys: ReadonlyArray<string>): unknown =>
  keys.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), value)
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const modesOf = ({ result }: Peer.Response) =>
  list(field(result, "modes", "availableModes")).map((one) => field(one, "id"))
const currentMode = ({ result }: Peer.Response) => field(result, "modes", "currentModeId")
const option = (options: unknown, id: string) => list(options).find((one) => field(one, "id") === id)

describe("J. history", () => {
  it.scoped("J01 after a restart a session is shown as it was seen, in order, calls ended, nothing twice", () =>
    Effect.gen(function* () {
      const store = yield* Cases.durableStore
      const thinking: ReadonlyArray<ModelEvent> = [
        { _tag: "Thought", text: "hm" },
        { _tag: "Text", text: "Let me see. " }
      ]
      const model = scripted(
        () => Stream.concat(Stream.fromIterable(thinking), call(["good", {}], ["bad", {}])()),
        say("one"),
        Cases.hang,
        say("three")
      )
      const tools = [
        tool("good", Effect.succeed("fine")),
        tool("bad", Effect.fail(new ToolError({ message: "it broke" })))
      ]
      const first = yield* opened({ model, store, tools })
      const { peer, sessionId } = first
      const foreign = yield* Peer.newSession(peer, cwd)
      yield* prompt(peer, sessionId, "first")
      const second = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "second"))
      yield* peer.until((frame) => JSON.stringify(frame).includes('"working"'))
      yield* peer.notify("session/cancel", { sessionId })
      yield* peer.response(second)
      yield* prompt(peer, sessionId, "third")
      yield* first.close
      yield* first.server.await
      const { peer: later } = yield* connected({ model, store, tools })
      const answer = yield* later.request("session/load", { sessionId, ...place })
      assert.isTrue(isRecord(answer.result))
      yield* later.request("no/such", {})
      const at = later.frames().indexOf(answer)
      assert.isFalse(
        later
          .frames()
          .slice(at)
          .some((frame) => frame._tag === "Notification")
      )
      assert.notInclude(JSON.stringify(later.frames()), foreign)
      const people = (rows: ReadonlyArray<string>) => rows.filter((row) => row.startsWith("user_message"))
      const replay = shown(later.updates(sessionId))
      assert.deepStrictEqual(
        people(replay),
        ["first", "second", "third"].map((text) => `user_message_chunk: ${text}`)
      )
      // A client shows the person's own words itself: live there are none, so that neighbours join.
      const kept = (updates: ReadonlyArray<Peer.Update>) =>
        shown(updates.filter(({ sessionUpdate }) => sessionUpdate !== "user_message_chunk"))
      assert.deepStrictEqual(kept(later.updates(sessionId)), kept(peer.updates(sessionId)))
      assert.match(
        replay.join("\n"),
        /first[\s\S]*hm[\s\S]*completed[\s\S]*failed[\s\S]*one[\s\S]*second[\s\S]*working/
      )
    })
  )

  it.scoped("J03 what load and resume answer fits the schema and names no session", () =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened({ model: scripted(say("ok")), store: yield* Cases.durableStore })
      for (const method of ["session/load", "session/resume"]) {
        const { error, result } = yield* peer.request(method, { sessionId, ...place })
        assert.strictEqual(error, undefined)
        assert.notProperty(result, "sessionId")
      }
    })
  )

  it.scoped("J04 a resumed session is not shown again, but the model knows it", () =>
    Effect.gen(function* () {
      const store = yield* Cases.durableStore
      const model = scripted(say("ok"))
      const first = yield* opened({ model, store })
      yield* prompt(first.peer, first.sessionId, "the very first message")
      yield* first.close
      yield* first.server.await
      const { peer } = yield* connected({ model, store })
      const answer = yield* peer.request("session/resume", { sessionId: first.sessionId, ...place })
      assert.strictEqual(answer.error, undefined)
      const before = peer.frames().slice(0, peer.frames().indexOf(answer)).map(Cases.kindOf)
      assert.isFalse(before.some((kind) => kind === "user_message_chunk" || Cases.turnKinds.has(kind)))
      yield* prompt(peer, first.sessionId, "what was my first message?")
      assert.include(JSON.stringify(model.requests.at(-1)), "the very first message")
    })
  )

  it.scoped("J06 130 sessions are listed once each, by folder, also when one is touched between pages", () =>
    Effect.gen(function* () {
      const { peer } = yield* connected({
        model: scripted(say("ok")),
        store: yield* Cases.durableStore,
        config: { acp: { max_sessions: 200 } }
      })
      const own: Array<string> = []
      for (let n = 0; n < 130; n++) {
        const id = yield* Peer.newSession(peer, n % 2 === 0 ? cwd : "/elsewhere")
        if (n % 2 === 0) own.push(id)
      }
      const seen: Array<unknown> = []
      let cursor: unknown
      for (let page = 0; page < 130; page++) {
        const { error, result } = yield* peer.request("session/list", {
          cwd,
          ...(cursor === undefined ? {} : { cursor })
        })
        assert.strictEqual(error, undefined)
        for (const session of list(result?.["sessions"])) {
          assert.strictEqual(field(session, "cwd"), cwd)
          seen.push(field(session, "sessionId"))
        }
        cursor = result?.["nextCursor"]
        if (cursor === undefined) break
        // One that was listed already: it moves to the front and must not come again.
        yield* prompt(peer, String(seen[0]), "touch")
      }
      assert.strictEqual(cursor, undefined)
      assert.strictEqual(seen.length, new Set(seen).size)
      assert.deepStrictEqual(new Set(seen), new Set(own))
      assert.strictEqual((yield* peer.request("session/list", { cursor: "garbage!!" })).error?.code, -32602)
      assert.strictEqual((yield* peer.request("session/list", { cwd: "relative" })).error?.code, -32602)
      assert.deepStrictEqual((yield* peer.request("session/list", { cwd: "/nobody/here" })).result?.["sessions"], [])
    })
  )

  it.scopedLive("J07 a folder is the same under each of its spellings", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      const link = path.join(yield* Server.temporary("links"), "link")
      fs.symlinkSync(project, link)
      const { peer } = yield* Server.start(home)
      yield* Peer.initialize(peer)
      const sessionId = yield* Peer.newSession(peer, link)
      for (const spelling of [project, `${project}/`, `${project}/.`, link]) {
        const { result } = yield* peer.request("session/list", { cwd: spelling })
        const [session] = list(result?.["sessions"])
        assert.strictEqual(field(session, "sessionId"), sessionId, spelling)
        assert.isTrue(path.isAbsolute(String(field(session, "cwd"))))
        const loaded = yield* peer.request("session/load", { sessionId, cwd: spelling, mcpServers: [] })
        assert.strictEqual(loaded.error, undefined, spelling)
      }
    })
  )

  it.scopedLive(
    "J08 mode and model outlive a restart and are used; a mode no longer offered becomes no laxer one",
    () =>
      Effect.gen(function* () {
        const model = yield* MockModel.start
        yield* model.script(MockModel.openai.text("ok"))
        const provider = (name: string) =>
          `[providers.models.custom.${name}]\nmodel = "gpt-${name}"\napi_key = "k"\nbase_url = "${model.url}/v1"\n`
        const agent =
          '[agents.main]\nmodel_provider = "custom.one"\nrisk_profile = "wide"\n[risk_profiles.wide]\nlevel = "full"\n'
        const toml = `${agent}${provider("one")}${provider("two")}`
        const { home, project } = yield* Server.place(toml)
        const set = yield* Effect.scoped(
          Effect.gen(function* () {
            const { child, exit, peer } = yield* Server.start(home)
            yield* Peer.initialize(peer)
            const made = yield* peer.request("session/new", { cwd: project, mcpServers: [] })
            const sessionId = String(made.result?.["sessionId"])
            const other = modesOf(made).find((id) => id !== currentMode(made) && id !== "readonly")
            const modeId = other ?? currentMode(made)
            yield* peer.request("session/set_mode", { sessionId, modeId })
            const models = option(made.result?.["configOptions"], "model")
            const value = list(field(models, "options"))
              .map((one) => field(one, "value"))
              .find((one) => one !== field(models, "currentValue"))
            const { error } = yield* peer.request("session/set_config_option", { sessionId, configId: "model", value })
            assert.strictEqual(error, undefined)
            child.stdin.end()
            yield* exit
            return { modeId, sessionId, value }
          })
        )
        const reload = (use: (peer: Peer.Peer, answer: Peer.Response) => Effect.Effect<void>) =>
          Effect.scoped(
            Effect.gen(function* () {
              const { peer } = yield* Server.start(home)
              yield* Peer.initialize(peer)
              const params = { sessionId: set.sessionId, cwd: project, mcpServers: [] }
              yield* use(peer, yield* peer.request("session/load", params))
            })
          )
        yield* reload((peer, answer) =>
          Effect.gen(function* () {
            assert.strictEqual(currentMode(answer), set.modeId)
            assert.strictEqual(field(option(answer.result?.["configOptions"], "model"), "currentValue"), set.value)
            yield* prompt(peer, set.sessionId, "hi")
            assert.strictEqual(MockModel.pick(model.requests.at(-1)?.body, "model"), "gpt-two")
          })
        )
        fs.writeFileSync(path.join(home, "config.toml"), `[acp]\nmax_mode = "readonly"\n${toml}`)
        yield* reload((_peer, answer) => Effect.sync(() => assert.strictEqual(currentMode(answer), "readonly")))
      })
  )

  it.scoped("J09 unknown modes and values are refused and change nothing; a change is taken while a turn runs", () =>
    Effect.gen(function* () {
      const { peer } = yield* connected({ model: scripted(Cases.hang), store: yield* Cases.durableStore })
      const made = yield* peer.request("session/new", place)
      const sessionId = String(made.result?.["sessionId"])
      const configId = "model"
      assert.strictEqual((yield* peer.request("session/set_mode", { sessionId, modeId: "nope" })).error?.code, -32602)
      const bad = yield* peer.request("session/set_config_option", { sessionId, configId, value: "nope" })
      assert.strictEqual(bad.error?.code, -32602)
      const loaded = yield* peer.request("session/load", { sessionId, ...place })
      assert.strictEqual(currentMode(loaded), currentMode(made))
      assert.deepStrictEqual(loaded.result?.["configOptions"], made.result?.["configOptions"])
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* peer.until(Peer.isUpdateOf("agent_message_chunk"))
      const modeId = modesOf(made).find((one) => one !== currentMode(made))
      assert.isDefined(modeId)
      assert.strictEqual((yield* peer.request("session/set_mode", { sessionId, modeId })).error, undefined)
      const value = field(option(made.result?.["configOptions"], configId), "currentValue")
      const set = yield* peer.request("session/set_config_option", { sessionId, configId, value })
      const ids = (options: unknown) => list(options).map((one) => field(one, "id"))
      assert.deepStrictEqual(ids(set.result?.["configOptions"]), ids(made.result?.["configOptions"]))
      assert.isEmpty(Cases.answersTo(peer, id))
      yield* peer.notify("session/cancel", { sessionId })
      assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "cancelled")
    })
  )

  it.scoped("J10 commands are told right after new, resume and fork answer, and before load does", () =>
    Effect.gen(function* () {
      const { peer, sessionId } = yield* opened({ model: scripted(say("ok")), store: yield* Cases.durableStore })
      const commands = Peer.isUpdateOf("available_commands_update")
      const told = (method: string, params: unknown) =>
        Effect.gen(function* () {
          const from = peer.frames().length
          const answer = yield* peer.request(method, params)
          assert.strictEqual(answer.error, undefined, method)
          yield* Effect.repeatN(Effect.yieldNow(), 100)
          yield* peer.request("no/such", {})
          const frames = peer.frames().slice(from)
          const at = frames.findIndex(commands)
          assert.notStrictEqual(at, -1, method)
          return at - frames.indexOf(answer)
        })
      assert.isAbove(yield* told("session/new", place), 0)
      assert.isAbove(yield* told("session/resume", { sessionId, ...place }), 0)
      assert.isAbove(yield* told("session/fork", { sessionId, ...place }), 0)
      assert.isBelow(yield* told("session/load", { sessionId, ...place }), 0)
    })
  )

  it.scopedLive("J11 a close stops the turn and its processes; what is deleted does not come back", () =>
    Effect.gen(function* () {
      const seconds = String(5_000_000 + (process.pid % 100_000))
      const { home, project } = yield* Server.place()
      const { peer, sessionId } = yield* Server.open({ home, project })
      peer.answer(() => Server.allowOnce)
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, `run sleep ${seconds}`))
      yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => Cases.countProcesses(seconds) >= 1 })
      const closed = yield* peer.request("session/close", { sessionId })
      assert.deepStrictEqual(closed.result, {})
      const [answered = -1] = Cases.answersTo(peer, id)
      assert.isTrue(answered !== -1 && answered < peer.frames().indexOf(closed))
      assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "cancelled")
      assert.strictEqual(Cases.countProcesses(seconds), 0)
      const params = { sessionId, cwd: project, mcpServers: [] }
      assert.strictEqual((yield* peer.request("session/load", params)).error, undefined)
      const turn = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "wait"))
      yield* peer.until((frame) => JSON.stringify(frame).includes("Waiting"))
      assert.deepStrictEqual((yield* peer.request("session/delete", { sessionId })).result, {})
      assert.strictEqual(Cases.stopReason(yield* peer.response(turn)), "cancelled")
      assert.strictEqual((yield* peer.request("session/load", params)).error?.code, -32002)
      const { result } = yield* peer.request("session/list", {})
      assert.notInclude(JSON.stringify(result), sessionId)
    })
  )
})
