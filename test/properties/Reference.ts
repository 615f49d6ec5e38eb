// A small model of sessions and turns: what each request may be answered with, by the protocol's words alone.
import { type Kind, questionsOf } from "./Plans.ts"

/** `ok`, a stop reason, or the code of an error. */
export type Outcome = string

export const code = {
  invalidRequest: "-32600",
  noMethod: "-32601",
  invalidParams: "-32602",
  unknown: "-32002",
  busy: "-31001",
  limit: "-31002",
  cancelled: "-32800"
} as const

/** Whatever a request about sessions may run into while it is not settled what came before it. */
const anything = ["ok", code.unknown, code.busy, code.limit, code.cancelled]

export interface Turn {
  readonly id: string
  readonly kind: Kind
  readonly token: string
  /** It waits for its gate. */
  held: boolean
  /** Questions that are not answered. */
  open: number
  /** Calls that the client said yes to. */
  readonly allowed: Set<number>
  /** Whether it is sure that it was admitted. */
  readonly sure: boolean
}

export interface Slot {
  readonly name: number
  id: string | undefined
  /** `unsure`: something that opens or ends it is on its way. */
  state: "live" | "closed" | "gone" | "unsure"
  readonly turns: Array<Turn>
}

/** A session whose id the client was told. */
export type Known = Slot & { readonly id: string }
const isKnown = (slot: Slot): slot is Known => slot.id !== undefined

interface Pending {
  /** The session that it loads or resumes. */
  readonly opens?: Slot
  readonly allowed: Set<Outcome>
  readonly onOutcome: (outcome: Outcome, result: Readonly<Record<string, unknown>>) => void
}

export const stuck = ({ held, open }: Turn): boolean => held || open > 0

const natural = (kind: Kind): ReadonlyArray<Outcome> => (kind === "fail" ? ["-32603"] : ["end_turn"])

export class Reference {
  readonly slots: Array<Slot> = []
  readonly pending = new Map<string, Pending>()
  readonly everyTurn: Array<Turn> = []
  constructor(
    readonly busy: "reject" | "queue",
    readonly maxSessions: number
  ) {}

  readonly known = (): ReadonlyArray<Known> => this.slots.filter(isKnown)
  readonly settled = (): boolean => this.pending.size === 0
  readonly expect = (
    id: string,
    allowed: ReadonlyArray<Outcome>,
    onOutcome: Pending["onOutcome"] = () => {},
    opens?: Slot
  ): void => {
    this.pending.set(id, { allowed: new Set(allowed), onOutcome, ...(opens === undefined ? {} : { opens }) })
  }

  /** A request whose answer changes nothing here. */
  readonly plain = (id: string, allowed: ReadonlyArray<Outcome>): void => this.expect(id, allowed)

  readonly openings = (): ReadonlyArray<Outcome> => {
    // What is on its way takes a place, and may still wait to.
    if (!this.settled()) return ["ok", code.limit]
    return this.slots.filter(({ state }) => state === "live").length < this.maxSessions ? ["ok"] : [code.limit]
  }

  /** session/new and, of one that is stored, session/fork. */
  readonly add = (id: string, from?: Slot): void => {
    const may = from === undefined ? this.openings() : this.ofStored(from, this.openings())
    const slot: Slot = { name: this.slots.length, id: undefined, state: "unsure", turns: [] }
    this.slots.push(slot)
    this.expect(id, may, (outcome, result) => {
      slot.state = outcome === "ok" ? "live" : "gone"
      slot.id = typeof result["sessionId"] === "string" ? result["sessionId"] : undefined
    })
  }

  readonly ofStored = (slot: Slot, may: ReadonlyArray<Outcome>): ReadonlyArray<Outcome> =>
    slot.state === "unsure"
      ? anything
      : slot.state === "gone"
        ? [code.unknown, ...may.filter((one) => one === code.limit)]
        : may

  /** session/load and session/resume: what is live opens again, unless a turn is in it. */
  readonly open = (id: string, slot: Slot): void => {
    const idle = slot.turns.length === 0
    // What waits to be forked, loaded or closed is before it: the turn may be over by then.
    const stays = this.pending.size === slot.turns.length && slot.turns.every((turn) => turn.sure && stuck(turn))
    const may =
      slot.state === "live"
        ? [...(idle || !stays ? ["ok"] : []), ...(idle ? [] : [code.busy])]
        : this.ofStored(slot, this.openings())
    const before = slot.state
    if (before !== "live") slot.state = "unsure"
    this.expect(
      id,
      may,
      (outcome) => {
        if (outcome === "ok") slot.state = "live"
        else if (slot.state === "unsure") slot.state = before === "unsure" ? "closed" : before
      },
      slot
    )
  }

  /** session/close and session/delete. */
  readonly end = (id: string, slot: Slot, method: "session/close" | "session/delete"): void => {
    const before = slot.state
    const always = method === "session/delete"
    const may = always || before === "live" ? ["ok"] : before === "unsure" ? anything : [code.unknown]
    if (before === "live" || before === "unsure") this.stop(slot)
    if (before === "live" || (always && before !== "gone")) slot.state = "unsure"
    this.expect(id, may, (outcome) => {
      if (outcome === "ok") slot.state = always ? "gone" : "closed"
      else if (before === "unsure" && slot.state === "unsure") slot.state = "closed"
    })
  }

  readonly prompt = (id: string, slot: Slot, kind: Kind, token: string): void => {
    const ahead = slot.turns
    const stopped = ahead.some(stuck)
    const refused = slot.state === "closed" || slot.state === "gone"
    const full = this.busy === "reject" && ahead.length > 0
    const sure = slot.state === "live" && (!full || (stopped && ahead.every((turn) => turn.sure)))
    const may = refused
      ? [code.unknown]
      : !sure
        ? [...natural(kind), "cancelled", code.unknown, code.busy]
        : full
          ? [code.busy]
          : natural(kind)
    if (refused || (sure && full)) {
      this.expect(id, may)
      return
    }
    // Only the first of several openings is sure to be done before the prompt runs.
    for (const { allowed, opens } of this.pending.values()) if (opens === slot) allowed.add(code.busy)
    const turn: Turn = { id, kind, token, held: kind === "hold", open: questionsOf(kind), allowed: new Set(), sure }
    slot.turns.push(turn)
    this.everyTurn.push(turn)
    this.expect(id, may, () => {
      slot.turns.splice(slot.turns.indexOf(turn), 1)
    })
  }

  /** session/cancel: what is surely stuck, or waits behind it, ends so; what may be over may have ended by itself. */
  readonly stop = (slot: Slot): void => {
    const first = slot.turns.findIndex((turn) => stuck(turn))
    for (const [at, turn] of slot.turns.entries()) this.stopOne(turn, first !== -1 && at >= first)
  }

  readonly stopOne = (turn: Turn, surely: boolean): void => {
    const allowed = this.pending.get(turn.id)?.allowed
    if (surely && turn.sure) for (const outcome of natural(turn.kind)) allowed?.delete(outcome)
    allowed?.add("cancelled")
    turn.held = false
    turn.open = 0
  }

  /** `$/cancel_request` of one prompt, or of any other request. */
  readonly withdraw = (id: string): void => {
    for (const slot of this.slots) {
      const at = slot.turns.findIndex((turn) => turn.id === id)
      const turn = slot.turns[at]
      if (turn === undefined) continue
      const first = slot.turns.findIndex((turn) => stuck(turn))
      this.stopOne(turn, first !== -1 && at >= first)
      return
    }
    this.pending.get(id)?.allowed.add(code.cancelled)
  }

  /** Everything ends with the connection. */
  readonly hangUp = (): void => {
    for (const slot of this.slots) this.stop(slot)
    for (const { allowed } of this.pending.values()) allowed.add(code.cancelled)
  }

  /** Requests that must be answered now, whatever the client does next. */
  readonly due = (): ReadonlyArray<string> => {
    const waiting = new Set(
      this.slots.flatMap(({ turns }) => {
        const first = turns.findIndex(stuck)
        return first === -1 ? [] : turns.slice(first).map(({ id }) => id)
      })
    )
    return [...this.pending.keys()].filter((id) => !waiting.has(id))
  }

  /** Takes the outcomes in the order in which they came; gives what does not fit. */
  readonly settle = (
    answers: ReadonlyArray<{
      readonly id: string
      readonly outcome: Outcome
      readonly result: Readonly<Record<string, unknown>>
    }>
  ): string | undefined => {
    for (const { id, outcome, result } of answers) {
      const pending = this.pending.get(id)
      this.pending.delete(id)
      if (pending !== undefined && !pending.allowed.has(outcome)) {
        return `the answer to ${id} is ${outcome}, expected ${[...pending.allowed].join(" or ")}`
      }
      pending?.onOutcome(outcome, result)
    }
    return undefined
  }
}
