// An agent of plain lines, for what only a real process can do: die, print noise, hold on to pipes. Mode: argv[2].
import { spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { createInterface } from "node:readline"

const [mode, ...rest] = process.argv.slice(2)
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const update = (value) => send({ method: "session/update", params: { sessionId: "line-1", update: value } })
const say = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } })

if (mode === "deaf") {
  process.on("SIGTERM", () => process.stderr.write("SIGTERM is ignored\n"))
  setInterval(() => {}, 1000)
}

const onPrompt = (id) => {
  switch (mode) {
    case "dies":
      say("half an ans")
      process.stderr.write("first trouble\nout of luck\n")
      process.exitCode = 3
      process.stdin.destroy()
      return
    case "half-line":
      process.stdout.write('{"jsonrpc":"2.0","id":', () => process.exit(4))
      return
    case "closes-stdout":
      closeSync(1)
      setInterval(() => {}, 1000)
      return
    case "grandchild":
      // The grandchild inherits stdout and keeps it open.
      spawn(process.execPath, ["-e", "setTimeout(() => {}, 20000)"], {
        stdio: ["ignore", "inherit", "inherit"]
      }).unref()
      process.exit(5)
      return
    case "asks":
      send({
        id: "p1",
        method: "session/request_permission",
        params: {
          sessionId: "line-1",
          toolCall: { toolCallId: "t1", title: "Run `make`", kind: "execute", status: "pending" },
          options: [
            { optionId: "yes-1", name: "Allow once", kind: "allow_once" },
            { optionId: "no-1", name: "Reject", kind: "reject_once" }
          ]
        }
      })
      onAnswer = (result) => {
        say(`answered ${JSON.stringify(result.outcome)}`)
        send({ id, result: { stopReason: result.outcome.outcome === "cancelled" ? "cancelled" : "end_turn" } })
      }
      return
    case "noise":
      process.stdout.write('starting...\n\u001b[2J\n{"level":"info","id":0}\n"just a string"\n')
      break
    case "unasked":
      send({ id: "f1", method: "fs/read_text_file", params: { sessionId: "line-1", path: "/etc/hostname" } })
      send({ id: 9, method: "_x/y", params: {} })
      answers.then((seen) => {
        say(seen.join(" "))
        send({ id, result: { stopReason: "end_turn" } })
      })
      return
  }
  say(`args ${rest.join(",")}`)
  send({ id, result: { stopReason: "end_turn" } })
}

const seen = []
let enough = () => {}
let onAnswer = () => {}
const answers = new Promise((resolve) => {
  enough = () => resolve(seen)
})

createInterface({ input: process.stdin }).on("line", (line) => {
  const { error, id, method, result } = JSON.parse(line)
  if (id === "p1" && result !== undefined) onAnswer(result)
  if (error !== undefined && seen.push(`${JSON.stringify(id)}:${error.code}`) === 2) enough()
  if (method === "initialize") {
    if (mode === "dies-early") {
      process.stderr.write("no licence\n", () => process.exit(7))
      return
    }
    send({ id, result: { protocolVersion: mode === "version-2" ? 2 : 1 } })
  }
  if (method === "session/new") send({ id, result: { sessionId: "line-1" } })
  if (method === "session/prompt") onPrompt(id)
})
