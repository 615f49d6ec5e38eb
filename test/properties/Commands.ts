// What a client may do, each as a command of fast-check: a line sent, and what the reference makes of it.
import { Arbitrary, Effect, FastCheck as fc, Schema } from "effect"
import * as Methods from "../../src/contract/AgentMethods.ts"
import { ClientCapabilities } from "../../src/contract/Capabilities.ts"
import { ResourceLink, TextContent } from "../../src/contract/Content.ts"
import { cwd } from "../support/Embedded.ts"
import * as Plans from "./Plans.ts"
import { code, type Known, type Reference, type Slot, stuck } from "./Reference.ts"
import { idShapes, notification, type World } from "./World.ts"

type Command = fc.AsyncCommand<Reference, World>

const command = (
  name: string,
  run: (reference: Reference, world: World) => Effect.Effect<void>,
  check: (reference: Reference) => boolean = () => true
): Command => ({
  check: (reference) => check(reference),
  run: (reference, world) => world.run(run(reference, world)),
  toString: () => name
})

const hasSlot = (reference: Reference): boolean => reference.known().length > 0
const withSlot =
  (at: number, run: (slot: Known, reference: Reference, world: World) => Effect.Effect<void>) =>
  (reference: Reference, world: World): Effect.Effect<void> => {
    const known = reference.known()
    const slot = known[at % Math.max(1, known.length)]
    return slot === undefined ? Effect.void : run(slot, reference, world)
  }

const place = { cwd, mcpServers: [] }
const shape = fc.constantFrom(...idShapes)
const at = fc.nat(5)

const settle = fc.constant(command("settle", (reference, world) => world.settle(reference)))

const create = shape.map((shape) =>
  command("new", (reference, world) => {
    const id = world.id(shape)
    reference.add(id)
    return world.request(id, "session/new", place)
  })
)

const content = fc.array(
  fc.oneof(
    Arbitrary.make(TextContent).map((block) => Schema.encodeSync(TextContent)(block)),
    Arbitrary.make(ResourceLink).map((block) => Schema.encodeSync(ResourceLink)(block))
  ),
  { maxLength: 2 }
)

const prompt = fc
  .record({ at, kind: fc.constantFrom(...Plans.kinds), shape, more: content })
  .map(({ at, kind, more, shape }) =>
    command(
      `prompt #${at} ${kind}`,
      withSlot(at, (slot, reference, world) => {
        const id = world.id(shape)
        const token = `t${reference.everyTurn.length}n${world.entries.length}`
        reference.prompt(id, slot, kind, token)
        const prompt = [{ type: "text", text: Plans.promptText(kind, token) }, ...more]
        return world.request(id, "session/prompt", { sessionId: slot.id, prompt }, slot.id)
      }),
      hasSlot
    )
  )

const cancel = at.map((at) =>
  command(
    `cancel #${at}`,
    withSlot(at, (slot, reference, world) => {
      reference.stop(slot)
      return world.wire().send(notification("session/cancel", { sessionId: slot.id }), { _tag: "Notification" })
    }),
    hasSlot
  )
)

const withdraw = at.map((at) =>
  command(
    `$/cancel_request ${at}`,
    (reference, world) => {
      const ids = [...reference.pending.keys()]
      const id = ids[at % ids.length]
      if (id === undefined) return Effect.void
      reference.withdraw(id)
      return world
        .wire()
        .send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":${id}}}`, { _tag: "Notification" })
    },
    (reference) => reference.pending.size > 0
  )
)

const release = at.map((at) =>
  command(
    `release #${at}`,
    withSlot(at, ({ turns }, _, world) => {
      const turn = turns.find(({ held }) => held)
      if (turn === undefined) return Effect.void
      turn.held = false
      return world.plans.release(turn.token)
    }),
    hasSlot
  )
)

const outcome = (of: object) => ({ result: { outcome: of } })
const answers = {
  allow: outcome({ outcome: "selected", optionId: "allow-once" }),
  reject: outcome({ outcome: "selected", optionId: "reject-once" }),
  cancelled: outcome({ outcome: "cancelled" }),
  "what was not offered": outcome({ outcome: "selected", optionId: "allow-everything" }),
  nonsense: { result: { outcome: 5 } },
  "an error": { error: { code: -32603, message: "no" } }
}
type AnswerName = keyof typeof answers
const answerNames: ReadonlyArray<AnswerName> = [
  "allow",
  "reject",
  "cancelled",
  "what was not offered",
  "nonsense",
  "an error"
]

const reply = (world: World, id: string, answer: object): Effect.Effect<void> =>
  world.wire().send(`{"jsonrpc":"2.0","id":${id},${JSON.stringify(answer).slice(1)}`, { _tag: "Answer", id })

/** The first turn that is stuck, where it is a question that it waits for. */
const asking = ({ turns }: Slot) => {
  const first = turns.find(stuck)
  return first?.sure === true && first.open > 0 ? first : undefined
}

const answer = fc.record({ at, how: fc.constantFrom(...answerNames), late: fc.boolean() }).map(({ at, how, late }) =>
  command(
    `answer #${at} with ${how}${late ? ", then allow" : ""}`,
    withSlot(at, (slot, _, world) =>
      Effect.gen(function* () {
        const turn = asking(slot)
        if (turn === undefined || slot.state !== "live") return
        const id = yield* world.question(slot.id)
        if (how === "allow") turn.allowed.add(Plans.questionsOf(turn.kind) - turn.open + 1)
        turn.open--
        yield* reply(world, id, answers[how])
        // The first answer counts.
        if (late) yield* reply(world, id, answers.allow)
      })
    ),
    (reference) => reference.known().some((slot) => slot.state === "live" && asking(slot) !== undefined)
  )
)

const open = fc
  .record({ at, method: fc.constantFrom("session/load", "session/resume"), shape })
  .map(({ at, method, shape }) =>
    command(
      `${method} #${at}`,
      withSlot(at, (slot, reference, world) => {
        const id = world.id(shape)
        reference.open(id, slot)
        return world.request(id, method, { ...place, sessionId: slot.id }, slot.id)
      }),
      hasSlot
    )
  )

const end = fc
  .record({ at, method: fc.constantFrom("session/close" as const, "session/delete" as const), shape })
  .map(({ at, method, shape }) =>
    command(
      `${method} #${at}`,
      withSlot(at, (slot, reference, world) => {
        const id = world.id(shape)
        reference.end(id, slot, method)
        return world.request(id, method, { sessionId: slot.id }, slot.id)
      }),
      hasSlot
    )
  )

const fork = fc.record({ at, shape }).map(({ at, shape }) =>
  command(
    `fork #${at}`,
    withSlot(at, (slot, reference, world) => {
      const id = world.id(shape)
      reference.add(id, slot)
      return world.request(id, "session/fork", { ...place, sessionId: slot.id })
    }),
    hasSlot
  )
)

const mode = fc.record({ at, modeId: fc.constantFrom("readonly", "supervised", "full", "") }).map(({ at, modeId }) =>
  command(
    `set_mode #${at} ${modeId}`,
    withSlot(at, ({ id: sessionId, state }, reference, world) => {
      const id = world.id("text")
      const offered = modeId === "readonly" || modeId === "supervised"
      const live = offered ? "ok" : code.invalidParams
      reference.plain(id, state === "live" ? [live] : state === "unsure" ? [live, code.unknown] : [code.unknown])
      return world.request(id, "session/set_mode", { sessionId, modeId }, sessionId)
    }),
    hasSlot
  )
)

/** A line that is no request, and what it must be answered with. */
const brokenLines: ReadonlyArray<(id: string) => readonly [text: string, id: string, code: number]> = [
  () => ['{"jsonrpc":"2.0","id":', "null", -32700],
  () => ["nonsense", "null", -32700],
  () => ["[".repeat(2000), "null", -32700],
  () => ["42", "null", -32600],
  (id) => [`[{"jsonrpc":"2.0","id":${id},"method":"session/list"}]`, "null", -32600],
  () => ['{"jsonrpc":"2.0"}', "null", -32600],
  () => ['{"jsonrpc":"2.0","id":1.5,"method":"session/list"}', "null", -32600],
  () => ['{"jsonrpc":"2.0","id":{},"method":"session/list"}', "null", -32600],
  (id) => [`{"jsonrpc":"1.0","id":${id},"method":"session/list"}`, id, -32600],
  (id) => [`{"id":${id},"method":"session/list"}`, id, -32600],
  (id) => [`{"jsonrpc":"2.0","id":${id},"method":5}`, id, -32600],
  (id) => [`{"jsonrpc":"2.0","id":${id},"method":"session/list","result":{}}`, id, -32600]
]

const broken = fc.record({ line: fc.constantFrom(...brokenLines), shape }).map(({ line, shape }) =>
  command(`broken ${line("1")[0].slice(0, 60)}`, (_, world) => {
    const [text, id, code] = line(world.id(shape))
    return world.wire().send(text, { _tag: "Malformed", id, code })
  })
)

/** An id that a request still waits under is refused, and the request goes on. */
const duplicate = at.map((at) =>
  command(
    `a second request under the id of ${at}`,
    (reference, world) => {
      const stopped = reference.slots.flatMap(({ state, turns }) =>
        state === "live" ? turns.filter(({ sure }) => sure) : []
      )
      const id = stopped.filter(stuck)[at % Math.max(1, stopped.filter(stuck).length)]?.id
      if (id === undefined) return Effect.void
      return world.wire().send(`{"jsonrpc":"2.0","id":${id},"method":"session/list","params":{}}`, {
        _tag: "Malformed",
        id,
        code: -32600
      })
    },
    (reference) => reference.slots.some(({ turns }) => turns.some(stuck))
  )
)

const silent = fc
  .constantFrom(
    '{"jsonrpc":"2.0","method":"no/such_thing","params":{}}',
    '{"jsonrpc":"2.0","method":"_vendor/thing"}',
    '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":5}}',
    '{"jsonrpc":"2.0","method":"session/prompt","params":{}}',
    '{"jsonrpc":"2.0","id":"zc-out-99999","result":{}}',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"x"}}',
    '{"jsonrpc":"2.0","id":true,"result":{}}',
    '{"method":"session/cancel"}'
  )
  .map((text) => command(`silent ${text}`, (_, world) => world.wire().send(text, { _tag: "Notification" })))

const noise = <A, I>(method: string, schema: Schema.Schema<A, I>) =>
  Arbitrary.make(schema).map((value) => ({ method, params: Schema.encodeSync(schema)(value) }))

/** Requests made from the contract's own schemas, about sessions that nobody made. */
const foreign = fc
  .record({
    shape,
    what: fc.oneof(
      noise("session/load", Methods.LoadSession.payloadSchema),
      noise("session/resume", Methods.ResumeSession.payloadSchema),
      noise("session/close", Methods.CloseSession.payloadSchema),
      noise("session/delete", Methods.DeleteSession.payloadSchema),
      noise("session/fork", Methods.ForkSession.payloadSchema),
      noise("session/prompt", Methods.Prompt.payloadSchema),
      noise("session/list", Methods.ListSessions.payloadSchema),
      noise("session/set_mode", Methods.SetMode.payloadSchema),
      noise("session/set_config_option", Methods.SetConfigOption.payloadSchema),
      fc.jsonValue().map((params) => ({ method: "session/prompt", params })),
      fc.jsonValue().map((params) => ({ method: "no/such_method", params }))
    )
  })
  .map(({ shape, what: { method, params } }) =>
    command(`${method} ${JSON.stringify(params).slice(0, 120)}`, (reference, world) => {
      const id = world.id(shape)
      const refused = [code.unknown, code.invalidParams, code.limit]
      const may = method === "no/such_method" ? [code.noMethod] : [...refused, "ok"]
      reference.plain(id, method === "session/prompt" ? refused : may)
      return world.request(id, method, params)
    })
  )

const list = shape.map((shape) =>
  command("list", (reference, world) => {
    const id = world.id(shape)
    reference.plain(id, ["ok"])
    return world.request(id, "session/list", {})
  })
)

const again = fc
  .record({ clientCapabilities: Arbitrary.make(ClientCapabilities), shape })
  .map(({ clientCapabilities, shape }) =>
    command("initialize", (reference, world) => {
      const id = world.id(shape)
      reference.plain(id, ["ok"])
      const capabilities = Schema.encodeSync(ClientCapabilities)(clientCapabilities)
      return world.request(id, "initialize", { protocolVersion: 1, clientCapabilities: capabilities })
    })
  )

/** Everything before `initialize` is refused, everything that was in flight is answered, what was stored is there. */
const hangUp = fc.boolean().map((early) =>
  command(`hang up and come back${early ? ", too early" : ""}`, (reference, world) =>
    Effect.gen(function* () {
      reference.hangUp()
      yield* world.hangUp
      yield* world.settle(reference)
      for (const slot of reference.slots) if (slot.state !== "gone") slot.state = "closed"
      yield* world.connect
      if (early) {
        const id = world.id("text")
        reference.plain(id, [code.invalidRequest])
        yield* world.request(id, "session/list", {})
      }
      const id = world.id("small")
      reference.plain(id, ["ok"])
      yield* world.request(id, "initialize", { protocolVersion: 1 })
    })
  )
)

const weighted = (weight: number, arbitrary: fc.Arbitrary<Command>) => ({ weight, arbitrary })

export const commands = (maxCommands: number): fc.Arbitrary<Iterable<Command>> =>
  fc.commands(
    [
      fc.oneof(
        weighted(6, settle),
        weighted(3, create),
        weighted(8, prompt),
        weighted(3, cancel),
        weighted(2, withdraw),
        weighted(4, release),
        weighted(6, answer),
        weighted(3, open),
        weighted(2, end),
        weighted(1, fork),
        weighted(1, mode),
        weighted(2, broken),
        weighted(1, duplicate),
        weighted(1, silent),
        weighted(2, foreign),
        weighted(1, list),
        weighted(1, again),
        weighted(1, hangUp)
      )
    ],
    { maxCommands, size: "max" }
  )

export const initialize = (reference: Reference, world: World): Effect.Effect<void> => {
  const id = world.id("small")
  reference.plain(id, ["ok"])
  return world.request(id, "initialize", { protocolVersion: 1 })
}

/** Lets everything go on to its end, then hangs up: what was asked is answered, and only what was allowed was done. */
export const finish = (reference: Reference, world: World): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    for (const slot of reference.known()) {
      for (const turn of slot.turns) {
        yield* world.plans.release(turn.token)
        turn.held = false
      }
      if (!slot.turns.some(stuck)) continue
      reference.stop(slot)
      yield* world.wire().send(notification("session/cancel", { sessionId: slot.id }), { _tag: "Notification" })
    }
    yield* world.settle(reference)
    yield* world.hangUp
    for (const { allowed, kind, token } of reference.everyTurn) {
      for (let call = 1; call <= Plans.questionsOf(kind); call++) {
        if (world.plans.ran(token, call) && !allowed.has(call))
          return `call ${call} of ${token} ran and nobody allowed it`
      }
    }
    return undefined
  })
