// One thing that was looked at: how it stands, and what to do when it does not stand well. Pure.

export interface Check {
  readonly name: string
  readonly status: "ok" | "warn" | "fail"
  /** What was found, in one line; never a key. */
  readonly detail: string
  /** What to do, in one line; absent where the detail says it. */
  readonly fix?: string
}

export const ok = (name: string, detail: string): Check => ({ name, status: "ok", detail })

const bad =
  (status: "warn" | "fail") =>
  (name: string, detail: string, fix?: string): Check => ({
    name,
    status,
    detail,
    ...(fix === undefined ? {} : { fix })
  })

export const warn = bad("warn")

export const fail = bad("fail")

/** A warning stops nobody. */
export const isWell = (checks: ReadonlyArray<Check>): boolean => checks.every(({ status }) => status !== "fail")

const count = (checks: ReadonlyArray<Check>, status: Check["status"], one: string): ReadonlyArray<string> => {
  const { length } = checks.filter((check) => check.status === status)
  return length === 0 ? [] : [`${length} ${one}${length === 1 ? "" : "s"}`]
}

const summary = (checks: ReadonlyArray<Check>): string => {
  const found = [...count(checks, "fail", "problem"), ...count(checks, "warn", "warning")]
  return found.length === 0 ? "All is well." : `${found.join(", ")}.`
}

/** For a person: a line a check, with the way out below it. */
export const lines = (checks: ReadonlyArray<Check>): ReadonlyArray<string> => {
  const width = Math.max(...checks.map(({ name }) => name.length))
  return [
    ...checks.flatMap(({ detail, fix, name, status }) => [
      `${status.padEnd(4)}  ${name.padEnd(width)}  ${detail}`,
      ...(fix === undefined ? [] : [`${" ".repeat(6 + width)}  -> ${fix}`])
    ]),
    "",
    summary(checks)
  ]
}

/** For a program. */
export const report = (version: string, checks: ReadonlyArray<Check>) => ({ ok: isWell(checks), version, checks })
