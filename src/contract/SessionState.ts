// What of a session a client can see and change: modes and config options. @see acp-v1 section 1.4
import { Schema } from "effect"
import { lenient, lenientList, listSkipping, Meta } from "./Lenient.ts"

export const SessionMode = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  description: lenient(Schema.String),
  _meta: Meta
})
export type SessionMode = typeof SessionMode.Type

export const SessionModeState = Schema.Struct({
  currentModeId: Schema.String,
  availableModes: listSkipping(SessionMode),
  _meta: Meta
})
export type SessionModeState = typeof SessionModeState.Type

export const SelectOption = Schema.Struct({
  value: Schema.String,
  name: Schema.String,
  description: lenient(Schema.String),
  _meta: Meta
})
export type SelectOption = typeof SelectOption.Type

export const SelectGroup = Schema.Struct({
  group: Schema.String,
  name: Schema.String,
  options: listSkipping(SelectOption),
  _meta: Meta
})

const option = {
  id: Schema.String,
  name: Schema.String,
  description: lenient(Schema.String),
  /** `mode`, `model`, `model_config`, `thought_level`; a hint for the client's looks, nothing else. */
  category: lenient(Schema.String),
  _meta: Meta
}

export const SelectConfig = Schema.Struct({
  ...option,
  type: Schema.Literal("select"),
  currentValue: Schema.String,
  options: Schema.Union(Schema.Array(SelectOption), Schema.Array(SelectGroup))
})

/** Only for clients that advertise `session.configOptions.boolean`. */
export const BooleanConfig = Schema.Struct({
  ...option,
  type: Schema.Literal("boolean"),
  currentValue: Schema.Boolean
})

export const SessionConfigOption = Schema.Union(SelectConfig, BooleanConfig)
export type SessionConfigOption = typeof SessionConfigOption.Type

/** What opening a session tells of its state. */
export const sessionState = {
  modes: lenient(SessionModeState),
  configOptions: lenientList(SessionConfigOption)
}
