// Random conversations against a small reference of sessions and turns; what does not hold is shrunk to a short one.
// ZEROCLAW_SEED repeats a run, ZEROCLAW_RUNS makes it longer.
import { describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as Commands from "./Commands.ts"
import { Reference } from "./Reference.ts"
import * as World from "./World.ts"

const given = (name: string, otherwise: number): number => {
  const value = Number(process.env[name])
  return Number.isSafeInteger(value) && process.env[name] !== undefined && process.env[name] !== "" ? value : otherwise
}
const seed = given("ZEROCLAW_SEED", Date.now() & 0x7fffffff)

const converse = async (
  busy: "reject" | "queue",
  commands: Iterable<fc.AsyncCommand<Reference, World.World>>,
  tamper?: World.Tamper
): Promise<void> => {
  const world = await World.open(busy, tamper)
  try {
    const reference = new Reference(busy, World.maxSessions)
    await world.run(Commands.initialize(reference, world))
    await fc.asyncModelRun(() => ({ model: reference, real: world }), commands)
    const wrong = await world.run(Commands.finish(reference, world))
    if (wrong !== undefined) await world.run(World.fail(wrong, world.entries))
  } finally {
    await world.close()
  }
}

describe("any conversation", () => {
  for (const busy of ["reject", "queue"] as const) {
    const runs = given("ZEROCLAW_RUNS", 400)
    it(`keeps to the protocol (busy = ${busy})`, { timeout: 300_000 }, async () => {
      process.stdout.write(`interleavings, busy = ${busy}: ${runs} conversations, seed ${seed}\n`)
      await fc.assert(
        fc.asyncProperty(Commands.commands(40), (commands) => converse(busy, commands)),
        { seed, numRuns: runs, endOnFailure: false }
      )
    })
  }
})
