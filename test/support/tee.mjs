// Runs a command and writes each line that goes in (">") and comes out ("<") to a file: tee.mjs FILE COMMAND ARGS…
import { spawn } from "node:child_process"
import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"

const [file = "", command = "", ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
const record = (mark, input, output) =>
  createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
    .on("line", (line) => {
      appendFileSync(file, `${mark} ${line}\n`)
      output.write(`${line}\n`)
    })
    .on("close", () => output.end())
record(">", process.stdin, child.stdin)
record("<", child.stdout, process.stdout)
child.on("exit", (code) => (process.exitCode ??= code ?? 1))
