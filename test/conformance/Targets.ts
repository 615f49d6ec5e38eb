// Our agent on each of its transports. A further transport is one more entry of the list.
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Fiber, type Scope, Stream } from "effect"
import type { Message } from "../../src/model/Message.ts"
import type { ModelEvent, ModelService } from "../../src/model/Model.ts"
import * as Store from "../../src/store/Store.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Server from "../support/Server.ts"
import * as Process from "./Process.ts"
import type { Agent } from "./Requirement.ts"

export interface Target {
  readonly transport: string
  readonly agent: Effect.Effect<Agent, never, Scope.Scope>
}

const patience = { patience: "20 seconds", quiet: "300 millis", allowLogout: true } as const

const wordsOf = (messages: ReadonlyArray<Message>): string => {
  const last = messages.at(-1)
  return last?._tag === "User" ? JSON.stringify(last) : ""
}

/** Answers by what the prompt asks for: `long` never ends, `tools` calls one. */
const model: ModelService = Embedded.scripted((messages) => {
  const words = wordsOf(messages)
  if (words.includes("long")) {
    return Stream.concat(Stream.make<Array<ModelEvent>>({ _tag: "Text", text: "working" }), Stream.never)
  }
  return words.includes("tools") ? Embedded.call(["run", { x: 1 }])() : Embedded.say("hello")()
})

const memory: Target = {
  transport: "memory",
  agent: Effect.succeed({
    ...patience,
    name: "zeroclaw in memory",
    cwd: Embedded.cwd,
    otherFolder: "/other",
    prompts: { short: "short", long: "long", tools: "tools" },
    start: Effect.gen(function* () {
      const { close, server, transport } = yield* Embedded.connect({
        model,
        policy: Embedded.ask,
        store: Store.memoryWith({ durable: true }),
        tools: [Embedded.tool("run", Effect.succeed("output"))]
      })
      const record = Process.recorder()
      const pump: Effect.Effect<void> = Effect.flatMap(transport.incoming.takeAll, ([lines, done]) => {
        for (const line of lines) if (line._tag === "Text") record.add(Buffer.from(line.text))
        return done ? Effect.sync(record.end) : pump
      })
      yield* Effect.forkScoped(pump)
      const process: Process.Process = {
        send: transport.send,
        line: record.line,
        lines: record.lines,
        closeInput: close,
        exit: Effect.as(Fiber.await(server), 0),
        stderr: () => ""
      }
      return process
    })
  })
}

const stdio: Target = {
  transport: "stdio",
  agent: Effect.gen(function* () {
    const { home, project } = yield* Server.place()
    const otherFolder = yield* Server.temporary("other")
    fs.writeFileSync(path.join(project, "notes.md"), "# Notes\nalpha\n")
    const agent: Agent = {
      ...patience,
      name: "zeroclaw acp",
      cwd: project,
      otherFolder,
      prompts: {
        short: "echo hello",
        long: "run sleep 30",
        tools: 'plan: read notes.md; create new.txt with "x"; run echo hi'
      },
      start: Process.ofCommand({
        program: process.execPath,
        args: [Server.bundle, "acp"],
        env: Server.environment(home),
        cwd: "/"
      })
    }
    return agent
  })
}

export const targets: ReadonlyArray<Target> = [memory, stdio]

/** What informational requirements record of us. */
export const records: ReadonlyMap<string, string> = new Map([
  ["ACP-STDERR-001", ""],
  ["ACP-INFO-PARSE-001", "-32700, id null"],
  ["ACP-INFO-INVALIDREQ-001", "-32600"],
  ["ACP-INFO-UNKNOWNSESSION-001", "-32002"]
])

/** What is not ours to have: no model of the test takes pictures or sound; sign-in methods are offered. */
export const absent: ReadonlySet<string> = new Set(["ACP-PROMPTCAP-001", "ACP-PROMPTCAP-002", "ACP-AUTH-005"])
