// Every line an agent writes is checked here against the official v1 schema, unknown root keys included.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import * as DialectExtras from "./DialectExtras.ts"

export type Json = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const packageFile = createRequire(import.meta.url)
const load = (name: string): Json =>
  JSON.parse(readFileSync(packageFile.resolve(`@agentclientprotocol/sdk/schema/v1/${name}`), "utf8"))
const defsOf = (schema: Json): Json => (isRecord(schema["$defs"]) ? schema["$defs"] : {})
const defs = { stable: defsOf(load("schema.json")), unstable: defsOf(load("schema.unstable.json")) }

const openNested = ["PlanEntry", "PermissionOption"]

const closedProperties = (properties: Json): Json => {
  const toolCall = isRecord(properties["toolCall"]) ? properties["toolCall"] : {}
  return { ...properties, toolCall: { ...toolCall, unevaluatedProperties: false } }
}

/** No root key outside the definition: of params and results, of each update variant, and of what dialects extend. */
const close = (definitions: Json): Json =>
  Object.fromEntries(
    Object.entries(definitions).map(([name, def]) => {
      if (!isRecord(def)) return [name, def]
      if (name === "SessionUpdate" && Array.isArray(def["oneOf"])) {
        return [
          name,
          { ...def, oneOf: def["oneOf"].map((variant: Json) => ({ ...variant, unevaluatedProperties: false })) }
        ]
      }
      if (name === "RequestPermissionRequest" && isRecord(def["properties"])) {
        return [name, { ...def, properties: closedProperties(def["properties"]), unevaluatedProperties: false }]
      }
      return "x-method" in def || openNested.includes(name)
        ? [name, { ...def, unevaluatedProperties: false }]
        : [name, def]
    })
  )

/** Whether root keys outside the definitions are a fault. */
export type Roots = "closed" | "open"

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
for (const stage of ["stable", "unstable"] as const) {
  ajv.addSchema({ $id: `${stage}-closed`, $defs: close(defs[stage]) })
  ajv.addSchema({ $id: `${stage}-open`, $defs: defs[stage] })
}

/** Of ZeroClaw's dialect and of older clients: answered, but in no schema. */
const withoutSchema: ReadonlySet<string> = new Set([
  "session/cancel",
  "session/stop",
  "session/event",
  "session/update",
  "session/set_model"
])

const validators = new Map<string, ValidateFunction>()
/** The stable definition; a method that has none yet is looked up among the unstable ones. */
const find = (
  method: string,
  side: "agent" | "client",
  suffix: "Request" | "Response" | "Notification",
  roots: Roots
) => {
  const key = `${method} ${side} ${suffix} ${roots}`
  const known = validators.get(key)
  if (known) return known
  for (const stage of ["stable", "unstable"] as const) {
    const name = Object.keys(defs[stage]).find((name) => {
      const def = defs[stage][name]
      return isRecord(def) && def["x-method"] === method && def["x-side"] === side && name.endsWith(suffix)
    })
    if (name === undefined) continue
    const validate = ajv.compile({ $ref: `${stage}-${roots}#/$defs/${name}` })
    validators.set(key, validate)
    return validate
  }
  return undefined
}

const errorSchema = ajv.compile({ $ref: "stable-closed#/$defs/Error" })

export type Id = string | number | null

export type Frame =
  | {
      readonly _tag: "Response"
      readonly id: Id
      readonly result?: Json
      readonly error?: { code: number; message: string; data?: unknown }
    }
  | { readonly _tag: "Request"; readonly id: Id; readonly method: string; readonly params: Json }
  | { readonly _tag: "Notification"; readonly method: string; readonly params: Json }

export interface Options {
  /** Allows exactly what is documented of ZeroClaw's dialect, and wants its error codes. */
  readonly zeroclaw?: boolean
  readonly roots?: Roots
}

export interface Checker {
  /** Notes a request of the client, so that its response can be checked. */
  readonly sent: (id: Id, method: string) => void
  /** Parses and checks one line of the agent; throws with the reason and the line. */
  readonly received: (line: string) => Frame
}

const check = (validate: ValidateFunction | undefined, value: unknown, what: string, line: string): void => {
  if (!validate) throw new Error(`${what}: not a method of the protocol: ${line.slice(0, 500)}`)
  if (validate(value)) return
  const why = validate.errors?.map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`
  )
  throw new Error(`${what} does not fit the schema: ${why?.slice(0, 6).join("; ")}: ${line.slice(0, 1000)}`)
}

export const make = ({ roots = "closed", zeroclaw = false }: Options = {}): Checker => {
  const plainParams = (method: string, params: Json): Json =>
    zeroclaw ? DialectExtras.ofParams(method, params) : params
  const checkResult = (method: string, result: unknown, line: string): void => {
    const own = zeroclaw ? DialectExtras.ownResults[method] : undefined
    if (own !== undefined) {
      if (!isRecord(result) || !own(result)) throw new Error(`result of ${method} is not the dialect's: ${line}`)
      return
    }
    if (withoutSchema.has(method)) return
    const plain = zeroclaw ? DialectExtras.ofResult(method, result) : result
    check(find(method, "agent", "Response", roots), plain, `result of ${method}`, line)
  }
  const pending = new Map<string, ReadonlyArray<string>>()
  return {
    sent: (id, method) => pending.set(JSON.stringify(id), [...(pending.get(JSON.stringify(id)) ?? []), method]),
    received: (line) => {
      const frame: unknown = JSON.parse(line)
      if (!isRecord(frame) || frame["jsonrpc"] !== "2.0")
        throw new Error(`not a JSON-RPC object: ${line.slice(0, 500)}`)
      const { error, id, method, params, result } = frame
      const idIsFine = id === null || typeof id === "string" || typeof id === "number"
      if (typeof method === "string") {
        if (!isRecord(params)) throw new Error(`params are not an object: ${line.slice(0, 500)}`)
        if (!("id" in frame)) {
          const known = method === "$/cancel_request" || (zeroclaw && DialectExtras.ownNotifications.includes(method))
          if (!known) check(find(method, "client", "Notification", roots), plainParams(method, params), method, line)
          return { _tag: "Notification", method, params }
        }
        if (!idIsFine) throw new Error(`bad id: ${line.slice(0, 500)}`)
        check(find(method, "client", "Request", roots), plainParams(method, params), method, line)
        return { _tag: "Request", id, method, params }
      }
      if (!idIsFine) throw new Error(`bad id: ${line.slice(0, 500)}`)
      if ("result" in frame === "error" in frame)
        throw new Error(`result and error: exactly one: ${line.slice(0, 500)}`)
      const key = JSON.stringify(id)
      const open = pending.get(key) ?? []
      if ("error" in frame) {
        check(errorSchema, error, "error", line)
        if (!isRecord(error) || typeof error["code"] !== "number" || typeof error["message"] !== "string")
          throw new Error(line)
        const misread = zeroclaw
          ? DialectExtras.isCanonicalOnly(error["code"])
          : DialectExtras.isLegacy(error["code"], error["data"])
        if (misread) throw new Error(`an error code of the other dialect: ${line}`)
        if (error["message"] === "" || error["message"].includes("\n"))
          throw new Error(`error message is not one line: ${line}`)
        // A refused duplicate: the first request with this id is still open.
        pending.set(key, open.slice(0, -1))
        return { _tag: "Response", id, error: { code: error["code"], message: error["message"], data: error["data"] } }
      }
      const asked = open[0]
      if (asked === undefined) throw new Error(`answer to a request that is not open: ${line.slice(0, 500)}`)
      pending.set(key, open.slice(1))
      checkResult(asked, result, line)
      if (!isRecord(result)) throw new Error(`result is not an object: ${line.slice(0, 500)}`)
      return { _tag: "Response", id, result }
    }
  }
}

/** Checks what a whole conversation on pipes came to: the lines sent, then the lines received. */
export const checkAll = (sent: ReadonlyArray<string>, received: ReadonlyArray<string>): ReadonlyArray<Frame> => {
  const checker = make()
  for (const line of sent) {
    const { id, method }: { readonly id?: Id; readonly method?: string } = JSON.parse(line)
    if (id !== undefined && method !== undefined) checker.sent(id, method)
  }
  return received.map(checker.received)
}

/** As `checkAll`, for a file that tee.mjs wrote. */
export const checkRecording = (file: string): ReadonlyArray<Frame> => {
  const lines = readFileSync(file, "utf8").split("\n")
  const of = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length))
  return checkAll(of("> "), of("< "))
}
