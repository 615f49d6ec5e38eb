// Stored sessions: listing, naming and deleting them, live or not. @see acp-v1 sections 1.2 and 2
import { Effect } from "effect"
import { DeleteSession, ListSessions, SetTitle } from "../contract/AgentMethods.ts"
import { Caller } from "../peer/Caller.ts"
import { onRequest, type RequestRoute } from "../peer/Router.ts"
import { Sessions } from "../session/Sessions.ts"
import type { ListedSession } from "../store/SessionStore.ts"
import { failing } from "./Failures.ts"
import * as Opened from "./Opened.ts"

const info = ({ additionalDirectories = [], agentAlias, cwd, id, title, updatedAt }: ListedSession) => ({
  sessionId: id,
  cwd,
  ...(additionalDirectories.length === 0 ? {} : { additionalDirectories }),
  ...(title === undefined ? {} : { title: title.text }),
  updatedAt,
  _meta: { zeroclaw: { agentAlias } }
})

export const routes = Effect.gen(function* () {
  const sessions = yield* Sessions
  const caller = yield* Caller

  const list = onRequest(ListSessions, ({ cursor, cwd }) =>
    Effect.map(failing(ListSessions, sessions.list(cwd, cursor)), ({ nextCursor, sessions }) => ({
      sessions: sessions.map(info),
      ...(nextCursor === undefined ? {} : { nextCursor })
    }))
  )
  const remove = onRequest(DeleteSession, ({ sessionId }) =>
    Effect.as(failing(DeleteSession, sessions.remove(sessionId)), {})
  )
  const setTitle = onRequest(
    SetTitle,
    ({ sessionId, title }) =>
      Effect.map(failing(SetTitle, sessions.setTitle(sessionId, title)), (stored) => ({ title: stored })),
    {
      after: ({ sessionId }, { title }) =>
        Opened.notify(caller, sessionId)({ sessionUpdate: "session_info_update", title })
    }
  )
  return [list, remove, setTitle] satisfies ReadonlyArray<RequestRoute>
})
