// A process that swaps two paths as fast as it can, until its scope closes.
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { Effect } from "effect"

const exchange = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
a, b = sys.argv[1].encode(), sys.argv[2].encode()
print("ready", flush=True)
parent = os.getppid()
while os.getppid() == parent:
    libc.renameat2(-100, a, -100, b, 2)
`

/** Without python: three renames, so that the name is missing at times. */
const rotate = `
const fs = require("node:fs")
const [a, b] = process.argv.slice(1)
console.log("ready")
const parent = process.ppid
while (process.ppid === parent) {
  fs.renameSync(a, a + ".x"); fs.renameSync(b, a); fs.renameSync(a + ".x", b)
}
`

export const racer = (a: string, b: string) =>
  Effect.acquireRelease(
    Effect.async<ChildProcess>((resume) => {
      const python = spawnSync("python3", ["-c", "import ctypes"]).status === 0
      const child = python
        ? spawn("python3", ["-c", exchange, a, b], { stdio: ["ignore", "pipe", "ignore"] })
        : spawn(process.execPath, ["-e", rotate, a, b], { stdio: ["ignore", "pipe", "ignore"] })
      child.stdout.once("data", () => resume(Effect.succeed(child)))
    }),
    (child) =>
      Effect.async<void>((resume) => {
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )
