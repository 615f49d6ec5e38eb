// Prompts that are a string, or have parts without a type.
import { assert, describe, it } from "@effect/vitest"
import * as PromptParts from "../../src/dialect/PromptParts.ts"

const prompt = (value: unknown) => ({ sessionId: "s", prompt: value, more: 1 })
const text = (value: string) => ({ type: "text", text: value })

describe("a prompt of ZeroClaw's clients", () => {
  it.each(["hello", "", "  "])("that is the string %j is one text block", (value) => {
    assert.deepStrictEqual(PromptParts.read(prompt(value)), { params: prompt([text(value)]), sign: true })
  })

  const parts: ReadonlyArray<readonly [part: unknown, typed: unknown]> = [
    [{ text: "a" }, text("a")],
    [{ text: "" }, text("")],
    [
      { type: null, text: "a", _meta: { k: 1 } },
      { type: "text", text: "a", _meta: { k: 1 } }
    ],
    [
      { text: "first", resource: { text: "second" } },
      { ...text("first"), resource: { text: "second" } }
    ],
    [{ resource: { uri: "file:///a", text: "a" } }, { type: "resource", resource: { uri: "file:///a", text: "a" } }],
    [{ resource: { text: "a" } }, { type: "resource", resource: { uri: "", text: "a" } }],
    [
      { resource: { blob: "YQ==", mimeType: "text/plain" } },
      { type: "resource", resource: { uri: "", blob: "YQ==", mimeType: "text/plain" } }
    ]
  ]
  it.each(parts)("has for the untyped part %j the block %j", (part, typed) => {
    assert.deepStrictEqual(PromptParts.read(prompt([text("before"), part])), {
      params: prompt([text("before"), typed]),
      sign: true
    })
  })

  it.each([
    {},
    { text: 5 },
    { resource: {} },
    { resource: { text: 5, blob: null } },
    { resource: "x" },
    { uri: "file:///a", name: "a" },
    { type: "text", text: "a" },
    { type: "image", data: "", mimeType: "image/png" },
    { type: "", text: "a" },
    "text",
    null,
    [{ text: "a" }]
  ])("leaves %j as it is: typed already, or for the contract to refuse", (part) => {
    const params = prompt([part])
    const read = PromptParts.read(params)
    assert.strictEqual(read.params, params)
    assert.isFalse(read.sign)
  })

  it.each([undefined, null, 5, {}, true])("that is %j is for the contract to refuse", (value) => {
    const params = prompt(value)
    assert.strictEqual(PromptParts.read(params).params, params)
    assert.strictEqual(PromptParts.read(value).params, value)
  })
})
