// A live session follows the configuration to a stricter level. It never becomes laxer by itself.
import { Effect, Option } from "effect"
import { type Level, levels } from "../policy/Decision.ts"
import { findAgent } from "./Opening.ts"
import type { Session } from "./Session.ts"
import * as State from "./State.ts"
import type { World } from "./World.ts"

const isStricter = (level: Level, than: Level): boolean => levels.indexOf(level) < levels.indexOf(than)

/** The strictest of what a client may have and of a level that was just lowered. */
const boundOf = (was: Level, now: Level, laxest: Level): Level =>
  isStricter(now, was) && isStricter(now, laxest) ? now : laxest

/** Whether anything of what the client sees changed. A configuration that can't be read now changes nothing. */
export const follow = (world: World, session: Session): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const found = yield* Effect.option(findAgent(world, session.agent.alias))
    if (Option.isNone(found)) return false
    const { agent, laxest } = found.value
    const was = session.agent.profile.level
    const now = agent.profile.level
    if (now === was && laxest === session.laxest) return false
    session.laxest = laxest
    session.agent = { ...session.agent, profile: { ...session.agent.profile, level: now } }
    const bound = boundOf(was, now, laxest)
    const { policy } = session.opened
    yield* policy.setLevel(State.clamp(policy.level, bound, bound))
    return true
  })
