// What the sandbox adds to the start of a command: the same program with and without it, in turn.
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { build } from "./build.mjs"

const run = ({ args, env, file }, cwd) =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, stdio: "ignore" })
    child.once("error", reject)
    child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`${file} ended with ${code}`))))
  })

const timed = async (work) => {
  const from = performance.now()
  await work()
  return performance.now() - from
}

/** Milliseconds of each run in a repository: of a command that only reads, and of git; or why there is no sandbox. */
export const sandbox = async (folder, rounds) => {
  const modules = await build(folder, {
    maker: "src/sandbox/BubblewrapBackend.ts",
    rules: "src/policy/PathRules.ts",
    effect: "node_modules/effect/dist/esm/Effect.js"
  })
  const Effect = modules.effect
  const { defaultForbiddenPaths } = modules.rules
  const backend = await Effect.runPromise(modules.maker.make(process.env))
  if (!backend.status.ready) return { missing: backend.status.reason }
  const project = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "zeroclaw-bench-")))
  execFileSync("git", ["init", "-q", project])
  const home = os.homedir()
  const confinement = (access, git) => ({
    cwd: project,
    mounts: [{ path: project, access }],
    masks: defaultForbiddenPaths.map((rule) => rule.replace(/^~(?=\/)/, home)),
    git,
    network: false,
    env: { PATH: process.env.PATH, HOME: home }
  })
  const within = (confinement) => () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(backend.launch(confinement, ["true"]), (launch) => Effect.promise(() => run(launch, project)))
      )
    )
  const bare = () => run({ file: "true", args: [], env: { PATH: process.env.PATH } }, project)
  const kinds = { reads: within(confinement("read", "read")), commits: within(confinement("write", "write")) }
  const added = { reads: [], commits: [] }
  for (let round = -5; round < rounds; round++) {
    const without = await timed(bare)
    for (const [kind, confined] of Object.entries(kinds)) {
      const took = await timed(confined)
      if (round >= 0) added[kind].push(took - without)
    }
  }
  fs.rmSync(project, { recursive: true, force: true })
  for (const times of Object.values(added)) times.sort((a, b) => a - b)
  return { added }
}
