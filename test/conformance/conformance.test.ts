// Every requirement of the official kit, on every transport. @see acp-v1 section 7.1
import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { requirements } from "./Requirements.ts"
import { absent, records, targets } from "./Targets.ts"

describe("the list of requirements", () => {
  it("has no id twice", () => {
    const ids = requirements.map(({ id }) => id)
    assert.deepStrictEqual([...new Set(ids)], ids)
  })
})

for (const { agent, transport } of targets) {
  describe.concurrent(`conformance over ${transport}`, () => {
    for (const { check, id, says, tier } of requirements) {
      it.scopedLive(`${id} ${says} (${tier})`, ({ task }) =>
        Effect.gen(function* () {
          const outcome = yield* Effect.either(check(yield* agent))
          if (Either.isRight(outcome)) {
            assert.strictEqual(outcome.right, records.get(id))
            return
          }
          const { _tag, message } = outcome.left
          if (_tag === "Unmet" || !absent.has(id)) assert.fail(`${_tag}: ${message}`)
          task.meta.notApplicable = message
        })
      )
    }
  })
}
