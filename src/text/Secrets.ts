// Takes secrets out of text that others will read: those known exactly, and what looks like one. Pure, linear in time.
import * as PrivateKeys from "./PrivateKeys.ts"
import { redacted, shapes } from "./SecretShapes.ts"

/** Shorter values would be found in ordinary text. */
export const leastKnown = 8

/** What looks like a secret. */
export const scrub = (text: string): string =>
  shapes.reduce((clean, { pattern, replace }) => clean.replace(pattern, replace), PrivateKeys.scrub(text))

/** As it is, inside of a JSON string, and inside of an address. */
const spellings = (value: string): ReadonlyArray<string> => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value.toWellFormed())
]

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

export interface Scrubber {
  /** What is known exactly, and nothing else: for what a person must see as it is. */
  readonly known: (text: string) => string
  readonly all: (text: string) => string
}

/** For the values that are known to be secret. */
export const make = (secrets: ReadonlyArray<string>): Scrubber => {
  const values = [
    ...new Set(
      secrets
        .map((value) => value.trim())
        .filter(({ length }) => length >= leastKnown)
        .flatMap(spellings)
    )
  ]
  // The longest first: one may begin with another.
  const longest = values.sort((a, b) => b.length - a.length).map(escaped)
  const pattern = longest.length === 0 ? undefined : new RegExp(longest.join("|"), "g")
  const known = pattern === undefined ? (text: string) => text : (text: string) => text.replace(pattern, redacted)
  return { known, all: (text) => scrub(known(text)) }
}

const secretName = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL/i
/** Where a secret is, what it is called, or how it is used. */
const aboutSecrets = /(?:PATH|FILE|DIR|HOME|SOCK|SOCKET|NAME|LAYOUT|MODE|TYPE|CONTROL|COUNT|LIMIT|TTL|REGION)$/i

/** Values of variables whose names say that they are secret. */
export const ofEnvironment = (env: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.trim().length >= leastKnown && secretName.test(name) && !aboutSecrets.test(name)
      ? [value]
      : []
  )
