// Text to JSON values, safely: bounded depth, no prototype keys, well-formed strings. Pure and total.

/** As deep as serde_json reads; deeper texts could not be written again without overflowing the stack. */
export const maxDepth = 128

export type Parsed =
  | { readonly _tag: "Value"; readonly value: unknown }
  | { readonly _tag: "Bad"; readonly reason: string }

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Calls `visit` for each bracket outside strings; stops when it returns false. Strings are skipped by search. */
const scanBrackets = (text: string, visit: (char: string, at: number) => boolean): void => {
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') {
      at = endOfString(text, at)
      if (at === -1) return
    } else if (char === "{" || char === "[" || char === "}" || char === "]") {
      if (!visit(char, at)) return
    }
  }
}

const endOfString = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === "\\") slashes++
    if (slashes % 2 === 0) return at
  }
  return -1
}

const isTooDeep = (text: string): boolean => {
  // A text this short cannot open and close that many levels.
  if (text.length < maxDepth * 2) return false
  let depth = 0
  let deepest = 0
  scanBrackets(text, (char) => {
    depth += char === "{" || char === "[" ? 1 : -1
    deepest = Math.max(deepest, depth)
    return deepest <= maxDepth
  })
  return deepest > maxDepth
}

const needsCleaning = (text: string): boolean => /__proto__|\\u00[567]|\\u[dD][89a-fA-F]/.test(text)

/** Drops `__proto__` members and replaces lone surrogates; everything else is kept as it is. */
const clean = (value: unknown): unknown => {
  if (typeof value === "string") return value.toWellFormed()
  if (Array.isArray(value)) return value.map(clean)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (key === "__proto__" ? [] : [[key.toWellFormed(), clean(member)]]))
  )
}

export const parse = (text: string): Parsed => {
  if (isTooDeep(text)) return { _tag: "Bad", reason: `nested deeper than ${maxDepth} levels` }
  try {
    const value: unknown = JSON.parse(text)
    return { _tag: "Value", value: needsCleaning(text) ? clean(value) : value }
  } catch (error) {
    return { _tag: "Bad", reason: error instanceof Error ? error.message : "not JSON" }
  }
}

/** JSON text that any reader accepts: no lone surrogates, one line. */
export const stringify = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "null"
  return text.includes("\\ud") ? JSON.stringify(clean(value)) : text
}

/** The source text of a number that stands under these keys, for numbers that JSON.parse rounds. */
export const numberAt = (text: string, keys: ReadonlyArray<string>): string | undefined => {
  let found: string | undefined
  const wanted = keys.map((key) => JSON.stringify(key))
  /** The key under which each level that is open stands; an array has none. */
  const path: Array<string | undefined> = []
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === "{" || char === "[") path.push(undefined)
    else if (char === "}" || char === "]") path.pop()
    else if (char === '"') {
      const end = endOfString(text, at)
      if (end === -1) return found
      const value =
        path.length <= wanted.length ? /^\s*:\s*(-?[0-9][0-9.eE+-]*)?/.exec(text.slice(end + 1, end + 1024)) : null
      if (value !== null) {
        path[path.length - 1] = literalText(text.slice(at, end + 1))
        const here = path.length === wanted.length && wanted.every((key, level) => key === path[level])
        if (here && value[1] !== undefined) found = value[1]
      }
      at = end
    }
  }
  return found
}

const literalText = (literal: string): string => {
  if (!literal.includes("\\")) return literal
  try {
    return JSON.stringify(JSON.parse(literal))
  } catch {
    return literal
  }
}
