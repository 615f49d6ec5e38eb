// Whatever our types allow us to write is what the official schema allows, with no root key that it does not declare.
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, FastCheck as fc, Schema } from "effect"
import { AgentRequests } from "../../src/contract/AgentMethods.ts"
import { ClientNotifications, ClientRequests } from "../../src/contract/ClientMethods.ts"
import { RequestError } from "../../src/contract/Errors.ts"
import { SessionUpdate } from "../../src/contract/Update.ts"
import { type Definition, definition, type Side, type Suffix, stable } from "./Official.ts"

interface Written {
  readonly label: string
  readonly definition: Definition
  readonly lines: fc.Arbitrary<string>
}

/** As it is on the wire. */
const lines = (schema: Schema.Schema.AnyNoContext): fc.Arbitrary<string> => {
  const encode = Schema.encodeSync(schema)
  return Arbitrary.make(schema).map((value) => JSON.stringify(encode(value)))
}

const written = (
  method: string,
  side: Side,
  suffix: Suffix,
  schema: Schema.Schema.AnyNoContext
): ReadonlyArray<Written> => {
  // Not of the protocol any more: an empty result.
  if (method === "session/set_model") return []
  const found = definition(method, side, suffix)
  if (found === undefined) throw new Error(`${method}: not in the official schema`)
  return [{ label: `${method} ${suffix}`, definition: found, lines: lines(schema) }]
}

const updates = SessionUpdate.members.map((member): Written => {
  const tag = member.fields.sessionUpdate.literals[0]
  return { label: `update ${tag}`, definition: { official: stable, name: "SessionUpdate" }, lines: lines(member) }
})

const all: ReadonlyArray<Written> = [
  ...[...AgentRequests.requests.values()].flatMap((rpc) => written(rpc._tag, "agent", "Response", rpc.successSchema)),
  ...[...ClientRequests.requests.values()].flatMap((rpc) => written(rpc._tag, "client", "Request", rpc.payloadSchema)),
  ...[...ClientNotifications.requests.values()].flatMap((rpc) =>
    written(rpc._tag, "client", "Notification", rpc.payloadSchema)
  ),
  ...updates
]

describe("what we write fits the protocol", () => {
  it.each(all)("$label", ({ definition: { name, official }, lines }) => {
    fc.assert(
      fc.property(lines, (line) => {
        assert.strictEqual(official.complaints(name, JSON.parse(line)).join("; "), "", line)
      }),
      { numRuns: 100 }
    )
  })

  it("an error", () => {
    fc.assert(
      fc.property(Arbitrary.make(RequestError), ({ code, data, message }) => {
        const line = JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) })
        assert.strictEqual(stable.complaints("Error", JSON.parse(line)).join("; "), "", line)
      })
    )
  })
})
