// Ends a test run with two tables: each case and requirement that has a test, with its verdict by transport; and attacks by
// area, with what became of the calls in them.
import type { Reporter, TestCase, TestModule } from "vitest/node"
import * as Outcomes from "./Outcomes.ts"

/** Ids of cases and requirements as they stand in the names of tests. */
const ids =
  /\b(?:ACP-[A-Z]+-[A-Z]*-?\d{3}|(?:BLOB|BRIDGE|CFG|DB|DELIV|FORB|GW|MCP|PATH|PERM|PROTO|RES|SBX|SHELL)-\d{3}|[A-JO]\d{2})\b/g

/** Of attacks, by the beginning of their ids. */
const areas: Readonly<Record<string, string>> = {
  BLOB: "blobs",
  BRIDGE: "bridge",
  CFG: "config-trust",
  DB: "persistence",
  DELIV: "deliver_file",
  FORB: "forbidden-paths",
  GW: "gateway",
  MCP: "mcp",
  PATH: "path-escape",
  PERM: "permission",
  PROTO: "protocol",
  RES: "resources",
  SBX: "shell-sandbox",
  SHELL: "shell-classification"
}

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

export interface Attack extends Outcomes.Outcomes {
  readonly ids: ReadonlyArray<string>
  readonly failed: boolean
}

const attackIn = (test: TestCase): Attack => ({
  ids: test.name.match(ids) ?? [],
  failed: verdictOf(test) === "FAIL",
  ...(test.meta().outcomes ?? Outcomes.none)
})

const columns = (cells: ReadonlyArray<string | number>): string =>
  cells.map((cell, at) => (at === 0 ? String(cell).padEnd(22) : String(cell).padStart(8))).join("")

/** One row an area: its cases, those that failed, and the calls of their tests. A test counts in one area only. */
export const areaRows = (attacks: ReadonlyArray<Attack>): ReadonlyArray<string> => {
  const table = new Map<string, { readonly ids: Set<string>; readonly failed: Set<string>; calls: Outcomes.Outcomes }>()
  for (const { failed, ids, ...calls } of attacks) {
    const of = ids.filter((id) => areas[id.split("-")[0] ?? ""] !== undefined)
    const area = areas[of[0]?.split("-")[0] ?? ""]
    if (area === undefined) continue
    const row = table.get(area) ?? { ids: new Set(), failed: new Set(), calls: Outcomes.none }
    for (const id of of) row.ids.add(id)
    if (failed) for (const id of of) row.failed.add(id)
    row.calls = Outcomes.sum(row.calls, calls)
    table.set(area, row)
  }
  const rows = [...table].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    columns(["area", "cases", "failed", "denied", "asked", "ran"]),
    ...rows.map(([area, { calls, failed, ids }]) =>
      columns([area, ids.size, failed.size, calls.denied, calls.asked, calls.ran])
    )
  ]
}

const print = (modules: ReadonlyArray<TestModule>): void => {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const seen = tests.flatMap(seenIn)
  if (seen.length === 0) return
  const count = (verdict: Verdict) => seen.filter((one) => one.verdict === verdict).length
  const total = `${count("pass")} passed, ${count("FAIL")} failed, ${count("n/a")} not applicable`
  process.stdout.write(`\nCases and requirements: ${total}\n${rows(seen).join("\n")}\n`)
  process.stdout.write(
    `\nAttacks by area, and the calls in their tests:\n${areaRows(tests.map(attackIn)).join("\n")}\n`
  )
}

export const caseTable: Reporter = { onTestRunEnd: print }
