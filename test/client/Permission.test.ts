import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Permission from "../../src/client/Permission.ts"
import { plain } from "../../src/client/Style.ts"
import type { PermissionOption } from "../../src/contract/ClientMethods.ts"

const kinds = ["allow_once", "allow_always", "reject_once", "reject_always"] as const
const option = (kind: PermissionOption["kind"], optionId: string = kind): PermissionOption => ({
  kind,
  optionId,
  name: optionId
})
const all = kinds.map((kind) => option(kind))

const anyOptions = FastCheck.array(
  FastCheck.record({
    optionId: FastCheck.string(),
    name: FastCheck.string(),
    kind: FastCheck.constantFrom(...kinds)
  }),
  { maxLength: 12 }
)
const anyAnswerer = FastCheck.constantFrom<Exclude<Permission.Answerer, { _tag: "Person" }>>(
  { _tag: "Yes", said: "--yes" },
  { _tag: "Nobody", why: "no terminal" }
)

const chosen = (choice: Permission.Choice | undefined): string | undefined =>
  choice?._tag === "Selected" ? choice.option.optionId : choice?._tag

describe("a key", () => {
  it("chooses by number and by letter", () => {
    assert.deepStrictEqual(
      ["1", "4", "y", "Y", "a", "n"].map((key) => chosen(Permission.byKey(all, key))),
      ["allow_once", "reject_always", "allow_once", "allow_once", "allow_always", "reject_once"]
    )
  })

  it("cancels with Esc and Ctrl-C", () => {
    for (const key of ["escape", "ctrl-c", "ctrl-d"]) {
      assert.deepStrictEqual(chosen(Permission.byKey(all, key)), "Cancelled")
    }
  })

  it("that means nothing chooses nothing, above all no other kind of option", () => {
    for (const key of ["5", "0", "x", " ", "\r", ""]) assert.isUndefined(Permission.byKey(all, key))
    const rejectOnly = [option("reject_once")]
    assert.isUndefined(Permission.byKey(rejectOnly, "y"))
    assert.isUndefined(Permission.byKey(rejectOnly, "a"))
    assert.isUndefined(Permission.byKey([], "1"))
  })

  it.prop("only ever chooses an option that was offered", [anyOptions, FastCheck.string()], ([options, key]) => {
    const choice = Permission.byKey(options, key)
    if (choice?._tag === "Selected") assert.include(options, choice.option)
  })
})

describe("without a person", () => {
  it("--yes takes the first allow_once and says so", () => {
    const options = [option("allow_always"), option("allow_once", "first"), option("allow_once", "second")]
    const choice = Permission.automatic(options, { _tag: "Yes", said: "--yes" })
    assert.strictEqual(chosen(choice), "first")
    assert.strictEqual(Permission.verdict(plain, choice), "  allowed (--yes)")
  })

  it("--yes never allows always", () => {
    const choice = Permission.automatic([option("allow_always"), option("reject_once")], {
      _tag: "Yes",
      said: "--yes"
    })
    assert.strictEqual(chosen(choice), "reject_once")
    assert.include(Permission.verdict(plain, choice), 'rejected (--yes, but no "allow once" was offered)')
  })

  it("nobody there takes the first way to reject and says why", () => {
    const choice = Permission.automatic(all, { _tag: "Nobody", why: "no terminal" })
    assert.strictEqual(chosen(choice), "reject_once")
    assert.strictEqual(Permission.verdict(plain, choice), "  rejected (no terminal)")
    const other = Permission.automatic([option("reject_always")], { _tag: "Nobody", why: "no terminal" })
    assert.strictEqual(chosen(other), "reject_always")
  })

  it.prop("only ever answers an offered id or cancelled", [anyOptions, anyAnswerer], ([options, answerer]) => {
    const outcome = Permission.outcome(Permission.automatic(options, answerer))
    if (outcome.outcome === "selected") {
      const { optionId } = outcome
      assert.isTrue(options.some((candidate) => candidate.optionId === optionId))
      const allowed = options.filter((candidate) => candidate.optionId === optionId).map(({ kind }) => kind)
      if (answerer._tag === "Nobody") assert.isTrue(allowed.some((kind) => kind.startsWith("reject")))
    }
  })
})

describe("a question", () => {
  it("shows title, kind and the keys; raw input only when there is no content", () => {
    const call = { toolCallId: "t", kind: "execute", rawInput: { command: "rm -r x\u001b[8m" } } as const
    assert.deepStrictEqual(Permission.questionLines(plain, call, "Run it"), [
      "? Allow Run it (execute)",
      '  input {"command":"rm -r x\\u001b[8m"}'
    ])
    const withContent = { ...call, content: [{ type: "content", content: { type: "text", text: "x" } }] } as const
    assert.deepStrictEqual(Permission.questionLines(plain, withContent, "Run it"), ["? Allow Run it (execute)"])
    assert.deepStrictEqual(Permission.optionLines(plain, all), [
      "  1, y  allow_once",
      "  2, a  allow_always",
      "  3, n  reject_once",
      "  4  reject_always",
      "  Esc  cancel the turn"
    ])
  })
})
