// One prompt turn as one fiber: run the loop, close what is open, store the turn, then answer.
import { Cause, Clock, DateTime, Effect, Exit, Option } from "effect"
import type { Invocation } from "../commands/Command.ts"
import * as Commands from "../commands/Commands.ts"
import * as Parse from "../commands/Parse.ts"
import * as Paths from "../config/Paths.ts"
import type { StopReason } from "../contract/AgentMethods.ts"
import { type ContentBlock, text } from "../contract/Content.ts"
import type { SessionUpdate } from "../contract/Update.ts"
import * as Cancelled from "../dialect/Cancelled.ts"
import type { ClientSide } from "../loop/ClientSide.ts"
import type { PermissionAnswer, PermissionQuestion } from "../loop/Turn.ts"
import { type Message, repair, user } from "../model/Message.ts"
import type { ModelError } from "../model/ModelError.ts"
import * as EditorFiles from "../policy/EditorFiles.ts"
import type { Turn as StoredTurn, StoreError, Title } from "../store/SessionStore.ts"
import * as TimePrefix from "../text/TimePrefix.ts"
import type { Tool } from "../tools/Tool.ts"
import * as CommandTurn from "./CommandTurn.ts"
import * as Following from "./Following.ts"
import type { PromptError } from "./PromptText.ts"
import * as Secrets from "./Secrets.ts"
import { type Session, uniqueCallId, viewOf } from "./Session.ts"
import * as State from "./State.ts"
import * as Titles from "./Title.ts"
import * as Transcript from "./Transcript.ts"
import type { World } from "./World.ts"

/** The client as a turn sees it. */
export interface TurnIO {
  readonly update: (update: SessionUpdate) => Effect.Effect<void>
  readonly ask: (question: PermissionQuestion) => Effect.Effect<PermissionAnswer>
  readonly client: ClientSide
  /** The model is given less of the conversation from now on. */
  readonly trimmed: (droppedMessages: number, reason: string) => Effect.Effect<void>
}

export interface TurnInput {
  readonly world: World
  readonly session: Session
  readonly io: TurnIO
  readonly prompt: string
  /** What must be there before the model reads the prompt. */
  readonly before: Effect.Effect<void, PromptError>
  /** As the person sent it; shown again by a replay. */
  readonly blocks: ReadonlyArray<ContentBlock>
}

export interface Result {
  readonly stopReason: StopReason
  /** What the agent said last; a cancelled turn tells all of it, and that it was cancelled. */
  readonly content: string
}

/** Of a prompt that was cancelled while it waited: nothing of it was run or stored. */
export const cancelledUnrun: Result = { stopReason: "cancelled", content: Cancelled.marker }

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

const textsOf = (message: Message | undefined): string =>
  message?._tag === "Assistant"
    ? message.parts.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join("")
    : ""

const contentOf = (stopReason: StopReason, messages: ReadonlyArray<Message>): string => {
  if (stopReason !== "cancelled") return textsOf(messages.findLast(({ _tag }) => _tag === "Assistant"))
  return Cancelled.content(
    messages
      .map(textsOf)
      .filter((text) => text !== "")
      .join("\n\n")
  )
}

/** The messages that a command answered with. */
const contentOfCommand = (stopReason: StopReason, updates: ReadonlyArray<SessionUpdate>): string => {
  const said = updates
    .flatMap((update) =>
      update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? [update.content.text] : []
    )
    .join("\n\n")
  return stopReason === "cancelled" ? Cancelled.content(said) : said
}

/** Said as a notice where the client has them. */
const tell = (io: TurnIO, show: TurnIO["update"], note: string) =>
  io.client.notices
    ? show({ sessionUpdate: "notice", severity: "warning", title: note.trim() })
    : show({ sessionUpdate: "agent_message_chunk", content: text(note), messageId: crypto.randomUUID() })

/** What it reads is loaded and read when a model is about to be asked, never before. */
const systemPrompt = (world: World, { agent, opened }: Session, tools: ReadonlyArray<Tool>): Effect.Effect<string> =>
  Effect.flatMap(
    Effect.promise(() => import("../prompt/SystemPrompt.ts")),
    ({ build }) =>
      build({
        agent,
        policy: opened.policy,
        tools: tools.map(({ spec }) => spec.name),
        skills: Paths.skills(world.config.paths.root)
      })
  )

/** Named after the first prompt, unless a person named it. */
const entitle = (session: Session, blocks: ReadonlyArray<ContentBlock>): Option.Option<Title> =>
  session.title === undefined ? Option.map(Titles.ofPrompt(blocks), (text) => ({ text, by: "agent" })) : Option.none()

/** The person has the answer already: a store that fails costs the memory of it, not the answer. */
const quietly = (what: string, save: Effect.Effect<void, StoreError>) =>
  Effect.catchAll(save, ({ message }) => Effect.logError(`${what} not stored: ${message}`))

/**
 * To be forked with interruption off: only the loop itself can be interrupted, what follows it always runs. A cancelled
 * turn is a value; a failed one fails after it was stored.
 */
export const run = ({
  before,
  blocks,
  io,
  prompt,
  session,
  world
}: TurnInput): Effect.Effect<Result, ModelError | PromptError> =>
  Effect.gen(function* () {
    const { id } = session
    const policy = EditorFiles.over(session.opened.policy, io.client)
    const transcript = Transcript.make()
    const now = TimePrefix.here(yield* Clock.currentTimeMillis)
    const messages: Array<Message> = [user(TimePrefix.add(prompt, now))]
    const show = (update: SessionUpdate) =>
      Effect.suspend(() => {
        transcript.add(update)
        return io.update(update)
      })
    const messageId = crypto.randomUUID()
    for (const content of blocks) transcript.add({ sessionUpdate: "user_message_chunk", content, messageId })
    const notes = session.notes
    session.notes = []

    const command = Parse.parse(blocks)
    const answered = Transcript.make()
    let replaced: ReadonlyArray<Message> | undefined
    const follow = Effect.flatMap(Following.follow(world, session), (changed) =>
      changed ? Effect.forEach(State.updates(viewOf(session)), io.update, { discard: true }) : Effect.void
    )
    const run = Effect.gen(function* () {
      const tools = session.tools.filter(({ spec }) => policy.offers(spec.name))
      return yield* world.loop.run({
        sessionId: id,
        model: session.model,
        tools,
        policy,
        system: yield* systemPrompt(world, session, tools),
        history: [...session.history, ...messages],
        maxSteps: session.agent.maxSteps,
        uniqueCallId: uniqueCallId(session),
        record: (message) => messages.push(message),
        update: show,
        ask: io.ask,
        client: io.client,
        beforeDecision: follow,
        secrets: Secrets.known(session.agent, process.env),
        ...(session.usage === undefined ? {} : { usage: session.usage }),
        onUsage: (usage) => {
          session.usage = usage
        }
      })
    })
    const ask = Effect.zipRight(follow, run)
    const obey = (invocation: Invocation) =>
      Commands.run(
        invocation,
        CommandTurn.context({
          world,
          session,
          client: io.client,
          show: (update) =>
            Effect.suspend(() => {
              answered.add(update)
              return show(update)
            }),
          replaceHistory: (messages) =>
            Effect.sync(() => {
              replaced = messages
            })
        })
      )
    const turn = Option.match(command, { onNone: () => ask, onSome: obey })
    const exit = yield* Effect.exit(
      before.pipe(
        Effect.zipRight(Effect.forEach(notes, (note) => tell(io, show, note), { discard: true })),
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
    // A command is between the person and us: the model hears nothing of it but a new history.
    const kept = Option.isSome(command) ? (replaced ?? []) : remembered(outcome, messages, isPoisoned(exit, messages))
    const earlier = session.history
    session.history = replaced ?? [...earlier, ...kept]
    // Nobody knows how full the model's context is now.
    if (replaced !== undefined) session.usage = undefined
    yield* quietly(
      "turn",
      world.store.appendTurn(id, {
        messages: kept,
        updates: transcript.updates(),
        outcome,
        ...(replaced === undefined ? {} : { compacts: true })
      })
    )
    if (replaced !== undefined) yield* io.trimmed(earlier.length, "compacted")
    const title = Option.isSome(command) ? Option.none() : entitle(session, blocks)
    if (Option.isSome(title)) {
      session.title = title.value
      yield* quietly("title", world.store.change(id, { title: title.value }))
    }
    const updatedAt = DateTime.formatIso(yield* DateTime.now)
    yield* io.update({
      sessionUpdate: "session_info_update",
      // A person may have given another one meanwhile.
      ...(Option.isSome(title) && session.title === title.value ? { title: title.value.text } : {}),
      updatedAt
    })
    if (outcome === "failed") {
      return yield* Effect.map(exit, (stopReason) => ({ stopReason, content: "" }))
    }
    const content = Option.isSome(command)
      ? contentOfCommand(outcome, answered.updates())
      : contentOf(outcome, messages.slice(1))
    return { stopReason: outcome, content }
  })
