// ZeroClaw's error codes: by name, else by the code that would say something else in this dialect.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Legacy from "../../src/dialect/Legacy.ts"

describe("an error in ZeroClaw's dialect", () => {
  it.each([
    ["SESSION_NOT_FOUND", -32002, -32000],
    ["SESSION_LIMIT_REACHED", -31002, -32001],
    ["SESSION_BUSY", -31001, -32002],
    ["SESSION_NOT_OWNED", -32002, -32003],
    ["AUTH_REQUIRED", -32000, -32010]
  ])("named %s has, for %i, the code %i, its message and its data", (zeroclawCode, code, legacy) => {
    const data = { zeroclawCode, sessionId: "s" }
    assert.deepStrictEqual(Legacy.error({ code, message: "why", data }), { code: legacy, message: "why", data })
  })

  it.each([
    [-32002, -32000],
    [-31001, -32002],
    [-31002, -32001],
    [-32000, -32010]
  ])("without a name has, for %i, the code %i", (code, legacy) => {
    assert.deepStrictEqual(Legacy.error({ code, message: "why" }), { code: legacy, message: "why" })
  })

  it.each([-32700, -32600, -32601, -32602, -32603, -32800, -31003, 0])("keeps %i, and is the very same", (code) => {
    const error = { code, message: "why", data: { reason: "x" } }
    assert.strictEqual(Legacy.error(error), error)
  })

  it.each(["constructor", "__proto__", "toString", "VERSION_MISMATCH", "", 5, null])(
    "whose name is %j is read by its code",
    (zeroclawCode) => {
      assert.strictEqual(Legacy.error({ code: -32602, message: "why", data: { zeroclawCode } }).code, -32602)
    }
  )

  it.prop("changes nothing but the code, whatever the data is", [fc.integer(), fc.jsonValue()], ([code, data]) => {
    const { code: _, ...rest } = Legacy.error({ code, message: "why", data })
    assert.deepStrictEqual(rest, { message: "why", data })
  })
})
