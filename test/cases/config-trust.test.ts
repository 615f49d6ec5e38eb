// Whom the configuration is taken from: its own file, never the project; a dangerous one is refused or warned of.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Cases from "../support/Cases.ts"
import * as Peer from "../support/Peer.ts"
import * as Server from "../support/Server.ts"

const level = (name: string) => `[risk_profiles.default]\nlevel = "${name}"\nblock_high_risk_commands = false\n`
const modeOf = (result: Peer.Response["result"]): unknown => {
  const modes = result?.["modes"]
  return typeof modes === "object" && modes !== null && "currentModeId" in modes ? modes.currentModeId : undefined
}
const newSession = (peer: Peer.Peer, cwd: string) => peer.request("session/new", { cwd, mcpServers: [] })
const questions = (peer: Peer.Peer) => peer.frames().filter(Peer.isPermission).length
/** What the last call of the session came to. */
const lastEnd = (peer: Peer.Peer) => [...Cases.lastStatuses(peer).values()].at(-1)

/** All that could be taken for configuration. */
const plant = (project: string) => {
  const names = ["config.toml", "zeroclaw.toml", ".zeroclaw/config.toml", ".config/zeroclaw/config.toml", ".zeroclawrc"]
  for (const name of names) {
    fs.mkdirSync(path.dirname(path.join(project, name)), { recursive: true })
    fs.writeFileSync(path.join(project, name), level("full"))
  }
  fs.writeFileSync(path.join(project, ".env"), "ZEROCLAW_CONFIG_DIR=.\nOPENAI_API_KEY=sk-planted\n")
  fs.writeFileSync(path.join(project, "package.json"), '{"type":"module","zeroclaw":{"level":"full"}}')
}

describe("configuration and the project", () => {
  it.scopedLive("CFG-001 nothing in the session's folder is configuration, also when the server starts there", () =>
    Effect.gen(function* () {
      const place = yield* Server.place()
      plant(place.project)
      const { peer } = yield* Server.start(place.home, { cwd: place.project })
      yield* Peer.initialize(peer)
      const { result } = yield* newSession(peer, place.project)
      assert.strictEqual(modeOf(result), "supervised")
      const sessionId = String(result?.["sessionId"])
      peer.answer(() => Server.rejectOnce)
      yield* Server.prompt(peer, sessionId, "run touch MARK")
      assert.strictEqual(questions(peer), 1)
      assert.isFalse(fs.existsSync(path.join(place.project, "MARK")))
    })
  )

  const canTrace = spawnSync("strace", ["-f", "-e", "trace=openat", "-o", "/dev/null", "true"]).status === 0
  it.scopedLive.skipIf(!canTrace)("CFG-001 no file of the session's folder is opened to open the session", () =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      plant(project)
      const log = path.join(home, "trace")
      const words = [
        "-f",
        "-qq",
        "-s",
        "4096",
        "-e",
        "trace=open,openat,openat2",
        "-o",
        log,
        process.execPath,
        Server.bundle,
        "acp"
      ]
      const { status, stdout } = spawnSync("strace", words, {
        cwd: project,
        env: Server.environment(home),
        input: Cases.initialize + Cases.line(1, "session/new", { cwd: project, mcpServers: [] }),
        timeout: 25_000
      })
      assert.strictEqual(status, 0)
      assert.include(stdout.toString(), '"sessionId"')
      const opened = [...fs.readFileSync(log, "utf8").matchAll(/open(?:at2?)?\((?:AT_FDCWD, )?"([^"]*)"/g)].map(
        ([, name = ""]) => path.resolve(project, name)
      )
      assert.include(opened, path.join(home, "config.toml").replace("config.toml", "data/sessions/acp-sessions.db"))
      assert.deepStrictEqual(
        opened.filter((name) => name.startsWith(`${project}/`)),
        []
      )
    })
  )
})

describe("a configuration file that is not what it should be", () => {
  const started = (make: (file: string, home: string) => void) =>
    Effect.gen(function* () {
      const { home, project } = yield* Server.place()
      make(path.join(home, "config.toml"), home)
      const server = yield* Server.start(home)
      yield* Peer.initialize(server.peer)
      const answer = yield* newSession(server.peer, project)
      return { answer, stderr: server.stderr(), memory: Cases.residentMiB(server.child.pid) }
    })

  it.scopedLive(
    "CFG-003 a symbolic link, and one that others can write, start with a warning that names the file",
    () =>
      Effect.gen(function* () {
        const linked = yield* started((file, home) => {
          fs.writeFileSync(path.join(home, "elsewhere.toml"), level("readonly"))
          fs.symlinkSync(path.join(home, "elsewhere.toml"), file)
        })
        assert.strictEqual(modeOf(linked.answer.result), "readonly")
        assert.match(linked.stderr, /^zeroclaw: .*config\.toml is a symbolic link.*\n$/)
        for (const mode of [0o666, 0o622, 0o660]) {
          const open = yield* started((file) => {
            fs.writeFileSync(file, level("readonly"))
            fs.chmodSync(file, mode)
          })
          assert.strictEqual(modeOf(open.answer.result), "readonly")
          assert.match(open.stderr, /^zeroclaw: .*config\.toml can be written by other users.*\n$/)
        }
        const fine = yield* started((file) => fs.writeFileSync(file, level("readonly"), { mode: 0o644 }))
        assert.strictEqual(fine.stderr, "")
      })
  )

  it.scopedLive("CFG-003 a gigabyte, a folder, a pipe and a device are refused without being read", () =>
    Effect.gen(function* () {
      const usual = yield* started((file) => fs.writeFileSync(file, level("readonly")))
      const makes: ReadonlyArray<(file: string) => void> = [
        (file) => {
          fs.writeFileSync(file, "")
          fs.truncateSync(file, 1024 ** 3)
        },
        (file) => fs.mkdirSync(file),
        (file) => spawnSync("mkfifo", [file]),
        (file) => fs.symlinkSync("/dev/zero", file)
      ]
      for (const make of makes) {
        const { answer, memory } = yield* started(make)
        assert.strictEqual(answer.error?.code, -32603)
        assert.include(answer.error?.message ?? "", "config.toml is not a regular file of at most 1 MiB")
        assert.isBelow(memory - usual.memory, 64)
      }
    })
  )
})

describe("a configuration that changes while a session is open", () => {
  const opened = (toml: string) =>
    Effect.gen(function* () {
      const place = yield* Server.place(toml)
      const server = yield* Server.open(place)
      const file = path.join(place.home, "config.toml")
      return {
        ...server,
        project: place.project,
        write: (toml: string) => fs.writeFileSync(file, toml),
        has: (name: string) => fs.existsSync(path.join(place.project, name))
      }
    })

  it.scopedLive("CFG-005 readonly holds for the next call, is told, and can't be left by the client", () =>
    Effect.gen(function* () {
      const { has, peer, project, sessionId, write } = yield* opened(level("full"))
      peer.answer(() => Server.allowOnce)
      yield* Server.prompt(peer, sessionId, 'create a.md with "x"')
      assert.isTrue(has("a.md"))
      write(level("readonly"))
      for (const prompt of ['create b.md with "x"', "run touch b.md"]) {
        yield* Server.prompt(peer, sessionId, prompt)
        assert.strictEqual(lastEnd(peer), "failed")
      }
      assert.isFalse(has("b.md"))
      assert.strictEqual(questions(peer), 0)
      const told = peer.updates(sessionId).flatMap((update) => update["currentModeId"] ?? [])
      assert.deepStrictEqual(told, ["readonly"])
      const refused = yield* peer.request("session/set_mode", { sessionId, modeId: "full" })
      assert.strictEqual(refused.error?.code, -32602)
      assert.strictEqual(modeOf((yield* newSession(peer, project)).result), "readonly")
    })
  )

  it.scopedLive(
    "CFG-005 in the middle of a turn: a yes to what was asked before does not help, and nothing is asked after",
    () =>
      Effect.gen(function* () {
        const { has, peer, sessionId, write } = yield* opened(level("supervised"))
        peer.answer(() => {
          write(level("readonly"))
          return Server.allowOnce
        })
        yield* Server.prompt(peer, sessionId, 'plan: create a.md with "x"; create b.md with "x"')
        assert.isFalse(has("a.md") || has("b.md"))
        assert.strictEqual(questions(peer), 1)
      })
  )

  it.scopedLive(
    "CFG-005 of the same kind: a laxer level, and a file that is broken or gone, give a live session nothing",
    () =>
      Effect.gen(function* () {
        const { has, peer, sessionId, write } = yield* opened(level("readonly"))
        peer.answer(() => Server.allowOnce)
        for (const toml of [level("full"), "[risk_profiles.default", ""]) {
          write(toml)
          yield* Server.prompt(peer, sessionId, "run touch MARK")
          assert.isFalse(has("MARK"), toml)
        }
        write(level("full"))
        assert.deepStrictEqual((yield* peer.request("session/set_mode", { sessionId, modeId: "full" })).result, {})
        yield* Server.prompt(peer, sessionId, 'create MARK with "x"')
        assert.isTrue(has("MARK"))
      })
  )
})
