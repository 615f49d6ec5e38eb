// Mode, model and the other options of a live session; allowed while a turn runs. @see acp-v1 sections 1.2 and 1.4
import { Effect } from "effect"
import { SetConfigOption, SetMode, SetModel } from "../contract/AgentMethods.ts"
import { Caller } from "../peer/Caller.ts"
import { onRequest, type RequestRoute } from "../peer/Router.ts"
import { viewOf } from "../session/Session.ts"
import { Sessions } from "../session/Sessions.ts"
import * as State from "../session/State.ts"
import { failing } from "./Failures.ts"
import * as Opened from "./Opened.ts"

export const routes = Effect.gen(function* () {
  const sessions = yield* Sessions
  const caller = yield* Caller

  const setMode = onRequest(SetMode, ({ modeId, sessionId }) =>
    failing(SetMode, sessions.setMode(sessionId, modeId)).pipe(
      Effect.tap((session) => Opened.changed(caller, session)),
      Effect.as({})
    )
  )
  const setOption = onRequest(SetConfigOption, (params) =>
    failing(SetConfigOption, sessions.setOption(params.sessionId, params.configId, params.value)).pipe(
      Effect.tap((session) => {
        switch (params.configId) {
          case "mode":
            return Opened.changed(caller, session)
          case "model":
            return Opened.commands(caller, session)
          default:
            return Effect.void
        }
      }),
      Effect.map((session) => ({ configOptions: State.configOptions(viewOf(session)) }))
    )
  )
  const setModel = onRequest(SetModel, ({ modelId, sessionId }) =>
    failing(SetModel, sessions.setOption(sessionId, "model", modelId)).pipe(
      Effect.tap((session) => Opened.changed(caller, session)),
      Effect.tap((session) => Opened.commands(caller, session)),
      Effect.as({})
    )
  )
  return [setMode, setOption, setModel] satisfies ReadonlyArray<RequestRoute>
})
