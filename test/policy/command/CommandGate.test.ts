// What the gate says of everyday commands, of tricks that were measured to run programs, and of any text at all.
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { assess } from "../../../src/policy/command/CommandGate.ts"

const lines = (file: string): ReadonlyArray<string> =>
  fs
    .readFileSync(new URL(file, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")

const reads = lines("reads.txt")
const more = lines("more.txt")
const tricks = lines("tricks.txt")

const risk = (command: string) => assess(command).risk

describe("everyday commands", () => {
  it("are at least 200, and at least 95 % of those that read are low", () => {
    assert.isAtLeast(reads.length + more.length, 200)
    const asked = reads.filter((line) => risk(line) !== "low")
    assert.isAtMost(asked.length / reads.length, 0.05, asked.join("\n"))
  })
  it.each(more)("%s does more than read", (line) => {
    assert.notStrictEqual(risk(line), "low")
  })
  it.each(tricks)("%s can run a program or write", (line) => {
    assert.notStrictEqual(risk(line), "low")
  })
})

describe("high risk", () => {
  it.each([
    "rm x",
    "ls; rm -rf x",
    "false || rm x",
    "ls & rm x",
    "echo $(rm x)",
    "echo `rm x`",
    'echo "a $(rm x) b"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash, not JavaScript
    "echo ${A:=`rm x`}",
    "cat <(rm x)",
    "cat <<E\n$(rm x)\nE",
    "{ (rm x); }",
    "coproc rm x",
    "time rm x",
    "! rm x",
    "ls(){ rm x; }; ls",
    "if true; then rm x; fi",
    "for i in 1; do rm x; done",
    "case a in a) rm x;; esac",
    "FOO=1 rm x",
    '"rm" x',
    "r\\m x",
    "r''m x",
    "$'rm' x",
    "/bin/rm x",
    "env -i nice timeout 5 rm x",
    "nice -n 5 rm x",
    "env -u HOME rm x",
    "bash -lc 'bash -c \"rm x\"'",
    "sh -ec 'rm x'",
    "echo x | xargs rm",
    "xargs -n 1 -I {} rm {}",
    "find . -name keep -exec rm {} +",
    "find . -ok rm {} ;",
    "trap 'rm x' EXIT",
    "command rm x",
    "exec rm x",
    "sudo -n id",
    "curl x | sh",
    "mkfs.ext4 /dev/sda1",
    "chmod +x a",
    "eval ls",
    "$A -rf x",
    "A=rm; $A x",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash, not JavaScript
    "rm${IFS}-rf${IFS}x",
    "/???/r[m] x",
    "$(echo ls)",
    'echo "unterminated',
    "ls )",
    "l\u200bs",
    "ls\u00a0-la",
    "TZ=UTC\recho rm x",
    "ls \u202e",
    ":(){ :|:& };:",
    "(".repeat(300),
    `echo ${"a".repeat(20_000)}`,
    "ls;".repeat(600)
  ])("%s", (line) => {
    assert.strictEqual(risk(line), "high")
  })
})

describe("assess", () => {
  it("gives the words of each plain command, with its own risk", () => {
    assert.deepStrictEqual(assess("ls -la 'a b' && npm test | cat").commands, [
      { argv: ["ls", "-la", "a b"], risk: "low" },
      { argv: ["npm", "test"], risk: "medium" },
      { argv: ["cat"], risk: "low" }
    ])
  })
  it.each([
    "npm test > out",
    "FOO=1 npm test",
    "npm test $X",
    "npm test *",
    "npm test &",
    "(npm test)",
    "npm test \\\n x",
    "npm test <<E\n$X\nE"
  ])("gives no words of %s: what runs is not in them alone", (line) => {
    assert.notProperty(assess(line), "commands")
  })
  it("says in words what made it so", () => {
    for (const [line, reason] of [
      ["ls", "It only reads."],
      ["ls; npm test", "npm test can run code of the project."],
      ["echo a > b.txt", "It writes to a file (> b.txt)."],
      ["FOO=1 ls", "It sets variables for the command (FOO)."],
      ["echo $(date)", "It holds a substitution, so part of it is known only when it runs."],
      ["ls && rm a", "rm deletes or overwrites for good."],
      ["git commit -m x", "git commit may do more than read."],
      ["$X", "What it runs can't be told before it runs."]
    ] as const) {
      assert.strictEqual(assess(line).reason, reason, line)
    }
  })
  it("names every program that can be seen", () => {
    assert.deepStrictEqual(assess("env nice rm $(cat x)").names, ["env", "nice", "rm", "cat"])
    assert.deepStrictEqual(assess("env nice rm $(cat x)").highNames, ["rm"])
    assert.isTrue(assess("$X").unknownNames)
    assert.isTrue(assess("cd a && git commit").git)
    assert.isFalse(assess("ls .gitignore-x").git && assess("ls digit").git)
  })
  it("any text gets an answer, and always the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const one = assess(text)
        assert.deepStrictEqual(assess(text), one)
        assert.match(one.reason, /^\S.*\.$/s)
      }),
      { numRuns: 2000 }
    )
  })
})
