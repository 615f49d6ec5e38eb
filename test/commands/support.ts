// A session for commands: what the agent answers, what it lists, and a catalog with a model that thinks.
import { Effect, Layer, Option, Schema } from "effect"
import { SessionUpdate } from "../../src/contract/Update.ts"
import type { Message } from "../../src/model/Message.ts"
import type { ModelService } from "../../src/model/Model.ts"
import { Models } from "../../src/model/Models.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"

export const decode = Schema.decodeUnknownSync(SessionUpdate)

export const level = (value: string) => ({ value, name: value })

/** Two models of which the second one has thought levels; the same service answers for both. */
export const twoModels = (model: ModelService): Layer.Layer<Models> =>
  Layer.succeed(Models, {
    forAgent: (_, selection) => Effect.succeed({ ...model, id: selection.model ?? "plain" }),
    catalog: (_, selection) =>
      Effect.succeed({
        models: [
          { value: "plain", name: "Plain" },
          { value: "deep", name: "Deep thinker" }
        ],
        thoughtLevels: selection.model === "deep" ? ["off", "low", "high"].map(level) : []
      })
  })

export interface Answer {
  readonly stopReason: unknown
  /** `content` in the answer to the prompt. */
  readonly content: unknown
  /** What was shown during the turn. */
  readonly updates: ReadonlyArray<SessionUpdate>
  /** The agent's messages, joined. */
  readonly text: string
}

export const textOf = (updates: ReadonlyArray<SessionUpdate>): string =>
  updates
    .flatMap((update) =>
      update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? [update.content.text] : []
    )
    .join("")

const meta = (result: Readonly<Record<string, unknown>> | undefined): unknown => {
  const all = result?.["_meta"]
  return Option.getOrUndefined(
    Option.map(
      Schema.decodeUnknownOption(Schema.Struct({ zeroclaw: Schema.Struct({ content: Schema.String }) }))(all),
      ({ zeroclaw }) => zeroclaw.content
    )
  )
}

export const open = (setup: Embedded.Setup, capabilities: unknown = {}) =>
  Effect.gen(function* () {
    const server = yield* Embedded.start(setup)
    const { peer } = server
    yield* Peer.initialize(peer, capabilities)
    const sessionId = yield* Peer.newSession(peer, Embedded.cwd)
    const updatesFrom = (from: number) =>
      peer
        .updates(sessionId)
        .slice(from)
        .map((update) => decode(update))
    const answered = (from: number, id: string | number): Effect.Effect<Answer> =>
      Effect.map(peer.response(id), ({ error, result }) => {
        if (error) throw new Error(error.message)
        const updates = updatesFrom(from)
        return { stopReason: result?.["stopReason"], content: meta(result), updates, text: textOf(updates) }
      })
    /** Sends without waiting; `answer` waits. */
    const begin = (text: string) =>
      Effect.suspend(() => {
        const from = peer.updates(sessionId).length
        return Effect.map(peer.start("session/prompt", Peer.promptParams(sessionId, text)), (id) => ({
          answer: answered(from, id)
        }))
      })
    return {
      ...server,
      sessionId,
      updatesFrom,
      begin,
      say: (text: string): Effect.Effect<Answer> => Effect.flatMap(begin(text), ({ answer }) => answer),
      /** Closes the session and loads it again; gives what was replayed. */
      reload: Effect.gen(function* () {
        yield* peer.request("session/close", { sessionId })
        const from = peer.updates(sessionId).length
        const { error } = yield* peer.request("session/load", { sessionId, cwd: Embedded.cwd, mcpServers: [] })
        if (error) throw new Error(error.message)
        return updatesFrom(from)
      })
    }
  })

export type Open = Effect.Effect.Success<ReturnType<typeof open>>

/** The last list of commands among updates. */
export const listed = (updates: ReadonlyArray<SessionUpdate>): ReadonlyArray<string> | undefined =>
  updates
    .flatMap((update) =>
      update.sessionUpdate === "available_commands_update" ? [update.availableCommands.map(({ name }) => name)] : []
    )
    .at(-1)

export const userTexts = (messages: ReadonlyArray<Message> | undefined): ReadonlyArray<string> =>
  (messages ?? []).flatMap((message) => (message._tag === "User" ? [message.text] : []))
