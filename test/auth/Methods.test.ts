// What a client is offered to sign in with. Ids are those of the conformance kit.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Methods from "../../src/auth/Methods.ts"
import { ClientCapabilities } from "../../src/contract/Capabilities.ts"
import { Code } from "../../src/contract/Errors.ts"
import { make } from "../../src/methods/Agreement.ts"
import { requiresSignIn } from "../../src/methods/Authenticate.ts"

const decode = Schema.decodeUnknownSync(ClientCapabilities)
const situation = (client: unknown, provider?: string): Methods.Situation => ({
  client: decode(client),
  provider,
  self: { command: "/bin/node", args: ["/app/zeroclaw.js"] },
  root: "/home/me/.zeroclaw"
})
const offered = (client: unknown, provider?: string) => Methods.offered(situation(client, provider))

const none = {}
const terminal = { auth: { terminal: true } }
const older = { _meta: { "terminal-auth": true } }
const both = { ...terminal, ...older }
const clients: ReadonlyArray<readonly [string, unknown]> = [
  ["nothing", none],
  ["null", { auth: null, _meta: null }],
  ["terminal off", { auth: { terminal: false }, _meta: { "terminal-auth": "true" } }],
  ["terminal", terminal],
  ["the older convention", older],
  ["both", both]
]

describe.each(clients)("a client that says %s", (_, client) => {
  describe.each([undefined, "anthropic.main"])("with provider %s", (provider) => {
    const methods = offered(client, provider)

    it("AUTH-001: gets ids that are unique", () => {
      assert.strictEqual(new Set(methods.map(({ id }) => id)).size, methods.length)
    })

    it("AUTH-002: gets a terminal method only if it can run one", () => {
      assert.strictEqual(
        methods.some((method) => "type" in method),
        decode(client).auth.terminal
      )
    })

    it("AUTH-005, registry: gets at least one method, the first of agent type", () => {
      assert.isFalse(methods[0] === undefined || "type" in methods[0])
    })

    it("gets offline always, api-key only with a provider, which it names", () => {
      const ids = methods.map(({ id }) => id)
      assert.include(ids, "offline")
      assert.strictEqual(ids.includes("api-key"), provider !== undefined)
      const apiKey = methods.find(({ id }) => id === "api-key")
      if (provider !== undefined) assert.include(apiKey?.description ?? "", provider)
    })
  })
})

describe("login", () => {
  const login = (client: unknown) => offered(client).find(({ id }) => id === "login")
  const env = { ZEROCLAW_CONFIG_DIR: "/home/me/.zeroclaw" }
  const meta = {
    "terminal-auth": { command: "/bin/node", args: ["/app/zeroclaw.js", "login"], env, label: "Store an API key" }
  }

  it("tells a client that can run it the arguments and the folder", () => {
    const method = login(terminal)
    assert.deepStrictEqual(method && "type" in method && [method.type, method.args, method.env], [
      "terminal",
      ["login"],
      env
    ])
    assert.isUndefined(method?._meta)
  })

  it("is a whole command in the older convention, and of agent type for who knows nothing newer", () => {
    assert.deepStrictEqual(login(older)?._meta, meta)
    assert.deepStrictEqual(login(both)?._meta, meta)
    assert.include(Methods.agentIds(situation(older)), "login")
    assert.notInclude(Methods.agentIds(situation(both)), "login")
  })
})

describe("requiresSignIn", () => {
  const waiting = ["session/new", "session/load", "session/resume", "session/fork", "session/prompt"]
  const others = [
    "initialize",
    "authenticate",
    "logout",
    "session/list",
    "session/close",
    "session/delete",
    "session/set_mode"
  ]

  it.each([...waiting, ...others])("lets %s pass on a connection that is not signed out", (method) =>
    assert.isUndefined(requiresSignIn(make("auto"), method))
  )
  it.each(waiting)("refuses %s after logout", (method) => {
    const error = requiresSignIn({ ...make("auto"), signedOut: true }, method)
    assert.strictEqual(error?.code, Code.AuthRequired)
    assert.deepStrictEqual(error?.data, { reason: "auth", zeroclawCode: "AUTH_REQUIRED" })
    assert.include(error?.message ?? "", "authenticate")
  })
  it.each(others)("lets %s pass after logout", (method) =>
    assert.isUndefined(requiresSignIn({ ...make("auto"), signedOut: true }, method))
  )
})
