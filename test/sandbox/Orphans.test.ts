// Nothing of a command outlives it: whatever it started, whoever was killed.
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { eventually, prepare, processes, start, tree, uniqueWord } from "./Sandboxed.ts"

/** Every way out of a process group, a session and a parent. */
const escapes = (seconds: string): string =>
  [
    `sleep ${seconds}`,
    `setsid sleep ${seconds}`,
    `nohup sleep ${seconds}`,
    `( ( sleep ${seconds} & ) & )`,
    `( trap "" TERM HUP INT; exec sleep ${seconds} )`
  ]
    .map((line) => `${line} &`)
    .join(" ")

/** A number of seconds that nobody else sleeps. */
const seconds = (): string => `3${uniqueWord().replace(/\D/g, "")}`

const sleepers = (seconds: string): ReadonlyArray<number> => processes((argv) => argv === `sleep\0${seconds}\0`)

const running = (seconds: string) =>
  eventually(
    () => sleepers(seconds),
    (pids) => pids.length === 5
  )

const gone = (seconds: string) =>
  eventually(
    () => sleepers(seconds),
    (pids) => pids.length === 0
  )

const cleared = (word: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const pid of sleepers(word)) process.kill(pid, "SIGKILL")
    })
  )

describe("what a command started ends", () => {
  it.scopedLive("when the command ends by itself", () =>
    Effect.gen(function* () {
      const { at, confinement, ws } = yield* tree
      const word = seconds()
      yield* cleared(word)
      const child = start(yield* prepare(confinement, `${escapes(word)} until [ -e end ]; do sleep 0.01; done`), ws)
      yield* running(word)
      fs.writeFileSync(at("ws/end"), "")
      yield* eventually(
        () => child.exitCode,
        (code) => code !== null
      )
      assert.deepStrictEqual(yield* gone(word), [])
    })
  )

  it.scopedLive("when what started it is killed", () =>
    Effect.gen(function* () {
      const { confinement, ws } = yield* tree
      const word = seconds()
      yield* cleared(word)
      const child = start(yield* prepare(confinement, `${escapes(word)} wait`), ws)
      yield* running(word)
      child.kill("SIGKILL")
      assert.deepStrictEqual(yield* gone(word), [])
    })
  )

  it.scopedLive("when the parent of what started it is killed, as a server may be", () =>
    Effect.gen(function* () {
      const { confinement, ws } = yield* tree
      const word = seconds()
      yield* cleared(word)
      const { args, env, file } = yield* prepare(confinement, `${escapes(word)} wait`)
      const parent = spawn(
        process.execPath,
        [
          "-e",
          `require("child_process").spawn(...JSON.parse(process.argv[1])); setInterval(() => {}, 1000)`,
          JSON.stringify([file, args, { env, cwd: ws, stdio: "ignore" }])
        ],
        { stdio: "ignore" }
      )
      yield* running(word)
      parent.kill("SIGKILL")
      assert.deepStrictEqual(yield* gone(word), [])
    })
  )
})
