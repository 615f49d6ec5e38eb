// The known attacks through the whole server: scripted model, real policy, real tools, real sandbox, a client that says no.
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as Paths from "../../src/config/Paths.ts"
import { open } from "../../src/policy/OpenPolicy.ts"
import { PolicyService } from "../../src/policy/PolicyService.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { makeTools } from "../../src/tools/Tools.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"
import cases from "./cases.json" with { type: "json" }
import { apply, Case, canary, canMount, fill, textOf, type World, world } from "./World.ts"

const all = Schema.decodeUnknownSync(Schema.Array(Case))(cases)

type Outcome = "denied" | "asked" | "ran"

/** The server of one attack: home, environment and our own files are the case's. */
const server = (attack: Case, made: World, environment: Readonly<Record<string, string | undefined>>) =>
  Embedded.start({
    model: Embedded.scripted(
      Embedded.call(
        ...attack.calls.map(
          ({ args, tool }) =>
            [tool, Object.fromEntries(Object.entries(args).map(([key, value]) => [key, textOf(value, made)]))] as const
        )
      ),
      Embedded.say("done")
    ),
    tools: makeTools({ shellTimeoutSecs: 20 }),
    paths: Paths.resolve({ ZEROCLAW_CONFIG_DIR: made.config }, made.home),
    config: { risk_profiles: { default: attack.profile } },
    policy: Layer.effect(
      PolicyService,
      Effect.map(Sandbox, (sandbox) => ({
        open: (spec) => open(spec, { homes: [made.home], environment, sandbox })
      }))
    ).pipe(Layer.provide(Sandbox.live(environment)))
  })

const string = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const attempt = (attack: Case) =>
  Effect.gen(function* () {
    const made = yield* world
    const changes = yield* Effect.forEach(attack.setup, (operation) => apply(operation, made))
    const environment = { ...process.env, HOME: made.home, ...Object.assign({}, ...changes) }
    const before = (attack.expect.unchanged ?? []).map((file) => fs.readFileSync(fill(file, made), "utf8"))
    const { peer } = yield* server(attack, made, environment)
    peer.answer((request) =>
      request.method === "session/request_permission"
        ? { result: { outcome: { outcome: "selected", optionId: "reject-once" } } }
        : undefined
    )
    yield* Peer.initialize(peer)
    const sessionId = yield* Peer.newSession(peer, fill(attack.cwd, made))
    if (attack.opened === "replace-workspace") {
      fs.renameSync(made.ws, `${made.ws}.old`)
      fs.symlinkSync(made.out, made.ws)
    }
    const turn = yield* peer.request("session/prompt", Peer.promptParams(sessionId, "go"))
    const answered = yield* peer.request("initialize", { protocolVersion: 1, clientCapabilities: {} })
    return { made, before, peer, turn, answered, updates: peer.updates(sessionId) }
  })

type Attempt = Effect.Effect.Success<ReturnType<typeof attempt>>

/** The last word on each call, in order. */
const endings = ({ updates }: Attempt) => {
  const calls = new Map<unknown, { status: string; text: string }>()
  for (const update of updates) {
    if (update.sessionUpdate === "tool_call") calls.set(update["toolCallId"], { status: "pending", text: "" })
    if (update.sessionUpdate !== "tool_call_update" || update["status"] === undefined) continue
    calls.set(update["toolCallId"], { status: string(update["status"]), text: JSON.stringify(update) })
  }
  return [...calls.values()]
}

const questions = ({ peer }: Attempt) => peer.frames().filter(Peer.isPermission)

const outcomeOf = (seen: Attempt): Outcome => {
  if (questions(seen).length > 0) return "asked"
  return endings(seen).every(({ text }) => text.includes("exit code") || text.includes('"completed"'))
    ? "ran"
    : "denied"
}

const check = ({ expect }: Case, seen: Attempt) => {
  const { before, made, peer, turn } = seen
  assert.strictEqual(turn.result?.["stopReason"], "end_turn", "the turn ends")
  assert.isUndefined(seen.answered.error, "the server lives")
  const ends = endings(seen)
  const statuses = ends.map(({ status }) => status)
  if (expect.tool_status !== undefined) {
    assert.deepStrictEqual([...new Set(statuses)], [expect.tool_status], JSON.stringify(ends).slice(0, 500))
  }
  if (expect.each !== undefined) assert.deepStrictEqual(statuses, expect.each)
  if (expect.ask_or_deny === true) assert.notStrictEqual(outcomeOf(seen), "ran", JSON.stringify(ends).slice(0, 500))
  if (expect.runs === true) assert.strictEqual(outcomeOf(seen), "ran", JSON.stringify(ends).slice(0, 500))
  if (expect.permission_requests !== undefined) {
    assert.strictEqual(questions(seen).length, expect.permission_requests)
  }
  // What the model itself wrote is shown as it is.
  const shown = (value: unknown) =>
    JSON.stringify(value, (key, inner: unknown) => (key === "rawInput" ? undefined : inner))
  const frames = shown(peer.frames())
  const results = JSON.stringify(ends)
  if (expect.canary_absent === true) assert.notInclude(frames, canary)
  for (const text of expect.output_lacks ?? []) assert.notInclude(results, text)
  for (const [i, file] of (expect.unchanged ?? []).entries()) {
    assert.strictEqual(fs.readFileSync(fill(file, made), "utf8"), before[i])
  }
  for (const file of expect.absent ?? []) assert.isFalse(fs.existsSync(fill(file, made)), file)
  for (const text of expect.permission_title_has_no ?? []) {
    for (const { params } of questions(seen)) assert.notInclude(shown(params), text)
  }
  if (expect.embedded_resource === false) assert.notInclude(results, '"type":"resource"')
  // No attack, whatever else it does, may harm these.
  const workspace = fs.existsSync(`${made.ws}.old`) ? `${made.ws}.old` : made.ws
  assert.strictEqual(fs.readFileSync(path.join(workspace, "keep"), "utf8"), "kept\n")
  assert.isFalse(fs.existsSync(path.join(workspace, "MARK")))
}

const areas = [...new Set(all.map(({ area }) => area))]

describe.each(areas)("attacks: %s", (area) => {
  for (const attack of all.filter((it) => it.area === area)) {
    const needsMount = attack.setup.some(({ op }) => op === "bindmount")
    it.scopedLive.skipIf(needsMount && !canMount)(`${attack.id} ${attack.title}`, () =>
      Effect.gen(function* () {
        const seen = yield* attempt(attack)
        check(attack, seen)
      })
    )
  }
})
