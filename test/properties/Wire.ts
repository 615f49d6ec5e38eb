// The client's end of a connection as bytes: what goes out is noted with what it asks for, what comes in is kept as text.
import { Deferred, Effect, FiberId, type Scope } from "effect"
import type { TransportService } from "../../src/transport/Transport.ts"

/** What a line of the client's is, told by whoever wrote it and not by the code under test. */
export type Meaning =
  | { readonly _tag: "Request"; readonly id: string; readonly method: string; readonly sessionId?: string }
  | { readonly _tag: "Notification" }
  | { readonly _tag: "Answer"; readonly id: string }
  /** Must be answered by this code and id, `null` where none can be read. */
  | { readonly _tag: "Malformed"; readonly id: string; readonly code: number }

export type Entry =
  | { readonly _tag: "Sent"; readonly text: string; readonly meaning: Meaning }
  | { readonly _tag: "Received"; readonly text: string }
  /** The client will send nothing more, so questions are over. */
  | { readonly _tag: "HungUp" }
  /** All that the agent had to say is above. */
  | { readonly _tag: "End" }

/** An id by its JSON value and type: equal texts for equal ids. */
export const idKey = (raw: string): string =>
  raw.startsWith('"') ? `text ${JSON.parse(raw)}` : raw === "null" ? raw : `number ${BigInt(raw)}`

const answerId = /^\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|[^,}]+),"(?:result|error)":/

const withdrawnId = /^\{"jsonrpc":"2\.0","method":"\$\/cancel_request","params":\{"requestId":("(?:[^"\\]|\\.)*")/

/** The id of a response as it stands in its text; undefined for anything else. */
export const answeredId = (text: string): string | undefined => answerId.exec(text)?.[1]

export interface Answer {
  /** Where it stands among the lines. */
  readonly at: number
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number }
}

export interface Wire {
  readonly send: (text: string, meaning: Meaning) => Effect.Effect<void>
  /** The answer to the last request of this id. */
  readonly answer: (id: string) => Effect.Effect<Answer>
  /** The first permission question of the session that was not handed out yet: its id as it stands in its text. */
  readonly question: (sessionId: string) => Effect.Effect<string>
  readonly ended: Effect.Effect<void>
}

const isRefusal = (frame: unknown): boolean =>
  typeof frame === "object" &&
  frame !== null &&
  "error" in frame &&
  typeof frame.error === "object" &&
  frame.error !== null &&
  "code" in frame.error &&
  (frame.error.code === -32600 || frame.error.code === -32700)

interface Question {
  readonly id: string
  readonly method: string
  readonly params: { readonly sessionId: string }
}

const isQuestion = (frame: unknown): frame is Question =>
  typeof frame === "object" &&
  frame !== null &&
  "method" in frame &&
  frame.method === "session/request_permission" &&
  "id" in frame

/** What a broken server would make of its lines, for properties that must fail. */
export type Tamper = (text: string) => ReadonlyArray<string>

export const make = (
  transport: TransportService,
  entries: Array<Entry>,
  tamper: Tamper
): Effect.Effect<Wire, never, Scope.Scope> =>
  Effect.gen(function* () {
    const answers = new Map<string, Deferred.Deferred<Answer>>()
    /** Lines under an id that is in use, or no requests at all: their answers are not the request's. */
    const refusals = new Map<string, number>()
    const questions = new Map<string, Array<string>>()
    const asked = new Map<string, Deferred.Deferred<string>>()
    const ended = yield* Deferred.make<void>()
    const onLine = (text: string): void => {
      entries.push({ _tag: "Received", text })
      const id = answeredId(text)
      const frame: unknown = JSON.parse(text)
      const refused = id === undefined ? undefined : refusals.get(idKey(id))
      if (id !== undefined && refused !== undefined && refused > 0 && isRefusal(frame)) {
        refusals.set(idKey(id), refused - 1)
        return
      }
      const waiting = id === undefined ? undefined : answers.get(idKey(id))
      if (waiting !== undefined && typeof frame === "object") {
        Deferred.unsafeDone(waiting, Effect.succeed({ ...frame, at: entries.length }))
      }
      const withdrawn = withdrawnId.exec(text)?.[1]
      if (withdrawn !== undefined) {
        for (const [session, ids] of questions)
          questions.set(
            session,
            ids.filter((id) => id !== withdrawn)
          )
      }
      if (!isQuestion(frame)) return
      const { sessionId } = frame.params
      const waiter = asked.get(sessionId)
      asked.delete(sessionId)
      if (waiter === undefined)
        questions.set(sessionId, [...(questions.get(sessionId) ?? []), JSON.stringify(frame.id)])
      else Deferred.unsafeDone(waiter, Effect.succeed(JSON.stringify(frame.id)))
    }
    const pump: Effect.Effect<void> = Effect.flatMap(transport.incoming.takeAll, ([lines, done]) => {
      for (const line of lines) if (line._tag === "Text") tamper(line.text).forEach(onLine)
      return done ? Effect.void : pump
    })
    yield* Effect.forkScoped(Effect.ensuring(Effect.orDie(pump), Deferred.succeed(ended, undefined)))
    return {
      send: (text, meaning) =>
        Effect.suspend(() => {
          entries.push({ _tag: "Sent", text, meaning })
          if (meaning._tag === "Malformed") {
            refusals.set(idKey(meaning.id), (refusals.get(idKey(meaning.id)) ?? 0) + 1)
          }
          if (meaning._tag === "Request") answers.set(idKey(meaning.id), Deferred.unsafeMake(FiberId.none))
          return transport.send(text)
        }),
      answer: (id) => {
        const waiting = answers.get(idKey(id))
        return waiting === undefined ? Effect.dieMessage(`nothing was asked under ${id}`) : Deferred.await(waiting)
      },
      question: (sessionId) =>
        Effect.suspend(() => {
          const known = questions.get(sessionId)?.shift()
          if (known !== undefined) return Effect.succeed(known)
          const waiter = asked.get(sessionId) ?? Deferred.unsafeMake<string>(FiberId.none)
          asked.set(sessionId, waiter)
          return Deferred.await(waiter)
        }),
      ended: Deferred.await(ended)
    }
  })
