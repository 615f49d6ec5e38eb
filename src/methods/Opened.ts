// What is told of a session that was just opened: its state in the answer, what it offers right after.
import { Effect } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import { Update } from "../contract/ClientMethods.ts"
import type { SessionUpdate } from "../contract/Update.ts"
import type { CallerService } from "../peer/Caller.ts"
import { type Session, viewOf } from "../session/Session.ts"
import * as State from "../session/State.ts"

/** In the answer to new, load, resume and fork. */
export const state = (session: Session) => {
  const view = viewOf(session)
  return {
    modes: State.modes(view),
    configOptions: State.configOptions(view),
    _meta: {
      zeroclaw: {
        workspaceDir: session.opened.policy.cwd,
        agentAlias: session.agent.alias,
        model: session.model.id
      }
    }
  }
}

export const notify =
  (caller: CallerService, sessionId: SessionId) =>
  (update: SessionUpdate): Effect.Effect<void> =>
    caller.notify(Update, { sessionId, update })

/** Clients forget the commands with each opening. */
export const commands = (caller: CallerService, sessionId: SessionId): Effect.Effect<void> =>
  notify(caller, sessionId)({ sessionUpdate: "available_commands_update", availableCommands: [] })

/** Both kinds of state, kept in step for clients that know only one of them. */
export const changed = (caller: CallerService, session: Session): Effect.Effect<void> => {
  const view = viewOf(session)
  const tell = notify(caller, session.id)
  return Effect.zipRight(
    tell({ sessionUpdate: "current_mode_update", currentModeId: view.mode }),
    tell({ sessionUpdate: "config_option_update", configOptions: State.configOptions(view) })
  )
}
