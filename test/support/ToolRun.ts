// Prepares and runs one tool in a temporary folder, as the loop would.
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import type { ToolCallContent } from "../../src/contract/ToolCall.ts"
import type { PlanEntry } from "../../src/contract/Update.ts"
import { plain } from "../../src/loop/ClientSide.ts"
import type { SessionPolicy } from "../../src/policy/PolicyService.ts"
import type { Tool, ToolContext } from "../../src/tools/Tool.ts"
import { tempFolder, testPolicy } from "./TestPolicy.ts"

/** A client that can't be asked anything, and a conversation that nobody reads. */
export const noClient: Pick<ToolContext, "ask" | "client" | "say"> = {
  ask: () => Effect.succeed({ outcome: "cancelled" }),
  say: () => Effect.void,
  client: plain
}

export interface Bench {
  readonly root: string
  readonly policy: SessionPolicy
  readonly context: ToolContext
  readonly progress: Array<ReadonlyArray<ToolCallContent>>
  readonly said: Array<string>
  readonly plans: Array<ReadonlyArray<PlanEntry>>
  readonly write: (name: string, content: string | Uint8Array) => void
  readonly read: (name: string) => string
}

export const bench = Effect.map(tempFolder, (root): Bench => {
  const policy = testPolicy(root)
  const progress: Bench["progress"] = []
  const plans: Bench["plans"] = []
  const said: Array<string> = []
  return {
    root,
    policy,
    progress,
    said,
    plans,
    context: {
      sessionId: "session-1",
      toolCallId: "call-1",
      ...noClient,
      policy,
      progress: (content) => Effect.sync(() => void progress.push(content)),
      say: (text) => Effect.sync(() => void said.push(text)),
      plan: (entries) => Effect.sync(() => void plans.push(entries))
    },
    write: (name, content) => {
      fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
      fs.writeFileSync(path.join(root, name), content)
    },
    read: (name) => fs.readFileSync(path.join(root, name), "utf8")
  }
})

export const prepare = (tool: Tool, { policy }: Bench, input: unknown) => tool.prepare(JSON.stringify(input), policy)

export const call = (tool: Tool, bench: Bench, input: unknown) =>
  Effect.flatMap(prepare(tool, bench, input), ({ run }) => run(bench.context))

/** The text of a card's blocks. */
export const cardText = (content: ReadonlyArray<ToolCallContent> = []): string =>
  content.map((it) => (it.type === "content" && it.content.type === "text" ? it.content.text : it.type)).join("\n")
