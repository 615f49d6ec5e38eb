// session/prompt and session/cancel: the turn and its end. @see acp-v1 sections 1.2 and 1.6
import { Duration, Effect, Option } from "effect"
import { Cancel, Prompt, type SessionId } from "../contract/AgentMethods.ts"
import { RequestPermission, Update } from "../contract/ClientMethods.ts"
import type { PermissionAnswer } from "../loop/Turn.ts"
import { Caller } from "../peer/Caller.ts"
import { onNotification, onRequest } from "../peer/Router.ts"
import { Sessions } from "../session/Sessions.ts"
import type { TurnIO } from "../session/TurnRun.ts"
import { Agreement } from "./Agreement.ts"
import * as ClientSide from "./ClientSide.ts"
import { toRequestError } from "./Failures.ts"

const unanswered = (reason: string, timedOut: boolean): PermissionAnswer => ({
  outcome: "unanswered",
  reason,
  timedOut
})

export const routes = Effect.gen(function* () {
  const sessions = yield* Sessions
  const caller = yield* Caller
  const agreement = yield* Agreement

  /** A question always ends: answered, failed, timed out or interrupted; all but a clear yes are a no. */
  const ask =
    (sessionId: SessionId): TurnIO["ask"] =>
    (question) =>
      Effect.flatMap(sessions.limits, ({ sessionTimeoutSecs }) => {
        const answer = caller.call(RequestPermission, { sessionId, ...question }).pipe(
          Effect.map(({ outcome }): PermissionAnswer => outcome),
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

  const prompt = onRequest(Prompt, ({ prompt, sessionId }) =>
    sessions
      .prompt(sessionId, prompt, {
        update: (update) => caller.notify(Update, { sessionId, update }),
        ask: ask(sessionId),
        client: ClientSide.make(caller, agreement.client, sessionId)
      })
      .pipe(Effect.mapBoth({ onSuccess: (stopReason) => ({ stopReason }), onFailure: toRequestError }))
  )
  /** Some clients send it with an id: they get their answer, the turn is stopped all the same. */
  const cancelRequest = onRequest(Cancel, ({ sessionId }) => Effect.as(sessions.cancel(sessionId), {}))
  const cancel = onNotification(Cancel, ({ sessionId }) => sessions.cancel(sessionId))

  return { requests: [prompt, cancelRequest], notifications: [cancel] }
})
