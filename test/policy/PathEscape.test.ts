// Ways out of the workspace, each with the number of its case.
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PathError, SessionPolicy } from "../../src/policy/SessionPolicy.ts"
import { bytes, canary, full, read, refusal, session, textOf, type World, world, write } from "./World.ts"

const scene = (
  name: string,
  run: (world: World, policy: SessionPolicy) => Effect.Effect<unknown, unknown>,
  overrides?: Parameters<typeof session>[1]
) =>
  it.scopedLive(name, () =>
    Effect.gen(function* () {
      const made = yield* world
      yield* run(made, yield* session(made, overrides))
      assert.strictEqual(fs.readFileSync(path.join(made.out, "secret"), "utf8"), canary)
    })
  )

const refusedRead = (policy: SessionPolicy, file: string, reason: PathError["reason"]) =>
  Effect.map(refusal(read(policy, file)), (why) => assert.strictEqual(why, reason, file))
const refusedWrite = (policy: SessionPolicy, file: string, reason: PathError["reason"]) =>
  Effect.map(refusal(write(policy, file, "PWNED")), (why) => assert.strictEqual(why, reason, file))

describe("reads", () => {
  scene("what is in the workspace is read", ({ ws }, policy) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* read(policy, "keep"), "keep")
      assert.strictEqual(yield* read(policy, path.join(ws, "keep")), "keep")
      assert.strictEqual(yield* read(policy, `file://${ws}/keep`), "keep")
    })
  )

  scene("PATH-001 PATH-002 .. does not leave the workspace", ({ ws }, policy) => {
    fs.mkdirSync(path.join(ws, "a/b"), { recursive: true })
    return Effect.zipRight(
      refusedRead(policy, "../out/secret", "denied"),
      refusedRead(policy, "a/b/../../../out/secret", "denied")
    )
  })

  scene("PATH-003 PATH-004 an absolute path outside, and a sibling with the same beginning", ({ out, ws }, policy) => {
    fs.mkdirSync(`${ws}-sibling`)
    fs.writeFileSync(`${ws}-sibling/secret`, canary)
    return Effect.zipRight(
      refusedRead(policy, path.join(out, "secret"), "denied"),
      refusedRead(policy, `${ws}-sibling/secret`, "denied")
    )
  })

  scene("a path outside is denied whether it exists or not", ({ out }, policy) =>
    refusedRead(policy, path.join(out, "missing"), "denied")
  )

  scene("PATH-006 PATH-007 links out of the workspace, of a file and of a folder", ({ out, ws }, policy) => {
    fs.symlinkSync(path.join(out, "secret"), path.join(ws, "link"))
    fs.symlinkSync(out, path.join(ws, "d"))
    return Effect.zipRight(refusedRead(policy, "link", "denied"), refusedRead(policy, "d/secret", "denied"))
  })

  scene("a link that stays in the workspace is read, and the real place is reported", ({ ws }, policy) => {
    fs.symlinkSync("keep", path.join(ws, "link"))
    return Effect.map(policy.readFile("link", 10), (file) => {
      assert.strictEqual(file.path, path.join(ws, "keep"))
      assert.strictEqual(textOf(file.bytes), "keep")
    })
  })

  scene(
    "PATH-020 /proc/self/root is no way around, even in full",
    ({ out, ws }, policy) =>
      Effect.zipRight(
        refusedRead(policy, `/proc/self/root${out}/secret`, "denied"),
        refusedRead(policy, `/proc/self/root${ws}/keep`, "denied")
      ),
    { ...full, forbiddenPaths: [] }
  )

  scene(
    "PATH-022 a link to our environment is refused",
    ({ ws }, policy) => {
      fs.symlinkSync("/proc/self/environ", path.join(ws, "e"))
      return refusedRead(policy, "e", "denied")
    },
    { ...full, forbiddenPaths: [] }
  )

  scene(
    "PATH-023 standard input is never read",
    ({ ws }, policy) => {
      fs.symlinkSync("/dev/stdin", path.join(ws, "stdin"))
      return Effect.forEach(["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"], (file) =>
        refusedRead(policy, file, "denied")
      ).pipe(Effect.zipRight(Effect.flip(read(policy, "stdin"))))
    },
    { ...full, forbiddenPaths: [] }
  )

  scene("PATH-025 a FIFO blocks nobody", ({ ws }, policy) => {
    execFileSync("mkfifo", [path.join(ws, "fifo")])
    return Effect.gen(function* () {
      yield* refusedRead(policy, "fifo", "not_a_file")
      yield* refusedWrite(policy, "fifo", "not_a_file")
      assert.isTrue(fs.lstatSync(path.join(ws, "fifo")).isFIFO())
    })
  })

  scene("PATH-027 sockets and folders are not files", ({ ws }, policy) => {
    const listening = Effect.acquireRelease(
      Effect.async<net.Server>((resume) => {
        const server = net.createServer()
        server.listen(path.join(ws, "s.sock"), () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
    )
    return Effect.scoped(
      Effect.gen(function* () {
        yield* listening
        yield* refusedRead(policy, "s.sock", "not_a_file")
        yield* refusedWrite(policy, "s.sock", "not_a_file")
        yield* refusedRead(policy, ".", "not_a_file")
        yield* refusedRead(policy, ws, "not_a_file")
        fs.mkdirSync(path.join(ws, "sub"))
        yield* refusedWrite(policy, "sub", "not_a_file")
        yield* refusedRead(policy, "keep/", "not_a_directory")
      })
    )
  })

  scene("PATH-028 NUL does not cut a path short", ({ ws }, policy) => {
    fs.writeFileSync(path.join(ws, "ok.txt"), "ok")
    return refusedRead(policy, "ok.txt\u0000/../../out/secret", "invalid")
  })

  scene("PATH-032 very long names and paths fail at once", (_, policy) =>
    Effect.gen(function* () {
      yield* refusedRead(policy, "a".repeat(5000), "invalid")
      yield* refusedRead(policy, `${"a/".repeat(35_000)}x`, "invalid")
      yield* refusedRead(policy, "a".repeat(300), "invalid")
      yield* refusedRead(policy, `${"a/".repeat(2000)}x`, "not_found")
    })
  )

  scene("PATH-033 PATH-035 file URIs are judged like paths", ({ ws }, policy) =>
    Effect.gen(function* () {
      yield* refusedRead(policy, `file://${ws}/%2e%2e/out/secret`, "denied")
      yield* refusedRead(policy, "file://evil.example/etc/passwd", "invalid")
      yield* refusedRead(policy, "file:../out/secret", "invalid")
      yield* refusedRead(policy, "FILE:///etc/passwd", "denied")
    })
  )

  scene("PATH-037 full-width dots are only a name", (_, policy) =>
    refusedRead(policy, "．．／out／secret", "not_found")
  )

  scene("a file larger than the limit is refused, one of exactly the limit is read", ({ ws }, policy) => {
    fs.writeFileSync(path.join(ws, "big"), Buffer.alloc(200_000, "x"))
    return Effect.gen(function* () {
      assert.strictEqual(yield* refusal(policy.readFile("big", 199_999)), "too_large")
      assert.strictEqual((yield* policy.readFile("big", 200_000)).bytes.length, 200_000)
      assert.strictEqual((yield* policy.readFile("keep", 4)).bytes.length, 4)
    })
  })
})

describe("the session's folder", () => {
  it.scopedLive("PATH-041 a cwd that is a link counts at its real place", () =>
    Effect.gen(function* () {
      const made = yield* world
      fs.symlinkSync(made.ws, path.join(made.base, "wslink"))
      const policy = yield* session(made, {}, { cwd: path.join(made.base, "wslink") })
      assert.strictEqual(policy.cwd, made.ws)
      assert.strictEqual(yield* read(policy, path.join(made.base, "wslink/keep")), "keep")
    })
  )

  for (const [how, swap] of [
    ["a link", (ws: string, out: string) => fs.symlinkSync(out, ws)],
    ["another folder", (ws: string, out: string) => fs.cpSync(out, ws, { recursive: true })],
    ["nothing", () => {}]
  ] as const) {
    it.scopedLive(`PATH-043 a workspace replaced by ${how} is not entered, in any level`, () =>
      Effect.gen(function* () {
        for (const overrides of [{}, { ...full, forbiddenPaths: [] }]) {
          const made = yield* world
          const policy = yield* session(made, overrides)
          fs.renameSync(made.ws, `${made.ws}.old`)
          swap(made.ws, made.out)
          yield* refusedRead(policy, "secret", "denied")
          yield* refusedRead(policy, "keep", "denied")
          yield* refusedWrite(policy, "new", "denied")
          assert.strictEqual(yield* refusal(policy.listDirectory(".")), "denied")
          assert.strictEqual(yield* refusal(Effect.scoped(policy.openDirectory("."))), "denied")
          assert.isFalse(fs.existsSync(path.join(made.out, "new")))
        }
      })
    )
  }

  it.scopedLive("PATH-045 cwd / keeps the forbidden paths", () =>
    Effect.gen(function* () {
      const made = yield* world
      for (const overrides of [{}, full]) {
        const policy = yield* session(made, overrides, { cwd: "/" })
        assert.strictEqual(policy.cwd, "/")
        yield* refusedRead(policy, "etc/passwd", "denied")
        yield* refusedRead(policy, path.join(made.out, "secret"), "denied")
        assert.isAbove((yield* policy.listDirectory(".")).entries.length, 0)
      }
    })
  )

  it.scopedLive("a cwd that can't be one is refused in words that name it", () =>
    Effect.gen(function* () {
      const made = yield* world
      const message = (cwd: string) => Effect.map(Effect.flip(session(made, {}, { cwd })), ({ message }) => message)
      assert.match(yield* message("relative"), /^cwd: "relative" is not an absolute path/)
      assert.match(yield* message(path.join(made.ws, "missing")), /^cwd: .*missing does not exist/)
      assert.match(yield* message(path.join(made.ws, "keep")), /^cwd: .*keep is not a directory/)
      assert.match(yield* message(path.join(made.ws, "keep/x")), /^cwd: .*keep\/x is not a directory/)
      assert.match(yield* message("/proc/self"), /^cwd: .*system interface/)
      const more = Effect.flip(session(made, {}, { additionalDirectories: [made.out, path.join(made.ws, "missing")] }))
      assert.match((yield* more).message, /^additionalDirectories\[1\]: .* does not exist/)
    })
  )

  it.scopedLive("the agent's own folder and additional directories are roots; the former is made for us alone", () =>
    Effect.gen(function* () {
      const made = yield* world
      const policy = yield* session(made, {}, { additionalDirectories: [made.out] })
      assert.strictEqual(fs.statSync(made.agentWorkspace).mode & 0o777, 0o700)
      yield* write(policy, path.join(made.agentWorkspace, "note"), "x")
      assert.strictEqual(yield* read(policy, path.join(made.out, "secret")), canary)
    })
  )

  it.scopedLive("without the agent's own folder the session works, and the place is no root", () =>
    Effect.gen(function* () {
      const made = yield* world
      const blocked = { ...made, agentWorkspace: path.join(made.out, "secret/workspace") }
      const policy = yield* session(blocked)
      assert.strictEqual(yield* read(policy, "keep"), "keep")
      yield* refusedRead(policy, path.join(blocked.agentWorkspace, "x"), "denied")
    })
  )

  it.scopedLive("allowed_roots are roots, also with ~/ and relative to the cwd", () =>
    Effect.gen(function* () {
      const made = yield* world
      const policy = yield* session(made, { allowedRoots: ["~/.sshx", "../out"] })
      assert.strictEqual(yield* read(policy, "~/.sshx/a"), "ok")
      assert.strictEqual(yield* read(policy, "../out/secret"), canary)
      yield* refusedRead(policy, "~/.ssh/id_ed25519", "denied")
    })
  )
})

describe("writes", () => {
  scene("a new file gets the usual mode, missing folders are made", ({ ws }, policy) =>
    Effect.gen(function* () {
      const { path: written } = yield* write(policy, "x/y/new.txt", "hello")
      assert.strictEqual(written, path.join(ws, "x/y/new.txt"))
      assert.strictEqual(fs.readFileSync(written, "utf8"), "hello")
      assert.strictEqual(fs.statSync(written).mode & 0o777, 0o666 & ~process.umask())
      assert.deepStrictEqual(fs.readdirSync(path.join(ws, "x/y")), ["new.txt"])
    })
  )

  scene("a replaced file keeps its mode", ({ ws }, policy) => {
    fs.chmodSync(path.join(ws, "keep"), 0o751)
    return Effect.map(write(policy, "keep", "changed"), () => {
      assert.strictEqual(fs.readFileSync(path.join(ws, "keep"), "utf8"), "changed")
      assert.strictEqual(fs.statSync(path.join(ws, "keep")).mode & 0o777, 0o751)
      assert.deepStrictEqual(fs.readdirSync(ws), ["keep"])
    })
  })

  scene("PATH-009 nothing is written through a link, wherever it leads", ({ out, ws }, policy) => {
    fs.symlinkSync(path.join(out, "secret"), path.join(ws, "link"))
    fs.symlinkSync("keep", path.join(ws, "inside"))
    fs.symlinkSync(path.join(out, "new"), path.join(ws, "dangling"))
    return Effect.gen(function* () {
      yield* refusedWrite(policy, "link", "denied")
      yield* refusedWrite(policy, "dangling", "denied")
      assert.match((yield* Effect.flip(write(policy, "inside", "x"))).message, /inside is a link/)
      assert.strictEqual(fs.readFileSync(path.join(ws, "keep"), "utf8"), "keep")
      assert.isFalse(fs.existsSync(path.join(out, "new")))
    })
  })

  scene(
    "PATH-011 PATH-013 W28 a linked folder on the way out is refused before anything is made",
    ({ out, ws }, policy) => {
      fs.symlinkSync(out, path.join(ws, "d"))
      fs.symlinkSync(path.join(out, "later"), path.join(ws, "dangling"))
      return Effect.gen(function* () {
        yield* refusedWrite(policy, "d/secret", "denied")
        yield* refusedWrite(policy, "d/x/y/new.txt", "denied")
        yield* refusedWrite(policy, "dangling/x/new.txt", "not_a_directory")
        assert.deepStrictEqual(fs.readdirSync(out), ["secret"])
      })
    }
  )

  scene("PATH-013 a dangling link that stays inside is not made into a folder", ({ ws }, policy) => {
    fs.symlinkSync(path.join(ws, "later"), path.join(ws, "dangling"))
    return Effect.map(refusedWrite(policy, "dangling/new.txt", "not_a_directory"), () =>
      assert.isFalse(fs.existsSync(path.join(ws, "later")))
    )
  })

  scene("PATH-018 a hard link is cut, the other name keeps its content", ({ out, ws }, policy) => {
    fs.linkSync(path.join(out, "secret"), path.join(ws, "hl"))
    return Effect.map(write(policy, "hl", "PWNED"), () =>
      assert.strictEqual(fs.readFileSync(path.join(ws, "hl"), "utf8"), "PWNED")
    )
  })

  scene("PATH-030 a file can't be spelled as a folder", ({ ws }, policy) =>
    Effect.gen(function* () {
      yield* Effect.forEach(["newdir/", "newdir/.", "..", "newdir/x/.."], (file) => refusal(write(policy, file, "x")))
      assert.deepStrictEqual(fs.readdirSync(ws), ["keep"])
    })
  )

  scene("a file where a folder is needed is left alone", (_, policy) =>
    refusedWrite(policy, "keep/x", "not_a_directory")
  )

  scene("a file that changed since it was read is not overwritten", ({ ws }, policy) =>
    Effect.gen(function* () {
      const keep = path.join(ws, "keep")
      const guarded = (file: string, expected: Uint8Array | null) => policy.writeFile(file, bytes("new"), expected)
      assert.match((yield* Effect.flip(guarded("keep", bytes("kee")))).message, /changed since it was read/)
      assert.match((yield* Effect.flip(guarded("keep", bytes("keeper")))).message, /changed since it was read/)
      assert.match((yield* Effect.flip(guarded("keep", null))).message, /exists already/)
      assert.match((yield* Effect.flip(guarded("gone", bytes("x")))).message, /changed since it was read/)
      assert.match((yield* Effect.flip(guarded("gone/too", bytes("x")))).message, /changed since it was read/)
      assert.strictEqual(fs.readFileSync(keep, "utf8"), "keep")
      yield* guarded("keep", bytes("keep"))
      yield* guarded("made/fresh", null)
      assert.strictEqual(fs.readFileSync(keep, "utf8"), "new")
      assert.strictEqual(fs.readFileSync(path.join(ws, "made/fresh"), "utf8"), "new")
      assert.deepStrictEqual(fs.readdirSync(ws), ["keep", "made"])
      assert.deepStrictEqual(fs.readdirSync(path.join(ws, "made")), ["fresh"])
    })
  )

  scene("of many writers that all expect no file exactly one makes it", ({ ws }, policy) =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach(
        Array.from({ length: 16 }, (_, i) => `${i}`),
        (text) => Effect.isSuccess(policy.writeFile("one", bytes(text), null)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(made.filter((success) => success).length, 1)
      assert.deepStrictEqual(fs.readdirSync(ws), ["keep", "one"])
    })
  )
})

describe("folders", () => {
  scene("a listing names kinds and follows no link", ({ out, ws }, policy) => {
    fs.mkdirSync(path.join(ws, "sub"))
    fs.symlinkSync(out, path.join(ws, "link"))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* policy.listDirectory("."), {
        path: ws,
        entries: [
          { name: "keep", kind: "file" },
          { name: "link", kind: "symlink" },
          { name: "sub", kind: "directory" }
        ]
      })
      assert.strictEqual(yield* refusal(policy.listDirectory("link")), "denied")
      assert.strictEqual(yield* refusal(policy.listDirectory("..")), "denied")
      assert.strictEqual(yield* refusal(policy.listDirectory("keep")), "not_a_directory")
      assert.strictEqual(yield* refusal(policy.listDirectory("missing")), "not_found")
    })
  })

  scene("a child starts in the opened folder, whatever its name leads to meanwhile", ({ out, ws }, policy) => {
    fs.mkdirSync(path.join(ws, "sub"))
    const pwd = (cwd: string) =>
      Effect.async<string>((resume) => {
        const child = spawn("sh", ["-c", "pwd -P"], { cwd, stdio: ["ignore", "pipe", "ignore"] })
        const chunks: Array<string> = []
        child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk.toString()))
        child.on("close", () => resume(Effect.succeed(chunks.join("").trim())))
        child.on("error", (error) => resume(Effect.die(error)))
      })
    return Effect.scoped(
      Effect.gen(function* () {
        const opened = yield* policy.openDirectory("sub")
        assert.strictEqual(opened.path, path.join(ws, "sub"))
        assert.strictEqual(yield* pwd(opened.spawnPath), path.join(ws, "sub"))
        fs.renameSync(path.join(ws, "sub"), path.join(ws, "moved"))
        fs.symlinkSync(out, path.join(ws, "sub"))
        assert.strictEqual(yield* pwd(opened.spawnPath), path.join(ws, "moved"))
        assert.strictEqual(yield* refusal(policy.openDirectory("sub")), "denied")
      })
    )
  })
})
