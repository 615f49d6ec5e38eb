// The reading marks of the official schema: bad values become the default, bad items are skipped, null is the default.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Instances from "./Instances.ts"
import { get, type Mark, marks, replace } from "./Marks.ts"
import type { Json, Official } from "./Official.ts"
import * as Read from "./Read.ts"

const pool: ReadonlyArray<Json> = [null, true, 0, -1, 1.5, 2 ** 53, "?", "", [], ["?"], [7], {}, { "?": 7 }]

const bad = (official: Official, pointer: string): ReadonlyArray<Json> =>
  pool.filter((value) => !official.valid(pointer, value))

/** A list is never bad as a whole where bad items are skipped. */
const badValues = (official: Official, { pointer, schema }: Mark): ReadonlyArray<Json> =>
  bad(official, pointer).filter((value) => !schema["x-deserialize-skip-invalid-items"] || !Array.isArray(value))

/** What a required member reads as when it is bad: the marked ones are all lists, or say it. */
const fallback = ({ required, schema }: Mark): Json | undefined => (required ? (schema["default"] ?? []) : undefined)

/** Pairs of texts that are to read the same. */
const pairs = (official: Official, value: Json, mark: Mark): ReadonlyArray<readonly [broken: Json, whole: Json]> => {
  const whole = replace(value, mark.path, fallback(mark))
  switch (mark.kind) {
    case "default-on-error":
      return badValues(official, mark).map((it) => [replace(value, mark.path, it), whole])
    case "default-on-null":
      return [[replace(value, mark.path, null), whole]]
    case "skip-invalid-items": {
      const list = get(value, mark.path)
      if (!Array.isArray(list)) return []
      return bad(official, `${mark.pointer}/items`).map((item) => [
        replace(value, mark.path, [item, ...list, item]),
        value
      ])
    }
  }
}

describe("bad values are read as the protocol marks it", () => {
  it.each(Read.all)("$label", ({ decode, definition, label }) => {
    const { name, official } = definition
    fc.assert(
      fc.property(Instances.instancesOf(definition), ({ plain }) => {
        if (Read.keptWhole(plain)) return
        for (const mark of marks(official, `/$defs/${name}`, plain)) {
          for (const [broken, whole] of pairs(official, plain, mark)) {
            assert.deepStrictEqual(
              decode(broken),
              decode(whole),
              `${label}: ${mark.path.join(".")}: ${mark.kind}: ${JSON.stringify(broken)}`
            )
          }
        }
      }),
      { numRuns: 60 }
    )
  })

  it("reaches every kind of mark", () => {
    const seen = new Set(
      Read.all.flatMap(({ definition: { name, official } }) =>
        fc
          .sample(Instances.instancesOf({ name, official }), { numRuns: 60, seed: 1 })
          .flatMap(({ plain }) =>
            marks(official, `/$defs/${name}`, plain).map(({ kind, pointer }) => `${kind} ${pointer}`)
          )
      )
    )
    const has = (kind: string, pointer: string) => assert.include([...seen], `${kind} ${pointer}`)
    has("default-on-error", "/$defs/ClientCapabilities/properties/fs")
    has("default-on-error", "/$defs/Annotations/properties/priority")
    has("skip-invalid-items", "/$defs/Annotations/properties/audience")
    has("skip-invalid-items", "/$defs/AvailableCommandsUpdate/properties/availableCommands")
    has("skip-invalid-items", "/$defs/ToolCallUpdate/properties/locations")
    has("default-on-null", "/$defs/NewSessionRequest/properties/mcpServers")
    has("default-on-null", "/$defs/McpServerStdio/properties/env")
  })
})
