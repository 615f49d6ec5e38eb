// The JSON Schema of a tool's input.
import { JSONSchema, type Schema } from "effect"

/** JSON Schema of an input, as providers want it: no `$schema`, no definitions. */
export const inputSchema = <A, I>(schema: Schema.Schema<A, I>): Readonly<Record<string, unknown>> => {
  const { $schema: _, ...rest } = JSONSchema.make(schema)
  return { ...rest }
}
