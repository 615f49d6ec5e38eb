// Every method this agent answers, in one table.
import { Effect } from "effect"
import * as Router from "../peer/Router.ts"
import * as Authenticate from "./Authenticate.ts"
import * as Initialize from "./Initialize.ts"
import * as Listing from "./Listing.ts"
import * as Prompt from "./Prompt.ts"
import * as Session from "./Session.ts"
import * as Settings from "./Settings.ts"
import * as Zeroclaw from "./Zeroclaw.ts"

/** The routes of one connection. */
export const make = Effect.gen(function* () {
  const initialize = yield* Initialize.routes
  const authenticate = yield* Authenticate.routes
  const session = yield* Session.routes
  const listing = yield* Listing.routes
  const settings = yield* Settings.routes
  const turn = yield* Prompt.routes
  const zeroclaw = yield* Zeroclaw.routes
  return Router.routes(
    [...initialize, ...authenticate, ...session, ...listing, ...settings, ...turn.requests, ...zeroclaw.requests],
    [...turn.notifications, ...zeroclaw.notifications]
  )
})
