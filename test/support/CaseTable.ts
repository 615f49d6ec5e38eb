// Ends a test run with a table: each case and requirement that has a test, and its verdict by transport.
import type { Reporter, TestCase, TestModule } from "vitest/node"

/** Ids of cases and requirements as they stand in the names of tests. */
const ids = /\b(?:ACP-[A-Z]+-[A-Z]*-?\d{3}|PROTO-\d{3}|[A-JO]\d{2})\b/g

export type Verdict = "pass" | "FAIL" | "n/a" | "skip"

export interface Seen {
  readonly id: string
  /** Empty where a case has no transport of its own. */
  readonly transport: string
  readonly verdict: Verdict
}

declare module "vitest" {
  interface TaskMeta {
    /** Why what is tested does not apply. */
    notApplicable?: string
  }
}

const verdictOf = (test: TestCase): Verdict => {
  switch (test.result().state) {
    case "passed":
      return test.meta().notApplicable === undefined ? "pass" : "n/a"
    case "failed":
      return "FAIL"
    default:
      return "skip"
  }
}

const seenIn = (test: TestCase): ReadonlyArray<Seen> =>
  [...new Set(test.name.match(ids) ?? [])].map((id) => ({
    id,
    transport: id.startsWith("ACP-") ? (/ over (\w+)/.exec(test.fullName)?.[1] ?? "") : "",
    verdict: verdictOf(test)
  }))

const rank: Readonly<Record<Verdict, number>> = { FAIL: 3, pass: 2, "n/a": 1, skip: 0 }

/** One row an id; several tests of one id count as failed when one of them failed. */
export const rows = (seen: ReadonlyArray<Seen>): ReadonlyArray<string> => {
  const table = new Map<string, Map<string, Verdict>>()
  for (const { id, transport, verdict } of seen) {
    const row = table.get(id) ?? new Map<string, Verdict>()
    const known = row.get(transport)
    if (known === undefined || rank[known] < rank[verdict]) row.set(transport, verdict)
    table.set(id, row)
  }
  return [...table]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, row]) => {
      const cells = [...row].map(([transport, verdict]) => (transport === "" ? verdict : `${transport} ${verdict}`))
      return `${id.padEnd(30)} ${cells.map((cell) => cell.padEnd(12)).join(" ")}`.trimEnd()
    })
}

const print = (modules: ReadonlyArray<TestModule>): void => {
  const seen = modules.flatMap((module) => [...module.children.allTests()].flatMap(seenIn))
  if (seen.length === 0) return
  const count = (verdict: Verdict) => seen.filter((one) => one.verdict === verdict).length
  const total = `${count("pass")} passed, ${count("FAIL")} failed, ${count("n/a")} not applicable`
  process.stdout.write(`\nCases and requirements: ${total}\n${rows(seen).join("\n")}\n`)
}

export const caseTable: Reporter = { onTestRunEnd: print }
