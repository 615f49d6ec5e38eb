// What this program itself knows to be secret: the keys of its configuration and of its environment. Pure.
import { Redacted } from "effect"
import type { Agent } from "../config/Agents.ts"
import { ofEnvironment } from "../text/Secrets.ts"

const secretHeader = /key|token|secret|auth|cookie/i

/** With and without the scheme that may stand before it. */
const ofHeaders = (headers: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(headers).flatMap(([name, value]) =>
    secretHeader.test(name) ? [value, value.replace(/^\w+\s+/, "")] : []
  )

export const known = (
  { providers }: Pick<Agent, "providers">,
  env: Readonly<Record<string, string | undefined>>
): ReadonlyArray<string> => [
  ...providers.flatMap(({ apiKey, extraHeaders }) => [
    ...(apiKey === undefined ? [] : [Redacted.value(apiKey)]),
    ...ofHeaders(extraHeaders ?? {})
  ]),
  ...ofEnvironment(env)
]
