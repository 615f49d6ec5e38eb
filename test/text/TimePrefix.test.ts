// The time before what a person said.
import { assert, describe, it } from "@effect/vitest"
import * as TimePrefix from "../../src/text/TimePrefix.ts"

const epochMillis = Date.UTC(2026, 11, 4, 8, 31, 5)

describe("the time before a prompt", () => {
  it("is the local one, with its distance from UTC", () => {
    assert.strictEqual(TimePrefix.add("hi", TimePrefix.localTime(epochMillis, 60)), "[2026-12-04 09:31:05 +01:00] hi")
    assert.strictEqual(TimePrefix.add("hi", TimePrefix.localTime(epochMillis, -570)), "[2026-12-03 23:01:05 -09:30] hi")
    assert.strictEqual(TimePrefix.add("", TimePrefix.localTime(epochMillis, 0)), "[2026-12-04 08:31:05 +00:00] ")
  })

  it("is taken away as it was put there, and as other programs write it, once", () => {
    const stamp = (text: string) => TimePrefix.add(text, TimePrefix.here(epochMillis))
    for (const text of ["hi", "", "two\nlines", "[2026] mine"]) assert.strictEqual(TimePrefix.remove(stamp(text)), text)
    assert.strictEqual(TimePrefix.remove("[2026-12-01 10:00:00 CET] hello"), "hello")
    assert.strictEqual(TimePrefix.remove(stamp(stamp("hi"))), stamp("hi"))
    assert.strictEqual(TimePrefix.remove("[2026-12-01] hello"), "[2026-12-01] hello")
  })
})
