// The place of one attack: a workspace, an outside with a secret, a home with keys, our own files; and the case's own set-up.
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, Schema, type Scope } from "effect"

export const canary = "CANARY"

export interface World {
  readonly base: string
  readonly ws: string
  readonly out: string
  readonly home: string
  readonly agentWorkspace: string
  readonly config: string
  readonly data: string
}

const Operation = Schema.Union(
  Schema.Struct({ op: Schema.Literal("mkdir"), path: Schema.String }),
  Schema.Struct({ op: Schema.Literal("file"), path: Schema.String, content: Schema.String }),
  Schema.Struct({ op: Schema.Literal("symlink", "hardlink"), path: Schema.String, target: Schema.String }),
  Schema.Struct({ op: Schema.Literal("mkfifo", "unix_listen", "git_init"), path: Schema.String }),
  Schema.Struct({ op: Schema.Literal("sparse", "random"), path: Schema.String, bytes: Schema.Number }),
  Schema.Struct({ op: Schema.Literal("env"), set: Schema.Record({ key: Schema.String, value: Schema.String }) }),
  Schema.Struct({ op: Schema.Literal("bindmount"), src: Schema.String, dst: Schema.String }),
  Schema.Struct({ op: Schema.Literal("path_without"), bin: Schema.String })
)
export type Operation = typeof Operation.Type

const Text = Schema.Union(
  Schema.String,
  Schema.Struct({
    gen: Schema.Literal("repeat"),
    unit: Schema.String,
    n: Schema.Number,
    suffix: Schema.optionalWith(Schema.String, { default: () => "" })
  })
)

const strings = Schema.Array(Schema.String)

export const Case = Schema.Struct({
  id: Schema.String,
  area: Schema.String,
  title: Schema.String,
  profile: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.Unknown }), { default: () => ({}) }),
  setup: Schema.optionalWith(Schema.Array(Operation), { default: () => [] }),
  cwd: Schema.optionalWith(Schema.String, { default: () => "{{WS}}" }),
  /** Happens to the workspace once the session is there. */
  opened: Schema.optional(Schema.Literal("replace-workspace")),
  calls: Schema.Array(Schema.Struct({ tool: Schema.String, args: Schema.Record({ key: Schema.String, value: Text }) })),
  expect: Schema.Struct({
    tool_status: Schema.optional(Schema.Literal("failed", "completed")),
    each: Schema.optional(strings),
    canary_absent: Schema.optional(Schema.Boolean),
    ask_or_deny: Schema.optional(Schema.Boolean),
    runs: Schema.optional(Schema.Boolean),
    permission_requests: Schema.optional(Schema.Number),
    unchanged: Schema.optional(strings),
    absent: Schema.optional(strings),
    permission_title_has_no: Schema.optional(strings),
    output_lacks: Schema.optional(strings),
    embedded_resource: Schema.optional(Schema.Boolean)
  })
})
export type Case = typeof Case.Type

export const world: Effect.Effect<World, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "attack-")))
    const at = (...parts: ReadonlyArray<string>) => path.join(base, ...parts)
    const put = (file: string, text: string) => {
      fs.mkdirSync(path.dirname(at(file)), { recursive: true })
      fs.writeFileSync(at(file), text)
    }
    put("ws/keep", "kept\n")
    for (const file of [
      "out/secret",
      "home/.ssh/id_ed25519",
      "home/.aws/credentials",
      "cfg/config.toml",
      "cfg/acp-bridge-token",
      "cfg/data/sessions/acp-sessions.db"
    ]) {
      put(file, canary)
    }
    return {
      base,
      ws: at("ws"),
      out: at("out"),
      home: at("home"),
      agentWorkspace: at("cfg/agents/default/workspace"),
      config: at("cfg"),
      data: at("cfg/data")
    }
  }),
  ({ base }) => Effect.sync(() => fs.rmSync(base, { recursive: true, force: true }))
)

/** Placeholders of the cases. Nothing listens on the port. */
export const fill = (text: string, { agentWorkspace, base, config, data, home, out, ws }: World): string =>
  Object.entries({
    WS: ws,
    OUT: out,
    HOME: home,
    AGENTWS: agentWorkspace,
    CFG: config,
    DATA: data,
    BASE: base,
    ETC: "/etc",
    GWPORT: "9"
  }).reduce((filled, [name, value]) => filled.replaceAll(`{{${name}}}`, value), text)

export const textOf = (value: typeof Text.Type, world: World): string =>
  typeof value === "string" ? fill(value, world) : value.unit.repeat(value.n) + value.suffix

/** What a case changes of our own process's environment. */
export interface Changed {
  readonly environment: Readonly<Record<string, string>>
}

const listen = (at: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.async<net.Server>((resume) => {
        const server = net.createServer()
        server.listen(at, () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
    )
  )

/** Folders of PATH with one program left out, by links to all others. */
export const pathWithout = (bin: string, folder: string): string => {
  fs.mkdirSync(folder)
  for (const from of (process.env["PATH"] ?? "").split(":").filter((it) => fs.existsSync(it))) {
    for (const name of fs.readdirSync(from)) {
      const link = path.join(folder, name)
      if (name !== bin && !fs.existsSync(link)) fs.symlinkSync(path.join(from, name), link)
    }
  }
  return folder
}

const bindMount = (from: string, to: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      fs.mkdirSync(to)
      execFileSync("mount", ["--bind", from, to])
    }),
    () => Effect.sync(() => execFileSync("umount", [to]))
  )

/** Whether this machine lets a test do it. */
export const canMount = process.getuid?.() === 0

export const apply = (
  operation: Operation,
  made: World
): Effect.Effect<Readonly<Record<string, string>>, never, Scope.Scope> => {
  const none = {}
  const at = (text: string) => fill(text, made)
  switch (operation.op) {
    case "env":
      return Effect.succeed(operation.set)
    case "path_without":
      return Effect.sync(() => ({ PATH: pathWithout(operation.bin, path.join(made.base, "bin")) }))
    case "unix_listen":
      return Effect.as(listen(at(operation.path)), none)
    case "bindmount":
      return Effect.as(bindMount(at(operation.src), at(operation.dst)), none)
    default:
      return Effect.sync(() => {
        const file = at(operation.path)
        fs.mkdirSync(path.dirname(file), { recursive: true })
        switch (operation.op) {
          case "mkdir":
            fs.mkdirSync(file, { recursive: true })
            break
          case "file":
            fs.writeFileSync(file, at(operation.content))
            break
          case "symlink":
            fs.symlinkSync(at(operation.target), file)
            break
          case "hardlink":
            fs.linkSync(at(operation.target), file)
            break
          case "mkfifo":
            execFileSync("mkfifo", [file])
            break
          case "git_init":
            execFileSync("git", ["init", "-q", file])
            break
          case "sparse":
            fs.closeSync(fs.openSync(file, "w"))
            fs.truncateSync(file, operation.bytes)
            break
          case "random":
            fs.writeFileSync(file, randomBytes(operation.bytes))
            break
        }
        return none
      })
  }
}
