// The tool calls of one reply, one after another: card, decision, question, run, result.
import { Cause, Effect, Exit } from "effect"
import { text } from "../contract/Content.ts"
import type { ToolCall, ToolCallContent, ToolCallUpdate } from "../contract/ToolCall.ts"
import type { Message, ToolCallPart, ToolResult } from "../model/Message.ts"
import { type PreparedCall, ToolError, type ToolOutcome } from "../tools/Tool.ts"
import * as Approval from "./Approval.ts"
import * as Scrubbed from "./Scrubbed.ts"
import type { Turn } from "./Turn.ts"

/** What the calls of one turn share. */
export interface Calls {
  /** After a question that nobody answered in time, the rest are not each made to wait again. */
  timedOut: boolean
  readonly scrubbed: Scrubbed.Scrubbed
}
export const make = ({ secrets = [] }: Turn): Calls => ({ timedOut: false, scrubbed: Scrubbed.make(secrets) })

/** One call among those of its reply. */
interface One {
  readonly turn: Turn
  readonly calls: Calls
  readonly call: ToolCallPart
  readonly position: Approval.Position
}

const block = (value: string): ToolCallContent => ({ type: "content", content: text(value) })

const card = (turn: Turn, call: ToolCall) => turn.update({ sessionUpdate: "tool_call", ...call })
const patch = (turn: Turn, update: ToolCallUpdate) => turn.update({ sessionUpdate: "tool_call_update", ...update })

/**
 * Decides, asks where policy says so, and lets the call run only on a clear yes. A text is what stands for its result.
 * A yes is judged once more: the level may be another one than when it was asked for.
 */
const approve = (
  one: One,
  prepared: PreparedCall,
  yes?: { readonly always: boolean }
): Effect.Effect<string | undefined, ToolError> =>
  Effect.gen(function* () {
    const { call, calls, position, turn } = one
    yield* turn.beforeDecision ?? Effect.void
    const decision = yield* turn.policy.decide(prepared.action)
    if (decision._tag === "Deny") return yield* new ToolError({ message: `Denied: ${decision.reason}` })
    if (decision._tag === "Allow" || yes !== undefined) {
      if (yes?.always === true) yield* turn.policy.grant(prepared.action)
      return undefined
    }
    if (calls.timedOut) {
      return yield* new ToolError({ message: "Not run: nobody answered an earlier permission question of this turn." })
    }
    const question = Approval.question(call.id, call.name, calls.scrubbed.call(prepared), decision, position)
    const answer = yield* turn.ask(question)
    if (answer.outcome === "unanswered" && answer.timedOut) calls.timedOut = true
    const verdict = Approval.verdict(answer, question.options)
    if (verdict._tag === "Refuse") return yield* new ToolError({ message: verdict.message })
    if (verdict._tag === "Replace") return verdict.text
    return yield* approve(one, prepared, verdict)
  })

const execute = ({ call, calls, turn }: One, prepared: PreparedCall): Effect.Effect<ToolOutcome, ToolError> =>
  Effect.zipRight(
    patch(turn, { toolCallId: call.id, status: "in_progress" }),
    prepared.run({
      sessionId: turn.sessionId,
      toolCallId: call.id,
      policy: turn.policy,
      ask: turn.ask,
      client: turn.client,
      progress: (content) => patch(turn, { toolCallId: call.id, content: calls.scrubbed.content(content) }),
      say: (said) =>
        turn.update({ sessionUpdate: "agent_message_chunk", content: text(said), messageId: crypto.randomUUID() }),
      plan: (entries) => turn.update({ sessionUpdate: "plan", entries })
    })
  )

/** A defect in a tool spoils its own call, not the turn. */
const guard = <A>(effect: Effect.Effect<A, ToolError>): Effect.Effect<A, ToolError> =>
  Effect.catchAllCause(effect, (cause) => {
    if (Cause.isInterrupted(cause) || !Cause.isDie(cause)) return Effect.failCause(cause)
    return Effect.zipRight(
      Effect.logError("defect in a tool", cause),
      new ToolError({ message: "The tool failed inside; this is a bug and the log file has the details." })
    )
  })

const prepare = (turn: Turn, call: ToolCallPart): Effect.Effect<PreparedCall, ToolError> => {
  const tool = turn.tools.find(({ spec }) => spec.name === call.name)
  if (tool !== undefined) return tool.prepare(call.input, turn.policy)
  const known = turn.tools.map(({ spec }) => spec.name).join(", ")
  return new ToolError({ message: `Unknown tool "${call.name}". Tools: ${known}.` })
}

/** The arguments as JSON where they are JSON. */
const rawInput = (input: string): unknown => {
  try {
    const value: unknown = JSON.parse(input)
    return value
  } catch {
    return { input }
  }
}

const settle = (turn: Turn, call: ToolCallPart, exit: Exit.Exit<ToolOutcome, ToolError>) =>
  Exit.matchEffect(exit, {
    onSuccess: (outcome) =>
      Effect.as(
        patch(turn, {
          toolCallId: call.id,
          status: "completed",
          content: outcome.content ?? [block(outcome.text)],
          rawOutput: outcome.rawOutput ?? outcome.text,
          ...(outcome.title === undefined ? {} : { title: outcome.title }),
          ...(outcome.locations === undefined ? {} : { locations: outcome.locations })
        }),
        { id: call.id, name: call.name, text: outcome.text, isError: false }
      ),
    onFailure: (cause) => {
      const error = Cause.failureOption(cause)
      const message = error._tag === "Some" ? error.value.message : "The tool was stopped before it had a result."
      const content = error._tag === "Some" ? error.value.content : undefined
      const rawOutput = error._tag === "Some" ? error.value.rawOutput : undefined
      return Effect.as(
        patch(turn, {
          toolCallId: call.id,
          status: "failed",
          content: content ?? [block(message)],
          rawOutput: rawOutput ?? message
        }),
        { id: call.id, name: call.name, text: message, isError: true }
      )
    }
  })

const runOne = (one: One): Effect.Effect<ToolResult> =>
  Effect.gen(function* () {
    const { call, calls, turn } = one
    const { scrubbed } = calls
    const prepared = yield* Effect.exit(guard(prepare(turn, call)))
    const shown = Exit.isSuccess(prepared) ? scrubbed.call(prepared.value) : undefined
    yield* card(turn, {
      toolCallId: call.id,
      name: call.name,
      title: shown?.face.title ?? call.name,
      kind: shown?.face.kind ?? "other",
      status: "pending",
      rawInput: shown === undefined ? scrubbed.rawInput(rawInput(call.input)) : shown.rawInput,
      ...(shown === undefined ? {} : { locations: shown.face.locations, content: shown.face.content })
    })
    const exit = yield* Effect.exit(
      guard(
        Effect.flatMap(prepared, (ready) =>
          Effect.flatMap(approve(one, ready), (replacement) =>
            replacement === undefined ? execute(one, ready) : Effect.succeed({ text: replacement })
          )
        )
      ).pipe(Effect.mapBoth({ onFailure: scrubbed.error, onSuccess: scrubbed.outcome }))
    )
    return yield* settle(turn, call, exit)
  })

/** Runs the calls in order and keeps their results as one message; a result is kept as soon as it is there. */
export const run = (
  turn: Turn,
  parts: ReadonlyArray<ToolCallPart>,
  calls: Calls,
  keep: (message: Message) => void
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const results: Array<ToolResult> = []
    const keepResults = Effect.sync(() => {
      if (results.length > 0) keep({ _tag: "ToolResults", results })
    })
    return Effect.ensuring(
      Effect.forEach(
        parts,
        (call, at) =>
          Effect.map(runOne({ turn, calls, call, position: { at: at + 1, of: parts.length } }), (result) =>
            results.push(result)
          ),
        { discard: true }
      ),
      keepResults
    )
  })
