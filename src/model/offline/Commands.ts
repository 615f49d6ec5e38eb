// What the offline agent understands: shown by `help` and in the README.

export interface Command {
  readonly name: string
  readonly example: string
  readonly does: string
}

export const commands: ReadonlyArray<Command> = [
  { name: "list", example: "list src", does: "shows the files below a folder" },
  { name: "read", example: "read README.md:1-20", does: "shows a file or some of its lines" },
  { name: "find", example: "find *.test.ts", does: "finds files by name" },
  { name: "search", example: 'search "TODO" in src', does: "finds text in files" },
  { name: "outline", example: "explain src/wire/Lines.ts", does: "lists the definitions or headings of a file" },
  {
    name: "summarise",
    example: "summarise README.md",
    does: "quotes the telling lines of a document, each with its place"
  },
  { name: "diff", example: "summarise the diff", does: "counts what changed since the last commit" },
  { name: "last commit", example: "show the last commit", does: "shows the last commit and its files" },
  { name: "git", example: "git status", does: "runs git status, diff or log" },
  { name: "count", example: "count lines in README.md", does: "counts files, lines or matches" },
  { name: "todos", example: "todos", does: "collects TODO and FIXME notes" },
  { name: "run", example: "run npm test", does: "runs a command, after you allowed it" },
  { name: "test", example: "run the tests", does: "finds out how the project is tested and runs that" },
  {
    name: "replace",
    example: 'replace "a" with "b" in notes.md',
    does: "edits a file; `everywhere` at the end replaces all"
  },
  { name: "create", example: 'create notes.md with "first line"', does: "writes a new file" },
  { name: "append", example: 'append "more" to notes.md', does: "adds a line at the end of a file" },
  {
    name: "plan",
    example: "plan: list src; count files; run git log -1",
    does: "shows a plan and does its steps; `then` and numbered lists too"
  },
  { name: "echo", example: "echo hello", does: "answers with the text itself" }
]

/** For authors of clients: streaming and cancelling without a model. */
export const diagnostics: ReadonlyArray<Command> = [
  { name: "repeat", example: "repeat 1000 x", does: "streams a text many times, one update each" },
  { name: "wait", example: "wait", does: "answers nothing more until you cancel" }
]
