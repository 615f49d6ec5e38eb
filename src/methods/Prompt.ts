// session/prompt and session/cancel: the turn and its end. @see acp-v1 sections 1.2 and 1.6
import { Duration, Effect, Option } from "effect"
import { Cancel, Prompt, type SessionId } from "../contract/AgentMethods.ts"
import { HistoryTrimmed, RequestPermission } from "../contract/ClientMethods.ts"
import * as Cancelled from "../dialect/Cancelled.ts"
import * as RejectWithEdit from "../dialect/RejectWithEdit.ts"
import type { PermissionAnswer } from "../loop/Turn.ts"
import { Caller } from "../peer/Caller.ts"
import { onNotification, onRequest } from "../peer/Router.ts"
import { Sessions } from "../session/Sessions.ts"
import type { TurnIO } from "../session/TurnRun.ts"
import { Agreement } from "./Agreement.ts"
import * as ClientSide from "./ClientSide.ts"
import { failing } from "./Failures.ts"
import * as Opened from "./Opened.ts"

const unanswered = (reason: string, timedOut: boolean): PermissionAnswer => ({
  outcome: "unanswered",
  reason,
  timedOut
})

/** Of the answer in the result: the whole of it was streamed already. */
const maxContentChars = 64 * 1024

const capped = (content: string): string =>
  content.length <= maxContentChars ? content : `${content.slice(0, maxContentChars).toWellFormed()}…`

export const routes = Effect.gen(function* () {
  const sessions = yield* Sessions
  const caller = yield* Caller
  const agreement = yield* Agreement
  const scope = yield* Effect.scope

  /** A question always ends: answered, failed, timed out or interrupted; all but a clear yes are a no. */
  const ask =
    (sessionId: SessionId): TurnIO["ask"] =>
    (question) =>
      Effect.flatMap(sessions.limits, ({ sessionTimeoutSecs }) => {
        // The dialect may begin while the question is open.
        const offered = RejectWithEdit.isOffered(agreement.zeroclaw, question.toolCall)
        const answer = caller.call(RequestPermission, { sessionId, ...question }).pipe(
          Effect.map(({ outcome }) => RejectWithEdit.toAnswer(outcome, offered)),
          Effect.catchAll(({ message }) =>
            Effect.succeed(unanswered(`the client could not answer the permission question (${message}).`, false))
          )
        )
        return sessionTimeoutSecs === 0
          ? answer
          : Effect.map(
              Effect.timeoutOption(answer, Duration.seconds(sessionTimeoutSecs)),
              Option.getOrElse(() =>
                unanswered(`nobody answered the permission question within ${sessionTimeoutSecs} s.`, true)
              )
            )
      })

  const cancelledTurns = new Map<SessionId, number>()
  /** Clients of the dialect see a cancelled turn as a card of its own; ids are never used twice. */
  const showCancelled = (sessionId: SessionId) =>
    Effect.suspend(() => {
      if (!agreement.zeroclaw) return Effect.void
      const earlier = cancelledTurns.get(sessionId) ?? 0
      cancelledTurns.set(sessionId, earlier + 1)
      return Opened.notify(caller, sessionId)(Cancelled.update(sessionId, earlier))
    })

  const prompt = onRequest(
    Prompt,
    ({ prompt, sessionId }) =>
      Effect.map(
        Effect.tap(
          failing(
            Prompt,
            sessions.prompt(sessionId, prompt, {
              update: Opened.notify(caller, sessionId),
              ask: ask(sessionId),
              client: ClientSide.make({ caller, scope, client: agreement.client, sessionId }),
              // The protocol's clients are told by what compacted it.
              trimmed: (droppedMessages, reason) =>
                agreement.zeroclaw
                  ? caller.notify(HistoryTrimmed, { sessionId, droppedMessages, keptTurns: 0, reason })
                  : Effect.void
            })
          ),
          ({ stopReason }) => (stopReason === "cancelled" ? showCancelled(sessionId) : Effect.void)
        ),
        ({ content, stopReason }) => ({
          stopReason,
          _meta: { zeroclaw: { sessionId, content: capped(content) } }
        })
      ),
    // Being cancelled is an answer of its own, never an error.
    { handlesCancel: true }
  )
  /** Some clients send it with an id: they get their answer, the turn is stopped all the same. */
  const cancelRequest = onRequest(Cancel, ({ sessionId }) => Effect.as(sessions.cancel(sessionId), {}))
  const cancel = onNotification(Cancel, ({ sessionId }) => sessions.cancel(sessionId))

  return { requests: [prompt, cancelRequest], notifications: [cancel] }
})
