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
export const commands = (caller: CallerService, session: Session): Effect.Effect<void> =>
  notify(caller, session.id)(State.commands(session))

export const changed = (caller: CallerService, session: Session): Effect.Effect<void> =>
  Effect.forEach(State.updates(viewOf(session)), notify(caller, session.id), { discard: true })
