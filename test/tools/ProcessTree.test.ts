// Which processes belong to a call.
import { assert, describe, it } from "@effect/vitest"
import { family, parseStat } from "../../src/tools/ProcessTree.ts"

describe("ProcessTree", () => {
  it("reads stat lines whose name holds spaces and parentheses", () => {
    assert.deepStrictEqual(parseStat("12 (a) (b c) S 1 10 9 0 -1"), { pid: 12, parent: 1, group: 10, session: 9 })
    assert.isUndefined(parseStat("12 (gone) Z 1 10 9 0 -1"))
  })
  it("takes the group, the session, marked processes and all their descendants, and nobody else", () => {
    const base = { parent: 1, group: 1, session: 1, marked: false }
    const processes = [
      { ...base, pid: 205, parent: 204 },
      { ...base, pid: 100, group: 100, session: 100 },
      { ...base, pid: 101, group: 100 },
      { ...base, pid: 102, session: 100 },
      { ...base, pid: 203, marked: true, group: 203, session: 203 },
      { ...base, pid: 204, parent: 203, group: 204, session: 204 },
      { ...base, pid: 300, group: 300, session: 300 }
    ]
    assert.sameMembers([...family(processes, 100)], [100, 101, 102, 203, 204, 205])
  })
})
