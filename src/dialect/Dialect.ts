// One connection, one dialect: the protocol's own until the client is heard to speak ZeroClaw's. @see acp-v1 section 6
import { Effect, Layer } from "effect"
import { Cancel } from "../contract/AgentMethods.ts"
import { Code, RequestError } from "../contract/Errors.ts"
import { Agreement, type AgreementService } from "../methods/Agreement.ts"
import { Rewrite, type RewriteService } from "../peer/Rewrite.ts"
import * as Incoming from "./Incoming.ts"
import * as Legacy from "./Legacy.ts"
import * as Outgoing from "./Outgoing.ts"
import * as Signals from "./Signals.ts"

/** What a sign changes is in force for the very message that bears it. */
export const make = (agreement: AgreementService, base: string = process.cwd()): RewriteService => ({
  incoming: (_kind, method, params) => {
    const read = Incoming.read({ mode: agreement.mode, spoken: agreement.zeroclaw, base }, method, params)
    if (read.sign && agreement.mode === "auto") agreement.zeroclaw = true
    return { method: read.method, params: read.params }
  },
  result: (method, result) => (agreement.zeroclaw ? Outgoing.result(method, result) : result),
  error: (_method, error) => (agreement.zeroclaw ? Legacy.error(error) : error),
  outgoing: (method, params) => (agreement.zeroclaw ? Outgoing.params(method, params) : params),
  answer: (method, result) => (agreement.zeroclaw ? Outgoing.answer(method, result) : result)
})

/** Below whatever reads `Rewrite` when it is built, above the connection's agreement. */
export const layer: Layer.Layer<Rewrite, never, Agreement> = Layer.effect(
  Rewrite,
  Effect.map(Agreement, (agreement) => make(agreement))
)

/** In strict mode there is nothing but the protocol; session/cancel is a notification there. */
export const refuses = (
  agreement: AgreementService,
  kind: "request" | "notification",
  method: string
): RequestError | undefined =>
  agreement.mode === "strict" && (Signals.methods.has(method) || (kind === "request" && method === Cancel._tag))
    ? new RequestError({ code: Code.MethodNotFound, message: `Method not found: ${method}` })
    : undefined
