// The short command that a client's terminal shows: what is started is the same, and nothing of the client's comes in.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { shorten } from "../../src/tools/TerminalScript.ts"

const launch = {
  file: "/bin/sh",
  args: ["-c", 'env | grep -v "^PWD="; echo "$0" "$1"; exit 3', "name with 'quotes'", "echo the command"],
  env: { PATH: "/usr/bin:/bin", GIVEN: "it's" }
}

describe("the script for a client's terminal", () => {
  it.scopedLive("leaves the command to see, gives its code, and has the environment that was given alone", () =>
    Effect.gen(function* () {
      const { args, file } = yield* shorten(launch)
      assert.strictEqual(args.length, 2)
      assert.strictEqual(args[1], "echo the command")
      const env = { ...process.env, ZEROCLAW_TEST_KEY: "CANARY" }
      const { status, stdout } = spawnSync(file, args, { env, encoding: "utf8" })
      const lines = stdout.trim().split("\n")
      assert.strictEqual(status, 3)
      assert.deepStrictEqual(lines.filter((line) => !/^(_|SHLVL|OLDPWD)=/.test(line)).sort(), [
        "GIVEN=it's",
        "PATH=/usr/bin:/bin",
        "name with 'quotes' echo the command"
      ])
    })
  )

  it.live("is gone with its scope", () =>
    Effect.gen(function* () {
      const script = yield* Effect.scoped(Effect.map(shorten(launch), ({ args }) => args[0] ?? ""))
      assert.isFalse(fs.existsSync(script))
    })
  )
})
