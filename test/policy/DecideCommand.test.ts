// Risk, level, lists and sandbox to a decision about a command line.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import type { Assessment, Risk } from "../../src/policy/command/Assessment.ts"
import { risks } from "../../src/policy/command/Assessment.ts"
import { decideCommand, grantKeys } from "../../src/policy/DecideCommand.ts"
import { levels } from "../../src/policy/Decision.ts"
import type { Profile } from "../../src/policy/SessionPolicy.ts"
import type { Status } from "../../src/sandbox/Sandbox.ts"
import { profile } from "./World.ts"

const ready: Status = { _tag: "Ready", backend: "bubblewrap", evidence: "" }
const off: Status = { _tag: "Off" }
const missing: Status = { _tag: "Missing", reason: "Install bubblewrap.", asked: false }
const asked: Status = { ...missing, asked: true }
const statuses = [ready, off, missing, asked] as const

const line = (risk: Risk, more: Partial<Assessment> = {}): Assessment => ({
  risk,
  reason: "It does something.",
  names: ["prog"],
  highNames: risk === "high" ? ["prog"] : [],
  unknownNames: false,
  git: false,
  commands: [{ argv: ["prog", "x"], risk }],
  ...more
})

const shell = { tool: "shell", command: "prog x" }
const never = () => false
const decide = (
  overrides: Partial<Profile>,
  assessment: Assessment,
  sandbox: Status = ready,
  granted: (key: string) => boolean = never
) => decideCommand({ ...profile, ...overrides }, shell, granted, { assessment, sandbox })
const row = (overrides: Partial<Profile>, sandbox: Status = ready) =>
  risks.map((risk) => decide(overrides, line(risk), sandbox)._tag).join(" ")

describe("DecideCommand", () => {
  it("decides by level and risk", () => {
    //                                                    low  medium high
    assert.strictEqual(row({ level: "readonly" }), "Deny Deny Deny")
    assert.strictEqual(row({ level: "supervised" }), "Allow Ask Deny")
    assert.strictEqual(row({ level: "full" }), "Allow Allow Deny")
  })

  it("high risk runs only where the program is named, and in supervised asks then each time", () => {
    assert.strictEqual(decide({ allowedCommands: ["prog"] }, line("high"))._tag, "Ask")
    assert.notProperty(decide({ allowedCommands: ["prog"] }, line("high")), "always")
    assert.strictEqual(decide({ level: "full", allowedCommands: ["prog"] }, line("high"))._tag, "Allow")
    assert.strictEqual(
      decide({ allowedCommands: ["prog"], autoApprove: ["shell"] }, line("high"), ready, () => true)._tag,
      "Ask"
    )
    for (const list of [["*"], ["other", "*"], undefined]) {
      const named = list === undefined ? {} : { allowedCommands: list }
      for (const level of levels) assert.strictEqual(decide({ ...named, level }, line("high"))._tag, "Deny")
    }
    const two = line("high", { names: ["prog", "rm"], highNames: ["prog", "rm"] })
    assert.strictEqual(decide({ allowedCommands: ["prog", "*"] }, two)._tag, "Deny")
    assert.include(decide({ allowedCommands: ["prog", "*"] }, two).reason, "name rm in allowed_commands")
  })

  it("high risk that no program's name explains is refused while block_high_risk_commands is on", () => {
    const unreadable = line("high", { names: [], highNames: [], unknownNames: true })
    assert.strictEqual(decide({ level: "full", allowedCommands: ["*"] }, unreadable)._tag, "Deny")
    assert.strictEqual(decide({ blockHighRisk: false }, unreadable)._tag, "Ask")
    assert.strictEqual(decide({ level: "full", blockHighRisk: false }, unreadable)._tag, "Allow")
  })

  it("without block_high_risk_commands high risk asks in supervised and runs in full", () => {
    assert.strictEqual(row({ blockHighRisk: false }), "Allow Ask Ask")
    assert.strictEqual(row({ level: "full", blockHighRisk: false }), "Allow Allow Allow")
  })

  it("require_approval_for_medium_risk off lets medium risk run in the sandbox only", () => {
    assert.strictEqual(row({ requireApprovalForMediumRisk: false }), "Allow Allow Deny")
    assert.strictEqual(row({ requireApprovalForMediumRisk: false }, off), "Ask Ask Deny")
  })

  it("allowed_commands names the only programs there are, as they are written", () => {
    const allowedCommands = ["prog"]
    assert.strictEqual(decide({ allowedCommands }, line("low"))._tag, "Allow")
    for (const names of [["other"], ["prog", "other"], ["./prog"], ["/bin/prog"], []]) {
      for (const level of levels) {
        assert.strictEqual(decide({ allowedCommands, level }, line("low", { names }))._tag, "Deny", names.join())
      }
    }
    assert.strictEqual(decide({ allowedCommands }, line("medium", { unknownNames: true }))._tag, "Deny")
    assert.strictEqual(decide({ allowedCommands: ["*"] }, line("low", { names: ["other"] }))._tag, "Allow")
    assert.strictEqual(decide({ allowedCommands: ["./prog"] }, line("medium", { names: ["./prog"] }))._tag, "Ask")
    assert.strictEqual(decide({ allowedCommands: [] }, line("low"))._tag, "Deny")
  })

  it("a missing sandbox fails closed, in full it asks; one that was asked for fails closed everywhere", () => {
    assert.strictEqual(row({ level: "supervised" }, missing), "Deny Deny Deny")
    assert.strictEqual(row({ level: "full" }, missing), "Ask Ask Deny")
    assert.strictEqual(row({ level: "full", blockHighRisk: false }, missing), "Allow Allow Allow")
    for (const level of levels) {
      assert.strictEqual(row({ level, blockHighRisk: false, autoApprove: ["*"] }, asked), "Deny Deny Deny")
    }
    assert.include(decide({}, line("low"), missing).reason, "Install bubblewrap.")
  })

  it("without a sandbox every command asks in supervised, and the question says so", () => {
    assert.strictEqual(row({}, off), "Ask Ask Deny")
    assert.include(decide({}, line("low"), off).reason, "without a sandbox")
    assert.strictEqual(row({ level: "full" }, off), "Allow Allow Deny")
  })

  it("always_ask asks in every level and offers no always; auto_approve spares the question", () => {
    for (const level of ["supervised", "full"] as const) {
      const decision = decide({ level, alwaysAsk: ["shell"], autoApprove: ["*"] }, line("low"), ready, () => true)
      assert.strictEqual(decision._tag, "Ask")
      assert.notProperty(decision, "always")
    }
    assert.strictEqual(row({ autoApprove: ["shell"] }), "Allow Allow Deny")
    assert.strictEqual(row({ autoApprove: ["other"] }), "Allow Ask Deny")
  })

  it("a question says why and where it runs", () => {
    const { reason } = decide({}, line("medium"))
    assert.include(reason, "It does something.")
    assert.include(reason, "supervised")
    assert.include(reason, "without network")
    assert.include(
      decide({ sandbox: { backend: "auto", network: true } }, line("medium")).reason,
      "can use the network"
    )
  })

  it("a grant covers exactly the commands that do more than read, in any plain line made of them (W25)", () => {
    const make = { argv: ["make"], risk: "medium" } as const
    const test = { argv: ["npm", "test"], risk: "medium" } as const
    const ls = { argv: ["ls"], risk: "low" } as const
    const of = (...commands: NonNullable<Assessment["commands"]>) => line("medium", { commands })
    const keys = (assessment: Assessment, command = "c", tool = "shell") =>
      grantKeys({ tool, command }, { assessment, sandbox: ready })
    const granted = new Set([...keys(of(make))])
    const run = (assessment: Assessment) => decide({}, assessment, ready, (key) => granted.has(key))._tag
    assert.strictEqual(run(of(make)), "Allow")
    assert.strictEqual(run(of(ls, make, ls)), "Allow")
    assert.strictEqual(run(of(make, test)), "Ask")
    assert.strictEqual(run(of({ argv: ["make", "x"], risk: "medium" })), "Ask")
    assert.strictEqual(run(of({ argv: ["make x"], risk: "medium" })), "Ask")
    for (const key of keys(of(test))) granted.add(key)
    assert.strictEqual(run(of(make, test)), "Allow")
    assert.deepStrictEqual(keys(line("high")), [])
    const { commands: _, ...notPlain } = line("medium")
    assert.notDeepEqual(keys(notPlain, "a"), keys(notPlain, "a "))
    assert.notDeepEqual(keys(notPlain, "a"), keys(notPlain, "a", "other"))
    assert.propertyVal(decide({}, of(make, test)), "always", "these exact commands in this folder")
    assert.propertyVal(decide({}, of(make, ls)), "always", "this exact command in this folder")
  })

  it("for any profile: nothing runs unasked in supervised but low risk in a sandbox, approved tools and grants", () => {
    const profiles = fc.record({
      level: fc.constantFrom(...levels),
      blockHighRisk: fc.boolean(),
      requireApprovalForMediumRisk: fc.boolean(),
      autoApprove: fc.subarray(["shell", "*", "other"]),
      alwaysAsk: fc.subarray(["shell", "*", "other"])
    })
    fc.assert(
      fc.property(
        profiles,
        fc.constantFrom(...risks),
        fc.constantFrom(...statuses),
        fc.boolean(),
        (p, risk, status, granted) => {
          const decision = decide(p, line(risk), status, () => granted)
          assert.match(decision.reason, /^[A-Z].*\.$/)
          if (p.level === "readonly" || (status._tag === "Missing" && status.asked))
            assert.strictEqual(decision._tag, "Deny")
          if (risk === "high" && p.blockHighRisk) assert.strictEqual(decision._tag, "Deny")
          const mustAsk = p.alwaysAsk.some((name) => name !== "other")
          if (mustAsk) assert.notStrictEqual(decision._tag, "Allow")
          if (p.level === "supervised" && status._tag === "Missing") assert.strictEqual(decision._tag, "Deny")
          const spared = granted || p.autoApprove.some((name) => name !== "other")
          if (p.level === "supervised" && decision._tag === "Allow" && !spared) {
            assert.strictEqual(status._tag, "Ready")
            assert.isTrue(risk === "low" || (risk === "medium" && !p.requireApprovalForMediumRisk))
          }
        }
      )
    )
  })
})
