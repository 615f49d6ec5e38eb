// A short command for a client's terminal to show, in place of a sandbox's many words.
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import type { Launch } from "../sandbox/Confinement.ts"
import { quoteAll } from "../text/ShellQuote.ts"

/** Ours alone, and gone with the scope. */
const privateFolder = Effect.acquireRelease(
  Effect.tryPromise(() => fs.mkdtemp(path.join(tmpdir(), "zeroclaw-"))),
  (folder) => Effect.ignore(Effect.tryPromise(() => fs.rm(folder, { recursive: true, force: true })))
)

/** A client adds to the environment of what it starts. */
const alone = ({ args, env, file }: Launch): ReadonlyArray<string> => [
  "/usr/bin/env",
  "-i",
  ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
  file,
  ...args.slice(0, -1)
]

/**
 * Runs `launch` with its last word, the command line itself, left to see. A sandbox ends with the thread that started it,
 * and editors start programs from threads that come and go: the shell stays between.
 */
export const shorten = (launch: Launch): Effect.Effect<Launch, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const script = path.join(yield* privateFolder, "sandboxed")
    const text = `${quoteAll(alone(launch))} "$@"\nexit $?\n`
    yield* Effect.tryPromise(() => fs.writeFile(script, text, { mode: 0o600, flag: "wx" }))
    return { ...launch, file: "/bin/sh", args: [script, ...launch.args.slice(-1)] }
  })
