// The file of stored keys on a real file system: who may read it, and what happens to it.
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Credentials } from "../../src/auth/Credentials.ts"
import { objection } from "../../src/auth/CredentialsFile.ts"
import { Config } from "../../src/config/Config.ts"
import * as Paths from "../../src/config/Paths.ts"
import { PolicyService } from "../../src/policy/PolicyService.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { profile } from "../policy/World.ts"
import { temporary } from "../support/Server.ts"

const key = Redacted.make("sk-first")
const text = '{"version":1,"keys":{"anthropic.main":"sk-first"}}\n'
const mode = (file: string) => fs.statSync(file).mode & 0o777

const world = Effect.gen(function* () {
  const paths = Paths.resolve({ ZEROCLAW_CONFIG_DIR: yield* temporary("credentials") }, "/")
  const credentials = yield* Effect.provide(Credentials, Credentials.layer.pipe(Layer.provide(Config.test(paths))))
  const data = path.dirname(paths.credentials)
  const write = (content: string, mode = 0o600) => {
    fs.mkdirSync(data, { recursive: true, mode: 0o700 })
    fs.writeFileSync(paths.credentials, content)
    fs.chmodSync(paths.credentials, mode)
  }
  const found = (provider: string) =>
    Effect.map(credentials.find(provider), (key) => (key === undefined ? undefined : Redacted.value(key)))
  return { credentials, data, file: paths.credentials, found, paths, write }
})

/** The same line for reading and writing, and the file is as it was. */
const refused = (file: string, credentials: typeof Credentials.Service) =>
  Effect.gen(function* () {
    const before = fs.readFileSync(file, "utf8")
    const { message } = yield* Effect.flip(credentials.find("anthropic.main"))
    assert.strictEqual((yield* Effect.flip(credentials.store("openai.main", key))).message, message)
    assert.strictEqual((yield* Effect.flip(credentials.remove(["anthropic.main"]))).message, message)
    assert.strictEqual(fs.readFileSync(file, "utf8"), before)
    assert.include(message, file)
    assert.notInclude(message, "\n")
    assert.notInclude(message, "sk-")
    assert.deepStrictEqual(fs.readdirSync(path.dirname(file)), ["credentials.json"])
    return message
  })

describe("stored keys", () => {
  it.scopedLive("are none, and nothing is made, before one is stored", () =>
    Effect.gen(function* () {
      const { credentials, data, found } = yield* world
      assert.strictEqual(yield* found("anthropic.main"), undefined)
      assert.deepStrictEqual(yield* credentials.remove(["anthropic.main"]), [])
      assert.isFalse(fs.existsSync(data))
    })
  )

  it.scopedLive("are in a file and a folder for the person alone, whatever the umask", () =>
    Effect.gen(function* () {
      const { credentials, data, file, found } = yield* world
      const umask = yield* Effect.sync(() => process.umask(0))
      yield* Effect.ensuring(
        credentials.store("anthropic.main", key),
        Effect.sync(() => process.umask(umask))
      )
      assert.strictEqual(mode(file), 0o600)
      assert.strictEqual(mode(data), 0o700)
      assert.strictEqual(fs.readFileSync(file, "utf8"), text)
      assert.strictEqual(yield* found("anthropic.main"), "sk-first")
      assert.strictEqual(yield* found("openai.main"), undefined)
    })
  )

  it.scopedLive("tighten a folder that was open to others", () =>
    Effect.gen(function* () {
      const { credentials, data } = yield* world
      fs.mkdirSync(data)
      fs.chmodSync(data, 0o755)
      yield* credentials.store("anthropic.main", key)
      assert.strictEqual(mode(data), 0o700)
    })
  )

  it.scopedLive("are replaced and removed one by one, by a new file each time", () =>
    Effect.gen(function* () {
      const { credentials, data, file, found } = yield* world
      yield* credentials.store("anthropic.main", key)
      const first = fs.openSync(file, "r")
      yield* credentials.store("openai.main", Redacted.make("sk-second"))
      // Who reads while it is replaced reads the old one to its end.
      assert.strictEqual(fs.readFileSync(first, "utf8"), text)
      fs.closeSync(first)
      yield* credentials.store("anthropic.main", Redacted.make("sk-third"))
      assert.strictEqual(yield* found("anthropic.main"), "sk-third")
      assert.deepStrictEqual(yield* credentials.remove(["anthropic.main", "groq.main"]), ["anthropic.main"])
      assert.strictEqual(yield* found("anthropic.main"), undefined)
      assert.strictEqual(yield* found("openai.main"), "sk-second")
      assert.deepStrictEqual(fs.readdirSync(data), ["credentials.json"])
    })
  )

  it.scopedLive("are all kept when many are stored at once", () =>
    Effect.gen(function* () {
      const { credentials } = yield* world
      const names = Array.from({ length: 8 }, (_, at) => `custom.n${at}`)
      yield* Effect.forEach(names, (name) => credentials.store(name, key), { concurrency: "unbounded" })
      assert.sameMembers([...(yield* credentials.all).keys()], names)
    })
  )

  it.scopedLive("are no more than can be read again", () =>
    Effect.gen(function* () {
      const { credentials, write } = yield* world
      const keys = Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`custom.n${at}`, "k"]))
      write(JSON.stringify({ version: 1, keys }))
      yield* credentials.store("custom.n0", key)
      assert.include((yield* Effect.flip(credentials.store("custom.more", key))).message, "zeroclaw logout")
    })
  )

  it.scopedLive("wait for another program that stores one, and say which file it left behind", () =>
    Effect.gen(function* () {
      const { credentials, file, write } = yield* world
      write(text)
      fs.writeFileSync(`${file}.lock`, "")
      const { message } = yield* Effect.flip(credentials.store("openai.main", key))
      assert.include(message, `${file}.lock`)
      assert.strictEqual(fs.readFileSync(file, "utf8"), text)
      assert.isTrue(fs.existsSync(`${file}.lock`))
      fs.rmSync(`${file}.lock`)
      yield* credentials.store("openai.main", key)
    })
  )
})

describe("a file that is not used", () => {
  it.scopedLive.each([0o644, 0o640, 0o602, 0o606])("has mode %o: the line says how to mend it", (mode) =>
    Effect.gen(function* () {
      const { credentials, file, found, write } = yield* world
      write(text, mode)
      assert.include(yield* refused(file, credentials), `chmod 600 ${file}`)
      fs.chmodSync(file, 0o600)
      assert.strictEqual(yield* found("anthropic.main"), "sk-first")
    })
  )

  it.scopedLive.each(["", "not json sk-first", '{"version":3,"keys":{}}', '{"version":1,"keys":{"a.b":["sk-first"]}}'])(
    "is malformed: %s",
    (content) =>
      Effect.gen(function* () {
        const { credentials, file, write } = yield* world
        write(content)
        assert.include(yield* refused(file, credentials), "not what zeroclaw writes")
      })
  )

  it.scopedLive("is too large", () =>
    Effect.gen(function* () {
      const { credentials, file, write } = yield* world
      write(`${text}${" ".repeat(300 * 1024)}`)
      assert.include(yield* refused(file, credentials), "too large")
    })
  )

  it.scopedLive("is a symbolic link, even to a file that would do", () =>
    Effect.gen(function* () {
      const { credentials, data, file, paths } = yield* world
      fs.mkdirSync(data, { mode: 0o700 })
      fs.writeFileSync(path.join(paths.root, "elsewhere"), text, { mode: 0o600 })
      fs.symlinkSync(path.join(paths.root, "elsewhere"), file)
      assert.include(yield* refused(file, credentials), "symbolic link")
      assert.isTrue(fs.lstatSync(file).isSymbolicLink())
    })
  )

  it.scopedLive("is a pipe, which nobody waits for", () =>
    Effect.gen(function* () {
      const { credentials, data, file } = yield* world
      fs.mkdirSync(data, { mode: 0o700 })
      execFileSync("mkfifo", ["-m", "600", file])
      assert.include((yield* Effect.flip(credentials.all)).message, "not a regular file")
    })
  )

  it("belongs to another user, unless we are root", () => {
    const stats = { kind: "file", mode: 0o100600, size: 10, uid: 1000 } as const
    assert.include(objection("/f", stats, 1001) ?? "", "another user")
    assert.strictEqual(objection("/f", stats, 1000), undefined)
    assert.strictEqual(objection("/f", stats, 0), undefined)
  })

  it("is not judged by modes where there are none", () => {
    assert.strictEqual(objection("/f", { kind: "file", mode: 0o100666, size: 10, uid: 0 }, undefined), undefined)
  })
})

describe("tools", () => {
  it.scopedLive("can't read the file, not even with the whole disk open to them", () =>
    Effect.gen(function* () {
      const { file, paths, write } = yield* world
      write(text)
      const policies = yield* Effect.provide(PolicyService, Layer.provide(PolicyService.layer, Sandbox.test()))
      const policy = yield* policies.open({
        profile: {
          ...profile,
          level: "full",
          workspaceOnly: false,
          blockHighRisk: false,
          allowedRoots: [paths.root],
          forbiddenPaths: []
        },
        cwd: paths.root,
        agentWorkspace: path.join(paths.root, "workspace"),
        additionalDirectories: [],
        readOnlyRoots: [],
        ownPaths: paths.own
      })
      assert.strictEqual((yield* Effect.flip(Effect.scoped(policy.readFile(file, 1000)))).reason, "denied")
    })
  )
})
