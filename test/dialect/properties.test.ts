// What holds of the dialect for every message: who speaks the protocol is left alone, and nothing makes it break.
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, FastCheck as fc, Schema } from "effect"
import { AgentNotifications, AgentRequests } from "../../src/contract/AgentMethods.ts"
import * as Dialect from "../../src/dialect/Dialect.ts"
import * as Incoming from "../../src/dialect/Incoming.ts"
import * as Legacy from "../../src/dialect/Legacy.ts"
import * as Outgoing from "../../src/dialect/Outgoing.ts"
import * as Version from "../../src/dialect/Version.ts"
import * as Agreement from "../../src/methods/Agreement.ts"
import { isRecord } from "../../src/wire/JsonText.ts"
import * as Instances from "../contract/Instances.ts"
import { byAgent } from "../contract/Read.ts"
import * as Shapes from "./Shapes.ts"

const base = "/base"
const speaking = fc.record<Incoming.Speaking>({
  mode: fc.constantFrom("auto", "zeroclaw"),
  spoken: fc.boolean(),
  base: fc.constant(base)
})

/** Where the schema says less than the protocol: an absolute folder, and MCP servers that are named. */
const asProtocol = (method: string, params: unknown): unknown => {
  if (!isRecord(params) || !("cwd" in params) || method === "session/list") return params
  const placed = { ...params, cwd: `/${params["cwd"]}` }
  return method === "session/new" || method === "session/load" ? { mcpServers: [], ...placed } : placed
}

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const given = (method: string, schema: Schema.Schema.AnyNoContext) => ({
  method,
  params: Arbitrary.make(Schema.encodedSchema(schema)).map((params) => asProtocol(method, json(params)))
})

const ofContract = [...AgentRequests.requests.values(), ...AgentNotifications.requests.values()].map((rpc) =>
  given(rpc._tag, rpc.payloadSchema)
)

/** Of the official schema itself, members of a later version included. */
const ofSchema = byAgent
  .filter(({ label }) => !label.endsWith("Response"))
  .map(({ definition, label }) => {
    const method = label.replace(/ \w+$/, "")
    return { method, params: Instances.instancesOf(definition).map(({ extended }) => asProtocol(method, extended)) }
  })

describe("a client of the protocol", () => {
  it.each([...ofContract, ...ofSchema])("$method is never rewritten and never switches the dialect", (given) => {
    fc.assert(
      fc.property(given.params, (params) => {
        const before = structuredClone(params)
        const agreement = Agreement.make("auto")
        const read = Dialect.make(agreement, base).incoming("request", given.method, params)
        assert.strictEqual(read.method, given.method)
        if (given.method !== "initialize") assert.strictEqual(read.params, params)
        // In every mode alike: what the v2 draft names otherwise.
        else assert.deepStrictEqual(read.params, Version.fromV2(params))
        assert.deepStrictEqual(params, before)
        assert.isFalse(agreement.zeroclaw)
      })
    )
  })

  it.prop("gets what the protocol says, word for word", [Shapes.method, Shapes.json], ([method, value]) => {
    for (const mode of ["auto", "strict"] as const) {
      const rewrite = Dialect.make(Agreement.make(mode), base)
      assert.strictEqual(rewrite.result(method, value), value)
      assert.strictEqual(rewrite.outgoing(method, value), value)
      assert.strictEqual(rewrite.answer(method, value), value)
      const error = { code: -32002, message: "why", data: value }
      assert.strictEqual(rewrite.error(method, error), error)
    }
  })
})

describe("strict", () => {
  it.prop("rewrites nothing and never switches, whatever comes", [Shapes.method, Shapes.params], ([method, params]) => {
    const agreement = Agreement.make("strict")
    const read = Dialect.make(agreement, base).incoming("request", method, params)
    assert.strictEqual(read.method, method)
    if (method === "initialize") assert.deepStrictEqual(read.params, Version.fromV2(params))
    else assert.strictEqual(read.params, params)
    assert.isFalse(agreement.zeroclaw)
  })
})

describe("any message", () => {
  const runs = { fastCheck: { numRuns: 1000 } }

  it.prop(
    "is read, not changed in place, and read again the same",
    [speaking, Shapes.method, Shapes.params],
    ([speaking, method, params]) => {
      const before = structuredClone(params)
      const once = Incoming.read(speaking, method, params)
      assert.deepStrictEqual(params, before)
      const twice = Incoming.read({ ...speaking, spoken: speaking.spoken || once.sign }, once.method, once.params)
      assert.strictEqual(twice.method, once.method)
      assert.deepStrictEqual(twice.params, once.params)
    },
    runs
  )

  it.prop(
    "of the dialect is read as what the protocol names so",
    [speaking, Shapes.method, Shapes.params],
    ([speaking, method, params]) => {
      const read = Incoming.read(speaking, method, params)
      assert.notStrictEqual(read.method, "session/update")
      // What was there of the protocol's own stays beside what was added.
      if (isRecord(params)) assert.isTrue(isRecord(read.params))
      if (isRecord(params) && typeof params["cwd"] === "string" && params["cwd"].startsWith("/")) {
        assert.propertyVal(read.params, "cwd", params["cwd"])
      }
      if (isRecord(params) && typeof params["sessionId"] === "string") {
        assert.propertyVal(read.params, "sessionId", params["sessionId"])
      }
    },
    runs
  )

  it.prop(
    "may hold keys named after the prototype: they do nothing",
    [speaking, Shapes.method, Shapes.params, Shapes.params],
    ([speaking, method, params, hostile]) => {
      const read = Incoming.read(speaking, method, Shapes.withPrototypeKeys(params, hostile))
      const plain = Incoming.read(speaking, method, params)
      assert.strictEqual(read.sign, plain.sign)
      assert.deepStrictEqual(Shapes.withoutPrototypeKeys(read.params), Shapes.withoutPrototypeKeys(plain.params))
      assert.strictEqual(Reflect.getPrototypeOf({}), Object.prototype)
      assert.isUndefined(Reflect.get({}, "sessionId"))
    },
    runs
  )

  it.prop(
    "is written, whatever it is, and what it held is kept",
    [Shapes.outgoing, Shapes.params],
    ([method, value]) => {
      const before = structuredClone(value)
      const written = [Outgoing.result(method, value), Outgoing.params(method, value), Outgoing.answer(method, value)]
      assert.deepStrictEqual(value, before)
      for (const one of written) {
        if (!isRecord(value)) assert.strictEqual(one, value)
        else assert.includeMembers(Object.keys(isRecord(one) ? one : {}), Object.keys(value))
      }
      assert.strictEqual(Legacy.error({ code: -32603, message: "why", data: value }).message, "why")
    },
    runs
  )
})
