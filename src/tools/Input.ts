// From the raw JSON text of a model's input to a prepared call.
import { Effect, ParseResult, Schema } from "effect"
import type { SessionPolicy } from "../policy/PolicyService.ts"
import { inputSchema } from "./InputSchema.ts"
import { type PreparedCall, type Tool, ToolError } from "./Tool.ts"

export interface Definition<A, I> {
  readonly name: string
  readonly description: string
  readonly input: Schema.Schema<A, I>
  readonly prepare: (input: A, policy: SessionPolicy) => Effect.Effect<Omit<PreparedCall, "rawInput">, ToolError>
}

/** Models write null for what they leave out. */
const withoutNulls = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
    : value

const parse = (tool: string, input: string): Effect.Effect<unknown, ToolError> =>
  Effect.try({
    try: (): unknown => withoutNulls(JSON.parse(input.trim() === "" ? "{}" : input)),
    catch: () =>
      new ToolError({ message: `The input of ${tool} is not valid JSON. Send one JSON object and call it again.` })
  })

const explain = (tool: string, error: ParseResult.ParseError): ToolError => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  const field = issue === undefined ? "" : issue.path.map(String).join(".")
  const reason = (issue?.message ?? "does not fit").replaceAll(/\s+/g, " ")
  return new ToolError({
    message:
      field === ""
        ? `Invalid input of ${tool}: ${reason}. Send one JSON object and call it again.`
        : `Invalid input of ${tool}: "${field}" ${reason === "is missing" ? reason : `is wrong: ${reason}`}. Correct it and call the tool again.`
  })
}

/** A tool whose input is decoded by a schema; fields it does not know are ignored. */
export const define = <A, I>({ name, description, input: schema, prepare }: Definition<A, I>): Tool => {
  const decode = Schema.decodeUnknown(schema)
  return {
    spec: { name, description, inputSchema: inputSchema(schema) },
    prepare: (input, policy) =>
      Effect.gen(function* () {
        const json = yield* parse(name, input)
        const decoded = yield* Effect.mapError(decode(json), (error) => explain(name, error))
        return { ...(yield* prepare(decoded, policy)), rawInput: decoded }
      })
  }
}

/** A required field. */
export const field = <A, I>(schema: Schema.Schema<A, I>, description: string) => schema.annotations({ description })

/** A field that may be left out. */
export const optionalField = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(field(schema, description), { exact: true })

/** Whole number in a range, without a named definition in its JSON Schema. */
export const integer = (minimum: number, maximum: number) =>
  Schema.Number.pipe(Schema.int(), Schema.between(minimum, maximum))
