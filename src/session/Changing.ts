// Changing a live session: its mode, its model, how much it thinks; and the title of any stored one.
import { Effect, Either, Option } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import type { Settings } from "../store/SessionStore.ts"
import * as Following from "./Following.ts"
import { type Session, viewOf } from "./Session.ts"
import { neverStored, type SessionError } from "./SessionError.ts"
import * as State from "./State.ts"
import * as Title from "./Title.ts"
import { invalid, storeFailure, type World } from "./World.ts"

const settingsOf = (session: Session): Settings => ({
  ...(session.opened.policy.level === session.agent.profile.level ? {} : { mode: session.opened.policy.level }),
  ...session.selection
})

/** The change holds for the session even when it can't be stored: the person sees it at work. */
const keep = (world: World, session: Session) =>
  Effect.catchAll(world.store.change(session.id, { settings: settingsOf(session) }), ({ message }) =>
    Effect.logWarning(`settings of session ${session.id} not stored: ${message}`)
  )

/** A running turn goes on with the model it began with; decisions follow a new mode at once. */
const apply = (world: World, session: Session, setting: State.Setting): Effect.Effect<void> =>
  Effect.gen(function* () {
    switch (setting._tag) {
      case "Mode":
        yield* session.opened.policy.setLevel(setting.level)
        break
      case "Model": {
        session.selection = { ...session.selection, model: setting.value }
        break
      }
      case "ThoughtLevel":
        session.selection = { ...session.selection, thoughtLevel: setting.value }
        break
    }
    if (setting._tag !== "Mode") {
      const { agent, selection } = session
      session.catalog = yield* world.models.catalog(agent, selection)
      session.model = yield* world.models.forAgent(agent, selection)
    }
    yield* keep(world, session)
  })

const change = (
  world: World,
  session: Session,
  setting: Either.Either<State.Setting, string>
): Effect.Effect<Session, SessionError> =>
  Either.match(setting, {
    onLeft: (message) => invalid(message),
    onRight: (setting) => Effect.as(apply(world, session, setting), session)
  })

/** What may be chosen is what the configuration allows now. */
const choosing = (world: World, session: Session, setting: () => Either.Either<State.Setting, string>) =>
  Effect.zipRight(
    Following.follow(world, session),
    Effect.suspend(() => change(world, session, setting()))
  )

export const setMode = (world: World, session: Session, modeId: string): Effect.Effect<Session, SessionError> =>
  choosing(world, session, () => State.setMode(viewOf(session), modeId))

export const setOption = (
  world: World,
  session: Session,
  configId: string,
  value: string | boolean
): Effect.Effect<Session, SessionError> =>
  choosing(world, session, () => State.setOption(viewOf(session), configId, value))

/** Any session that session/list would show, live or not. Gives the title as it was stored. */
export const setTitle = (world: World, id: SessionId, text: string): Effect.Effect<string, SessionError> =>
  Option.match(Title.normalize(text), {
    onNone: () => invalid("title: is empty; send some text"),
    onSome: (title) =>
      Effect.gen(function* () {
        const named = { text: title, by: "person" as const }
        const session = world.active.get(id)
        const before = session?.title
        // At once: a turn that ends meanwhile must see that a person named it.
        if (session) session.title = named
        yield* world.store.change(id, { title: named }).pipe(
          Effect.tapErrorCause(() =>
            Effect.sync(() => {
              if (session?.title === named) session.title = before
            })
          ),
          Effect.mapError((error) => (error.reason === "unknown_session" ? neverStored(id) : storeFailure(error)))
        )
        return title
      })
  })
