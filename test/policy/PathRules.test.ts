// Deepest rule wins, a tie forbids, and prefixes are of components.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { type Access, judge, type Rules } from "../../src/policy/PathRules.ts"
import { within } from "../../src/text/Within.ts"

const none: Rules = { allow: [], readOnly: [], forbid: [], own: [], open: false }
const allowed = (rules: Partial<Rules>, path: string) => judge({ ...none, ...rules }, path, "read")._tag === "Allowed"

const name = fc.stringMatching(/^[a-z.]{1,3}$/).filter((name) => name !== "." && name !== "..")
const parts = fc.array(name, { minLength: 1, maxLength: 5 })
const join = (names: ReadonlyArray<string>) => `/${names.join("/")}`

describe("PathRules", () => {
  it.prop("the deeper of two matching rules decides", [parts, parts, fc.boolean()], ([upper, lower, allowBelow]) => {
    const above = join(["r", ...upper])
    const below = join(["r", ...upper, ...lower])
    const rules = allowBelow ? { allow: [below], forbid: [above] } : { allow: [above], forbid: [below] }
    assert.strictEqual(allowed(rules, below), allowBelow)
    assert.strictEqual(allowed(rules, `${below}/leaf`), allowBelow)
    assert.strictEqual(allowed(rules, above), !allowBelow)
  })

  it.prop("a tie forbids, whatever unmatched paths get", [parts, fc.boolean()], ([names, open]) => {
    const rule = join(names)
    assert.isFalse(allowed({ allow: [rule], forbid: [rule], open }, rule))
    assert.isFalse(allowed({ allow: [rule], forbid: [rule], open }, `${rule}/x`))
  })

  it.prop("a sibling with the same beginning is never matched", [parts, name], ([names, more]) => {
    const rule = join(names)
    assert.isFalse(within(rule, rule + more))
    assert.isFalse(allowed({ allow: [rule] }, `${rule}${more}/x`))
    assert.isTrue(allowed({ forbid: [rule], open: true }, `${rule}${more}/x`))
  })

  it.prop("the order of the rules does not matter", [fc.array(parts), fc.array(parts), parts], ([a, f, names]) => {
    const rules = { allow: a.map(join), forbid: f.map(join) }
    const reversed = { allow: rules.allow.toReversed(), forbid: rules.forbid.toReversed() }
    assert.strictEqual(allowed(rules, join(names)), allowed(reversed, join(names)))
  })

  it("a path that no rule names is allowed only where the session is open", () => {
    assert.isTrue(allowed({ open: true }, "/srv/x"))
    assert.isFalse(allowed({ allow: ["/ws"] }, "/srv/x"))
  })

  it("the root folder contains every path, and forbidden paths stay forbidden in it", () => {
    assert.isTrue(allowed({ allow: ["/"], forbid: ["/etc"] }, "/srv/x"))
    assert.isTrue(allowed({ allow: ["/"] }, "/"))
    assert.isFalse(allowed({ allow: ["/"], forbid: ["/etc"] }, "/etc/passwd"))
  })

  it("our own files and the system trees are refused below any root", () => {
    for (const path of [
      "/ws/config.toml",
      "/ws/config.toml/x",
      "/proc/self/environ",
      "/sys/x",
      "/dev/stdin",
      "/proc"
    ]) {
      assert.isFalse(allowed({ allow: ["/", "/ws", path], own: ["/ws/config.toml"], open: true }, path), path)
    }
    assert.isTrue(allowed({ open: true }, "/dev/null"))
    assert.isTrue(allowed({ open: true }, "/process/x"))
  })

  it.prop(
    "in a read-only root nothing is written, unless a deeper root allows it",
    [parts, parts],
    ([upper, lower]) => {
      const above = join(["r", ...upper])
      const below = join(["r", ...upper, ...lower])
      const may = (rules: Partial<Rules>, access: Access) => judge({ ...none, ...rules }, `${below}/x`, access)._tag
      for (const rules of [
        { allow: [above], readOnly: [below] },
        { allow: [below], readOnly: [below], open: true }
      ]) {
        assert.strictEqual(may(rules, "read"), "Allowed")
        assert.strictEqual(may(rules, "write"), "Refused")
      }
      assert.strictEqual(may({ allow: [below], readOnly: [above] }, "write"), "Allowed")
      assert.strictEqual(may({ readOnly: [above], forbid: [below] }, "read"), "Refused")
    }
  )

  it("a refusal names the path, the rule and what to do", () => {
    const reason = (rules: Partial<Rules>, path: string, access: Access = "read") => {
      const verdict = judge({ ...none, ...rules }, path, access)
      return verdict._tag === "Refused" ? verdict.reason : ""
    }
    assert.match(reason({ allow: ["/ws"] }, "/srv/x"), /\/srv\/x is outside .*\/ws.*allowed_roots/)
    assert.match(reason({ forbid: ["/etc"] }, "/etc/x"), /\/etc\/x .*\/etc is in forbidden_paths/)
    assert.match(reason({ allow: ["/tmp"], forbid: ["/tmp"] }, "/tmp/x"), /Open a folder below it/)
    assert.match(reason({ readOnly: ["/sk"] }, "/sk/x", "write"), /\/sk\/x is in \/sk, .*only read/)
  })
})
