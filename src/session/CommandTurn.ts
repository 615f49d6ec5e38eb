// The session as a slash command sees it: what it may read, say and change.
import { Effect } from "effect"
import type { CommandContext, Refused } from "../commands/Command.ts"
import { text } from "../contract/Content.ts"
import type { SessionUpdate } from "../contract/Update.ts"
import type { ClientSide } from "../loop/ClientSide.ts"
import type { Message } from "../model/Message.ts"
import * as Changing from "./Changing.ts"
import { type Session, viewOf } from "./Session.ts"
import type { SessionError } from "./SessionError.ts"
import * as State from "./State.ts"
import type { World } from "./World.ts"

export interface Around {
  readonly world: World
  readonly session: Session
  readonly client: ClientSide
  readonly show: (update: SessionUpdate) => Effect.Effect<void>
  readonly replaceHistory: (messages: ReadonlyArray<Message>) => Effect.Effect<void>
}

const refused = ({ message }: SessionError): Refused => ({ _tag: "Refused", message })

export const context = ({ client, replaceHistory, session, show, world }: Around): CommandContext => {
  const view = viewOf(session)
  /** Modes and options are told alike, for clients that know only one of them. */
  const changed = (change: Effect.Effect<Session, SessionError>): Effect.Effect<void, Refused> =>
    Effect.matchEffect(change, {
      onFailure: (error) => Effect.fail(refused(error)),
      onSuccess: (session) => Effect.forEach(State.updates(viewOf(session)), show, { discard: true })
    })
  return {
    sessionId: session.id,
    agentAlias: session.agent.alias,
    cwd: session.opened.policy.cwd,
    additionalDirectories: session.additionalDirectories,
    mode: view.mode,
    modes: State.describe(view),
    model: session.model,
    modelChoice: State.current(session.catalog.models, session.selection.model),
    thoughtLevel:
      session.catalog.thoughtLevels.length === 0
        ? undefined
        : State.current(session.catalog.thoughtLevels, session.selection.thoughtLevel),
    catalog: session.catalog,
    title: session.title?.text,
    history: session.history,
    usage: { used: session.usage?.used, size: session.model.contextWindow },
    tools: session.tools.map(({ spec }) => spec.name).filter(session.opened.policy.offers),
    client,
    say: (markdown) =>
      show({ sessionUpdate: "agent_message_chunk", content: text(markdown), messageId: crypto.randomUUID() }),
    update: show,
    setMode: (mode) => changed(Changing.setMode(world, session, mode)),
    setModel: (value) =>
      Effect.zipRight(
        changed(Changing.setOption(world, session, "model", value)),
        Effect.suspend(() => show(State.commands(session)))
      ),
    setThoughtLevel: (value) => changed(Changing.setOption(world, session, "thought_level", value)),
    setTitle: (title) =>
      Effect.mapError(Changing.setTitle(world, session.id, title), refused).pipe(
        Effect.tap((title) => show({ sessionUpdate: "session_info_update", title }))
      ),
    replaceHistory
  }
}
