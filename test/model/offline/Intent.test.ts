import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { read } from "../../../src/model/offline/Attached.ts"
import { commands, diagnostics } from "../../../src/model/offline/Commands.ts"
import { type Intent, parse } from "../../../src/model/offline/Intent.ts"

const table: ReadonlyArray<readonly [string, Intent]> = [
  ["help", { _tag: "Help" }],
  ["What can you do", { _tag: "Help" }],
  ["echo hello", { _tag: "Echo", text: "hello" }],
  ["echo 读 🎉", { _tag: "Echo", text: "读 🎉" }],
  ["say a; b, then c", { _tag: "Echo", text: "a; b, then c" }],
  ["echo a\nb", { _tag: "Echo", text: "a\nb" }],
  ["repeat 3 ab", { _tag: "Repeat", times: 3, text: "ab" }],
  ["repeat 999999 x", { _tag: "Repeat", times: 100_000, text: "x" }],
  ["wait", { _tag: "Wait" }],
  ["list", { _tag: "List", path: "." }],
  ["ls", { _tag: "List", path: "." }],
  ["ls src", { _tag: "List", path: "src" }],
  ["tree src", { _tag: "List", path: "src" }],
  ["list the files", { _tag: "List", path: "." }],
  ["list files in src/model", { _tag: "List", path: "src/model" }],
  ["Please list all the files in this project.", { _tag: "List", path: "." }],
  ["what files are here?", { _tag: "List", path: "." }],
  ["read README.md", { _tag: "Read", path: "README.md" }],
  ["show me the file `src/a.ts`", { _tag: "Read", path: "src/a.ts" }],
  ["cat src/a.ts", { _tag: "Read", path: "src/a.ts" }],
  ["open 'a b.txt'", { _tag: "Read", path: "a b.txt" }],
  ["read README.md:1-12", { _tag: "Read", path: "README.md", from: 1, to: 12 }],
  ["show src/a.ts:7", { _tag: "Read", path: "src/a.ts", from: 7, to: 7 }],
  ["read notes.md lines 2 to 5", { _tag: "Read", path: "notes.md", from: 2, to: 5 }],
  ["could you read README.md, please", { _tag: "Read", path: "README.md" }],
  ["find *.test.ts", { _tag: "Find", pattern: "*.test.ts" }],
  ["find files named Router", { _tag: "Find", pattern: "**/*Router*" }],
  ["locate package.json", { _tag: "Find", pattern: "**/*package.json*" }],
  ["search TODO", { _tag: "Search", text: "TODO" }],
  ['search "hello world" in src', { _tag: "Search", text: "hello world", path: "src" }],
  ["grep foo in src/a.ts", { _tag: "Search", text: "foo", path: "src/a.ts" }],
  ["search for `a.b(c)` in the project", { _tag: "Search", text: "a.b(c)", path: "." }],
  ["search for session limit in src", { _tag: "Search", text: "session limit", path: "src" }],
  ["where is parseConfig defined?", { _tag: "Search", text: "parseConfig" }],
  ["explain src/a.ts", { _tag: "Outline", path: "src/a.ts" }],
  ["outline README.md", { _tag: "Outline", path: "README.md" }],
  ["explain the structure of src/a.ts", { _tag: "Outline", path: "src/a.ts" }],
  ["explain this", { _tag: "Outline" }],
  ["summarise README.md", { _tag: "Summarise", path: "README.md" }],
  ["Summarize the readme", { _tag: "Summarise", path: "README.md" }],
  ["summarise this", { _tag: "Summarise" }],
  ["summarise the diff", { _tag: "SummariseDiff" }],
  ["summarize my changes", { _tag: "SummariseDiff" }],
  ["what changed?", { _tag: "SummariseDiff" }],
  ["show me the last commit", { _tag: "Run", command: "git log -1 --stat" }],
  ["summarise the last commit", { _tag: "Run", command: "git log -1 --stat" }],
  ["git status", { _tag: "Run", command: "git status" }],
  ["git log", { _tag: "Run", command: "git log --oneline -10" }],
  ["todos", { _tag: "Todos" }],
  ["list all the TODOs", { _tag: "Todos" }],
  ["count files", { _tag: "CountFiles", pattern: "**/*" }],
  ["how many files are there?", { _tag: "CountFiles", pattern: "**/*" }],
  ["how many TypeScript files are there?", { _tag: "CountFiles", pattern: "**/*.ts" }],
  ["count *.md files", { _tag: "CountFiles", pattern: "*.md" }],
  ["count lines in README.md", { _tag: "CountLines", path: "README.md" }],
  ["how many lines are in README.md?", { _tag: "CountLines", path: "README.md" }],
  ["count TODO in src", { _tag: "CountMatches", text: "TODO", path: "src" }],
  ["run npm test", { _tag: "Run", command: "npm test" }],
  ["run `ls -la`", { _tag: "Run", command: "ls -la" }],
  ["execute git log -1 --oneline", { _tag: "Run", command: "git log -1 --oneline" }],
  ["run the tests", { _tag: "Test" }],
  ["test", { _tag: "Test" }],
  ['replace "a b" with "c" in x.md', { _tag: "Replace", from: "a b", to: "c", path: "x.md", all: false }],
  [
    "replace foo by bar in src/x.ts everywhere",
    { _tag: "Replace", from: "foo", to: "bar", path: "src/x.ts", all: true }
  ],
  ['create notes.md with "first line"', { _tag: "Create", path: "notes.md", content: "first line" }],
  ["create a file called a.txt containing hello there", { _tag: "Create", path: "a.txt", content: "hello there" }],
  ["create a.ts with ```ts\nlet a = 1\n```", { _tag: "Create", path: "a.ts", content: "let a = 1\n" }],
  ['append "more" to notes.md', { _tag: "Append", content: "more", path: "notes.md" }],
  ["plan: list src; run ls", { _tag: "Plan", steps: ["list src", "run ls"] }],
  ["make a plan to read README.md, then count files", { _tag: "Plan", steps: ["read README.md", "count files"] }],
  ["read a.md, then list src and then run ls", { _tag: "Plan", steps: ["read a.md", "list src", "run ls"] }],
  ["1. read a.md\n2. list src\n3. run ls", { _tag: "Plan", steps: ["read a.md", "list src", "run ls"] }],
  ["count files in src", { _tag: "CountFiles", pattern: "**/*", path: "src" }],
  ["count *.ts in src", { _tag: "CountFiles", pattern: "*.ts", path: "src" }],
  ["how many files are in src?", { _tag: "CountFiles", pattern: "**/*", path: "src" }],
  ["how many TypeScript files are in src?", { _tag: "CountFiles", pattern: "**/*.ts", path: "src" }],
  ["git status --short", { _tag: "Run", command: "git status --short" }],
  ["git log -3", { _tag: "Run", command: "git log -3" }],
  ["list bench and count files", { _tag: "Plan", steps: ["list bench", "count files"] }],
  ["Can you list bench; afterwards read .npmrc?", { _tag: "Plan", steps: ["list bench", "read .npmrc?"] }],
  ["first list bench, then read .npmrc", { _tag: "Plan", steps: ["list bench", "read .npmrc"] }],
  ["1. list bench 2. read .npmrc 3. echo done", { _tag: "Plan", steps: ["list bench", "read .npmrc", "echo done"] }],
  ["plan list bench and read .npmrc", { _tag: "Plan", steps: ["list bench", "read .npmrc"] }],
  ["what does src/loop/Turn.ts do?", { _tag: "Outline", path: "src/loop/Turn.ts" }],
  ["/help", { _tag: "Help" }],
  ["read README.md:20-10", { _tag: "Read", path: "README.md", from: 10, to: 20 }],
  ['search "list and read; then run"', { _tag: "Search", text: "list and read; then run" }],
  ["list TypeScript files", { _tag: "Find", pattern: "**/*.ts" }],
  ["find all markdown files in docs", { _tag: "Find", pattern: "**/*.md", path: "docs" }],
  ["grep TODO src/", { _tag: "Search", text: "TODO", path: "src/" }],
  ["search for the word foo in src please", { _tag: "Search", text: "foo", path: "src" }],
  ["which files contain foo?", { _tag: "Search", text: "foo" }],
  ["how many lines does a.md have?", { _tag: "CountLines", path: "a.md" }],
  ["how many times does foo appear in src?", { _tag: "CountMatches", text: "foo", path: "src" }],
  ["how many TODOs are in src?", { _tag: "CountMatches", text: "TODO", path: "src" }],
  ["where is parseConfig?", { _tag: "Search", text: "parseConfig" }],
  ["how many foo?", { _tag: "CountMatches", text: "foo" }],
  ["fixmes in src", { _tag: "Todos", path: "src" }],
  ["show the diff", { _tag: "Run", command: "git diff" }],
  ["what did the last commit change?", { _tag: "Run", command: "git log -1 --stat" }],
  ["npm test", { _tag: "Run", command: "npm test" }],
  ["run the test suite", { _tag: "Test" }],
  ["run all tests", { _tag: "Test" }],
  ["read the readme", { _tag: "Read", path: "README.md" }],
  ["read a.md:5-", { _tag: "Read", path: "a.md", from: 5 }],
  ["read a.md from line 5 to 9", { _tag: "Read", path: "a.md", from: 5, to: 9 }],
  ["read a.md:0", { _tag: "Read", path: "a.md", from: 1, to: 1 }],
  ["what's in README.md?", { _tag: "Summarise", path: "README.md" }],
  ["what is in src", { _tag: "List", path: "src" }],
  ["give me a summary of README.md", { _tag: "Summarise", path: "README.md" }],
  ["tl;dr", { _tag: "Summarise" }],
  ["what functions are in a.ts?", { _tag: "Outline", path: "a.ts" }],
  ["replace every foo with bar in a.md", { _tag: "Replace", from: "foo", to: "bar", path: "a.md", all: true }],
  ["in a.md replace foo with bar", { _tag: "Replace", from: "foo", to: "bar", path: "a.md", all: false }],
  ["append hello world to notes.md", { _tag: "Append", content: "hello world", path: "notes.md" }],
  ['write "hi" to a.txt', { _tag: "Create", path: "a.txt", content: "hi" }],
  ["create an empty file x.txt", { _tag: "Create", path: "x.txt", content: "" }],
  // Quotes and command lines keep what looks like a joint.
  ["run `a; b` then list", { _tag: "Plan", steps: ["run `a; b`", "list"] }],
  ["run cd x; ls", { _tag: "Run", command: "cd x; ls" }],
  ["run if true; then ls; fi", { _tag: "Run", command: "if true; then ls; fi" }],
  ["run git add . and run-parts x", { _tag: "Run", command: "git add . and run-parts x" }],
  ["run for i in 1 2; do\n  echo $i\ndone", { _tag: "Run", command: "for i in 1 2; do\n  echo $i\ndone" }],
  ['create x.md with "a; b, then c"', { _tag: "Create", path: "x.md", content: "a; b, then c" }],
  ['create x.md with "a" then read x.md', { _tag: "Plan", steps: ['create x.md with "a"', "read x.md"] }],
  ['create x.md with say "a"\nls', { _tag: "Create", path: "x.md", content: 'say "a"\nls' }],
  ["plan: list src and count files; run ls", { _tag: "Plan", steps: ["list src", "count files", "run ls"] }],
  ["read a.md, then dance", { _tag: "Plan", steps: ["read a.md", "dance"] }],
  ["search 'it; is' then list", { _tag: "Plan", steps: ["search 'it; is'", "list"] }],
  // Words that name nothing are not taken for a path.
  ["show me how it works", { _tag: "Unknown", text: "show me how it works" }],
  ["explain how the loop works", { _tag: "Unknown", text: "explain how the loop works" }],
  ["tell me a joke", { _tag: "Unknown", text: "tell me a joke" }],
  ["", { _tag: "Unknown", text: "" }]
]

describe("Intent", () => {
  it.each(table)("understands %s", (text, expected) => {
    assert.deepStrictEqual(parse(text), expected)
  })

  it("understands every documented example", () => {
    for (const { example } of [...commands, ...diagnostics])
      assert.notStrictEqual(parse(example)._tag, "Unknown", example)
  })

  it.prop("is total", [fc.string({ unit: "binary", maxLength: 200 })], ([text]) => {
    assert.isString(parse(text)._tag)
  })

  it("reads long text in time that does not grow with its square", () => {
    const long = [" ", "a ", "?!", "count ", "plan ", ", and ", "then ", '"', "`", "\n", "read 1:", "[Attached: a]\n"]
    for (const piece of long) {
      const text = `${piece.repeat(Math.ceil(500_000 / piece.length))}.`
      assert.isString(parse(text)._tag)
      assert.isArray(read(text).attached)
    }
    const content = "x; y, then z\n".repeat(50_000)
    assert.deepStrictEqual(parse(`create a.md with \`\`\`\n${content}\`\`\``), {
      _tag: "Create",
      path: "a.md",
      content
    })
  })
})
