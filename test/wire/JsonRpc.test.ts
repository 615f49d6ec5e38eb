import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Id from "../../src/wire/Id.ts"
import * as JsonRpc from "../../src/wire/JsonRpc.ts"
import * as JsonText from "../../src/wire/JsonText.ts"

const code = (incoming: JsonRpc.Incoming) => (incoming._tag === "Malformed" ? incoming.error.code : incoming._tag)
const idOf = (text: string) => {
  const incoming = JsonRpc.decode(text)
  return "id" in incoming ? Id.encode(incoming.id) : incoming._tag
}
const request = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"m"}`

describe("JsonRpc", () => {
  it.each([
    ["5"],
    ["0"],
    ["-1"],
    ['"5"'],
    ['""'],
    ["null"],
    ["9007199254740993"],
    ["-9223372036854775808"],
    ["-0"],
    ['"zc-out-0"'],
    ['"\\u00e9"']
  ])("answers id %s with the same JSON value", (id) => {
    const incoming = JsonRpc.decode(request(id))
    assert.strictEqual(incoming._tag, "Request")
    assert.strictEqual(idOf(request(id)), id === '"\\u00e9"' ? '"é"' : id)
  })

  it.each([["true"], ["{}"], ["[]"], ["1.5"], ["1e400"], ["9223372036854775808"]])(
    "refuses id %s with id null",
    (id) => {
      const incoming = JsonRpc.decode(request(id))
      assert.strictEqual(code(incoming), -32600)
      assert.strictEqual(idOf(request(id)), "null")
    }
  )

  it("finds the id of a rounded number behind other members and nested ids", () => {
    const text = '{"params":{"id":1,"s":"\\"id\\":2"},"\\u0069d":9007199254740993,"method":"m","jsonrpc":"2.0"}'
    assert.strictEqual(idOf(text), "9007199254740993")
  })

  it.each([
    ['{"jsonrpc":"2.0","id":5,"method":"session/new"', -32700],
    ["[]", -32600],
    ['[{"jsonrpc":"2.0","id":5,"method":"x"}]', -32600],
    ['"hello"', -32600],
    ["42", -32600],
    ["null", -32600],
    ['{"id":5,"method":"x"}', -32600],
    ['{"jsonrpc":"1.0","id":6,"method":"x"}', -32600],
    ['{"jsonrpc":"2.0","id":7,"method":42}', -32600],
    ['{"jsonrpc":"2.0","id":7,"method":"x","result":{}}', -32600],
    ['{"jsonrpc":"2.0","id":778}', "Ignored"],
    ['{"jsonrpc":"2.0","id":{},"result":1}', "Ignored"],
    ['{"method":"$/ping"}', "Ignored"],
    ['{"jsonrpc":"2.0","id":1,"result":null}', "Success"],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}', "Failure"],
    ['{"jsonrpc":"2.0","id":1,"error":"odd"}', "Failure"],
    ['{"id":1,"result":{}}', "Ignored"]
  ])("classifies %s", (text, expected) => {
    assert.strictEqual(code(JsonRpc.decode(text)), expected)
  })

  it.each([
    ['{"jsonrpc":"2.0","id":"r4","method":"session/prompt","params":{"x":"', '"r4"', -32600],
    ['{"id":7,"jsonrpc":"2.0","params":{"id":8', "7", -32600],
    ['{"jsonrpc":"2.0","params":{"id":8}', "null", -32700],
    ['{"jsonrpc":"2.0","s":"\\"id\\":1","id":9,"x":"', "9", -32600],
    ["aaaa", "null", -32700]
  ])("answers a message that is too long by its id where that is in sight: %s", (head, id, expected) => {
    const incoming = JsonRpc.tooLong(head, 8)
    assert.strictEqual("id" in incoming ? Id.encode(incoming.id) : undefined, id)
    assert.strictEqual(code(incoming), expected)
  })

  it("compares members by value, not by spelling", () => {
    const incoming = JsonRpc.decode('{"jsonrpc":"2.0","id":2,"\\u006dethod":"\\u0073ession\\/new"}')
    assert.deepStrictEqual(incoming, { _tag: "Request", id: 2, method: "session/new", params: undefined })
  })

  it("refuses texts nested deeper than the limit, and survives a million levels", () => {
    for (const depth of [JsonText.maxDepth, 10_000, 1_000_000]) {
      const text = `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":${"[".repeat(depth)}${"]".repeat(depth)}}}`
      assert.strictEqual(code(JsonRpc.decode(text)), -32700)
    }
    const fine = `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":${"[".repeat(100)}"[[[["${"]".repeat(100)}}}`
    assert.strictEqual(code(JsonRpc.decode(fine)), "Request")
  })

  it("keeps the id that $/cancel_request names as exactly as the id of a request", () => {
    const ids = ["9007199254740993", "9223372036854775807", "-9223372036854775808", "7", '"a\\u0041"', "null"]
    for (const id of ids) {
      const request = JsonRpc.decode(`{"jsonrpc":"2.0","id":${id},"method":"session/prompt","params":{"requestId":1}}`)
      const cancel = JsonRpc.decode(
        `{"params":{"_meta":{"requestId":1,"params":{"requestId":2}},"requestId":${id}},"method":"$/cancel_request","jsonrpc":"2.0"}`
      )
      assert.strictEqual(request._tag, "Request")
      assert.strictEqual(cancel._tag, "Cancel")
      if (request._tag === "Request" && cancel._tag === "Cancel")
        assert.strictEqual(Id.key(cancel.id), Id.key(request.id))
    }
    for (const params of ['{"requestId":1.5}', '{"requestId":{}}', "{}", "[]", "null"]) {
      const text = `{"jsonrpc":"2.0","method":"$/cancel_request","params":${params}}`
      assert.strictEqual(JsonRpc.decode(text)._tag, "Ignored")
    }
  })

  it("drops prototype keys in every spelling", () => {
    for (const key of ["__proto__", "\\u005f_proto__", "_\\u005Fproto__"]) {
      const parsed = JsonText.parse(`{"a":{"${key}":{"polluted":1},"b":2}}`)
      assert.deepStrictEqual(parsed, { _tag: "Value", value: { a: { b: 2 } } })
    }
    assert.isFalse("polluted" in {})
  })

  it("replaces lone surrogates on the way in and on the way out", () => {
    assert.deepStrictEqual(JsonText.parse('["\\ud800x","\\ud83c\\udf89"]'), { _tag: "Value", value: ["\ufffdx", "🎉"] })
    assert.strictEqual(JsonText.stringify({ a: "\ud800" }), '{"a":"\ufffd"}')
  })

  it.prop("is total: any text gives a message", [fc.string({ unit: "binary" })], ([text]) => {
    JsonRpc.decode(text)
  })

  it.prop(
    "reads back what it writes, on one line",
    [fc.jsonValue(), fc.oneof(fc.string(), fc.integer(), fc.constant(null))],
    ([value, id]) => {
      const line = JsonRpc.success(id, { value })
      assert.notInclude(line, "\n")
      const incoming = JsonRpc.decode(line)
      assert.strictEqual(incoming._tag, "Success")
      if (incoming._tag === "Success")
        assert.strictEqual(Id.key(incoming.id), Id.key(typeof id === "string" ? id.toWellFormed() : id))
    }
  )
})
