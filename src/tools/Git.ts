// git_operations: the usual work with git, as one command line that policy judges like any other.
import { Either } from "effect"
import { quoteAll } from "../text/ShellQuote.ts"
import { GitInput, gitArguments } from "./GitArguments.ts"
import { define } from "./Input.ts"
import { prepareCommand } from "./Shell.ts"
import { type Tool, ToolError } from "./Tool.ts"

const name = "git_operations"

export const makeGit = ({ shellTimeoutSecs }: { readonly shellTimeoutSecs: number }): Tool =>
  define({
    name,
    description:
      "Looks at and changes the git repository of the working directory: status, diff, log, branch (a list, or a new one), commit, add, checkout, stash, worktree. For anything else of git use shell.",
    input: GitInput,
    prepare: (input, policy) =>
      Either.match(gitArguments(input), {
        onLeft: (why) => new ToolError({ message: `git_operations ${input.operation}: ${why}` }),
        onRight: (argv) => prepareCommand(name, quoteAll(argv), shellTimeoutSecs, policy)
      })
  })
