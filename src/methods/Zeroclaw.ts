// ZeroClaw's own methods: session/stop and a client's session/event. @see zeroclaw sections 5.9 and 5.10
import { Effect } from "effect"
import { ClientEvent, StopSession } from "../contract/AgentMethods.ts"
import { onNotification, onRequest } from "../peer/Router.ts"
import { Sessions } from "../session/Sessions.ts"
import { failing } from "./Failures.ts"

const typeOf = ({ type, update }: typeof ClientEvent.payloadSchema.Type): string =>
  type ?? update?.sessionUpdate ?? "unknown"

export const routes = Effect.gen(function* () {
  const sessions = yield* Sessions
  const stop = onRequest(StopSession, ({ sessionId }) =>
    Effect.as(failing(StopSession, sessions.stop(sessionId)), { sessionId, stopped: true })
  )
  /** A sign of life and nothing else: what it holds never becomes history. */
  const event = onRequest(ClientEvent, (params) =>
    Effect.as(failing(ClientEvent, sessions.touch(params.sessionId)), {
      sessionId: params.sessionId,
      type: typeOf(params),
      status: "processed"
    })
  )
  const notified = onNotification(ClientEvent, ({ sessionId }) => failing(ClientEvent, sessions.touch(sessionId)))
  return { requests: [stop, event], notifications: [notified] }
})
