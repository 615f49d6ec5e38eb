// What a command can do in the real sandbox: see, change, connect, signal, gain.
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, type Scope } from "effect"
import type { Confinement } from "../../src/sandbox/Confinement.ts"
import { quote } from "../../src/text/ShellQuote.ts"
import { execute, prepare, run, tree } from "./Sandboxed.ts"

const canary = "CANARY"

const listen = (where: net.ListenOptions | string): Effect.Effect<net.Server, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<net.Server>((resume) => {
      const server = net.createServer((socket) => socket.end(canary))
      server.listen(where, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  )

/** A line for bash that prints what the server says, or why it can't be reached. */
const connect = (to: object): string =>
  `${process.execPath} -e ${quote(
    `require("net").connect(${JSON.stringify(to)}).on("data", (data) => console.log(String(data))).on("error", ({ code }) => console.log(code))`
  )}`

/** Where Node.js is, for a sandbox that has it nowhere else. */
const withNode = (confinement: Confinement): Confinement => ({
  ...confinement,
  mounts: [...confinement.mounts, { path: path.dirname(fs.realpathSync(process.execPath)), access: "read" }]
})

const Port = Schema.Struct({ port: Schema.Number })

describe("in the sandbox", () => {
  it.scopedLive("only the session's folders can be changed, and the rest of the disk can't", () =>
    Effect.gen(function* () {
      const { at, base, confinement, put, ws } = yield* tree
      put("out/secret", canary)
      const targets = ["/usr/planted", "/etc/planted", "/planted", at("out/planted"), at("planted")]
      const { out } = yield* run(
        confinement,
        `echo mine > ${ws}/mine; for f in ${targets.join(" ")}; do echo x > $f; done 2>/dev/null; cat ${at("out/secret")}; ls ${base}; rm -rf ${at("out")} /usr/bin/env; mount -o remount,rw / 2>&1`
      )
      assert.strictEqual(fs.readFileSync(at("ws/mine"), "utf8"), "mine\n")
      assert.notInclude(out, canary)
      assert.strictEqual(fs.readFileSync(at("out/secret"), "utf8"), canary)
      for (const file of targets) assert.isFalse(fs.existsSync(file), file)
      assert.isTrue(fs.existsSync("/usr/bin/env"))
    })
  )

  it.scopedLive("a folder that is mounted to be read can't be changed", () =>
    Effect.gen(function* () {
      const { at, confinement, put, ws } = yield* tree
      put("ws/file", "as it was")
      const { code, out } = yield* run(
        { ...confinement, mounts: [{ path: ws, access: "read" }] },
        "cat file; echo x > file || echo x > new || rm file || mv file other || chmod 777 ."
      )
      assert.notStrictEqual(code, 0)
      assert.match(out, /^as it was/)
      assert.deepStrictEqual(fs.readdirSync(ws), ["file"])
      assert.strictEqual(fs.readFileSync(at("ws/file"), "utf8"), "as it was")
    })
  )

  it.scopedLive("no socket of the host is reached: not in /tmp, /run, its own name space or the network", () =>
    Effect.gen(function* () {
      const { confinement, ws } = yield* tree
      const name = path.basename(path.dirname(ws))
      const tmp = `/tmp/${name}.sock`
      const runtime = `/run/${name}.sock`
      yield* listen(tmp)
      yield* listen(runtime)
      yield* listen(`\0${name}`)
      const tcp = yield* listen({ port: 0, host: "127.0.0.1" })
      const { port } = Schema.decodeUnknownSync(Port)(tcp.address())
      const places = [{ path: tmp }, { path: runtime }, { path: `\0${name}` }, { port, host: "127.0.0.1" }]
      for (const place of places) {
        const line = connect(place)
        const outside = yield* execute({ file: "/bin/bash", args: ["--norc", "-c", line], env: {} }, ws)
        assert.strictEqual(outside.out, canary, JSON.stringify(place))
        const inside = yield* run(withNode(confinement), line)
        assert.match(inside.out, /^E[A-Z]+$/, JSON.stringify(place))
      }
      const open = yield* run({ ...withNode(confinement), network: true }, connect({ port, host: "127.0.0.1" }))
      assert.strictEqual(open.out, canary)
    })
  )

  it.scopedLive("no process of the host is seen, read or signalled", () =>
    Effect.gen(function* () {
      const { confinement } = yield* tree
      const victim = yield* Effect.acquireRelease(
        Effect.sync(() => spawn("sleep", ["60"], { env: { SECRET: canary } })),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      const { out } = yield* run(
        confinement,
        `for p in ${victim.pid} ${process.pid}; do cat /proc/$p/environ; kill -9 $p; done; cat /proc/*/environ | tr '\\0' '\\n'; ls /proc | grep -c '^[0-9]'; kill -9 -1; pkill sleep; true`
      )
      assert.notInclude(out, canary)
      for (const value of Object.values(process.env)) {
        if (value !== undefined && value.length > 40) assert.notInclude(out, value)
      }
      assert.isNull(victim.exitCode)
      assert.isNull(victim.signalCode)
      assert.doesNotThrow(() => process.kill(victim.pid ?? 0, 0))
    })
  )

  it.scopedLive("the environment is what was given, also that of the first process and of what starts it", () =>
    Effect.gen(function* () {
      const { confinement } = yield* tree
      process.env["ZEROCLAW_TEST_KEY"] = canary
      const { out } = yield* Effect.ensuring(
        run(
          { ...confinement, env: { ...confinement.env, GIVEN: "yes" } },
          "env; cat /proc/1/environ /proc/self/environ"
        ),
        Effect.sync(() => delete process.env["ZEROCLAW_TEST_KEY"])
      )
      assert.include(out, "GIVEN=yes")
      assert.notInclude(out, canary)
      assert.notInclude(out, "ZEROCLAW_TEST_KEY")
    })
  )

  it.scopedLive("the home is empty where it is not worked in, and without its keys where it is", () =>
    Effect.gen(function* () {
      const { at, confinement, put } = yield* tree
      put("home/.ssh/id_ed25519", canary)
      put("home/.config/token", canary)
      put("home/notes", "mine")
      const away = yield* run(confinement, 'ls -A "$HOME"; cat "$HOME/.ssh/id_ed25519" "$HOME/notes"')
      assert.notInclude(away.out, canary)
      assert.notInclude(away.out, "mine")
      const inside: Confinement = {
        ...confinement,
        cwd: at("home"),
        mounts: [{ path: at("home"), access: "write" }],
        masks: [at("home/.ssh"), at("home/.config/token")]
      }
      const home = yield* run(
        inside,
        "cat notes .ssh/id_ed25519 .config/token; ls -A .ssh; mv .ssh other; mv .config moved; rm -rf .ssh .config; echo x > .ssh/authorized_keys; echo x > .config/token; true"
      )
      assert.match(home.out, /^mine/)
      assert.notInclude(home.out, canary)
      assert.deepStrictEqual(fs.readdirSync(at("home")).sort(), [".config", ".ssh", "notes"])
      assert.deepStrictEqual(fs.readdirSync(at("home/.ssh")), ["id_ed25519"])
      assert.strictEqual(fs.readFileSync(at("home/.config/token"), "utf8"), canary)
    })
  )

  it.scopedLive("what is masked and missing can't be made, and nothing of it is left on the disk", () =>
    Effect.gen(function* () {
      const { at, confinement, ws } = yield* tree
      const masks = [at("ws/.netrc"), at("ws/.aws"), at("ws/deep/er/.token")]
      const { out } = yield* run(
        { ...confinement, masks },
        "for f in .netrc .aws/credentials deep/er/.token; do mkdir -p $(dirname $f) && echo x > $f; done; rm -rf .aws deep .netrc; mv .aws other; touch ok"
      )
      assert.match(out, /denied|Read-only|busy|not permitted/i)
      assert.deepStrictEqual(fs.readdirSync(ws), ["ok"])
    })
  )

  it.scopedLive("a folder that is open within a masked one is open, and the rest of that is not", () =>
    Effect.gen(function* () {
      const { at, confinement, put } = yield* tree
      put("home/.config/app/file", "open")
      put("home/.config/token", canary)
      const { out } = yield* run(
        {
          ...confinement,
          mounts: [
            { path: at("home"), access: "write" },
            { path: at("home/.config/app"), access: "write" }
          ],
          cwd: at("home"),
          masks: [at("home/.config")]
        },
        "cat .config/app/file .config/token; echo new > .config/app/new; echo x > .config/other; true"
      )
      assert.match(out, /^open/)
      assert.notInclude(out, canary)
      assert.strictEqual(fs.readFileSync(at("home/.config/app/new"), "utf8"), "new\n")
      assert.deepStrictEqual(fs.readdirSync(at("home/.config")).sort(), ["app", "token"])
    })
  )

  const status = "grep -E '^(CapEff|NoNewPrivs)' /proc/self/status | tr -d '\\t'"
  const plain = "CapEff:0000000000000000\nNoNewPrivs:1"

  it.scopedLive("there are no capabilities and no way to new ones", () =>
    Effect.gen(function* () {
      const { confinement } = yield* tree
      assert.strictEqual((yield* run(confinement, status)).out, plain)
    })
  )

  it.scopedLive.skipIf(process.getuid?.() !== 0)("nor for another user than root", () =>
    Effect.gen(function* () {
      const { base, confinement, ws } = yield* tree
      for (const folder of [base, ws]) fs.chmodSync(folder, 0o777)
      const { args, file } = yield* prepare(confinement, `${status}; id -u; echo x > mine`)
      const user = { file: "setpriv", args: ["--reuid=65534", "--regid=65534", "--clear-groups", file, ...args] }
      const { out } = yield* execute({ ...user, env: { PATH: "/usr/bin:/bin" } }, ws)
      assert.strictEqual(out, `${plain}\n65534`)
      assert.isTrue(fs.existsSync(path.join(ws, "mine")))
    })
  )

  it.scopedLive("a file has an end", () =>
    Effect.gen(function* () {
      const { confinement, ws } = yield* tree
      const { code } = yield* run(confinement, "truncate -s 9G large && echo made")
      assert.notStrictEqual(code, 0)
      assert.isBelow(
        fs.existsSync(path.join(ws, "large")) ? fs.statSync(path.join(ws, "large")).size : 0,
        9 * 1024 ** 3
      )
    })
  )
})
