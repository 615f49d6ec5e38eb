// Differential fuzz: no line that counts as reading makes the real bash start another program, or change a file.
import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { assess } from "../../../src/policy/command/CommandGate.ts"
import { line } from "./Lines.ts"
import { type BashError, observe, workplace } from "./RealBash.ts"

const count = Number(process.env["ZEROCLAW_FUZZ"] ?? 2400)
const seed = Number(process.env["ZEROCLAW_SEED"] ?? 20_240_601)
const batch = 400

const inBatches = (lines: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(lines.length / batch) }, (_, at) => lines.slice(at * batch, (at + 1) * batch))

/** The lines among those that change a file, found by halves. */
const writersAmong = (work: string, lines: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, BashError> =>
  Effect.gen(function* () {
    const { changed } = yield* observe(work, lines)
    if (!changed) return []
    if (lines.length <= 1) return lines
    const middle = Math.ceil(lines.length / 2)
    return [...(yield* writersAmong(work, lines.slice(0, middle))), ...(yield* writersAmong(work, lines.slice(middle)))]
  })

describe.skipIf(process.platform !== "linux")("what counts as reading, run by bash", () => {
  it.scopedLive(
    "starts no other program and changes no file",
    () =>
      Effect.gen(function* () {
        const work = yield* workplace
        const lines = [...new Set(fc.sample(line, { numRuns: count, seed }))]
        const low = lines.filter((text) => assess(text).risk === "low")
        const others = lines.filter((text) => assess(text).risk !== "low")

        const results = yield* Effect.forEach(
          inBatches(low),
          (some) =>
            Effect.gen(function* () {
              const { changed, ran } = yield* observe(work, some)
              return {
                ran: ran.map((at) => some[at]),
                wrote: changed ? yield* writersAmong(work, some) : []
              }
            }),
          { concurrency: 2 }
        )
        assert.deepStrictEqual(
          results.flatMap(({ ran }) => ran),
          []
        )
        assert.deepStrictEqual(
          results.flatMap(({ wrote }) => wrote),
          []
        )

        const ran = yield* Effect.forEach(inBatches(others), (some) => observe(work, some), { concurrency: 2 })
        const executed = ran.reduce((sum, { ran }) => sum + ran.length, 0)
        const summary = `${lines.length} lines: ${low.length} count as reading, ${executed} others ran a program`
        // Else the fuzz would prove nothing.
        assert.isAbove(executed, lines.length / 5, summary)
        assert.isAbove(low.length, lines.length / 10, summary)
        if (process.env["ZEROCLAW_FUZZ"] !== undefined) yield* Effect.logInfo(summary)
      }),
    { timeout: 60_000 + count * 40 }
  )
})
