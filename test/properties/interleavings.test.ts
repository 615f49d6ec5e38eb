// Random conversations against a small reference of sessions and turns; what does not hold is shrunk to a short one.
// ZEROCLAW_SEED repeats a run, ZEROCLAW_RUNS makes it longer.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { notification } from "../../src/wire/JsonRpc.ts"
import * as Commands from "./Commands.ts"
import { Reference } from "./Reference.ts"
import type * as Wire from "./Wire.ts"
import * as World from "./World.ts"

const given = (name: string, otherwise: number): number => {
  const value = Number(process.env[name])
  return Number.isSafeInteger(value) && process.env[name] !== undefined && process.env[name] !== "" ? value : otherwise
}
const seed = given("ZEROCLAW_SEED", 20_261_203)

const converse = async (
  busy: "reject" | "queue",
  commands: Iterable<fc.AsyncCommand<Reference, World.World>>,
  tamper?: Wire.Tamper
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
    const runs = given("ZEROCLAW_RUNS", 1000)
    it(`keeps to the protocol (busy = ${busy})`, { timeout: 300_000 }, async () => {
      process.stdout.write(`interleavings, busy = ${busy}: ${runs} conversations, seed ${seed}\n`)
      await fc.assert(
        fc.asyncProperty(Commands.commands(40), (commands) => converse(busy, commands)),
        { seed, numRuns: runs, endOnFailure: false }
      )
    })
  }
})

/** Says something after the answer. */
const late = (text: string): ReadonlyArray<string> => {
  const sessionId = /"stopReason":"end_turn","_meta":\{"zeroclaw":\{"sessionId":"([^"]+)"/.exec(text)?.[1]
  const content = { type: "text", text: "one more thing" }
  const update = { sessionUpdate: "agent_message_chunk", content }
  return sessionId === undefined ? [text] : [text, notification("session/update", { sessionId, update })]
}

const faults: ReadonlyArray<readonly [fault: string, change: Wire.Tamper, found: RegExp]> = [
  ["answers twice", (text) => (text.includes('"stopReason"') ? [text, text] : [text]), /not open/],
  ["never answers a cancelled prompt", (text) => (text.includes('"cancelled"') ? [] : [text]), /never/],
  ["turns ids into texts", (text) => [text.replace(/"id":(\d+)/, '"id":"$1"')], /nobody waits|never came/],
  [
    "rounds large ids",
    (text) => [text.replace(/"id":(\d{17,})/, (_, id) => `"id":${Number(id)}`)],
    /nobody waits|never came/
  ],
  [
    "adds a key at the root",
    (text) => [text.replace('"stopReason":', '"usage":{},"stopReason":')],
    /does not fit the schema/
  ],
  ["says more after its answer", late, /outside of a turn/],
  [
    "takes a status back",
    (text) => [text.replace('"status":"completed"', '"status":"pending"')],
    /goes back|never|live was/
  ],
  ["lets a busy prompt through in another's place", (text) => [text.replace("-31001", "-32603")], /expected .*-31001/]
]

describe("a broken server", () => {
  for (const [fault, change, found] of faults) {
    it(`that ${fault} is found, by a short conversation`, { timeout: 120_000 }, async () => {
      const result = await fc.check(
        fc.asyncProperty(Commands.commands(40), (commands) => converse("reject", commands, change)),
        { seed, numRuns: 300, interruptAfterTimeLimit: 60_000 }
      )
      assert.isTrue(result.failed)
      assert.match(String(result.errorInstance), found)
      const [commands = []] = result.counterexample ?? []
      assert.isAtMost([...commands].length, 12)
    })
  }
})
