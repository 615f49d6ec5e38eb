// Gathers what is known about an action, decides, and remembers what was always allowed: one for each session.
import { Effect, Either } from "effect"
import type { Sandbox } from "../sandbox/Sandbox.ts"
import type { Assessment } from "./command/Assessment.ts"
import * as Decide from "./Decide.ts"
import type { Action } from "./Decision.ts"
import type { Access } from "./PathRules.ts"
import type { Profile, SessionPolicy } from "./SessionPolicy.ts"

export interface JudgingSpec {
  readonly profile: Profile
  readonly sandbox: typeof Sandbox.Service
  /** Where a path that was written really is; opens nothing. */
  readonly placeOf: (path: string, access: Access) => Decide.JudgedPlace
}

/** The shell's grammar is loaded with the first command. */
export const assess = (command: string): Effect.Effect<Assessment> =>
  Effect.map(
    Effect.promise(() => import("./command/CommandGate.ts")),
    (gate) => gate.assess(command)
  )

const addressOf = (url: string): Effect.Effect<Decide.JudgedAddress> =>
  Effect.map(
    Effect.promise(() => import("./AddressRules.ts")),
    ({ parseUrl }) =>
      Either.match(parseUrl(url), { onLeft: (refused) => ({ refused }), onRight: ({ host }) => ({ host }) })
  )

export const make = ({
  placeOf,
  profile,
  sandbox
}: JudgingSpec): Pick<SessionPolicy, "offers" | "decide" | "searchable" | "grant"> => {
  const grants = new Set<string>()
  const granted = (key: string) => grants.has(key)

  const judged = (action: Action): Effect.Effect<Decide.Judged> => {
    switch (action._tag) {
      case "Execute":
        return Effect.map(
          Effect.zip(assess(action.command), sandbox.status(profile.sandbox.backend)),
          ([assessment, status]) => ({ action, command: { assessment, sandbox: status } })
        )
      case "Fetch":
        return Effect.map(addressOf(action.url), (address) => ({ action, address }))
      case "Converse":
        return Effect.succeed({ action })
      default:
        return Effect.sync(() => ({ action, place: placeOf(action.path, action._tag === "Write" ? "write" : "read") }))
    }
  }

  return {
    offers: (tool) => Decide.offers(profile, tool),
    decide: (action) => Effect.map(judged(action), (known) => Decide.decide(profile, granted, known)),
    searchable: (tool, path) =>
      Decide.decide(profile, granted, { action: { _tag: "Search", tool, path }, place: placeOf(path, "read") })._tag !==
      "Deny",
    grant: (action) =>
      Effect.map(judged(action), (known) => {
        for (const key of Decide.grantKeys(known)) grants.add(key)
      })
  }
}
