// The shell tool: what it shows, what it returns, and that nothing of it is left.
import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Option } from "effect"
import { shellEnvironment } from "../../src/policy/ShellEnvironment.ts"
import { makeShell } from "../../src/tools/Shell.ts"
import { bench, call, cardText, prepare } from "../support/ToolRun.ts"

const shell = makeShell({ shellTimeoutSecs: 20 })

/** Processes whose arguments hold `text`. */
const running = (text: string): ReadonlyArray<string> => {
  try {
    return execFileSync("pgrep", ["-f", `^${text}$`], { encoding: "utf8" })
      .trim()
      .split("\n")
  } catch {
    return []
  }
}
/** A number that no other test sleeps for. */
const unique = () => `${70_000 + Math.floor(Math.random() * 900_000_000)}`

/** Waits for a line of output, looks, then interrupts. */
const interruptedWhenReady = (command: string, look: () => void) =>
  Effect.gen(function* () {
    const it = yield* bench
    const ready = yield* Deferred.make<void>()
    const { run } = yield* prepare(shell, it, { command })
    const fiber = yield* Effect.fork(
      run({
        ...it.context,
        progress: (content) =>
          cardText(content).includes("ready") ? Effect.asVoid(Deferred.succeed(ready, undefined)) : Effect.void
      })
    )
    yield* Deferred.await(ready)
    look()
    return yield* Fiber.interrupt(fiber)
  })

describe("shell: before it runs", () => {
  it.scopedLive("the title says the command and the place", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const { face, action, rawInput } = yield* prepare(shell, it, { command: "npm test", extra: 1 })
      assert.strictEqual(face.title, `Run \`npm test\` in ${it.root.split("/").at(-1)}/`)
      assert.strictEqual(face.kind, "execute")
      assert.deepStrictEqual(action, { _tag: "Execute", tool: "shell", command: "npm test" })
      assert.deepStrictEqual(rawInput, { command: "npm test" })
    })
  )
  it.scopedLive("control characters are spelled out in title and content, which has the command in full (H08)", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const evil = "echo good && echo evil \u001b[24D\u001b[K && echo good\u202e"
      const { face } = yield* prepare(shell, it, { command: evil })
      const shown = "echo good && echo evil \\u001b[24D\\u001b[K && echo good\\u202e"
      assert.include(face.title, shown)
      assert.strictEqual(cardText(face.content), `\`\`\`\n${shown}\n\`\`\``)
      const long = `echo ${"`x` ".repeat(300)}`
      const cut = yield* prepare(shell, it, { command: long })
      assert.isAtMost(cut.face.title.length, 200)
      assert.include(cardText(cut.face.content), long)
    })
  )
  it.scopedLive("bad input is refused in words that name the field", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const missing = yield* Effect.flip(prepare(shell, it, {}))
      assert.strictEqual(
        missing.message,
        'Invalid input of shell: "command" is missing. Correct it and call the tool again.'
      )
      assert.include(
        (yield* Effect.flip(prepare(shell, it, { command: "ls", timeout_secs: "x" }))).message,
        '"timeout_secs"'
      )
      assert.include((yield* Effect.flip(shell.prepare('{"command":', it.policy))).message, "not valid JSON")
      assert.include((yield* Effect.flip(prepare(shell, it, { command: "a\u0000b" }))).message, "NUL")
    })
  )
  it("the environment holds what programs need and no secret", () => {
    assert.deepStrictEqual(
      shellEnvironment(
        { PATH: "/p", LC_ALL: "C", LANG: "en", OPENAI_API_KEY: "k", BASH_ENV: "/evil", "LC_x()": "y", TERM: "xterm" },
        { home: "/home/me", passthrough: [], confined: false },
        { ZEROCLAW_SESSION_ID: "s" }
      ),
      { PATH: "/p", HOME: "/home/me", LC_ALL: "C", LANG: "en", TERM: "dumb", ZEROCLAW_SESSION_ID: "s" }
    )
  })
  it("the environment passes on what shell_env_passthrough names, and no TMPDIR into a sandbox", () => {
    const own = { PATH: "/p", CI: "1", OTHER: "2", TMPDIR: "/var/tmp" }
    const spec = { home: "/home/me", passthrough: ["CI", "MISSING"] }
    assert.deepStrictEqual(shellEnvironment(own, { ...spec, confined: true }, {}), {
      PATH: "/p",
      HOME: "/home/me",
      CI: "1",
      TERM: "dumb"
    })
    assert.propertyVal(shellEnvironment(own, { ...spec, confined: false }, {}), "TMPDIR", "/var/tmp")
  })
})

describe("shell: results", () => {
  it.scopedLive("merges both streams in the order of writing", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const { text, rawOutput } = yield* call(shell, it, { command: "for i in 1 2 3; do echo o$i; echo e$i >&2; done" })
      assert.strictEqual(text, "o1\ne1\no2\ne2\no3\ne3\n[exit code 0]")
      assert.deepStrictEqual(rawOutput, {
        exitCode: 0,
        signal: null,
        output: "o1\ne1\no2\ne2\no3\ne3\n",
        truncated: false
      })
    })
  )
  it.scopedLive("a failing command fails with all it printed (W29)", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const error = yield* Effect.flip(call(shell, it, { command: "echo out; echo err >&2; exit 3" }))
      assert.strictEqual(error.message, "out\nerr\n[exit code 3]")
      assert.include(cardText(error.content), "out\nerr\n[exit code 3]")
      assert.strictEqual((yield* Effect.flip(call(shell, it, { command: "kill -9 $$" }))).message, "[ended by SIGKILL]")
    })
  )
  it.scopedLive("runs in the cwd, under bash, and reads an empty stdin (RES-013)", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const { text } = yield* call(shell, it, {
        command: 'pwd; cat | wc -c; [[ -n "$BASH_VERSION" ]] && echo "$TERM $ZEROCLAW_SESSION_ID"'
      })
      assert.strictEqual(text, `${it.root}\n0\ndumb session-1\n[exit code 0]`)
    })
  )
  it.scopedLive("output is free of escape sequences (H08)", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const { text } = yield* call(shell, it, {
        command: "printf '\\033[31mred\\033[0m \\033]0;t\\007 a\\bb\\r\\n'"
      })
      assert.strictEqual(text, "red  ab\n[exit code 0]")
    })
  )
  it.scopedLive("no environment variable of ours is seen", () =>
    Effect.gen(function* () {
      const it = yield* bench
      process.env["TEST_API_KEY"] = "secret-value"
      const { text } = yield* Effect.ensuring(
        call(shell, it, { command: "env" }),
        Effect.sync(() => delete process.env["TEST_API_KEY"])
      )
      assert.notInclude(text, "secret-value")
    })
  )
  it.scopedLive("a flood of output is bounded and does not take long", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const before = process.memoryUsage().rss
      const { text, rawOutput } = yield* call(shell, it, { command: "echo first; yes | head -c 200000000; echo last" })
      assert.isAtMost(text.length, 50_100)
      assert.isTrue(text.startsWith("first\ny\n"))
      assert.isTrue(text.endsWith("y\nlast\n[exit code 0]"))
      assert.match(text, /\[… \d+ of 200000011 bytes left out here …\]/)
      assert.propertyVal(rawOutput, "truncated", true)
      assert.isBelow(process.memoryUsage().rss - before, 150_000_000)
      for (const content of it.progress) assert.isAtMost(cardText(content).length, 16 * 1024 + 20)
    })
  )
  it.scopedLive("output is shown while the command runs", () =>
    Effect.gen(function* () {
      const it = yield* bench
      yield* call(shell, it, { command: "echo one; sleep 0.4; echo two; sleep 0.4" })
      assert.deepStrictEqual(it.progress.map(cardText), ["```\none\n```", "```\none\ntwo\n```"])
    })
  )
  it.scopedLive("backticks in the output do not end its block", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const { content } = yield* call(shell, it, { command: "echo '````'" })
      assert.strictEqual(cardText(content), "`````\n````\n[exit code 0]\n`````")
    })
  )
})

describe("shell: nothing is left", () => {
  it.scopedLive("the timeout ends the whole tree, with setsid and SIGTERM ignored (RES-011)", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const nap = unique()
      const error = yield* Effect.flip(
        call(shell, it, {
          command: `trap '' TERM; setsid sh -c 'trap "" TERM; sleep ${nap}' & echo started; sleep ${nap}`,
          timeout_secs: 1
        })
      )
      assert.include(error.message, "started\n[stopped: not done after 1 s")
      assert.deepStrictEqual(running(`sleep ${nap}`), [])
    }).pipe(Effect.timeout("10 seconds"))
  )
  it.scopedLive("interruption ends every process before it returns (H10)", () =>
    Effect.gen(function* () {
      const nap = unique()
      const exit = yield* interruptedWhenReady(
        `(trap '' TERM; sleep ${nap}) & (setsid sh -c 'trap "" TERM; (sleep ${nap} &) ; sleep ${nap}' &) ; env -i setsid sleep ${nap} & sleep 0.1; echo ready; sleep ${nap}`,
        () => assert.isAtLeast(running(`sleep ${nap}`).length, 4)
      )
      assert.isTrue(Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause))
      assert.deepStrictEqual(running(`sleep ${nap}`), [])
    }).pipe(Effect.timeout("10 seconds"))
  )
  it.scopedLive("a background job neither holds the call nor outlives it", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const nap = unique()
      const result = yield* Effect.timeoutOption(
        call(shell, it, { command: `sleep ${nap} & setsid nohup sleep ${nap} >/dev/null 2>&1 & echo done` }),
        "8 seconds"
      )
      assert.strictEqual(Option.getOrThrow(result).text, "done\n[exit code 0]")
      assert.deepStrictEqual(running(`sleep ${nap}`), [])
    })
  )
  it.scopedLive("a process that SIGTERM ends may still say so", () =>
    Effect.gen(function* () {
      const it = yield* bench
      const error = yield* Effect.flip(
        call(shell, it, { command: "trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done", timeout_secs: 1 })
      )
      assert.include(error.message, "bye\n[stopped")
    })
  )
})
