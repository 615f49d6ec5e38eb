// No secret in what a tool gives back: not live, not in the store, not in a replay, not before the model. (W19)
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Cases from "../support/Cases.ts"
import * as MockModel from "../support/MockModel.ts"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

const configured = "configured-CANARY-0123"
const inherited = "inherited CANARY 4567"
const token = `ghp_CANARY${"aB3dE6gH9j".repeat(3)}`
const password = "CANARY-hunter2"
const pem = [
  "-----BEGIN PRIVATE KEY-----",
  ...Array.from({ length: 8 }, (_, n) => `CANARY${n}${"kL8m".repeat(14)}`),
  "-----END PRIVATE KEY-----"
].join("\n")

const toml = (url: string) =>
  `[providers.models.custom.main]\nmodel = "m"\nbase_url = "${url}/v1"\napi_key = "${configured}"\n`

/** All bytes of the database, what is not merged into it yet included. */
const storedBytes = (home: string): string => {
  const folder = path.join(home, "data", "sessions")
  return fs
    .readdirSync(folder)
    .map((name) => fs.readFileSync(path.join(folder, name), "latin1"))
    .join("\n")
}

const lastTexts = (updates: ReadonlyArray<Peer.Update>): ReadonlyMap<unknown, string> =>
  new Map(
    updates.flatMap(({ content, rawOutput, toolCallId }) =>
      toolCallId === undefined || rawOutput === undefined
        ? []
        : [[toolCallId, JSON.stringify([content, rawOutput])] as const]
    )
  )

describe("secrets in results", () => {
  it.scopedLive("are in no update, no row, no replay and no request to the model", () =>
    Effect.gen(function* () {
      const model = yield* MockModel.start
      const place = yield* Server.place(toml(model.url))
      fs.writeFileSync(path.join(place.project, "secrets.env"), `TOKEN=${token}\nDB_PASSWORD=${password}\n${pem}\n`)
      fs.writeFileSync(path.join(place.project, "known.txt"), `${configured}\n${inherited}\n`)
      fs.writeFileSync(path.join(place.project, "half-1"), `x ${token.slice(0, 20)}`)
      fs.writeFileSync(path.join(place.project, "half-2"), `${token.slice(20)}\n`)
      const shell = (id: string, command: string) => ({ id, name: "shell", input: { command } })
      yield* model.script(
        MockModel.openai.toolCalls([
          { id: "read", name: "file_read", input: { path: "secrets.env" } },
          { id: "known", name: "file_read", input: { path: "known.txt" } },
          { id: "search", name: "content_search", input: { pattern: "TOKEN|PASSWORD|KEY" } },
          shell("print", "cat secrets.env known.txt"),
          shell("fail", "cat secrets.env known.txt; exit 3"),
          // Shown while it runs: half of a token, then the other half.
          shell("halves", "cat half-1; sleep 0.4; cat half-2; sleep 0.3"),
          // Longer than what is shown of it, so that its beginning is cut.
          shell("long", "for i in $(seq 3000); do cat known.txt; done"),
          shell("echo", `echo ${configured}`)
        ]),
        MockModel.openai.text("read")
      )
      const { child, exit, peer, sessionId } = yield* Server.open(place, { env: { SOME_API_TOKEN: inherited } })
      peer.answer(() => Server.allowOnce)
      assert.strictEqual(Cases.stopReason(yield* Server.prompt(peer, sessionId, "go")), "end_turn")
      const statuses = Cases.lastStatuses(peer)
      assert.deepStrictEqual([...statuses.values()].filter((status) => status === "failed").length, 1)
      assert.strictEqual(statuses.get("fail"), "failed")

      const live = lastTexts(peer.updates())
      for (const [id, text] of live) assert.include(text, "[redacted", String(id))
      assert.notInclude(JSON.stringify(peer.updates()), "CANARY")
      const [, second] = model.requests
      const told = MockModel.pick(second?.body, "messages")
      const results = Array.isArray(told) ? told.filter((one) => MockModel.pick(one, "role") === "tool") : []
      assert.strictEqual(results.length, 8)
      assert.notInclude(JSON.stringify(results), "CANARY")

      child.stdin.end()
      yield* exit
      const bytes = storedBytes(place.home)
      assert.include(bytes, "[redacted")
      for (const secret of [configured, inherited, token, password, "CANARY3kL8m"]) assert.notInclude(bytes, secret)

      const again = yield* Server.start(place.home)
      yield* Peer.initialize(again.peer)
      yield* again.peer.request("session/load", { sessionId, cwd: place.project, mcpServers: [] })
      assert.deepStrictEqual([...lastTexts(again.peer.updates())], [...live])
    })
  )

  it.scopedLive("stay in a question but for those known exactly, and in a diff", () =>
    Effect.gen(function* () {
      const model = yield* MockModel.start
      const place = yield* Server.place(toml(model.url))
      const content = `password = "${password}"\nkey = "${configured}"\n`
      yield* model.script(
        MockModel.openai.toolCalls([
          { id: "run", name: "shell", input: { command: `echo ${token} ${configured}; touch MARK` } },
          { id: "write", name: "file_write", input: { path: "a.env", content } }
        ]),
        MockModel.openai.text("done")
      )
      const { peer, sessionId } = yield* Server.open(place)
      peer.answer(() => Server.allowOnce)
      yield* Server.prompt(peer, sessionId, "go")
      const [run, write] = peer.frames().filter(Peer.isPermission)
      const asked = JSON.stringify([run?.params, write?.params])
      assert.include(asked, token)
      assert.include(asked, password)
      assert.notInclude(asked, configured)
      assert.notInclude(JSON.stringify(peer.updates()), configured)
      // What runs is what the model wrote.
      assert.strictEqual(fs.readFileSync(path.join(place.project, "a.env"), "utf8"), content)
      assert.isTrue(fs.existsSync(path.join(place.project, "MARK")))
      const diff = peer.updates().findLast(({ toolCallId }) => toolCallId === "write")
      assert.include(JSON.stringify(diff), password)
    })
  )

  it.scopedLive("are taken out of a file as the editor has it", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      fs.writeFileSync(path.join(place.project, "a.env"), "old\n")
      const { peer } = yield* Server.start(place.home)
      yield* Peer.initialize(peer, { fs: { readTextFile: true } })
      const sessionId = yield* Peer.newSession(peer, place.project)
      peer.answer(() => ({ result: { content: `DB_PASSWORD=${password}\n` } }))
      yield* Server.prompt(peer, sessionId, "read a.env")
      const seen = JSON.stringify(peer.updates())
      assert.include(seen, "DB_PASSWORD=[redacted]")
      assert.notInclude(seen, "CANARY")
    })
  )
})
