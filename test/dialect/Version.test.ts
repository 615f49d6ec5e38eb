// initialize: a version that is missing, forms that an empty object means, and the v2 draft's fields.
import { assert, describe, it } from "@effect/vitest"
import * as Version from "../../src/dialect/Version.ts"

const elicits = (elicitation: unknown) => ({ clientCapabilities: { terminal: true, elicitation } })

describe("initialize of ZeroClaw's clients", () => {
  it.each([undefined, null, {}])("without a version, %j, asks for 1 and is a sign", (params) => {
    assert.deepStrictEqual(Version.read(params, false), { params: { protocolVersion: 1 }, sign: true })
  })

  it.each([
    { protocolVersion: 1 },
    { protocolVersion: null },
    { protocolVersion: "1" },
    { protocolVersion: undefined, x: 1 },
    [],
    "1",
    7
  ])("with one, %j, is left as it came, right or wrong", (params) => {
    const read = Version.read(params, false)
    assert.strictEqual(read.params, params)
    assert.isFalse(read.sign)
  })

  it("means forms by elicitation: {}, once the dialect is spoken or by the message that is the sign", () => {
    const forms = { protocolVersion: 1, ...elicits({ form: {} }) }
    assert.deepStrictEqual(Version.read({ protocolVersion: 1, ...elicits({}) }, true), { params: forms, sign: false })
    assert.deepStrictEqual(Version.read(elicits({}), false), { params: forms, sign: true })
  })

  it("means nothing by it in the protocol", () => {
    const params = { protocolVersion: 1, ...elicits({}) }
    assert.strictEqual(Version.read(params, false).params, params)
  })

  it.each([null, true, [], { url: {} }, { form: {} }])("means what it says by elicitation: %j", (elicitation) => {
    const params = { protocolVersion: 1, ...elicits(elicitation) }
    assert.strictEqual(Version.read(params, true).params, params)
  })
})

describe("initialize of a v2 client", () => {
  const info = { name: "editor", version: "2" }

  it("is read as v1 names it: no files, no terminals, boolean options", () => {
    assert.deepStrictEqual(
      Version.fromV2({ protocolVersion: 2, info, capabilities: { auth: { terminal: {} }, elicitation: { form: {} } } }),
      {
        protocolVersion: 2,
        info,
        capabilities: { auth: { terminal: {} }, elicitation: { form: {} } },
        clientInfo: info,
        clientCapabilities: {
          fs: { readTextFile: false, writeTextFile: false },
          terminal: false,
          session: { configOptions: { boolean: {} } },
          auth: { terminal: true },
          elicitation: { form: {} }
        }
      }
    )
  })

  it.each([
    { protocolVersion: 1, info, capabilities: {} },
    { protocolVersion: 2 },
    { protocolVersion: 2, info, clientCapabilities: {} },
    { protocolVersion: "2", info },
    { info },
    null,
    [2]
  ])("is only that: %j stays as it came", (params) => {
    assert.strictEqual(Version.fromV2(params), params)
  })

  it("keeps a clientInfo that is there, and reads no capability of a wrong type", () => {
    const read = Version.fromV2({ protocolVersion: 3, info, clientInfo: { name: "other" }, capabilities: "all" })
    assert.nestedPropertyVal(read, "clientInfo.name", "other")
    assert.nestedPropertyVal(read, "clientCapabilities.auth.terminal", false)
  })
})
