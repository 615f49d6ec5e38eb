// Which message is read how, and which of them tells the dialect.
import { assert, describe, it } from "@effect/vitest"
import * as Incoming from "../../src/dialect/Incoming.ts"

const auto: Incoming.Speaking = { mode: "auto", spoken: false, base: "/base" }
const read = (method: string, params: unknown, speaking = auto) => Incoming.read(speaking, method, params)
const place = { cwd: "/project", mcpServers: [] }

const ofOneSession = [
  "session/load",
  "session/resume",
  "session/fork",
  "session/delete",
  "session/close",
  "session/set_title",
  "session/set_mode",
  "session/set_model",
  "session/set_config_option",
  "session/prompt",
  "session/cancel",
  "session/stop",
  "session/event"
]

describe("session_id", () => {
  it.each(ofOneSession)("stands for sessionId in %s, which is a sign", (method) => {
    const { params, sign } = read(method, { session_id: "s", type: "x", ...place })
    assert.propertyVal(params, "sessionId", "s")
    assert.isTrue(sign)
  })

  it("does not replace a good sessionId, but one of another type", () => {
    assert.propertyVal(read("session/close", { sessionId: "a", session_id: "b" }).params, "sessionId", "a")
    assert.propertyVal(read("session/close", { sessionId: null, session_id: "b" }).params, "sessionId", "b")
    assert.propertyVal(read("session/close", { sessionId: 5, session_id: "b" }).params, "sessionId", "b")
  })

  it("is no sign where it is no text, and means nothing where no session is named", () => {
    for (const [method, params] of [
      ["session/close", { session_id: 5 }],
      ["session/close", { session_id: null }],
      ["session/list", { session_id: "s" }],
      ["_vendor/x", { session_id: "s" }]
    ] as const) {
      assert.deepStrictEqual(read(method, params), { method, params, sign: false })
    }
  })

  it("makes the very message that bears it one of the dialect", () => {
    const { params } = read("session/load", { session_id: "s", cwd: ".", mcpServers: [] })
    assert.nestedPropertyVal(params, "_meta.zeroclaw.storedCwd", true)
  })
})

describe("methods", () => {
  it.each(["session/stop", "session/event", "session/update"])("%s is a sign whatever it holds", (method) => {
    for (const params of [undefined, null, {}, [], "x", { sessionId: 5 }]) assert.isTrue(read(method, params).sign)
  })

  it("of a client's session/update is session/event, with its type from either place", () => {
    const update = { sessionUpdate: "tool_call", text: "x" }
    assert.deepStrictEqual(read("session/update", { sessionId: "s", update }), {
      method: "session/event",
      params: { sessionId: "s", update, type: "tool_call" },
      sign: true
    })
    assert.deepStrictEqual(read("session/event", { sessionId: "s", type: "mine", update }).params, {
      sessionId: "s",
      type: "mine",
      update
    })
  })

  it("nobody knows, or that hold no object, are left as they are", () => {
    for (const method of ["x", "", "constructor", "__proto__", "session/new "]) {
      const params = { session_id: "s", agent: "a", prompt: "x" }
      assert.deepStrictEqual(read(method, params), { method, params, sign: false })
    }
    for (const params of [5, "x", [], true]) {
      assert.deepStrictEqual(read("session/prompt", params), { method: "session/prompt", params, sign: false })
      assert.deepStrictEqual(read("session/new", params), { method: "session/new", params, sign: false })
    }
  })
})

describe("modes", () => {
  const legacy: ReadonlyArray<readonly [method: string, params: unknown]> = [
    ["initialize", {}],
    ["session/new", { agent: "a" }],
    ["session/load", { session_id: "s" }],
    ["session/prompt", { session_id: "s", prompt: "x" }],
    ["session/update", { sessionId: "s", update: { sessionUpdate: "x" } }],
    ["session/stop", { session_id: "s" }]
  ]
  it.each(legacy)("strict leaves %s with %j as it came", (method, params) => {
    const strict = read(method, params, { ...auto, mode: "strict" })
    assert.strictEqual(strict.params, params)
    assert.deepStrictEqual(strict, { method, params, sign: false })
  })

  it.each(legacy)("auto and zeroclaw read %s with %j alike", (method, params) => {
    const zeroclaw = read(method, params, { ...auto, mode: "zeroclaw", spoken: true })
    assert.deepStrictEqual(read(method, params), zeroclaw)
    assert.isTrue(zeroclaw.sign)
    assert.notStrictEqual(zeroclaw.params, params)
  })
})
