// authenticate and logout over the whole server, with keys in memory.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Redacted, Stream } from "effect"
import { beforeEach, vi } from "vitest"
import { Credentials } from "../../src/auth/Credentials.ts"
import { CredentialsError } from "../../src/auth/CredentialsError.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"

beforeEach(() => {
  vi.stubEnv("GROQ_API_KEY", "")
})

const provider = (type: string, entry: object = {}) => ({
  providers: { models: { [type]: { main: { model: "m", ...entry } } } }
})
const groq = provider("groq")
const stored = () => Credentials.test(new Map([["groq.main", Redacted.make("sk-stored")]]))
const broken = Layer.effect(
  Credentials,
  Effect.map(Credentials, (credentials) => {
    const fail = new CredentialsError({ message: "/f can be read by other users. Run: chmod 600 /f" })
    return { ...credentials, find: () => fail, remove: () => fail }
  })
).pipe(Layer.provide(Credentials.test()))

const start = (setup: Partial<Embedded.Setup>, client: unknown = {}) =>
  Effect.gen(function* () {
    const { peer } = yield* Embedded.start({ model: Embedded.scripted(Embedded.say("hello")), ...setup })
    const { result } = yield* Peer.initialize(peer, client)
    const authenticate = (methodId: string) => peer.request("authenticate", { methodId })
    return { peer, authenticate, initialized: result }
  })

const create = { cwd: Embedded.cwd, mcpServers: [] }
const required = { reason: "auth", zeroclawCode: "AUTH_REQUIRED" }

describe("authenticate", () => {
  it.scoped("offers logout and what fits the default agent", () =>
    Effect.gen(function* () {
      const { initialized } = yield* start({ config: groq }, { auth: { terminal: true } })
      const methods = initialized?.["authMethods"]
      assert.isTrue(Array.isArray(methods))
      assert.match(JSON.stringify(methods), /api-key.*groq\.main.*offline.*login/)
      assert.deepInclude(initialized?.["agentCapabilities"], { auth: { logout: {} } })
    })
  )

  it.scoped("names the provider of the agent that new sessions get, and none when the configuration is wrong", () =>
    Effect.gen(function* () {
      const models = { groq: { a: { model: "m" } }, openai: { b: { model: "m" } } }
      const agents = { one: { model_provider: "groq.a" }, two: { model_provider: "openai.b" } }
      const config = { acp: { default_agent: "two" }, agents, providers: { models } }
      assert.include(JSON.stringify((yield* start({ config })).initialized), "openai.b")
      const wrong = yield* start({ config: { ...config, acp: { default_agent: "three" } } })
      assert.notInclude(JSON.stringify(wrong.initialized), "api-key")
    })
  )

  const withKey: ReadonlyArray<readonly [string, Partial<Embedded.Setup>]> = [
    ["stored", { config: groq, credentials: stored() }],
    ["in config.toml", { config: provider("groq", { api_key: "sk-config" }), credentials: broken }],
    ["a header", { config: provider("groq", { extra_headers: { Authorization: "Bearer x" } }) }],
    ["not needed", { config: provider("ollama") }],
    ["not needed, whatever is wrong with the store", { config: provider("ollama"), credentials: broken }]
  ]
  it.scoped.each(withKey)("AUTH-003: succeeds with a key that is %s; a session opens", ([, setup]) =>
    Effect.gen(function* () {
      const { authenticate, peer } = yield* start(setup)
      assert.deepStrictEqual((yield* authenticate("api-key")).result, {})
      assert.isUndefined((yield* peer.request("session/new", create)).error)
    })
  )

  it.scoped("succeeds with a key in the environment, without a look at the store", () =>
    Effect.gen(function* () {
      vi.stubEnv("GROQ_API_KEY", "sk-env")
      const { authenticate } = yield* start({ config: groq, credentials: broken })
      assert.deepStrictEqual((yield* authenticate("api-key")).result, {})
    })
  )

  it.scoped("I02: without any key it is -32000, and says what to run", () =>
    Effect.gen(function* () {
      const { authenticate } = yield* start({ config: groq })
      const { error } = yield* authenticate("api-key")
      assert.strictEqual(error?.code, -32000)
      assert.include(error?.message ?? "", "zeroclaw login groq.main")
      assert.deepStrictEqual(error?.data, required)
    })
  )

  it.scoped("is not -32000 when the stored keys can't be used: signing in would not help", () =>
    Effect.gen(function* () {
      const { authenticate } = yield* start({ config: groq, credentials: broken })
      const { error } = yield* authenticate("api-key")
      assert.strictEqual(error?.code, -32603)
      assert.include(error?.message ?? "", "chmod 600")
    })
  )

  const refusals: ReadonlyArray<readonly [string, unknown, string]> = [
    ["an unknown id", {}, "nope"],
    ["an id that is not offered", {}, "api-key"],
    ["login, when the client can't run it", {}, "login"],
    ["login, when it is for the terminal", { auth: { terminal: true } }, "login"]
  ]
  it.scoped.each(refusals)("refuses %s with -32602", ([, client, id]) =>
    Effect.gen(function* () {
      const { authenticate } = yield* start({}, client)
      assert.strictEqual((yield* authenticate(id)).error?.code, -32602)
    })
  )

  it.scoped("takes login from a client of the older convention, once there is a key", () =>
    Effect.gen(function* () {
      const client = { _meta: { "terminal-auth": true } }
      const without = yield* start({ config: groq }, client)
      assert.strictEqual((yield* without.authenticate("login")).error?.code, -32000)
      const withKey = yield* start({ config: groq, credentials: stored() }, client)
      assert.deepStrictEqual((yield* withKey.authenticate("login")).result, {})
    })
  )
})

describe("logout", () => {
  it.scoped("AUTH-004: answers an object; opens and prompts wait for authenticate, the rest goes on", () =>
    Effect.gen(function* () {
      const { authenticate, peer } = yield* start({ config: groq, credentials: stored() })
      const sessionId = yield* Peer.newSession(peer, Embedded.cwd)
      assert.deepStrictEqual((yield* peer.request("logout", {})).result, {})
      const asked = [
        ["session/new", create],
        ["session/load", { sessionId, ...create }],
        ["session/resume", { sessionId, ...create }],
        ["session/fork", { sessionId, ...create }],
        ["session/prompt", Peer.promptParams(sessionId, "hi")]
      ] as const
      for (const [method, params] of asked) {
        const { error } = yield* peer.request(method, params)
        assert.strictEqual(error?.code, -32000, method)
        assert.include(error?.message ?? "", "Signed out. Call authenticate")
        assert.deepStrictEqual(error?.data, required)
      }
      // The stored key is gone, so the method that wants one fails; the one that wants none lifts the logout.
      assert.strictEqual((yield* authenticate("api-key")).error?.code, -32000)
      assert.strictEqual((yield* peer.request("session/new", create)).error?.code, -32000)
      assert.deepStrictEqual((yield* authenticate("offline")).result, {})
      const { result } = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "hi"))
      assert.strictEqual(result?.["stopReason"], "end_turn")
    })
  )

  it.scoped("removes no other key", () =>
    Effect.gen(function* () {
      const shared = yield* Layer.build(
        Credentials.test(
          new Map(
            [
              ["groq.main", "a"],
              ["openai.main", "b"]
            ].map(([name, key]) => [name ?? "", Redacted.make(key ?? "")])
          )
        )
      )
      const { peer } = yield* start({ config: groq, credentials: Layer.succeedContext(shared) })
      yield* peer.request("logout", {})
      const { all } = yield* Effect.provide(Credentials, shared)
      assert.deepStrictEqual([...(yield* all).keys()], ["openai.main"])
    })
  )

  it.scoped("holds for what is behind it in the same write, and for an authenticate too", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ config: groq, credentials: stored() })
      const ids = yield* Effect.forEach(
        [
          ["logout", {}],
          ["session/new", create],
          ["authenticate", { methodId: "api-key" }]
        ] as const,
        ([method, params]) => peer.start(method, params)
      )
      const [logout, create_, authenticate] = yield* Effect.forEach(ids, peer.response)
      assert.deepStrictEqual(logout?.result, {})
      assert.strictEqual(create_?.error?.code, -32000)
      assert.strictEqual(authenticate?.error?.code, -32000)
    })
  )

  it.scoped("lets a running turn go on to its end", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const model = Embedded.scripted(() =>
        Stream.concat(Stream.fromEffect(Deferred.await(gate)).pipe(Stream.drain), Embedded.say("done")())
      )
      const { peer } = yield* start({ model })
      const sessionId = yield* Peer.newSession(peer, Embedded.cwd)
      const turn = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "hi"))
      assert.deepStrictEqual((yield* peer.request("logout", {})).result, {})
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* peer.response(turn)).result?.["stopReason"], "end_turn")
      assert.include(Peer.textOf(peer.updates(), "agent_message_chunk"), "done")
    })
  )

  it.scoped("says so when the key could not be removed, and is signed out all the same", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({ config: groq, credentials: broken })
      assert.strictEqual((yield* peer.request("logout", {})).error?.code, -32603)
      assert.strictEqual((yield* peer.request("session/new", create)).error?.code, -32000)
    })
  )

  it.scoped("works without a provider, and a second initialize does not undo it", () =>
    Effect.gen(function* () {
      const { peer } = yield* start({})
      assert.deepStrictEqual((yield* peer.request("logout", {})).result, {})
      yield* Peer.initialize(peer)
      assert.strictEqual((yield* peer.request("session/new", create)).error?.code, -32000)
    })
  )
})
