// acpx, a third-party headless client, runs one prompt with the shipped program.
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as OfficialSchema from "../support/OfficialSchema.ts"
import * as Server from "../support/Server.ts"

const acpx = path.join(path.dirname(createRequire(import.meta.url).resolve("acpx/package.json")), "dist", "cli.js")

describe("acpx", () => {
  it.scopedLive(
    "runs one prompt to its end",
    () =>
      Effect.gen(function* () {
        const place = yield* Server.place()
        fs.writeFileSync(path.join(place.project, "a.txt"), "alpha\n")
        const record = path.join(place.home, "frames")
        const args = [
          acpx,
          "--cwd",
          place.project,
          "--approve-all",
          "--format",
          "json",
          "--agent",
          `${process.execPath} ${Server.tee} ${record} ${process.execPath} ${Server.bundle} acp`,
          "exec",
          "read a.txt; run cat a.txt"
        ]
        const output = yield* Effect.async<string>((resume) => {
          execFile(
            process.execPath,
            args,
            { env: { ...Server.environment(place.home), HOME: place.home }, timeout: 60_000 },
            (error, stdout, stderr) => {
              resume(error ? Effect.dieMessage(`${error.message}\n${stdout}\n${stderr}`) : Effect.succeed(stdout))
            }
          )
        })
        assert.include(output, "alpha")
        assert.include(output, "end_turn")
        assert.notInclude(output, '"error"')
        assert.isAbove(OfficialSchema.checkRecording(record).length, 5)
      }),
    90_000
  )
})
