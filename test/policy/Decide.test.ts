// Level, action and lists to a decision. Commands have a file of their own.
import { assert, describe, it } from "@effect/vitest"
import { decide, grantKeys, type Judged, offers } from "../../src/policy/Decide.ts"
import { type Level, levels } from "../../src/policy/Decision.ts"
import type { Verdict } from "../../src/policy/PathRules.ts"
import type { Profile } from "../../src/policy/SessionPolicy.ts"
import { profile } from "./World.ts"

const kinds = ["Read", "Search", "Write", "Fetch", "Converse"] as const
type Kind = (typeof kinds)[number]

const at = (
  kind: "Read" | "Search" | "Write",
  real = "/ws/a",
  verdict: Verdict = { _tag: "Allowed", root: "/ws" }
) => ({
  action: { _tag: kind, tool: "t", path: "a" },
  place: { real, verdict }
})
const from = (host: string): Judged => ({
  action: { _tag: "Fetch", tool: "t", url: `https://${host}/x` },
  address: { host }
})
const judged = (kind: Kind): Judged => {
  switch (kind) {
    case "Fetch":
      return from("example.org")
    case "Converse":
      return { action: { _tag: "Converse", tool: "t" } }
    default:
      return at(kind)
  }
}
const never = () => false
const tag = (overrides: Partial<Profile>, kind: Kind) => decide({ ...profile, ...overrides }, never, judged(kind))._tag
const row = (overrides: Partial<Profile>) => kinds.map((kind) => tag(overrides, kind)).join(" ")

describe("Decide", () => {
  it("decides by level and kind of action", () => {
    //                                                  Read  Search Write Fetch Converse
    assert.strictEqual(row({ level: "readonly" }), "Allow Allow Deny Ask Allow")
    assert.strictEqual(row({ level: "supervised" }), "Allow Allow Ask Ask Allow")
    assert.strictEqual(row({ level: "full" }), "Allow Allow Allow Allow Allow")
  })

  it("always_ask asks in every level, also for reads, and never offers always (W26)", () => {
    for (const list of [["t"], ["*"], ["x", "t"]]) {
      assert.strictEqual(row({ level: "readonly", alwaysAsk: list }), "Ask Ask Deny Ask Ask")
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
      assert.strictEqual(row({ level: "readonly", autoApprove: list }), "Allow Allow Deny Allow Allow")
    }
    assert.strictEqual(row({ autoApprove: ["other"] }), "Allow Allow Ask Ask Allow")
  })

  it("a refused path or address is denied in every level with the rule's own reason", () => {
    const reason = "because"
    const refused: ReadonlyArray<Judged> = [
      ...(["Read", "Search", "Write"] as const).map((kind) => at(kind, "/ws/a", { _tag: "Refused", reason })),
      { action: { _tag: "Fetch", tool: "t", url: "http://127.0.0.1" }, address: { refused: reason } }
    ]
    for (const level of levels) {
      for (const it of refused) {
        const decision = decide({ ...profile, level, autoApprove: ["*"], alwaysAsk: ["*"] }, () => true, it)
        assert.deepStrictEqual(decision, { _tag: "Deny", reason })
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

  it("always says what it covers: this tool on this real path, or from this host", () => {
    assert.propertyVal(decide(profile, never, judged("Write")), "always", "t on /ws/a")
    assert.propertyVal(decide(profile, never, judged("Fetch")), "always", "t from example.org")
  })

  it("a grant is for the same tool and real path or host, not for readonly", () => {
    const granted = (level: Level, kind: Kind) => {
      const keys = grantKeys(judged(kind))
      return decide({ ...profile, level }, (asked) => keys.includes(asked), judged(kind))._tag
    }
    assert.strictEqual(granted("supervised", "Write"), "Allow")
    assert.strictEqual(granted("supervised", "Fetch"), "Allow")
    assert.strictEqual(granted("readonly", "Write"), "Deny")
    const keys = [at("Write"), at("Write", "/ws/b"), from("a.org"), from("b.org")].flatMap(grantKeys)
    assert.strictEqual(new Set(keys).size, 4)
    assert.deepStrictEqual([judged("Read"), judged("Converse")].flatMap(grantKeys), [])
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
