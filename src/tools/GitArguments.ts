// What is asked of git to the arguments it is given: every value stands where it can't be read as an option. Pure.
import { Either, Schema } from "effect"
import { field, integer, optionalField } from "./Input.ts"
import { visible } from "./Visible.ts"

const text = (description: string) => optionalField(Schema.String.pipe(Schema.minLength(1)), description)

export const GitInput = Schema.Struct({
  operation: field(
    Schema.Literal("status", "diff", "log", "branch", "commit", "add", "checkout", "stash", "worktree"),
    "What to do."
  ),
  paths: optionalField(
    Schema.Array(Schema.String.pipe(Schema.minLength(1))),
    "Files or folders to limit it to; what to add, or to restore with checkout."
  ),
  message: text("Message of a commit (required) or of a stash push."),
  branch: text("Branch or commit: to check out, to log, to diff against, to create with branch, for a new worktree."),
  create: optionalField(Schema.Boolean, "checkout, worktree add: make this branch new."),
  cached: optionalField(Schema.Boolean, "diff: what is staged."),
  limit: optionalField(integer(1, 1000), "log: commits at most; 10 when left out."),
  action: optionalField(
    Schema.Literal("list", "push", "pop", "apply", "drop", "show", "add", "remove", "prune"),
    "stash: push (when left out), list, show, pop, apply, drop. worktree: list (when left out), add, remove, prune."
  ),
  index: optionalField(integer(0, 1000), "stash show, pop, apply, drop: which one; the latest when left out."),
  path: text("worktree add, remove: its folder.")
})
export type GitInput = typeof GitInput.Type

type Arguments = Either.Either<ReadonlyArray<string>, string>

/** A value in a place where git takes options too. */
const value = (what: string, given: string): Either.Either<string, string> =>
  given.startsWith("-")
    ? Either.left(`${what} ${visible(given)} begins with a dash, which git would take as an option. Name it otherwise.`)
    : Either.right(given)

const needed = (what: string, given: string | undefined): Either.Either<string, string> =>
  given === undefined ? Either.left(`${what} is missing.`) : value(what, given)

const optional = (what: string, given: string | undefined): Arguments =>
  given === undefined ? Either.right([]) : Either.map(value(what, given), (it) => [it])

/** Behind `--` git takes no option, yet a path like one is a mistake more often than a file. */
const pathsOf = (paths: ReadonlyArray<string> = []): Arguments =>
  Either.map(Either.all(paths.map((path) => value("paths:", path))), (all) => (all.length === 0 ? [] : ["--", ...all]))

const unless = (bad: boolean, why: string): Either.Either<void, string> =>
  bad ? Either.left(why) : Either.right(undefined)

const stash = (input: GitInput): Arguments => {
  const action = input.action ?? "push"
  switch (action) {
    case "push":
      return Either.map(pathsOf(input.paths), (paths) => [
        "push",
        ...(input.message === undefined ? [] : [`--message=${input.message}`]),
        ...paths
      ])
    case "list":
      return Either.right(["list"])
    case "show":
      return Either.right(["show", "--patch", `stash@{${input.index ?? 0}}`])
    case "pop":
    case "apply":
    case "drop":
      return Either.right([action, `stash@{${input.index ?? 0}}`])
    default:
      return Either.left(`stash can't ${action}. Its actions are push, list, show, pop, apply and drop.`)
  }
}

const worktree = (input: GitInput): Arguments => {
  const action = input.action ?? "list"
  switch (action) {
    case "list":
    case "prune":
      return Either.right([action])
    case "remove":
      return Either.map(needed("path", input.path), (path) => ["remove", "--", path])
    case "add":
      return Either.gen(function* () {
        const path = yield* needed("path", input.path)
        if (input.create !== true) return ["add", "--", path, ...(yield* optional("branch", input.branch))]
        return ["add", "-b", yield* needed("branch", input.branch), "--", path]
      })
    default:
      return Either.left(`worktree can't ${action}. Its actions are list, add, remove and prune.`)
  }
}

const checkout = (input: GitInput): Arguments =>
  Either.gen(function* () {
    const paths = yield* pathsOf(input.paths)
    if (input.create === true) {
      yield* unless(paths.length > 0, "a new branch takes no paths. Leave paths or create out.")
      return ["-b", yield* needed("branch", input.branch), "--"]
    }
    yield* unless(paths.length === 0 && input.branch === undefined, "branch or paths is missing.")
    const branch = yield* optional("branch", input.branch)
    return [...branch, ...(paths.length === 0 ? ["--"] : paths)]
  })

const rest = (input: GitInput): Arguments => {
  switch (input.operation) {
    case "status":
      return Either.map(pathsOf(input.paths), (paths) => ["--short", "--branch", ...paths])
    case "diff":
      return Either.gen(function* () {
        const branch = yield* optional("branch", input.branch)
        const paths = yield* pathsOf(input.paths)
        return [...(input.cached === true ? ["--cached"] : []), ...branch, ...(paths.length === 0 ? ["--"] : paths)]
      })
    case "log":
      return Either.gen(function* () {
        const branch = yield* optional("branch", input.branch)
        const paths = yield* pathsOf(input.paths)
        return [`--max-count=${input.limit ?? 10}`, ...branch, ...(paths.length === 0 ? ["--"] : paths)]
      })
    case "branch":
      return Either.map(optional("branch", input.branch), (branch) =>
        branch.length === 0 ? ["--list", "--all"] : ["--", ...branch]
      )
    case "commit":
      return Either.gen(function* () {
        yield* unless((input.message ?? "").trim() === "", "message is missing. Say what the commit does.")
        return [`--message=${input.message}`, ...(yield* pathsOf(input.paths))]
      })
    case "add":
      return Either.gen(function* () {
        const paths = yield* pathsOf(input.paths)
        yield* unless(paths.length === 0, 'paths is missing. Name the files, or ["."] for all of this folder.')
        return paths
      })
    case "checkout":
      return checkout(input)
    case "stash":
      return stash(input)
    case "worktree":
      return worktree(input)
  }
}

/** With the program. Left: what is wrong, in words. */
export const gitArguments = (input: GitInput): Arguments =>
  Either.map(rest(input), (args) => ["git", input.operation, ...args])
