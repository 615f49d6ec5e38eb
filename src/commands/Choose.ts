// Which of several choices a person means by what they typed, and how the choices are listed. Pure.
import { Either } from "effect"
import type { Choice } from "../model/Models.ts"
import { nearest } from "../text/Suggest.ts"
import { quoted } from "./Answer.ts"

const lower = (text: string): string => text.trim().toLowerCase()
const words = ({ name, value }: Choice): ReadonlyArray<string> => [lower(value), lower(name)]

/** Every choice on its own line, the current one marked. */
export const list = (choices: ReadonlyArray<Choice>, current: string | undefined): string =>
  choices
    .map(({ description, name, value }) => {
      const label = name === value ? quoted(value) : `${quoted(value)} (${quoted(name)})`
      const mark = value === current ? " **← current**" : ""
      return `- ${label}${description === undefined ? "" : `: ${description}`}${mark}`
    })
    .join("\n")

const maxCompared = 200

const suggestion = (wanted: string, choices: ReadonlyArray<Choice>): string => {
  const near = wanted.length > maxCompared ? undefined : nearest(wanted, choices.flatMap(words))
  const choice = choices.find((choice) => near !== undefined && words(choice).includes(near))
  return choice === undefined ? "" : ` Did you mean ${quoted(choice.value)}?`
}

/**
 * The exact value or name wins, then the same in any case, then the only one it is the beginning of, then the only one
 * it is a part of. Left says why there is none. `what` is the kind of choice, such as "model".
 */
export const choose = (what: string, choices: ReadonlyArray<Choice>, typed: string): Either.Either<Choice, string> => {
  const wanted = lower(typed)
  const tests: ReadonlyArray<(choice: Choice) => boolean> = [
    ({ value }) => value === typed.trim(),
    ({ name }) => name === typed.trim(),
    (choice) => words(choice).includes(wanted),
    (choice) => words(choice).some((word) => word.startsWith(wanted)),
    (choice) => words(choice).some((word) => word.includes(wanted))
  ]
  const found = wanted === "" ? [] : (tests.map((test) => choices.filter(test)).find((found) => found.length > 0) ?? [])
  const [only, second] = found
  if (only !== undefined && second === undefined) return Either.right(only)
  const [why, shown] =
    only === undefined
      ? [`There is no ${what} ${quoted(typed)}.${suggestion(wanted, choices)} There are:`, choices]
      : [`${quoted(typed)} fits more than one ${what}; type more of its name:`, found]
  return Either.left(`${why}\n\n${list(shown, undefined)}`)
}
