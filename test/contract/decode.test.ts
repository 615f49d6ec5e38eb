// Whatever the official schema allows, we read: known fields keep their values, fields of later versions are ignored.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Instances from "./Instances.ts"
import { isObject, type Json } from "./Official.ts"
import * as Read from "./Read.ts"

/** Declared by the protocol, not used here, so not kept: paths end as given. */
const unread: ReadonlyArray<RegExp> = [
  // Unstable, and only for agents that advertise it.
  /^session\/fork Request\.systemPrompt$/,
  // Capabilities are marks: that one is there says everything.
  /\.clientCapabilities\.(fs|auth|session|session\.configOptions|elicitation)\._meta$/,
  /\.clientCapabilities\.session\.(notices|compaction)\./
]

/** Paths of what a value has and the decoded one has not; null may read as anything. */
const lost = (plain: Json, decoded: unknown, path: string): ReadonlyArray<string> => {
  if (plain === null || unread.some((end) => end.test(path))) return []
  if (Array.isArray(plain)) {
    if (!Array.isArray(decoded) || decoded.length !== plain.length) return [path]
    return plain.flatMap((item, at) => lost(item, decoded[at], `${path}[]`))
  }
  if (!isObject(plain)) return Object.is(plain, decoded) ? [] : [path]
  return Object.entries(plain).flatMap(([key, value]) =>
    typeof decoded === "object" && decoded !== null
      ? lost(value, Object.hasOwn(decoded, key) ? Reflect.get(decoded, key) : undefined, `${path}.${key}`)
      : [path]
  )
}

describe("what the protocol allows is read", () => {
  it.each(Read.all)("$label", ({ decode, definition, label }) => {
    fc.assert(
      fc.property(Instances.instancesOf(definition), ({ extended, plain }) => {
        const decoded = decode(plain)
        assert.strictEqual(lost(plain, decoded, label).join(), "")
        if (!Read.keptWhole(plain)) assert.deepStrictEqual(decode(extended), decoded)
      }),
      { numRuns: 150 }
    )
  })
})
