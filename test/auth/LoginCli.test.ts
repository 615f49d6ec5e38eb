// The shipped program: keys stored, used and removed by commands; no key is ever told.
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as MockModel from "../support/MockModel.ts"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

const key = "zq-live-0123456789abcdef-THE-KEY"
const other = "zq-live-fedcba9876543210-OTHER"

interface Result {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Fails when a key is in what was written. */
const run = (home: string, args: ReadonlyArray<string>, stdin = "", env: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    Effect.async<Result>((resume) => {
      const child = spawn(process.execPath, [Server.bundle, ...args], { env: { ...Server.environment(home), ...env } })
      const out: Array<Buffer> = []
      const err: Array<Buffer> = []
      child.stdout.on("data", (bytes: Buffer) => out.push(bytes))
      child.stderr.on("data", (bytes: Buffer) => err.push(bytes))
      child.on("close", (code) =>
        resume(
          Effect.succeed({
            code,
            stdout: Buffer.concat(out).toString("utf8"),
            stderr: Buffer.concat(err).toString("utf8")
          })
        )
      )
      // It may be gone before it has read everything.
      child.stdin.on("error", () => {})
      child.stdin.end(stdin)
    }),
    (result) => {
      assert.notMatch(`${result.stdout}${result.stderr}`, /zq-live|THE-KEY/)
      return result
    }
  )

const oneLine = ({ code, stderr, stdout }: Result, text: string) => {
  assert.strictEqual(code, 1)
  assert.strictEqual(stdout, "")
  assert.match(stderr, /^zeroclaw log(in|out): [^\n]+\n$/)
  assert.include(stderr, text)
}

const stored = (home: string): unknown => {
  const file = path.join(home, "data", "credentials.json")
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")).keys : undefined
}

/** Every file of a folder as one text. */
const allText = (folder: string, but: string): string =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((file) => file !== but && fs.statSync(file).isFile())
    .map((file) => fs.readFileSync(file, "latin1"))
    .join("\n")

describe("zeroclaw login --stdin", () => {
  it.scopedLive("stores the key and says what to add to config.toml, which then works", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place()
      const { code, stderr, stdout } = yield* run(home, ["login", "anthropic", "--stdin"], `${key}\n`)
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.deepStrictEqual(stored(home), { "anthropic.main": key })
      assert.strictEqual(fs.statSync(path.join(home, "data", "credentials.json")).mode & 0o777, 0o600)
      const lines = stdout.slice(stdout.indexOf("[providers."))
      assert.strictEqual(lines.trim().split("\n").length, 3)
      fs.writeFileSync(path.join(home, "config.toml"), lines)
      const again = yield* run(home, ["login", "--stdin"], other)
      assert.strictEqual(again.code, 0)
      assert.notInclude(again.stdout, "[providers.")
      assert.deepStrictEqual(stored(home), { "anthropic.main": other })
    })
  )

  it.scopedLive.each([
    "acp login groq --stdin",
    "acp --login groq --stdin",
    "acp --verbose --max-sessions 3 login groq --stdin"
  ])("is started by zeroclaw %s too", (line) =>
    Effect.gen(function* () {
      const { home } = yield* Server.place()
      assert.strictEqual((yield* run(home, line.split(" "), key)).code, 0)
      assert.deepStrictEqual(stored(home), { "groq.main": key })
    })
  )

  it.scopedLive("takes the provider of the agent that is named, in the folder that is named", () =>
    Effect.gen(function* () {
      const models = '[providers.models.groq.a]\nmodel = "m"\n[providers.models.openai.b]\nmodel = "m"\n'
      const agents = '[agents.one]\nmodel_provider = "groq.a"\n[agents.two]\nmodel_provider = "openai.b"\n'
      const { home } = yield* Server.place(models + agents)
      const args = ["acp", "--config-dir", home, "--agent", "two", "login", "--stdin"]
      assert.strictEqual((yield* run("/nowhere", args, key)).code, 0)
      assert.deepStrictEqual(stored(home), { "openai.b": key })
      oneLine(yield* run(home, ["login", "--stdin"], key), "groq.a, openai.b")
    })
  )

  it.scopedLive("notes what comes before the stored key", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place('[providers.models.groq.a]\nmodel = "m"\napi_key = "zq-live-config"\n')
      assert.include((yield* run(home, ["login", "--stdin"], key)).stdout, "config.toml has an api_key")
      const bare = yield* Server.place()
      const env = { OPENAI_API_KEY: "zq-live-env" }
      assert.include((yield* run(bare.home, ["login", "openai", "--stdin"], key, env)).stdout, "OPENAI_API_KEY is set")
    })
  )

  it.scopedLive("stores nothing and ends with 1 and one line when it can't", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place()
      oneLine(yield* run(home, ["login", "--stdin"], key), "names no model provider")
      oneLine(yield* run(home, ["login", "groq", "--stdin"], ""), "empty")
      oneLine(yield* run(home, ["login", "groq", "--stdin"], `${key} ${key}`), "blanks")
      oneLine(yield* run(home, ["login", "groq", "--stdin"], key.repeat(5000)), "longer")
      oneLine(yield* run(home, ["login", "grok", "--stdin"], key), "did you mean")
      oneLine(yield* run(home, ["login", key, "--stdin"], key), "unknown provider")
      oneLine(yield* run(home, ["login", "groq"], key), "--stdin")
      assert.strictEqual(stored(home), undefined)
      const twice = yield* run(home, ["login", "groq", key])
      assert.deepStrictEqual([twice.code, twice.stdout], [2, ""])
    })
  )

  it.scopedLive("leaves a file alone that it does not understand", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place()
      const file = path.join(home, "data", "credentials.json")
      fs.mkdirSync(path.dirname(file))
      fs.writeFileSync(file, `{ "mine": "${other}"`, { mode: 0o600 })
      oneLine(yield* run(home, ["login", "groq", "--stdin"], key), "not what zeroclaw writes")
      oneLine(yield* run(home, ["logout"]), "not what zeroclaw writes")
      assert.strictEqual(fs.readFileSync(file, "utf8"), `{ "mine": "${other}"`)
    })
  )
})

describe("zeroclaw logout", () => {
  it.scopedLive("removes the key of one provider, or all", () =>
    Effect.gen(function* () {
      const { home } = yield* Server.place()
      for (const name of ["groq", "openai", "mistral.work"]) yield* run(home, ["login", name, "--stdin"], key)
      assert.include((yield* run(home, ["logout", "mistral"])).stdout, "mistral.work")
      assert.deepStrictEqual(stored(home), { "groq.main": key, "openai.main": key })
      assert.include((yield* run(home, ["logout", "deepseek"])).stdout, "No API key is stored for deepseek.main")
      const { code, stdout } = yield* run(home, ["logout"])
      assert.deepStrictEqual([code, stdout], [0, "Removed the stored API key of groq.main, openai.main.\n"])
      assert.deepStrictEqual(stored(home), {})
      assert.strictEqual((yield* run(home, ["logout"])).code, 0)
    })
  )
})

describe("the server", () => {
  it.scopedLive("uses a key that is stored while it runs, until logout, and tells it nobody", () =>
    Effect.gen(function* () {
      const model = yield* MockModel.start
      yield* model.script(MockModel.anthropic.text("hello"), MockModel.anthropic.text("again"))
      const place = yield* Server.place(`[providers.models.anthropic.main]\nmodel = "m"\nbase_url = "${model.url}"\n`)
      const record = path.join(place.project, "frames")
      const { peer, sessionId, stderr } = yield* Server.open(place, { args: ["--log-level", "trace"], record })
      const prompt = () => Server.prompt(peer, sessionId, "hi")
      const authenticate = () => peer.request("authenticate", { methodId: "api-key" })

      const without = yield* prompt()
      assert.strictEqual(without.error?.code, -32000)
      assert.include(without.error?.message ?? "", "zeroclaw login anthropic.main")
      assert.strictEqual((yield* authenticate()).error?.code, -32000)

      assert.strictEqual((yield* run(place.home, ["login", "--stdin"], key)).code, 0)
      assert.deepStrictEqual((yield* authenticate()).result, {})
      assert.strictEqual((yield* prompt()).result?.["stopReason"], "end_turn")
      assert.strictEqual(model.requests[0]?.headers["x-api-key"], key)

      assert.deepStrictEqual((yield* peer.request("logout", {})).result, {})
      assert.deepStrictEqual(stored(place.home), {})
      assert.strictEqual((yield* prompt()).error?.code, -32000)
      assert.strictEqual((yield* authenticate()).error?.code, -32000)

      assert.strictEqual((yield* run(place.home, ["login", "--stdin"], other)).code, 0)
      assert.deepStrictEqual((yield* authenticate()).result, {})
      assert.strictEqual((yield* prompt()).result?.["stopReason"], "end_turn")
      assert.strictEqual(model.requests[1]?.headers["x-api-key"], other)

      const credentials = path.join(place.home, "data", "credentials.json")
      assert.include(fs.readFileSync(credentials, "utf8"), other)
      assert.notMatch(allText(place.home, credentials) + allText(place.project, ""), /zq-live|THE-KEY/)
      assert.strictEqual(stderr(), "")
    })
  )

  it.scopedLive("tells a file that others can read as that, not as a missing key", () =>
    Effect.gen(function* () {
      const place = yield* Server.place(
        '[providers.models.anthropic.main]\nmodel = "m"\nbase_url = "http://127.0.0.1:9"\n'
      )
      yield* run(place.home, ["login", "--stdin"], key)
      fs.chmodSync(path.join(place.home, "data", "credentials.json"), 0o644)
      const { peer, sessionId } = yield* Server.open(place)
      const { error } = yield* Server.prompt(peer, sessionId, "hi")
      assert.strictEqual(error?.code, -32603)
      assert.include(error?.message ?? "", "chmod 600")
    })
  )

  it.scopedLive("answers initialize first, with a method that can be used: what a registry checks", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      const { peer } = yield* Server.start(place.home)
      const { result } = yield* Peer.initialize(peer, { _meta: { "terminal-auth": true } })
      assert.strictEqual(peer.frames()[0]?._tag, "Response")
      const login = JSON.stringify(result?.["authMethods"])
      assert.include(login, JSON.stringify({ command: process.execPath, args: [Server.bundle, "login"] }).slice(1, -1))
    })
  )
})
