// Questions to the person in the client's own form, only where it advertises the mode. @see acp-v1 section 1.3
import { Rpc } from "@effect/rpc"
import { Schema } from "effect"
import { SessionId } from "./AgentMethods.ts"
import { RequestError } from "./Errors.ts"
import { Meta, optional, Uint32 } from "./Lenient.ts"
import { ToolCallId } from "./ToolCall.ts"

const named = { title: optional(Schema.String), description: optional(Schema.String) }
const Choice = Schema.Struct({ const: Schema.String, title: Schema.String, description: optional(Schema.String) })

export const StringField = Schema.Struct({
  type: Schema.Literal("string"),
  ...named,
  minLength: optional(Uint32),
  maxLength: optional(Uint32),
  default: optional(Schema.String),
  /** One of these, in this order. */
  oneOf: optional(Schema.Array(Choice))
})

export const ChoicesField = Schema.Struct({
  type: Schema.Literal("array"),
  ...named,
  minItems: optional(Schema.NonNegativeInt),
  maxItems: optional(Schema.NonNegativeInt),
  items: Schema.Struct({ anyOf: Schema.Array(Choice) })
})

export const ElicitationForm = Schema.Struct({
  type: Schema.Literal("object"),
  ...named,
  properties: Schema.Record({ key: Schema.String, value: Schema.Union(StringField, ChoicesField) }),
  required: optional(Schema.Array(Schema.String))
})
export type ElicitationForm = typeof ElicitationForm.Type

const Value = Schema.Union(Schema.String, Schema.Number, Schema.Boolean, Schema.Array(Schema.String))

const Otherwise = Schema.String.pipe(Schema.filter((action) => action !== "accept"))

/** An action that nobody knows is a no; a yes with malformed content is an error, never a yes without content. */
export const ElicitationAnswer = Schema.Union(
  Schema.Struct({
    action: Schema.Literal("accept"),
    content: optional(Schema.Record({ key: Schema.String, value: Value })),
    _meta: Meta
  }),
  Schema.Struct({ action: Otherwise, _meta: Meta })
)
export type ElicitationAnswer = typeof ElicitationAnswer.Type

export const CreateElicitation = Rpc.make("elicitation/create", {
  payload: Schema.Union(
    Schema.Struct({
      mode: Schema.Literal("form"),
      message: Schema.String,
      requestedSchema: ElicitationForm,
      sessionId: SessionId,
      toolCallId: optional(ToolCallId),
      _meta: Meta
    }),
    Schema.Struct({
      mode: Schema.Literal("url"),
      message: Schema.String,
      elicitationId: Schema.String,
      url: Schema.String,
      sessionId: SessionId,
      toolCallId: optional(ToolCallId),
      _meta: Meta
    })
  ),
  success: ElicitationAnswer,
  error: RequestError
})

/** The page of a url question was finished; only to the client that was asked. */
export const CompleteElicitation = Rpc.make("elicitation/complete", {
  payload: { elicitationId: Schema.String, _meta: Meta }
})
