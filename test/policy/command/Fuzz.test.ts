// A differential fuzz: no line that is rated low starts another program or writes when a real bash runs it.
import { assert, describe, it } from "@effect/vitest"
import { assess } from "../../../src/policy/command/CommandGate.ts"
import { runLines } from "./FuzzBash.ts"
import { makeLine, makeRandom } from "./FuzzLines.ts"

const wanted = Number(process.env["ZEROCLAW_FUZZ"] ?? 1500)
const seed = Number(process.env["ZEROCLAW_SEED"] ?? 20261203)
const batch = 500

const chunks = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / batch) }, (_, i) => all.slice(i * batch, (i + 1) * batch))

const isLow = (line: string): boolean => assess(line).risk === "low"

describe.runIf(process.platform === "linux")("differential fuzz", () => {
  it(
    `no low line of ${wanted} runs a marked program or writes, seed ${seed}`,
    async () => {
      const random = makeRandom(seed)
      const untouched = (await runLines([])).tree
      let low = 0
      let ran = 0
      for (const some of chunks(Array.from({ length: wanted }, () => makeLine(random).replaceAll("\0", "")))) {
        const lows = some.filter(isLow)
        low += lows.length
        const [all, quiet] = await Promise.all([runLines(some), runLines(lows)])
        ran += all.started.size
        for (const n of all.started) {
          const line = some[n - 1] ?? ""
          // A line is judged by what it does alone: an earlier one may have changed the folder.
          if (isLow(line)) assert.strictEqual((await runLines([line])).started.size, 0, JSON.stringify(line))
        }
        if (quiet.tree === untouched && quiet.started.size === 0) continue
        for (const line of lows) {
          const alone = await runLines([line])
          assert.strictEqual(alone.tree, untouched, JSON.stringify(line))
          assert.strictEqual(alone.started.size, 0, JSON.stringify(line))
        }
      }
      // Otherwise nothing was tried.
      assert.isAbove(ran, wanted / 5)
      assert.isAbove(low, wanted / 50)
      if (process.env["ZEROCLAW_FUZZ"] !== undefined) {
        process.stdout.write(`${wanted} lines: ${ran} started a marked program, ${low} rated low, none of them both\n`)
      }
    },
    60 * 60_000
  )
})
