// Start-up and turn latency of the shipped program, as ratios to bare Node measured in the same run.
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { classifier } from "./classifier.mjs"
import { sandbox } from "./sandbox.mjs"

const program = fileURLToPath(new URL("../dist/zeroclaw.js", import.meta.url))
const rounds = Number(process.argv[2] ?? 21)
const home = fs.mkdtempSync(path.join(os.tmpdir(), "zeroclaw-bench-"))
const project = fs.mkdtempSync(path.join(os.tmpdir(), "zeroclaw-bench-"))
fs.writeFileSync(path.join(project, "a.txt"), "alpha\n")

const request = (id, method, params) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`
const start = (args) =>
  spawn(process.execPath, args, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ZEROCLAW_CONFIG_DIR: home }
  })
const ended = (child) => new Promise((resolve) => child.once("exit", resolve))

/** Milliseconds from spawn to the first byte of output. */
const firstByte = async (args, input) => {
  const from = performance.now()
  const child = start(args)
  child.stdin.write(input)
  await new Promise((resolve) => child.stdout.once("data", resolve))
  const took = performance.now() - from
  // A proper end: newer Nodes write their compile cache then.
  child.stdin.end()
  await ended(child)
  return took
}

/** One server; gives a function that sends a request and waits for its answer. */
const connect = () => {
  const child = start([program, "acp"])
  const waiting = new Map()
  let rest = ""
  child.stdout.on("data", (bytes) => {
    rest += bytes
    const lines = rest.split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const frame = JSON.parse(line)
      if (frame.method === "session/request_permission") {
        child.stdin.write(
          `${JSON.stringify({ jsonrpc: "2.0", id: frame.id, result: { outcome: { outcome: "selected", optionId: "allow-once" } } })}\n`
        )
      } else if (frame.id !== undefined) waiting.get(frame.id)?.(frame)
    }
  })
  let id = 0
  const call = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++id, resolve)
      child.stdin.write(request(id, method, params))
    })
  return { child, call }
}

const timed = async (work) => {
  const from = performance.now()
  await work()
  return performance.now() - from
}

const sorted = (values) => [...values].sort((a, b) => a - b)
const median = (values) => sorted(values)[Math.floor(values.length / 2)] ?? 0
const row = (name, values, unit = "ms") => {
  const all = sorted(values)
  const text = [all[0], median(all), all.at(-1)].map((value) => (value ?? 0).toFixed(2).padStart(9)).join(" ")
  console.log(`${name.padEnd(34)} ${text}  ${unit}`)
}

const initialize = request(0, "initialize", { protocolVersion: 1 })
const bare = []
const ours = []
for (let round = -2; round < rounds; round++) {
  const plain = await firstByte(["-e", "process.stdin.once('data', () => process.stdout.write('x'))"], initialize)
  const full = await firstByte([program, "acp"], initialize)
  // The first rounds only warm the file cache.
  if (round >= 0) {
    bare.push(plain)
    ours.push(full)
  }
}

const { call, child } = connect()
await call("initialize", { protocolVersion: 1 })
const opened = []
const echoes = []
const reads = []
const shells = []
let sessionId = ""
for (let round = 0; round < Math.min(rounds, 9); round++) {
  opened.push(
    await timed(async () => {
      sessionId = (await call("session/new", { cwd: project, mcpServers: [] })).result.sessionId
    })
  )
}
const prompt = (text) => call("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
for (let round = -5; round < rounds * 5; round++) {
  const values = [
    await timed(() => prompt("echo hi")),
    await timed(() => prompt("read a.txt")),
    await timed(() => prompt("run true"))
  ]
  if (round >= 0) for (const [at, list] of [echoes, reads, shells].entries()) list.push(values[at])
}
const chunks = 50_000
const streaming = await timed(() => prompt(`repeat ${chunks} some text`))
child.stdin.end()
await ended(child)

console.log(`Node ${process.version}, ${os.cpus().length} cores, ${rounds} rounds`)
console.log(`${"".padEnd(34)} ${["min", "median", "max"].map((name) => name.padStart(9)).join(" ")}`)
row("bare Node, spawn to first byte", bare)
row("spawn to initialize answered", ours)
row(
  "  ratio to bare Node",
  ours.map((value, at) => value / bare[at]),
  "x"
)
row("session/new, stored", opened)
row("turn, no tool, stored", echoes)
row("turn, one read, stored", reads)
row("turn, one command, stored", shells)
console.log(`${"update throughput".padEnd(34)} ${(chunks / (streaming / 1000)).toFixed(0).padStart(19)}  updates/s`)
const judged = await classifier(path.join(home, "classifier"))
for (const [name, times] of [
  ["command line judged", judged.everyday],
  ["  16 KiB, the worst shapes", judged.worst]
]) {
  const [p50, p99] = [0.5, 0.99].map((share) => (times[Math.floor(times.length * share)] ?? 0).toFixed(3))
  console.log(`${name.padEnd(34)} ${`p50 ${p50}, p99 ${p99}, max ${(times.at(-1) ?? 0).toFixed(3)}`.padStart(29)}  ms`)
}
const { added = {}, missing } = await sandbox(path.join(home, "sandbox"), rounds * 5)
if (missing !== undefined) console.log(`${"sandbox".padEnd(34)} ${missing}`)
for (const [kind, name] of [
  ["reads", "sandbox, added to a command"],
  ["commits", "  to one that changes a repository"]
]) {
  const times = added[kind]
  if (times === undefined) continue
  const [p50, p95] = [0.5, 0.95].map((share) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2))
  console.log(`${name.padEnd(34)} ${`p50 ${p50}, p95 ${p95}; goals 10, 30`.padStart(29)}  ms`)
}
fs.rmSync(home, { recursive: true, force: true })
fs.rmSync(project, { recursive: true, force: true })
