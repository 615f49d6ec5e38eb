// Bubblewrap as it is on this machine: found, tried with the real profile, and made ready to start commands.
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, Either } from "effect"
import { within } from "../text/Within.ts"
import { type Variant, variants, words } from "./Bubblewrap.ts"
import type { Confinement, Launch } from "./Confinement.ts"
import { host } from "./Look.ts"
import * as Placeholders from "./Placeholders.ts"
import { type Backend, SandboxError } from "./Service.ts"

/** Only by PATH, as a person chose it. A program in a folder that commands can change is not trusted. */
const find = (searchPath: string, untrusted: ReadonlyArray<string>): string | undefined =>
  searchPath
    .split(":")
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, "bwrap"))
    .find((file) => {
      const real = host.real(file)
      if (real === undefined || untrusted.some((root) => within(root, real))) return false
      try {
        fs.accessSync(real, fs.constants.X_OK)
        return fs.statSync(real).isFile()
      } catch {
        return false
      }
    })

const install =
  'Install bubblewrap (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap), or set sandbox_backend = "none" in the risk profile to run commands without one.'

/** Bounds that only a runaway meets: 8 GiB a file, 8192 processes. Shells differ in the letter for the latter. */
const limits = "ulimit -f 16777216; ulimit -u 8192 || ulimit -p 8192"
const limited = `{ ${limits}; } 2>/dev/null; exec "$@"`

const launchWith = (bwrap: string, args: ReadonlyArray<string>, argv: ReadonlyArray<string>): Launch => ({
  file: bwrap,
  args: [...args, "--", "/bin/sh", "-c", limited, "sh", ...argv],
  env: { PATH: "/usr/bin:/bin" }
})

/** What the probe finds out from inside: capabilities, new privileges, its own number, and whether it can write. */
const question = [
  'grep -E "^(CapEff|NoNewPrivs):" /proc/self/status',
  'echo "Pid: $$"',
  '(: > /usr/zeroclaw-probe) 2>/dev/null && echo "Wrote: yes" || echo "Wrote: no"'
].join("; ")

interface Asked {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

const ask = ({ args, env, file }: Launch): Effect.Effect<Asked> =>
  Effect.async((resume) => {
    const child = execFile(file, args, { env, timeout: 5000, killSignal: "SIGKILL" }, (error, stdout, stderr) =>
      resume(Effect.succeed({ code: error === null ? 0 : (error.code ?? "timeout"), stdout, stderr }))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const answer = (stdout: string, name: string): string | undefined =>
  new RegExp(`^${name}:\\s*(\\S+)$`, "m").exec(stdout)?.[1]

/** Evidence, or what is wrong. */
const verdict = ({ code, stderr, stdout }: Asked): Either.Either<string, string> => {
  if (code !== 0) return Either.left(stderr.trim().split("\n").at(-1) || `it ended with ${code}`)
  const capabilities = answer(stdout, "CapEff")
  const pid = Number(answer(stdout, "Pid"))
  const failed = [
    /^0+$/.test(capabilities ?? "") ? [] : [`it keeps capabilities (${capabilities})`],
    answer(stdout, "NoNewPrivs") === "1" ? [] : ["it can gain privileges"],
    pid > 0 && pid < 10 ? [] : ["it sees the processes of the machine"],
    answer(stdout, "Wrote") === "no" ? [] : ["it can write outside of its folders"]
  ].flat()
  return failed.length === 0
    ? Either.right("no capabilities, no new privileges, own processes, nothing outside is writable")
    : Either.left(failed.join(", "))
}

/** A confinement with nothing in it. */
const empty = (folder: string): Confinement => ({
  cwd: folder,
  mounts: [{ path: folder, access: "write" }],
  masks: [],
  git: "read",
  network: false,
  env: { PATH: "/usr/bin:/bin" }
})

const hint = (why: string): string =>
  /user namespace|Operation not permitted|setting up uid map|CLONE_NEWUSER/i.test(why)
    ? `${why}. User namespaces seem to be switched off (sysctl kernel.unprivileged_userns_clone or kernel.apparmor_restrict_unprivileged_userns).`
    : `${why}.`

/** The first variant that passes. */
const probe = (
  bwrap: string
): Effect.Effect<Either.Either<{ readonly variant: Variant; readonly evidence: string }, string>> =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "zeroclaw-probe-")))),
        (it) => Effect.sync(() => fs.rmSync(it, { recursive: true, force: true }))
      )
      // There is no repository to protect.
      const confinement: Confinement = { ...empty(folder), git: "write" }
      let first: string | undefined
      for (const variant of variants) {
        const made = words(host, confinement, variant)
        if (Either.isLeft(made)) return Either.left(made.left)
        const found = verdict(yield* ask(launchWith(bwrap, made.right.args, ["/bin/sh", "-c", question])))
        if (Either.isRight(found)) return Either.right({ variant, evidence: found.right })
        first ??= found.left
      }
      return Either.left(first ?? "it can't be started")
    })
  )

export const make = (environment: Readonly<Record<string, string | undefined>>): Effect.Effect<Backend> =>
  Effect.gen(function* () {
    const searchPath = environment["PATH"] ?? ""
    const missing = (reason: string): Backend => ({
      status: { ready: false, reason },
      launch: () => new SandboxError({ message: reason })
    })
    if (process.platform !== "linux") return missing("bubblewrap exists on Linux only.")
    const bwrap = find(searchPath, [])
    if (bwrap === undefined) return missing(`bubblewrap (bwrap) is not in PATH. ${install}`)
    const found = yield* probe(bwrap)
    if (Either.isLeft(found)) return missing(`${bwrap} does not work here: ${hint(found.left)}`)
    const { evidence, variant } = found.right
    const placeholders = Placeholders.make()
    return {
      status: { ready: true, evidence: `${bwrap}: ${evidence}` },
      launch: (confinement, argv) =>
        Effect.gen(function* () {
          const writable = confinement.mounts.flatMap(({ access, path }) => (access === "write" ? [path] : []))
          const trusted = find(searchPath, writable)
          if (trusted === undefined) {
            return yield* new SandboxError({
              message:
                "The only bwrap in PATH lies in a folder that commands can change, so it is not used. Install it elsewhere."
            })
          }
          const made = words(host, confinement, variant)
          if (Either.isLeft(made)) return yield* new SandboxError({ message: made.left })
          yield* placeholders.hold(made.right.placeholders)
          return launchWith(trusted, made.right.args, argv)
        })
    }
  })
