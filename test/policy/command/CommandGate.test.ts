// What a command line is taken for before it runs.
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { assess } from "../../../src/policy/command/CommandGate.ts"
import attacks from "./data/attacks.json" with { type: "json" }
import { acting, reading } from "./data/Corpus.ts"
import tricks from "./data/tricks.json" with { type: "json" }

const risk = (line: string) => assess(line).risk

describe("attacks", () => {
  for (const { command, id, title } of attacks.attacks) {
    it(`${id} ${title}: never counts as reading`, () => assert.notStrictEqual(risk(command), "low"))
  }
  for (const { command, id, title } of attacks.harmless) {
    it(`${id} ${title}: counts as reading`, () => assert.strictEqual(risk(command), "low"))
  }
})

describe("the corpus", () => {
  it("no line that was seen to start a program or to write counts as reading", () => {
    assert.deepStrictEqual(
      [...tricks.effective, ...tricks.ineffective].filter((line) => risk(line) === "low"),
      []
    )
  })

  it("of everyday lines that read, at least 95 of 100 count as reading", () => {
    const asked = reading.filter((line) => risk(line) !== "low")
    assert.isAtLeast(reading.length, 200)
    assert.isAtMost(asked.length / reading.length, 0.05, asked.join("\n"))
  })

  it("of everyday lines that act, none counts as reading", () => {
    assert.isAtLeast(acting.length, 200)
    assert.deepStrictEqual(
      acting.filter((line) => risk(line) === "low"),
      []
    )
  })
})

describe("high", () => {
  const rm: ReadonlyArray<string> = [
    "rm x",
    '"rm" x',
    "r\\m x",
    "r''m x",
    "$'rm' x",
    "/bin/rm x",
    "RM x",
    "ls; rm x",
    "ls $(rm x)",
    'ls "`rm x`"',
    "(rm x)",
    "f() { rm x; }",
    "if true; then rm x; fi",
    "env -i A=1 nice -n 5 timeout -s KILL 5 rm x",
    "env -S 'rm x'",
    "sudo -u me rm x",
    "time rm x",
    "command rm x",
    "exec -a y rm x",
    "builtin command rm x",
    "ls | xargs -n 1 -I% rm %",
    "find . -exec rm {} +",
    "find . -name x -execdir env rm {} \\;",
    "sh -c 'rm x'",
    "bash -lc 'sh -c \"rm x\"'",
    "bash -o pipefail -c 'rm x'",
    "bash <<'E'\nrm x\nE",
    "sh <<< 'rm x'",
    "trap 'rm x' EXIT",
    "eval 'rm x'",
    "npm exec -- rm x",
    "npx -c 'rm x'",
    "git submodule foreach 'rm x'",
    "git rebase -x 'rm x' main",
    "git -c alias.y='!rm x' y",
    "git bisect run rm x",
    "busybox rm x",
    "script -qc 'rm x' /dev/null",
    "hash -p /bin/rm ls",
    "test -v 'a[$(rm x)]'",
    "A='$(rm x)'; echo $\x7bA@P}"
  ]
  for (const line of rm) {
    it(`finds rm in ${JSON.stringify(line)}`, () => {
      const { highNames, reason, risk } = assess(line)
      assert.strictEqual(risk, "high")
      assert.deepStrictEqual(highNames, ["rm"].concat(line.startsWith("sudo") ? ["sudo"] : []).reverse())
      if (!/^(?:sudo|eval)/.test(line)) assert.match(reason, /(?:rm|RM) deletes files for good\.$/)
    })
  }

  it("a name that is known only when it runs", () => {
    for (const line of [
      "$A x",
      '"$A" x',
      "$(x) y",
      "r* x",
      "{rm,x}",
      "eval x",
      "ls | sh",
      'sh -c "$A"',
      "xargs $A",
      "sh < x"
    ]) {
      const { commands, git, risk, unknownNames } = assess(line)
      assert.deepStrictEqual(
        { risk, unknownNames, git, commands },
        { risk: "high", unknownNames: true, git: true, commands: undefined },
        line
      )
    }
  })

  it("what can't be read: not bash, too long, too deep, or not to be seen", () => {
    for (const line of [
      'echo "x',
      "ls )",
      "if ls",
      `echo ${"a".repeat(17_000)}`,
      `echo ${"é".repeat(8_200)}`,
      `echo '${"[".repeat(201)}'`,
      ":;".repeat(1600)
    ]) {
      assert.strictEqual(risk(line), "high", line.slice(0, 40))
    }
    for (const unseen of [
      "\r",
      "\v",
      "\u0000",
      "\u001b",
      "\u00a0",
      "\u2003",
      "\u3000",
      "\u200b",
      "\u202e",
      "\u2066",
      "\ufeff",
      "\u{e0041}",
      "\u2028",
      "\u034f",
      "\ud800"
    ]) {
      const { reason, risk } = assess(`ls ${unseen}x`)
      assert.strictEqual(risk, "high")
      assert.match(reason, /can't be seen \(U\+[0-9A-F]{4,}\)/)
    }
    assert.strictEqual(risk("echo '✔️ déjà vu 日本'\n\tls"), "low")
  })

  it("wipes, fork bombs and connections, even as text", () => {
    for (const line of [
      "echo 'rm -rf / '",
      ":(){ :|:& };:",
      "bomb() { bomb | bomb & }; bomb",
      "cat < /dev/tcp/127.0.0.1/9"
    ]) {
      assert.strictEqual(risk(line), "high", line)
    }
  })

  it("a name as an operand is no program", () => {
    for (const line of ["grep rm x", "which rm", "command -v rm", "man rm", "git log -- rm", "timeout 5 grep rm x"]) {
      assert.deepStrictEqual(assess(line).highNames, [], line)
    }
  })
})

describe("what is told of a line", () => {
  it("the reason, in a sentence", () => {
    const reasons: ReadonlyArray<readonly [line: string, reason: string]> = [
      ["ls", "It only reads."],
      ["rm x", "rm deletes files for good."],
      ["npm test", "npm test runs code of the project, or changes what is installed."],
      ["ls > out.txt", "It writes to a file (> out.txt)."],
      ["LD_PRELOAD=x ls", "It sets variables for the command (LD_PRELOAD)."],
      ["ls $(x)", "It holds a substitution, so what runs is known only when it runs."],
      ["ls $HOME", "It uses a variable ($HOME), so what it does is known only when it runs."],
      ["git commit -m x", "git commit may change the repository."],
      ["sort -o x y", "sort isn't known to only read with -o."],
      ["./x", "It starts a program by its path (./x)."],
      ['"ls"', "It spells a program's name with quotes or escapes (ls)."],
      ["ls; cp a b; mv a b", "cp changes files."]
    ]
    for (const [line, reason] of reasons) assert.strictEqual(assess(line).reason, reason)
  })

  it("commands, by their words, where the line is made of plain ones only", () => {
    assert.deepStrictEqual(assess("npm test -- 'a b' | tail -5 2>&1 && git status").commands, [
      { argv: ["npm", "test", "--", "a b"], risk: "medium" },
      { argv: ["tail", "-5"], risk: "low" },
      { argv: ["git", "status"], risk: "low" }
    ])
    for (const line of [
      "ls > x",
      "A=1 ls",
      "ls $A",
      "ls *",
      "ls ~/x",
      "ls &",
      "! ls",
      "(ls)",
      "cat <<'E'\nx\nE",
      "npm test < x"
    ]) {
      assert.isUndefined(assess(line).commands, line)
    }
  })

  it("no commands where one does something else after another, or with what another writes", () => {
    for (const line of ["cd x && npm test", "export A=1; npm test", "echo x | python3", "ls | xargs cat"]) {
      assert.isUndefined(assess(line).commands, line)
    }
    assert.isDefined(assess("cd x && ls").commands)
  })

  it("every name that can be seen", () => {
    assert.deepStrictEqual(assess("env x; y $(z | sudo w)").names, ["env", "x", "y", "z", "sudo", "w"])
  })

  it("whether git is among the programs", () => {
    for (const line of ["git status", "g\\it status", "env git x", "sh -c 'git x'", "$A"])
      assert.isTrue(assess(line).git, line)
    for (const line of ["ls", "npm test", "echo digit"]) assert.isFalse(assess(line).git, line)
  })
})

describe("any text", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.string({ unit: fc.constantFrom(..."'\"\\`$(){}[];|&<>\n #*?~!=-ar0"), maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          "ls",
          "rm",
          " ",
          "$(",
          ")",
          "`",
          "<<'E'\n",
          "\nE",
          "'",
          '"',
          "\\",
          "if ",
          "{ ",
          "[[ ",
          "((",
          "case x in ",
          ";;"
        ),
        { maxLength: 40 }
      )
      .map((parts) => parts.join(""))
  )
  it.prop(
    "is judged without failing, and the same each time",
    { text },
    ({ text }) => assert.deepStrictEqual(assess(text), assess(text)),
    { fastCheck: { numRuns: 2000 } }
  )
})
