// What turns do in the properties: a prompt's first words name a plan, and a model and tools follow it.
import { Deferred, Effect, FiberId, Stream } from "effect"
import type { Message } from "../../src/model/Message.ts"
import type { ModelEvent, ModelService } from "../../src/model/Model.ts"
import { ModelError } from "../../src/model/ModelError.ts"
import type { Tool } from "../../src/tools/Tool.ts"
import { stop } from "../support/Embedded.ts"

/** Says something · waits for its gate · asks once or twice before it runs a command · runs one unasked · fails. */
export const kinds = ["say", "hold", "ask", "two", "work", "fail"] as const
export type Kind = (typeof kinds)[number]

export const questionsOf = (kind: Kind): number => (kind === "two" ? 2 : kind === "ask" ? 1 : 0)

export const promptText = (kind: Kind, token: string): string => `plan ${kind} ${token} end`

export interface Plans {
  readonly model: ModelService
  readonly tools: ReadonlyArray<Tool>
  /** Lets a turn that waits go on, now or once it gets there. */
  readonly release: (token: string) => Effect.Effect<void>
  /** Whether the command of this call was run. */
  readonly ran: (token: string, call: number) => boolean
}

const callEvent = (token: string, call: number, name: string): ModelEvent => ({
  _tag: "ToolCall",
  id: `${token}-${call}`,
  name,
  input: JSON.stringify(`${token} ${call}`)
})
const said = (text: string): ModelEvent => ({ _tag: "Text", text })
const calls: ModelEvent = { _tag: "Finish", reason: "tool_calls", usage: {} }

export const make = (): Plans => {
  const gates = new Map<string, Deferred.Deferred<void>>()
  const gate = (token: string) => {
    const known = gates.get(token) ?? Deferred.unsafeMake<void>(FiberId.none)
    gates.set(token, known)
    return known
  }
  const done = new Set<string>()

  const events = (kind: Kind, token: string, step: number): Stream.Stream<ModelEvent, ModelError> => {
    switch (kind) {
      case "say":
        return Stream.make(said(`${token} says `), said("this"), stop)
      case "hold":
        return Stream.concat(
          Stream.make(said(`${token} waits`)),
          Stream.concat(
            Stream.drain(Stream.fromEffect(Deferred.await(gate(token)))),
            Stream.make(said(" no more"), stop)
          )
        )
      case "ask":
        return step === 0
          ? Stream.make(said(`${token} asks`), callEvent(token, 1, "guarded"), calls)
          : Stream.make(said(`${token} asked`), stop)
      case "two":
        return step === 0
          ? Stream.make(callEvent(token, 1, "guarded"), callEvent(token, 2, "guarded"), calls)
          : Stream.make(said(`${token} asked twice`), stop)
      case "work":
        return step === 0 ? Stream.make(callEvent(token, 1, "open"), calls) : Stream.make(said(`${token} worked`), stop)
      case "fail":
        return Stream.concat(
          Stream.make(said(`${token} fails`)),
          Stream.fail(new ModelError({ reason: "bad_reply", message: "The model is out. Try later." }))
        )
    }
  }

  const stream = (messages: ReadonlyArray<Message>): Stream.Stream<ModelEvent, ModelError> => {
    for (let at = messages.length - 1; at >= 0; at--) {
      const message = messages[at]
      const plan = message?._tag === "User" ? /plan (\w+) (\w+) end/.exec(message.text) : null
      const kind = kinds.find((kind) => kind === plan?.[1])
      if (kind !== undefined && plan?.[2] !== undefined) {
        return events(kind, plan[2], messages.slice(at).filter(({ _tag }) => _tag === "Assistant").length)
      }
    }
    return Stream.make(said("no plan"), stop)
  }

  const tool = (name: string): Tool => ({
    spec: { name, description: name, inputSchema: { type: "string" } },
    prepare: (input) =>
      Effect.succeed({
        action: { _tag: "Execute", tool: name, command: String(input) },
        face: { title: `Run ${name}`, kind: "execute", locations: [], content: [] },
        rawInput: { input },
        run: () => Effect.sync(() => ({ text: `done ${[...done.add(String(input).replaceAll('"', ""))].length}` }))
      })
  })

  return {
    model: { id: "planned", stream: ({ messages }) => Stream.suspend(() => stream(messages)) },
    tools: [tool("guarded"), tool("open")],
    release: (token) => Effect.asVoid(Deferred.succeed(gate(token), undefined)),
    ran: (token, call) => done.has(`${token} ${call}`)
  }
}
