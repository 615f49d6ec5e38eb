// What the sandbox adds to the start of a command: the same program with and without it, in turn.
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"

const at = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url))

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

/** Milliseconds of each run, or why there is no sandbox. A repository with what is usually forbidden. */
export const sandbox = async (folder, rounds) => {
  const build = await rolldown({
    input: {
      backend: at("src/sandbox/BubblewrapBackend.ts"),
      rules: at("src/policy/PathRules.ts"),
      effect: at("node_modules/effect/dist/esm/Effect.js")
    },
    platform: "node",
    cwd: at("."),
    logLevel: "warn"
  })
  await build.write({ dir: folder, format: "esm", entryFileNames: "[name].mjs" })
  await build.close()
  const load = (name) => import(pathToFileURL(path.join(folder, name)).href)
  const [{ make }, { defaultForbiddenPaths }, Effect] = await Promise.all(
    ["backend.mjs", "rules.mjs", "effect.mjs"].map(load)
  )
  const backend = await Effect.runPromise(make(process.env))
  if (!backend.status.ready) return { missing: backend.status.reason }
  const project = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "zeroclaw-bench-")))
  execFileSync("git", ["init", "-q", project])
  const home = os.homedir()
  const confinement = {
    cwd: project,
    mounts: [{ path: project, access: "write" }],
    masks: defaultForbiddenPaths.map((rule) => rule.replace(/^~(?=\/)/, home)),
    git: "write",
    network: false,
    env: { PATH: process.env.PATH, HOME: home }
  }
  const confined = () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(backend.launch(confinement, ["true"]), (launch) => Effect.promise(() => run(launch, project)))
      )
    )
  const bare = () => run({ file: "true", args: [], env: confinement.env }, project)
  const added = []
  for (let round = -5; round < rounds; round++) {
    const without = await timed(bare)
    const within = await timed(confined)
    if (round >= 0) added.push(within - without)
  }
  fs.rmSync(project, { recursive: true, force: true })
  return { added: added.sort((a, b) => a - b) }
}
