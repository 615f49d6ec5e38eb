// What each side says it can do. Absent, null and wrong-typed values mean no. @see acp-v1 section 1.4
import { Schema } from "effect"
import { defaulted, lenient, Meta, marker, optional } from "./Lenient.ts"

export const Implementation = Schema.Struct({
  name: Schema.String,
  title: lenient(Schema.String),
  version: Schema.String,
  _meta: Meta
})

const flag = defaulted(Schema.Boolean, false)

export const ClientCapabilities = Schema.Struct({
  fs: defaulted(Schema.Struct({ readTextFile: flag, writeTextFile: flag }), {}),
  terminal: flag,
  session: lenient(
    Schema.Struct({
      compaction: marker,
      configOptions: lenient(Schema.Struct({ boolean: marker })),
      notices: marker
    })
  ),
  auth: defaulted(Schema.Struct({ terminal: flag }), {}),
  elicitation: lenient(Schema.Struct({ form: marker, url: marker })),
  _meta: Meta
})
export type ClientCapabilities = typeof ClientCapabilities.Type

/** A client that advertises nothing. */
export const noClientCapabilities: ClientCapabilities = Schema.decodeUnknownSync(ClientCapabilities)({})

const supported = optional(Schema.Struct({}))

export const AgentCapabilities = Schema.Struct({
  loadSession: Schema.Boolean,
  promptCapabilities: Schema.Struct({
    image: Schema.Boolean,
    audio: Schema.Boolean,
    embeddedContext: Schema.Boolean
  }),
  mcpCapabilities: Schema.Struct({ http: Schema.Boolean, sse: Schema.Boolean }),
  sessionCapabilities: Schema.Struct({
    list: supported,
    delete: supported,
    resume: supported,
    close: supported,
    additionalDirectories: supported,
    /** Unstable. @see acp-v1 section 2 */
    fork: supported,
    /** Unstable. @see acp-v1 section 2 */
    title: supported
  }),
  auth: Schema.Struct({ logout: supported }),
  _meta: Meta
})
export type AgentCapabilities = typeof AgentCapabilities.Type

const method = {
  id: Schema.String,
  name: Schema.String,
  description: optional(Schema.String),
  _meta: Meta
}

/** The client runs the agent's program again with these arguments, in a terminal; exit status 0 is success. */
export const TerminalAuthMethod = Schema.Struct({
  type: Schema.Literal("terminal"),
  ...method,
  args: optional(Schema.Array(Schema.String)),
  env: optional(Schema.Record({ key: Schema.String, value: Schema.String }))
})

export const AuthMethod = Schema.Union(TerminalAuthMethod, Schema.Struct(method))
export type AuthMethod = typeof AuthMethod.Type
