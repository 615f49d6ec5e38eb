// One prompt turn as one fiber: run the loop, close what is open, store the turn, then answer.
import { Cause, Effect, Exit, Option } from "effect"
import type { StopReason } from "../contract/AgentMethods.ts"
import { type ContentBlock, text } from "../contract/Content.ts"
import type { SessionUpdate } from "../contract/Update.ts"
import type { AgentLoopService } from "../loop/AgentLoop.ts"
import type { ClientSide } from "../loop/ClientSide.ts"
import * as SystemPrompt from "../loop/SystemPrompt.ts"
import type { PermissionAnswer, PermissionQuestion } from "../loop/Turn.ts"
import { type Message, repair, user } from "../model/Message.ts"
import type { ModelError } from "../model/ModelError.ts"
import type { Turn as StoredTurn, StoreError } from "../store/SessionStore.ts"
import type { PromptError } from "./PromptText.ts"
import { type Session, uniqueCallId } from "./Session.ts"
import * as Transcript from "./Transcript.ts"

/** The client as a turn sees it. */
export interface TurnIO {
  readonly update: (update: SessionUpdate) => Effect.Effect<void>
  readonly ask: (question: PermissionQuestion) => Effect.Effect<PermissionAnswer>
  readonly client: ClientSide
}

export interface TurnInput {
  readonly session: Session
  readonly loop: AgentLoopService
  readonly io: TurnIO
  readonly prompt: string
  /** What must be there before the model reads the prompt. */
  readonly before: Effect.Effect<void, PromptError>
  /** As the person sent it; shown again by a replay. */
  readonly blocks: ReadonlyArray<ContentBlock>
  readonly save: (turn: StoredTurn) => Effect.Effect<void, StoreError>
}

const interruptedResult = "[interrupted by user before this tool produced a result]"

/** A refused prompt, and all that followed, must not be in the next one's context. @see acp-v1 section 1.5 */
const remembered = (
  outcome: StoredTurn["outcome"],
  messages: ReadonlyArray<Message>,
  poisoned: boolean
): ReadonlyArray<Message> => (outcome === "refusal" || poisoned ? [] : repair(messages, interruptedResult))

/** A prompt that never reached the model, or that the model's server refuses as it is, would fail every later turn too. */
const isPoisoned = (exit: Exit.Exit<StopReason, ModelError | PromptError>, messages: ReadonlyArray<Message>): boolean =>
  Exit.match(exit, {
    onSuccess: () => false,
    onFailure: (cause) =>
      Option.match(Cause.failureOption(cause), {
        onNone: () => false,
        onSome: (error) => error._tag === "PromptError" || (error.reason === "bad_request" && messages.length === 1)
      })
  })

const outcomeOf = (exit: Exit.Exit<StopReason, ModelError | PromptError>): StoredTurn["outcome"] =>
  Exit.match(exit, {
    onSuccess: (stopReason) => stopReason,
    onFailure: (cause) => (Cause.isInterrupted(cause) ? "cancelled" : "failed")
  })

/**
 * To be forked with interruption off: only the loop itself can be interrupted, what follows it always runs. A cancelled
 * turn is a value; a failed one fails after it was stored.
 */
export const run = ({
  before,
  blocks,
  io,
  loop,
  prompt,
  save,
  session
}: TurnInput): Effect.Effect<StopReason, ModelError | PromptError> =>
  Effect.gen(function* () {
    const transcript = Transcript.make()
    const messages: Array<Message> = [user(prompt)]
    const show = (update: SessionUpdate) => {
      transcript.add(update)
      return io.update(update)
    }
    const messageId = crypto.randomUUID()
    for (const content of blocks) transcript.add({ sessionUpdate: "user_message_chunk", content, messageId })
    const notes = session.notes
    session.notes = []

    const say = (note: string) =>
      show({ sessionUpdate: "agent_message_chunk", content: text(note), messageId: crypto.randomUUID() })
    const turn = loop.run({
      sessionId: session.id,
      model: session.model,
      tools: session.tools.filter(({ spec }) => session.policy.offers(spec.name)),
      policy: session.policy,
      system: SystemPrompt.make({
        cwd: session.policy.cwd,
        level: session.policy.level,
        platform: process.platform,
        date: new Date().toISOString().slice(0, 10)
      }),
      history: [...session.history, ...messages],
      maxSteps: session.agent.maxSteps,
      uniqueCallId: uniqueCallId(session),
      record: (message) => messages.push(message),
      update: show,
      ask: io.ask,
      client: io.client
    })
    const exit = yield* Effect.exit(
      before.pipe(
        Effect.zipRight(Effect.forEach(notes, say, { discard: true })),
        Effect.zipRight(turn),
        Effect.interruptible
      )
    )

    for (const { toolCallId } of transcript.openCalls()) {
      yield* show({
        sessionUpdate: "tool_call_update",
        toolCallId,
        status: "failed",
        content: [{ type: "content", content: text(interruptedResult) }]
      })
    }
    const outcome = outcomeOf(exit)
    const kept = remembered(outcome, messages, isPoisoned(exit, messages))
    session.history = [...session.history, ...kept]
    // The person has the answer already: a store that fails costs the memory of it, not the answer.
    yield* Effect.catchAll(save({ messages: kept, updates: transcript.updates(), outcome }), (error) =>
      Effect.logError(`turn not stored: ${error.message}`)
    )
    if (outcome === "failed") return yield* exit
    return outcome
  })
