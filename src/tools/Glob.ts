// Glob patterns without backtracking: time grows with path length times pattern length. Pure.

type Token =
  | { readonly _tag: "Char"; readonly fits: (char: string) => boolean }
  /** `*`: any run within a segment. */
  | { readonly _tag: "Star" }
  /** `**` followed by a slash: any number of whole directories. */
  | { readonly _tag: "Directories" }
  /** `**` at the end: everything below. */
  | { readonly _tag: "Below" }

const maxAlternatives = 256

/** Index of the brace that closes the one at `open`; -1 when none does. */
const closing = (pattern: string, open: number): number => {
  let depth = 0
  for (let at = open; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++
    else if (pattern[at] === "{") depth++
    else if (pattern[at] === "}" && --depth === 0) return at
  }
  return -1
}

/** Parts between the commas of the outermost level. */
const parts = (body: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let depth = 0
  let start = 0
  for (let at = 0; at < body.length; at++) {
    if (body[at] === "\\") at++
    else if (body[at] === "{") depth++
    else if (body[at] === "}") depth--
    else if (body[at] === "," && depth === 0) {
      found.push(body.slice(start, at))
      start = at + 1
    }
  }
  return [...found, body.slice(start)]
}

/** `a{b,c}` is `ab` and `ac`; beyond 256 alternatives braces are ordinary characters. */
export const expandBraces = (pattern: string): ReadonlyArray<string> => {
  const done: Array<string> = []
  const open: Array<string> = [pattern]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const match = /^(?:[^\\{]|\\[\s\S])*?\{/.exec(next)
    const at = match === null ? -1 : match[0].length - 1
    const end = at === -1 ? -1 : closing(next, at)
    const bodies = end === -1 ? [] : parts(next.slice(at + 1, end))
    if (end === -1 || done.length + open.length + bodies.length > maxAlternatives) {
      done.push(next)
      continue
    }
    const before = next.slice(0, at)
    const after = next.slice(end + 1)
    open.push(...bodies.map((body) => `${before}${body}${after}`))
  }
  return done
}

/** `[a-z]`, `[!a]`; undefined when no bracket closes it. */
const charClass = (pattern: string, start: number): { readonly token: Token; readonly end: number } | undefined => {
  const negated = pattern[start + 1] === "!" || pattern[start + 1] === "^"
  const first = start + (negated ? 2 : 1)
  const end = pattern.indexOf("]", first + 1)
  if (end === -1) return undefined
  const ranges = [...pattern.slice(first, end).matchAll(/([\s\S])-([\s\S])|([\s\S])/g)].map(
    ([, low, high, single]) => [low ?? single ?? "", high ?? single ?? ""] as const
  )
  const fits = (char: string) => char !== "/" && ranges.some(([low, high]) => low <= char && char <= high) !== negated
  return { token: { _tag: "Char", fits }, end: end + 1 }
}

const literal = (wanted: string): Token => ({ _tag: "Char", fits: (char) => char === wanted })
const anyChar: Token = { _tag: "Char", fits: (char) => char !== "/" }

const tokens = (pattern: string): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  for (let at = 0; at < pattern.length; ) {
    const char = pattern[at] ?? ""
    const segmentStart = at === 0 || pattern[at - 1] === "/"
    const stars = /^\*+/.exec(pattern.slice(at))?.[0].length ?? 0
    const bracket = char === "[" ? charClass(pattern, at) : undefined
    if (stars > 1 && segmentStart && pattern[at + stars] === "/") {
      found.push({ _tag: "Directories" })
      at += stars + 1
    } else if (stars > 1 && segmentStart && at + stars === pattern.length) {
      found.push({ _tag: "Below" })
      at += stars
    } else if (stars > 0) {
      found.push({ _tag: "Star" })
      at += stars
    } else if (bracket !== undefined) {
      found.push(bracket.token)
      at = bracket.end
    } else if (char === "\\" && at + 1 < pattern.length) {
      found.push(literal(pattern[at + 1] ?? ""))
      at += 2
    } else {
      found.push(char === "?" ? anyChar : literal(char))
      at += 1
    }
  }
  return found
}

/** States are token indices, doubled; odd ones are inside a directory name of a `Directories` token. */
const closure = (pattern: ReadonlyArray<Token>, states: ReadonlySet<number>): Set<number> => {
  const all = new Set(states)
  for (const state of all) {
    const token = state % 2 === 0 ? pattern[state / 2] : undefined
    if (token !== undefined && token._tag !== "Char") all.add(state + 2)
  }
  return all
}

const step = (pattern: ReadonlyArray<Token>, states: ReadonlySet<number>, char: string): Set<number> => {
  const next = new Set<number>()
  for (const state of states) {
    const inside = state % 2 === 1
    const base = inside ? state - 1 : state
    const token = pattern[base / 2]
    if (token === undefined) continue
    if (token._tag === "Char" && token.fits(char)) next.add(state + 2)
    if (token._tag === "Star" && char !== "/") next.add(state)
    if (token._tag === "Below") next.add(state)
    if (token._tag === "Directories" && char !== "/") next.add(base + 1)
    if (token._tag === "Directories" && char === "/" && inside) next.add(base)
  }
  return closure(pattern, next)
}

const matches = (pattern: ReadonlyArray<Token>, path: string): boolean => {
  let states = closure(pattern, new Set([0]))
  for (const char of path) {
    states = step(pattern, states, char)
    if (states.size === 0) return false
  }
  return states.has(pattern.length * 2)
}

/** Tests relative paths with `/`. A pattern without a slash fits names at any depth. */
export const compileGlob = (pattern: string): ((path: string) => boolean) => {
  const anchored = pattern.replace(/^(?:\.?\/)+/, "")
  const rooted = pattern.includes("/") ? anchored : `**/${anchored}`
  const all = expandBraces(rooted).map(tokens)
  return (path) => all.some((alternative) => matches(alternative, path))
}

/** Whether the last part has no character of its own, such as `**` or `src/*`: it fits directories as well as files. */
export const isBroad = (pattern: string): boolean => /(?:^|\/)[*?]+$/.test(pattern)
