// A client for tests, in steps: send, wait for a frame, answer questions. Checks every line it receives.
import { Deferred, Effect, type Scope } from "effect"
import type { TransportService } from "../../src/transport/Transport.ts"
import * as OfficialSchema from "./OfficialSchema.ts"
import * as Outcomes from "./Outcomes.ts"

export type Frame = OfficialSchema.Frame
export type Response = Extract<Frame, { readonly _tag: "Response" }>
export type Request = Extract<Frame, { readonly _tag: "Request" }>
export type Update = Readonly<Record<string, unknown>> & { readonly sessionUpdate: string }

/** What a test answers a question with; undefined leaves it open. */
export type Answer = { readonly result: unknown } | { readonly error: { code: number; message: string } } | undefined

export interface Peer {
  readonly send: (text: string) => Effect.Effect<void>
  readonly notify: (method: string, params: unknown) => Effect.Effect<void>
  /** Notes a request whose bytes a test sends by itself. */
  readonly note: (id: string | number, method: string) => void
  /** Sends without waiting; gives the id. */
  readonly start: (method: string, params: unknown, id?: string | number) => Effect.Effect<string | number>
  readonly response: (id: OfficialSchema.Id) => Effect.Effect<Response>
  readonly request: (method: string, params: unknown) => Effect.Effect<Response>
  /** The first frame, past or future, that fits; `from` skips that many. */
  readonly until: (fits: (frame: Frame) => boolean, from?: number) => Effect.Effect<Frame>
  readonly answer: (how: (request: Request) => Answer) => void
  readonly reply: (id: OfficialSchema.Id, answer: NonNullable<Answer>) => Effect.Effect<void>
  readonly frames: () => ReadonlyArray<Frame>
  readonly updates: (sessionId?: string) => ReadonlyArray<Update>
  /** Resolves when the agent's output ends. */
  readonly ended: Effect.Effect<void>
}

const isUpdate = (value: unknown): value is Update =>
  typeof value === "object" && value !== null && "sessionUpdate" in value && typeof value.sessionUpdate === "string"

/** For the table of cases. */
const tally = (frame: Frame): void => {
  if (isPermission(frame)) Outcomes.count("asked")
  const update = frame._tag === "Notification" ? frame.params["update"] : undefined
  if (!isUpdate(update) || update.sessionUpdate !== "tool_call_update") return
  if (update["status"] === "failed") Outcomes.count("denied")
  if (update["status"] === "completed") Outcomes.count("ran")
}

export const make = (
  transport: TransportService,
  options: OfficialSchema.Options = {}
): Effect.Effect<Peer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const checker = OfficialSchema.make(options)
    const frames: Array<Frame> = []
    const waiting = new Set<{ readonly fits: (frame: Frame) => boolean; readonly found: Deferred.Deferred<Frame> }>()
    const ended = yield* Deferred.make<void>()
    let how: (request: Request) => Answer = () => undefined
    let sequence = 0

    const reply: Peer["reply"] = (id, answer) => transport.send(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
    const onLine = (text: string): Effect.Effect<void> => {
      const frame = checker.received(text)
      frames.push(frame)
      tally(frame)
      for (const wait of waiting) {
        if (!wait.fits(frame)) continue
        waiting.delete(wait)
        Deferred.unsafeDone(wait.found, Effect.succeed(frame))
      }
      const answer = frame._tag === "Request" ? how(frame) : undefined
      return answer !== undefined && frame._tag === "Request" ? reply(frame.id, answer) : Effect.void
    }
    const pump: Effect.Effect<void> = Effect.flatMap(transport.incoming.takeAll, ([lines, done]) =>
      Effect.zipRight(
        Effect.forEach(lines, (line) => (line._tag === "Text" ? onLine(line.text) : Effect.dieMessage(line._tag)), {
          discard: true
        }),
        done ? Effect.void : pump
      )
    )
    const giveUp = (why: Effect.Effect<never>) =>
      Effect.sync(() => {
        for (const { found } of waiting) Deferred.unsafeDone(found, why)
      })
    yield* Effect.forkScoped(
      Effect.matchCauseEffect(pump, {
        onSuccess: () =>
          Effect.zipRight(giveUp(Effect.dieMessage("the agent's output ended")), Deferred.succeed(ended, undefined)),
        onFailure: (cause) => Effect.zipRight(giveUp(Effect.failCause(cause)), Deferred.failCause(ended, cause))
      })
    )

    const until: Peer["until"] = (fits, from = 0) =>
      Effect.suspend(() => {
        const seen = frames.slice(from).find(fits)
        if (seen) return Effect.succeed(seen)
        return Effect.flatMap(Deferred.make<Frame>(), (found) => {
          waiting.add({ fits, found })
          return Deferred.await(found)
        })
      })
    const start: Peer["start"] = (method, params, id = ++sequence) =>
      Effect.suspend(() => {
        checker.sent(id, method)
        return Effect.as(transport.send(JSON.stringify({ jsonrpc: "2.0", id, method, params })), id)
      })
    const response: Peer["response"] = (id) =>
      Effect.flatMap(
        until((frame) => frame._tag === "Response" && frame.id === id),
        (frame) => (frame._tag === "Response" ? Effect.succeed(frame) : Effect.dieMessage("not a response"))
      )
    return {
      send: transport.send,
      notify: (method, params) => transport.send(JSON.stringify({ jsonrpc: "2.0", method, params })),
      note: checker.sent,
      start,
      response,
      request: (method, params) => Effect.flatMap(start(method, params), response),
      until,
      answer: (next) => {
        how = next
      },
      reply,
      frames: () => frames,
      updates: (sessionId) =>
        frames.flatMap((frame) =>
          frame._tag === "Notification" &&
          frame.method === "session/update" &&
          (sessionId === undefined || frame.params["sessionId"] === sessionId) &&
          isUpdate(frame.params["update"])
            ? [frame.params["update"]]
            : []
        ),
      ended: Deferred.await(ended)
    }
  })

export const initialize = (peer: Peer, clientCapabilities: unknown = {}) =>
  peer.request("initialize", { protocolVersion: 1, clientCapabilities })

export const newSession = (peer: Peer, cwd: string): Effect.Effect<string> =>
  Effect.flatMap(peer.request("session/new", { cwd, mcpServers: [] }), ({ error, result }) => {
    const id = result?.["sessionId"]
    return typeof id === "string" ? Effect.succeed(id) : Effect.dieMessage(`session/new failed: ${error?.message}`)
  })

export const promptParams = (sessionId: string, text: string) => ({ sessionId, prompt: [{ type: "text", text }] })

export const isUpdateOf =
  (kind: string) =>
  (frame: Frame): boolean =>
    frame._tag === "Notification" && isUpdate(frame.params["update"]) && frame.params["update"].sessionUpdate === kind

export const isPermission = (frame: Frame): frame is Request =>
  frame._tag === "Request" && frame.method === "session/request_permission"

/** Joined text of one kind of chunk. */
export const textOf = (updates: ReadonlyArray<Update>, kind: string): string =>
  updates
    .filter(({ sessionUpdate }) => sessionUpdate === kind)
    .map(({ content }) =>
      typeof content === "object" && content !== null && "text" in content && typeof content.text === "string"
        ? content.text
        : ""
    )
    .join("")
