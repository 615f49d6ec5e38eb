// What a dialect changes on the wire, beside the routes: parameters as read, results, errors and calls as written.
import { Context } from "effect"
import type { ErrorObject } from "../wire/JsonRpc.ts"

export interface RewriteService {
  /** A request or notification as the other side sent it, as its route reads it. */
  readonly incoming: (
    kind: "request" | "notification",
    method: string,
    params: unknown
  ) => { readonly method: string; readonly params: unknown }
  /** The result of a request, encoded; `method` is the route's. */
  readonly result: (method: string, result: unknown) => unknown
  readonly error: (method: string, error: ErrorObject) => ErrorObject
  /** The parameters of a request or notification that we send, encoded. */
  readonly outgoing: (method: string, params: unknown) => unknown
  /** The result that the other side gave to a request of ours, not yet decoded. */
  readonly answer: (method: string, result: unknown) => unknown
}

const same = <A>(_method: string, value: A): A => value

export const identity: RewriteService = {
  incoming: (_kind, method, params) => ({ method, params }),
  result: same,
  error: same,
  outgoing: same,
  answer: same
}

/** Nothing is changed unless a connection says so. */
export class Rewrite extends Context.Reference<Rewrite>()("zeroclaw/Rewrite", {
  defaultValue: (): RewriteService => identity
}) {}
