// One connection, served on whatever transport there is.
import { Effect } from "effect"
import { Agreement } from "../methods/Agreement.ts"
import * as Initialize from "../methods/Initialize.ts"
import * as Routes from "../methods/Routes.ts"
import * as Connection from "../peer/Connection.ts"
import { Sessions } from "../session/Sessions.ts"

/** Ends with the client's input; running turns are stopped, stored and answered first. */
export const serve = Effect.scoped(
  Effect.gen(function* () {
    const agreement = yield* Agreement
    const sessions = yield* Sessions
    const routes = yield* Routes.make
    yield* Connection.run(routes, { admit: Initialize.admit(agreement), beforeStop: sessions.stopAll })
  })
)
