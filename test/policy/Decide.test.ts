// Level, action and lists to a decision.
import { assert, describe, it } from "@effect/vitest"
import { decide, grantKey, offers } from "../../src/policy/Decide.ts"
import { type Action, type Level, levels } from "../../src/policy/Decision.ts"
import type { Verdict } from "../../src/policy/PathRules.ts"
import type { Profile } from "../../src/policy/SessionPolicy.ts"
import { profile } from "./World.ts"

const actions: Readonly<Record<Action["_tag"], Action>> = {
  Read: { _tag: "Read", tool: "t", path: "a" },
  Search: { _tag: "Search", tool: "t", path: "a" },
  Write: { _tag: "Write", tool: "t", path: "a" },
  Execute: { _tag: "Execute", tool: "t", command: "ls" },
  Fetch: { _tag: "Fetch", tool: "web_fetch", url: "https://example.com/" },
  Converse: { _tag: "Converse", tool: "t" }
}
const kinds = ["Read", "Search", "Write", "Execute", "Converse"] as const

const judged = (kind: Action["_tag"], verdict: Verdict = { _tag: "Allowed", root: "/ws" }) => {
  const action = actions[kind]
  return "path" in action ? { action, place: { real: "/ws/a", verdict } } : { action }
}
const never = () => false
const tag = (overrides: Partial<Profile>, kind: Action["_tag"]) =>
  decide({ ...profile, ...overrides }, never, judged(kind))._tag
const row = (overrides: Partial<Profile>) => kinds.map((kind) => tag(overrides, kind)).join(" ")

describe("Decide", () => {
  it("decides by level and kind of action", () => {
    //                                                  Read  Search Write Execute Converse
    assert.strictEqual(row({ level: "readonly" }), "Allow Allow Deny Deny Allow")
    assert.strictEqual(row({ level: "supervised" }), "Allow Allow Ask Ask Allow")
    assert.strictEqual(row({ level: "supervised", blockHighRisk: false }), "Allow Allow Ask Ask Allow")
    assert.strictEqual(row({ level: "full" }), "Allow Allow Allow Ask Allow")
    assert.strictEqual(row({ level: "full", blockHighRisk: false }), "Allow Allow Allow Allow Allow")
  })

  it("always_ask asks in every level, also for reads, and never offers always", () => {
    for (const list of [["t"], ["*"], ["x", "t"]]) {
      assert.strictEqual(row({ level: "readonly", alwaysAsk: list }), "Ask Ask Deny Deny Ask")
      assert.strictEqual(row({ level: "supervised", alwaysAsk: list }), "Ask Ask Ask Ask Ask")
      assert.strictEqual(row({ level: "full", blockHighRisk: false, alwaysAsk: list }), "Ask Ask Ask Ask Ask")
    }
    for (const level of levels) {
      for (const kind of kinds) {
        const decision = decide({ ...profile, level, alwaysAsk: ["t"], autoApprove: ["*"] }, () => true, judged(kind))
        assert.notStrictEqual(decision._tag, "Allow")
        assert.notProperty(decision, "always")
      }
    }
    assert.strictEqual(tag({ alwaysAsk: ["other"] }, "Read"), "Allow")
  })

  it("auto_approve allows without asking, but lifts no refusal", () => {
    for (const list of [["t"], ["*"]]) {
      assert.strictEqual(row({ level: "supervised", autoApprove: list }), "Allow Allow Allow Allow Allow")
      assert.strictEqual(row({ level: "full", autoApprove: list }), "Allow Allow Allow Allow Allow")
      assert.strictEqual(row({ level: "readonly", autoApprove: list }), "Allow Allow Deny Deny Allow")
    }
    assert.strictEqual(row({ autoApprove: ["other"] }), "Allow Allow Ask Ask Allow")
  })

  it("a refused path is denied in every level with the rule's own reason", () => {
    for (const level of levels) {
      for (const kind of ["Read", "Search", "Write"] as const) {
        assert.deepStrictEqual(
          decide(
            { ...profile, level, autoApprove: ["*"], alwaysAsk: ["*"] },
            () => true,
            judged(kind, { _tag: "Refused", reason: "because" })
          ),
          { _tag: "Deny", reason: "because" }
        )
      }
    }
  })

  it("tools that are switched off are not offered and denied in every level", () => {
    const cases: ReadonlyArray<readonly [Partial<Profile>, boolean]> = [
      [{}, true],
      [{ excludedTools: ["t"] }, false],
      [{ excludedTools: ["*"] }, false],
      [{ excludedTools: ["other"] }, true],
      [{ allowedTools: ["t"] }, true],
      [{ allowedTools: ["*"] }, true],
      [{ allowedTools: ["other"] }, false],
      [{ allowedTools: ["t"], excludedTools: ["t"] }, false]
    ]
    for (const [overrides, offered] of cases) {
      assert.strictEqual(offers({ ...profile, ...overrides }, "t"), offered)
      for (const level of levels) {
        const decision = decide({ ...profile, ...overrides, level, autoApprove: ["*"] }, never, judged("Read"))
        assert.strictEqual(decision._tag, offered ? "Allow" : "Deny")
      }
    }
  })

  it("always says what it covers: this exact command, this tool on this real path", () => {
    assert.propertyVal(decide(profile, never, judged("Execute")), "always", "this exact command in this folder")
    assert.propertyVal(decide(profile, never, judged("Write")), "always", "t on /ws/a")
  })

  it("a grant is for the same tool and the exact command or real path, not for readonly", () => {
    const granted = (level: Level, kind: Action["_tag"]) => {
      const key = grantKey(judged(kind))
      return decide({ ...profile, level }, (asked) => asked === key, judged(kind))._tag
    }
    assert.strictEqual(granted("supervised", "Execute"), "Allow")
    assert.strictEqual(granted("supervised", "Write"), "Allow")
    assert.strictEqual(granted("full", "Execute"), "Allow")
    assert.strictEqual(granted("readonly", "Execute"), "Deny")
    assert.strictEqual(granted("readonly", "Write"), "Deny")
    const keys = [
      grantKey({ action: { _tag: "Execute", tool: "t", command: "ls" } }),
      grantKey({ action: { _tag: "Execute", tool: "t", command: "ls " } }),
      grantKey({ action: { _tag: "Execute", tool: "u", command: "ls" } }),
      grantKey(judged("Write")),
      grantKey({ action: actions.Write, place: { real: "/ws/b", verdict: { _tag: "Allowed" } } })
    ]
    assert.strictEqual(new Set(keys).size, keys.length)
    assert.isUndefined(grantKey(judged("Read")))
    assert.isUndefined(grantKey(judged("Converse")))
  })

  it("every reason is one line", () => {
    for (const level of levels) {
      for (const kind of kinds) {
        for (const overrides of [{}, { alwaysAsk: ["t"] }, { autoApprove: ["t"] }, { excludedTools: ["t"] }]) {
          assert.match(decide({ ...profile, level, ...overrides }, never, judged(kind)).reason, /^[A-Z].*\.$/)
        }
      }
    }
  })
})
