// What many cases share: readings of frames, a store that outlives a server, the program on fixed input.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import type { ModelEvent } from "../../src/model/Model.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import * as Store from "../../src/store/Store.ts"
import * as Embedded from "./Embedded.ts"
import type * as Peer from "./Peer.ts"
import * as Server from "./Server.ts"

export const place = { cwd: Embedded.cwd, mcpServers: [] }

/** Shows one word, then nothing until it is cancelled. */
export const hang = (): Stream.Stream<ModelEvent> =>
  Stream.concat(Stream.make<Array<ModelEvent>>({ _tag: "Text", text: "working" }), Stream.never)

export const stopReason = ({ result }: Peer.Response): unknown => result?.["stopReason"]

/** Positions of all answers to one id. */
export const answersTo = (peer: Peer.Peer, id: unknown): ReadonlyArray<number> =>
  peer.frames().flatMap((frame, at) => (frame._tag === "Response" && frame.id === id ? [at] : []))

export const kindOf = (frame: Peer.Frame): unknown => {
  if (frame._tag !== "Notification") return undefined
  const { update } = frame.params
  return typeof update === "object" && update !== null && "sessionUpdate" in update ? update.sessionUpdate : undefined
}

/** What belongs to a turn: none of it may follow the turn's answer. */
export const turnKinds: ReadonlySet<unknown> = new Set([
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan"
])

export const statuses = (peer: Peer.Peer, toolCallId: string): ReadonlyArray<unknown> =>
  peer.updates().flatMap((update) => (update["toolCallId"] === toolCallId ? [update["status"] ?? []].flat() : []))

/** The last status of each tool call, in order of appearance. */
export const lastStatuses = (peer: Peer.Peer): ReadonlyMap<unknown, unknown> =>
  new Map(
    peer
      .updates()
      .flatMap(({ status, toolCallId }) =>
        toolCallId === undefined || status === undefined ? [] : [[toolCallId, status] as const]
      )
  )

/** Sends a line of our own spelling as a request of this id. */
export const sendRaw = (peer: Peer.Peer, id: string | number, method: string, line: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    peer.note(id, method)
    return peer.send(line)
  })

/** One store for several servers in turn: what a restart leaves. */
export const durableStore = Effect.map(Layer.build(Store.memoryWith({ durable: true })), (context) =>
  Layer.succeed(SessionStore, Context.get(context, SessionStore))
)

export const line = (id: number | string, method: string, params: unknown): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`
export const initialize = line("init", "initialize", { protocolVersion: 1, clientCapabilities: {} })

/** The program on fixed bytes: what it printed, and how it ended. */
export const pipe = (
  home: string,
  input: string | Uint8Array,
  env: Readonly<Record<string, string>> = {},
  args: ReadonlyArray<string> = []
) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [Server.bundle, "acp", ...args], {
    input,
    env: { ...Server.environment(home), ...env },
    timeout: 25_000,
    maxBuffer: 64 * 1024 * 1024
  })
  const out = stdout.toString("utf8")
  assert.isTrue(out === "" || out.endsWith("\n"))
  return {
    status,
    out,
    stderr: stderr.toString("utf8"),
    lines: out.split("\n").slice(0, -1)
  }
}

/** The answers to all but `initialize`, which may be overtaken by what is refused at once. */
export const others = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.filter((text) => JSON.parse(text).id !== "init")

/** How many processes have this word on their command line. */
export const countProcesses = (word: string): number =>
  fs.readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word)
    } catch {
      return false
    }
  }).length

/** Resident memory of a process, in MiB. */
export const residentMiB = (pid: number | undefined): number => {
  const status = fs.readFileSync(`/proc/${pid}/status`, "utf8")
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
}
