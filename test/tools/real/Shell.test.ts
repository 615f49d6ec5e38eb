// shell on real processes: what it shows, what it costs, and that nothing is left behind.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Schedule } from "effect"
import { openDescriptors } from "../../policy/World.ts"
import { type Called, call, type Place, place, prepare } from "./Run.ts"

const shell = (policy: Place["policy"], command: string, timeout_secs?: number): Effect.Effect<Called> =>
  call(policy, "shell", timeout_secs === undefined ? { command } : { command, timeout_secs })

/** Living processes whose command line holds the mark. */
const living = (mark: string): ReadonlyArray<string> =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((pid) => {
      try {
        const state = fs.readFileSync(`/proc/${pid}/stat`, "latin1").replace(/^.*\) /s, "")[0]
        const line = fs.readFileSync(`/proc/${pid}/cmdline`, "latin1")
        return state !== "Z" && line.includes(mark) ? [`${pid} ${line}`] : []
      } catch {
        return []
      }
    })

let counter = 0
/** A number of seconds nobody else sleeps: `sleep` is found by it. */
const mark = (): string => `9${process.pid}.${1000 + counter++}`

const timed = <A>(effect: Effect.Effect<A>) =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    const value = yield* effect
    return { value, millis: (yield* Clock.currentTimeMillis) - before }
  })

const output = (called: Called): string => {
  const raw = called.outcome?.rawOutput ?? called.error?.rawOutput
  assert(typeof raw === "object" && raw !== null && "output" in raw && typeof raw.output === "string")
  return raw.output
}
const raw = (called: Called) => called.outcome?.rawOutput ?? called.error?.rawOutput

describe("shell", () => {
  it.scopedLive("runs bash in the session's folder and merges both streams in the order of writing", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      const called = yield* shell(
        policy,
        "for i in 1 2 3; do echo out$i; echo err$i >&2; done; pwd; echo $BASH_VERSION"
      )
      assert.strictEqual(called.status, "completed")
      const lines = output(called).split("\n")
      assert.deepStrictEqual(lines.slice(0, 7), ["out1", "err1", "out2", "err2", "out3", "err3", ws])
      assert.match(lines[7] ?? "", /^\d/)
    })
  )

  it.scopedLive("W29 a command that fails is failed, with all it printed on both streams and its code", () =>
    Effect.gen(function* () {
      const { policy } = yield* place()
      const called = yield* shell(policy, "echo report; echo warning >&2; exit 3")
      assert.strictEqual(called.status, "failed")
      assert.deepStrictEqual(raw(called), {
        exitCode: 3,
        signal: null,
        output: "report\nwarning\n",
        truncated: false
      })
      for (const word of ["report", "warning", "3"]) assert.include(called.text, word)
      const killed = yield* shell(policy, "echo last words; kill -KILL $$")
      assert.strictEqual(killed.status, "failed")
      assert.deepInclude(raw(killed), { exitCode: null, signal: "SIGKILL" })
    })
  )

  it.scopedLive("RES-013 a command that reads stdin sees its end at once", () =>
    Effect.gen(function* () {
      const { policy } = yield* place()
      const called = yield* shell(policy, "cat | wc -c")
      assert.strictEqual(output(called).trim(), "0")
    })
  )

  it.scopedLive("the environment holds what a program needs and no secret", () =>
    Effect.gen(function* () {
      const { policy } = yield* place()
      process.env["ZC_SECRET_API_KEY"] = "CANARY"
      process.env["LD_PRELOAD_TEST"] = "CANARY"
      const called = yield* shell(policy, "env").pipe(
        Effect.ensuring(
          Effect.sync(() => {
            delete process.env["ZC_SECRET_API_KEY"]
            delete process.env["LD_PRELOAD_TEST"]
          })
        )
      )
      assert.notInclude(called.text, "CANARY")
      const names = output(called)
        .trim()
        .split("\n")
        .map((line) => line.replace(/=.*$/, ""))
      for (const name of names) {
        assert.match(name, /^(PATH|HOME|TERM|LANG|LC_[A-Z]+|USER|SHELL|TMPDIR|ZEROCLAW_\w+|PWD|OLDPWD|SHLVL|_)$/)
      }
      assert.include(output(called), "TERM=dumb")
      assert.include(output(called), "ZEROCLAW_SESSION_ID=session-1")
    })
  )

  it.scopedLive("H08 what is shown holds no escape sequence or control character", () =>
    Effect.gen(function* () {
      const { policy } = yield* place()
      const called = yield* shell(
        policy,
        "printf '\\033[31mred\\033[0m \\033]0;t\\007 a\\bb\\r\\n\\033]8;;http://x\\033\\\\link\\033]8;;\\033\\\\\\n'"
      )
      assert.notMatch(output(called).replaceAll("\n", ""), /\p{Cc}/u)
      assert.strictEqual(output(called), "red  ab\nlink\n")
    })
  )

  it.scopedLive("H08 the question shows the whole command with its control characters spelled out", () =>
    Effect.gen(function* () {
      const { policy } = yield* place()
      const command = `echo good && echo evil \u001b[24D\u001b[K && echo ${"x".repeat(3000)} end`
      const { face } = yield* prepare(policy, "shell", { command })
      const shown = JSON.stringify(face.content)
      assert.include(shown, "\\\\u001b[24D\\\\u001b[K")
      assert.include(shown, `${"x".repeat(3000)} end`)
      assert.include(face.title, "\\u001b")
      assert.isAtMost(face.title.length, 200)
      const plain = yield* prepare(policy, "shell", { command: "npm test" })
      assert.strictEqual(plain.face.title, "Run `npm test` in ws/")
      assert.strictEqual(plain.face.kind, "execute")
    })
  )

  it.scopedLive("characters that arrive in pieces stay whole, also in progress", () =>
    Effect.gen(function* () {
      const { policy } = yield* place()
      const called = yield* shell(
        policy,
        "printf '\\xe8'; sleep 0.3; printf '\\xaf'; sleep 0.3; printf '\\xbb \\xf0\\x9f'; sleep 0.3; printf '\\x8e\\x89'"
      )
      assert.strictEqual(output(called), "读 🎉")
      assert.isAbove(called.progress.length, 0)
      assert.notInclude(JSON.stringify(called.progress), "\ufffd")
    })
  )

  it.scopedLive("much output: both ends are kept, the cut is named, memory and progress stay bounded", () =>
    Effect.gen(function* () {
      const { policy } = yield* place()
      const before = process.memoryUsage().rss
      const called = yield* shell(policy, "echo FIRST; head -c 300000000 /dev/zero | tr '\\0' 'é'; echo; echo LAST")
      assert.strictEqual(called.status, "completed")
      assert.isBelow(process.memoryUsage().rss - before, 200 * 1024 * 1024)
      assert.isAtMost(output(called).length, 50_000)
      assert.isTrue(output(called).startsWith("FIRST\n"))
      assert.isTrue(output(called).endsWith("LAST\n"))
      assert.include(output(called), "left out")
      assert.deepInclude(raw(called), { truncated: true })
      assert.isAbove(called.progress.length, 0)
      for (const content of called.progress) assert.isBelow(JSON.stringify(content).length, 120_000)
    })
  )

  it.scopedLive("progress comes while the command runs, not more often than about every 150 ms", () =>
    Effect.gen(function* () {
      const { policy } = yield* place()
      const { value, millis } = yield* timed(shell(policy, "for i in $(seq 100); do echo line$i; sleep 0.01; done"))
      assert.isAbove(value.progress.length, 1)
      assert.isAtMost(value.progress.length, millis / 140 + 1)
    })
  )

  it.scopedLive("RES-011 a timeout ends the whole tree: other session, SIGTERM ignored", () =>
    Effect.gen(function* () {
      const { policy } = yield* place()
      const seconds = mark()
      const { value, millis } = yield* timed(
        shell(policy, `trap '' TERM; setsid sh -c 'trap "" TERM; sleep ${seconds}' & echo before; sleep ${seconds}`, 1)
      )
      assert.strictEqual(value.status, "failed")
      assert.include(value.text, "before")
      assert.include(value.text, "1 s")
      assert.isBelow(millis, 3000)
      assert.deepStrictEqual(living(seconds), [])
    })
  )

  it.scopedLive(
    "RES-001 background jobs, nohup, setsid and double forks end with the command, which does not wait for them",
    () =>
      Effect.gen(function* () {
        const { policy } = yield* place()
        const seconds = mark()
        const { value, millis } = yield* timed(
          shell(
            policy,
            `setsid sleep ${seconds} & nohup sleep ${seconds} & sleep ${seconds} & (setsid sh -c 'sleep ${seconds} & sleep ${seconds} &' &) ; echo done`
          )
        )
        assert.strictEqual(value.status, "completed")
        assert.include(output(value), "done")
        assert.isBelow(millis, 5000)
        assert.deepStrictEqual(living(seconds), [])
      })
  )

  it.scopedLive("a job that emptied its environment and left the session ends too while it holds the output", () =>
    Effect.gen(function* () {
      const { policy } = yield* place()
      const seconds = mark()
      const called = yield* shell(
        policy,
        `setsid env -i sleep ${seconds} & (setsid env -i sh -c 'sleep ${seconds} & sleep ${seconds}' &); sleep 0.1; echo done`
      )
      assert.strictEqual(called.status, "completed")
      assert.deepStrictEqual(living(seconds), [])
    })
  )

  it.scopedLive("H10 an interrupted command is gone when the interruption returns", () =>
    Effect.gen(function* () {
      const { policy, ws } = yield* place()
      const seconds = mark()
      const command = `touch started; (trap '' TERM; sleep ${seconds}) & setsid sleep ${seconds} & sleep ${seconds}`
      const fiber = yield* Effect.fork(shell(policy, command))
      yield* Effect.repeat(
        Effect.sync(() => fs.existsSync(path.join(ws, "started")) && living(seconds).length >= 3),
        { until: (ready) => ready, schedule: Schedule.spaced("20 millis") }
      )
      const { millis } = yield* timed(Fiber.interrupt(fiber))
      assert.deepStrictEqual(living(seconds), [])
      assert.isBelow(millis, 3000)
    })
  )

  it.scopedLive("a call leaves no descriptor open, whether it ends well, in time or not", () =>
    Effect.gen(function* () {
      const { policy } = yield* place()
      yield* shell(policy, "true")
      const before = openDescriptors()
      for (let round = 0; round < 5; round++) {
        yield* shell(policy, "true")
        yield* shell(policy, "sleep 5 & false")
        yield* Effect.timeoutOption(shell(policy, "sleep 100"), "50 millis")
      }
      assert.isAtMost(openDescriptors(), before)
    })
  )

  it.scopedLive("supervised asks for each command and says what always would cover; readonly denies", () =>
    Effect.gen(function* () {
      const supervised = yield* place()
      const { action } = yield* prepare(supervised.policy, "shell", { command: "ls" })
      const decision = yield* supervised.policy.decide(action)
      assert.strictEqual(decision._tag, "Ask")
      assert.strictEqual(decision._tag === "Ask" ? decision.always : "", "this exact command in this folder")
      const readonly = yield* place({ level: "readonly" })
      assert.strictEqual((yield* shell(readonly.policy, "touch x")).status, "failed")
      assert.isFalse(fs.existsSync(path.join(readonly.ws, "x")))
    })
  )

  it.scopedLive("a wrong input is refused in words that name the field", () =>
    Effect.gen(function* () {
      const { policy } = yield* place()
      for (const [input, word] of [
        ["{not json", "JSON"],
        ["[]", "shell"],
        [{}, "command"],
        [{ command: 5 }, "command"],
        [{ command: "" }, "command"],
        [{ command: "ls", timeout_secs: "x" }, "timeout_secs"],
        [{ command: "a\u0000b" }, "NUL"]
      ] as const) {
        const called = yield* call(policy, "shell", input)
        assert.strictEqual(called.status, "failed")
        assert.include(called.text, word)
        assert.notInclude(called.text, "\n")
      }
      const extra = yield* call(policy, "shell", { command: "echo hi", approved: true, unknown: 1 })
      assert.strictEqual(extra.status, "completed")
    })
  )
})
