// Which sandbox there is, by the name in the configuration.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, LogLevel } from "effect"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { pathWithout } from "../attacks/World.ts"
import { type Tree, tree } from "./Sandboxed.ts"

const statusOf = (name: string, env: Readonly<Record<string, string | undefined>> = process.env) =>
  Effect.flatMap(Sandbox, ({ status }) => status(name)).pipe(
    Effect.provide(Sandbox.live(env)),
    Logger.withMinimumLogLevel(LogLevel.None)
  )

const launch = (env: Readonly<Record<string, string | undefined>>, { confinement }: Tree) =>
  Effect.scoped(Effect.flatMap(Sandbox, ({ launch }) => launch("auto", confinement, ["true"]))).pipe(
    Effect.provide(Sandbox.live(env)),
    Logger.withMinimumLogLevel(LogLevel.None)
  )

describe("the sandbox", () => {
  it.live("is bubblewrap on Linux, by itself and by its names, tried before it is trusted", () =>
    Effect.gen(function* () {
      for (const name of ["auto", "bubblewrap", "bwrap"]) {
        const status = yield* statusOf(name)
        assert.strictEqual(status._tag, "Ready", JSON.stringify(status))
        assert.match(status._tag === "Ready" ? status.evidence : "", /^\/.*bwrap: no capabilities/)
      }
    })
  )

  it.live("is off only by the name none; a name that is not known is asked for and missing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* statusOf("none"), { _tag: "Off" })
      for (const name of ["None", "", "off", "docker", "toString", "__proto__"]) {
        const status = yield* statusOf(name)
        assert.deepInclude(status, { _tag: "Missing", asked: true }, name)
        assert.include(status._tag === "Missing" ? status.reason : "", `"${name}"`)
      }
    })
  )

  it.scopedLive("that is not in PATH is missing, and nothing is started instead", () =>
    Effect.gen(function* () {
      const made = yield* tree
      const env = { PATH: pathWithout("bwrap", made.at("bin")) }
      const auto = yield* statusOf("auto", env)
      assert.deepInclude(auto, { _tag: "Missing", asked: false })
      assert.include(auto._tag === "Missing" ? auto.reason : "", "apt install bubblewrap")
      assert.deepInclude(yield* statusOf("bubblewrap", env), { _tag: "Missing", asked: true })
      assert.strictEqual((yield* Effect.flip(launch(env, made)))._tag, "SandboxError")
      assert.deepInclude(yield* statusOf("auto", {}), { _tag: "Missing" })
    })
  )

  it.scopedLive("is not a program that only has its name: one that confines nothing is found out", () =>
    Effect.gen(function* () {
      const { at, put } = yield* tree
      for (const script of [
        // As bwrap, without confining: the words after `--` are run.
        '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n',
        "#!/bin/sh\necho CapEff: 0; exit 0\n",
        "#!/bin/sh\nexit 1\n"
      ]) {
        put("bin/bwrap", script)
        fs.chmodSync(at("bin/bwrap"), 0o755)
        const status = yield* statusOf("auto", { PATH: `${at("bin")}:/usr/bin:/bin` })
        assert.deepInclude(status, { _tag: "Missing" }, script)
        assert.include(status._tag === "Missing" ? status.reason : "", path.join(at("bin"), "bwrap"))
      }
    })
  )

  it.scopedLive("that lies in a folder which commands can change is not used", () =>
    Effect.gen(function* () {
      const made = yield* tree
      const real = (process.env["PATH"] ?? "")
        .split(":")
        .map((it) => path.join(it, "bwrap"))
        .find((it) => fs.existsSync(it))
      fs.copyFileSync(real ?? "", path.join(made.ws, "bwrap"))
      fs.chmodSync(path.join(made.ws, "bwrap"), 0o755)
      const { message } = yield* Effect.flip(launch({ PATH: made.ws }, made))
      assert.match(message, /folder that commands can change|does not work here/)
    })
  )
})
