// A folder tree, and bash run in the real sandbox over it. Where bubblewrap is missing, that fails.
import { type ChildProcess, execFile, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, Logger, LogLevel, Schedule, type Scope } from "effect"
import type { Confinement, Launch } from "../../src/sandbox/Confinement.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import type { SandboxError } from "../../src/sandbox/Service.ts"

export interface Tree {
  readonly base: string
  /** The command's working folder, mounted to be written. */
  readonly ws: string
  readonly at: (...parts: ReadonlyArray<string>) => string
  readonly put: (file: string, text: string) => void
  readonly confinement: Confinement
}

/** Not below /tmp, which is empty in a sandbox: what is not seen must be hidden for another reason. */
export const tree: Effect.Effect<Tree, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const base = fs.realpathSync(fs.mkdtempSync(path.join("/var/tmp", "sandbox-")))
    const at = (...parts: ReadonlyArray<string>) => path.join(base, ...parts)
    const put = (file: string, text: string) => {
      fs.mkdirSync(path.dirname(at(file)), { recursive: true })
      fs.writeFileSync(at(file), text)
    }
    for (const folder of ["ws", "home"]) fs.mkdirSync(at(folder))
    const confinement: Confinement = {
      cwd: at("ws"),
      mounts: [{ path: at("ws"), access: "write" }],
      masks: [],
      git: "read",
      network: false,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: at("home"), LANG: "C" }
    }
    return { base, ws: at("ws"), at, put, confinement }
  }),
  ({ base }) => Effect.sync(() => fs.rmSync(base, { recursive: true, force: true }))
)

/** Probed once for all tests. */
const sandbox = Effect.runSync(Effect.cached(Effect.provide(Sandbox, Sandbox.live(process.env))))

export const prepare = (confinement: Confinement, script: string): Effect.Effect<Launch, SandboxError, Scope.Scope> =>
  Effect.flatMap(sandbox, ({ launch }) =>
    launch("bubblewrap", confinement, ["/bin/bash", "--norc", "-c", script])
  ).pipe(Logger.withMinimumLogLevel(LogLevel.Error))

export interface Result {
  readonly code: number | string | null | undefined
  /** Both streams, without the blanks around. */
  readonly out: string
}

export const execute = ({ args, env, file }: Launch, cwd: string): Effect.Effect<Result> =>
  Effect.async((resume) => {
    const child = execFile(file, args, { env, cwd, timeout: 20_000, killSignal: "SIGKILL" }, (error, stdout, stderr) =>
      resume(Effect.succeed({ code: error === null ? 0 : error.code, out: `${stdout}${stderr}`.trim() }))
    )
    child.stdin?.end()
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** What one script does in a sandbox, which is gone afterwards. */
export const run = (confinement: Confinement, script: string): Effect.Effect<Result, SandboxError> =>
  Effect.scoped(Effect.flatMap(prepare(confinement, script), (launch) => execute(launch, confinement.cwd)))

export const start = ({ args, env, file }: Launch, cwd: string): ChildProcess =>
  spawn(file, args, { env, cwd, stdio: "ignore" })

/** Numbers of the processes whose words, each ended by NUL, are such. */
export const processes = (such: (argv: string) => boolean): ReadonlyArray<number> =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return such(fs.readFileSync(`/proc/${name}/cmdline`, "utf8")) ? [Number(name)] : []
      } catch {
        return []
      }
    })

/** Waits until it is so, ten seconds at most; fails with what was seen last. */
export const eventually = <A>(look: () => A, isSo: (seen: A) => boolean): Effect.Effect<A, A> =>
  Effect.suspend(() => {
    const seen = look()
    return isSo(seen) ? Effect.succeed(seen) : Effect.fail(seen)
  }).pipe(Effect.retry(Schedule.intersect(Schedule.spaced("20 millis"), Schedule.recurs(500))))

let words = 0
/** A word that no other process has in its command line. */
export const uniqueWord = (): string => `sandboxed-${process.pid}-${++words}-${os.uptime().toFixed(2).replace(".", "")}`
