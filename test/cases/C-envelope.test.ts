// Kind C: JSON-RPC envelopes and ids.
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as Cases from "../support/Cases.ts"
import * as Embedded from "../support/Embedded.ts"
import * as Peer from "../support/Peer.ts"

const { call, cwd, say, scripted, tool } = Embedded
const served = (setup: Partial<Embedded.Setup> = {}) =>
  Effect.gen(function* () {
    const { peer } = yield* Embedded.start({ model: scripted(say("ok")), ...setup })
    yield* Peer.initialize(peer)
    return peer
  })
/** Sends lines, then a request as a fence; gives what came in between as id and error code. */
const between = (peer: Peer.Peer, lines: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const from = peer.frames().length
    for (const line of lines) yield* peer.send(line)
    yield* peer.request("session/list", {})
    return peer
      .frames()
      .slice(from, -1)
      .map((frame) => (frame._tag === "Response" ? [frame.id, frame.error?.code] : [frame.method]))
  })

describe("C. envelopes", () => {
  it.scoped("C01 a line that is not JSON is refused once without an id, and the next one is read", () =>
    Effect.gen(function* () {
      const peer = yield* served()
      assert.deepStrictEqual(yield* between(peer, ['{"jsonrpc":"2.0","id":5,"method":"session/new"']), [[null, -32700]])
    })
  )

  it.scoped("C02 an array is refused as one, and nothing in it is done", () =>
    Effect.gen(function* () {
      const peer = yield* served()
      const batch = `[{"jsonrpc":"2.0","id":5,"method":"session/list","params":{}},{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"x"}}]`
      assert.deepStrictEqual(yield* between(peer, [batch, "[]"]), [
        [null, -32600],
        [null, -32600]
      ])
    })
  )

  it.scoped("C03 unknown notifications are passed over, unknown requests refused", () =>
    Effect.gen(function* () {
      const peer = yield* served()
      const lines = [
        '{"jsonrpc":"2.0","method":"_x.ai/mcp/servers_updated","params":{}}',
        '{"jsonrpc":"2.0","method":"$/progress","params":{}}',
        '{"jsonrpc":"2.0","method":"totally/unknown","params":[]}',
        '{"jsonrpc":"2.0","id":500,"method":"_zed.dev/nope","params":{}}',
        '{"jsonrpc":"2.0","id":600,"method":"$/nope"}'
      ]
      assert.deepStrictEqual(yield* between(peer, lines), [
        [500, -32601],
        [600, -32601]
      ])
    })
  )

  it.scoped("C04 a cancel that asks for an answer gets one, and the turn is stopped", () =>
    Effect.gen(function* () {
      const running = yield* Deferred.make<void>()
      const sleep = tool("sleep", Effect.zipRight(Deferred.succeed(running, undefined), Effect.never))
      const peer = yield* served({ model: scripted(call(["sleep", {}])), tools: [sleep] })
      const sessionId = yield* Peer.newSession(peer, cwd)
      const id = yield* peer.start("session/prompt", Peer.promptParams(sessionId, "go"))
      yield* Deferred.await(running)
      assert.deepStrictEqual((yield* peer.request("session/cancel", { sessionId })).result, {})
      assert.strictEqual(Cases.stopReason(yield* peer.response(id)), "cancelled")
    })
  )

  it.scoped("C06 an id comes back as the JSON value it was", () =>
    Effect.gen(function* () {
      const peer = yield* served()
      for (const id of [0, "0", -1, "", "5f1c0b1e-uuid", 9007199254740991]) {
        yield* peer.start("session/list", {}, id)
        assert.strictEqual((yield* peer.response(id)).error, undefined)
        assert.strictEqual(Cases.answersTo(peer, id).length, 1)
      }
    })
  )

  it.scoped("C08 an id of null is a request; an object or a boolean is no id", () =>
    Effect.gen(function* () {
      const peer = yield* served()
      const list = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"no/such","params":{}}`
      assert.deepStrictEqual(yield* between(peer, [list("null"), list('{"a":1}'), list("true")]), [
        [null, -32601],
        [null, -32600],
        [null, -32600]
      ])
    })
  )

  it.scoped("C10 broken requests are refused with their ids, scalars without one", () =>
    Effect.gen(function* () {
      const peer = yield* served()
      const lines = [
        '{"id":500,"method":"session/list","params":{}}',
        '{"jsonrpc":"1.0","id":600,"method":"session/list"}',
        '{"jsonrpc":"2.0","id":700,"method":42}',
        '{"jsonrpc":"2.0","id":800,"method":"session/list","params":[]}',
        '{"jsonrpc":"2.0","id":1000,"method":"ping"}',
        '"hello"',
        "42"
      ]
      assert.deepStrictEqual(yield* between(peer, lines), [
        [500, -32600],
        [600, -32600],
        [700, -32600],
        [800, -32602],
        [1000, -32601],
        [null, -32600],
        [null, -32600]
      ])
      assert.strictEqual((yield* peer.request("session/list", null)).error, undefined)
    })
  )

  it.scoped("C11 answers that nobody waits for are never answered", () =>
    Effect.gen(function* () {
      const peer = yield* served()
      const lines = [
        '{"jsonrpc":"2.0","id":777,"result":{"outcome":{"outcome":"selected","optionId":"allow"}}}',
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"your line was bad"}}',
        '{"jsonrpc":"2.0","id":778}'
      ]
      assert.deepStrictEqual(yield* between(peer, lines), [])
    })
  )
})
