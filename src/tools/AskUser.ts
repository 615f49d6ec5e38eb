// ask_user: a question to the person, in the client's form, or as buttons where it has none. @see zeroclaw section 5.7
import { Effect, Option, Schema } from "effect"
import type { PermissionOption } from "../contract/ClientMethods.ts"
import { text } from "../contract/Content.ts"
import type { ElicitationForm } from "../contract/Elicitation.ts"
import { define, field, integer, optionalField } from "./Input.ts"
import { type Tool, type ToolContext, ToolError, type ToolOutcome } from "./Tool.ts"
import { title, visible, visibleLines } from "./Visible.ts"

export const maxChoices = 20
const defaultTimeoutSecs = 300

const Input = Schema.Struct({
  question: field(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(4000)), "What to ask, one question."),
  choices: optionalField(
    Schema.Array(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(500))).pipe(Schema.maxItems(maxChoices)),
    "Answers to choose from. Without them the person writes one, where the client can do that."
  ),
  timeout_secs: optionalField(integer(1, 3600), "Seconds to wait for an answer; 300 when left out.")
})
type Input = typeof Input.Type

const choiceId = (at: number) => `choice-${at}`

/** One choice, or one free text. */
export const form = (choices: ReadonlyArray<string>): ElicitationForm =>
  choices.length === 0
    ? {
        type: "object",
        properties: { answer: { type: "string", title: "Answer", minLength: 1 } },
        required: ["answer"]
      }
    : {
        type: "object",
        properties: {
          choice: {
            type: "string",
            title: "Answer",
            oneOf: choices.map((choice, at) => ({ const: choiceId(at), title: visible(choice) }))
          }
        },
        required: ["choice"]
      }

/** All of one kind: a client that answers some kinds by itself must not answer for the person. */
export const options = (choices: ReadonlyArray<string>): ReadonlyArray<PermissionOption> =>
  choices.map((choice, at) => ({ optionId: choiceId(at), name: visible(choice), kind: "allow_once" }))

const chosen = (choices: ReadonlyArray<string>, id: unknown): Option.Option<string> =>
  Option.fromNullable(choices.find((_, at) => choiceId(at) === id))

const noAnswer = (why: string) => new ToolError({ message: `No answer: ${why} Go on without it, or ask differently.` })

const byForm = (
  elicit: NonNullable<ToolContext["client"]["elicit"]>,
  question: string,
  choices: ReadonlyArray<string>,
  toolCallId: string
): Effect.Effect<string, ToolError> =>
  Effect.matchEffect(elicit(question, form(choices), toolCallId), {
    onFailure: ({ message }) => noAnswer(`the client could not ask (${message}).`),
    onSuccess: (answer) => {
      if (answer.action !== "accept" || !("content" in answer)) {
        return noAnswer(answer.action === "decline" ? "the person declined." : "the question was closed.")
      }
      const { answer: written, choice } = answer.content ?? {}
      const said =
        choices.length > 0
          ? chosen(choices, choice)
          : Option.filter(Option.fromNullable(written), (text) => typeof text === "string" && text.trim() !== "")
      return Option.match(said, {
        onNone: () => noAnswer("what came back was not one of the answers asked for."),
        onSome: (text) => Effect.succeed(String(text))
      })
    }
  })

const byOptions = (context: ToolContext, question: string, choices: ReadonlyArray<string>) =>
  Effect.flatMap(
    context.ask({
      toolCall: {
        toolCallId: context.toolCallId,
        name: "ask_user",
        title: title("", question, ""),
        kind: "other",
        status: "pending",
        content: [{ type: "content", content: text(visibleLines(question)) }]
      },
      options: options(choices)
    }),
    (answer) =>
      answer.outcome === "selected"
        ? Option.match(chosen(choices, answer.optionId), {
            onNone: () => noAnswer("the client answered with a choice that was not offered."),
            onSome: Effect.succeed
          })
        : noAnswer(answer.outcome === "unanswered" ? answer.reason : "the question was closed.")
  )

const run =
  ({ choices = [], question, timeout_secs = defaultTimeoutSecs }: Input) =>
  (context: ToolContext): Effect.Effect<ToolOutcome, ToolError> => {
    const { elicit } = context.client
    if (elicit === undefined && choices.length === 0) {
      return new ToolError({
        message: "This client can't take a written answer: choices are required. Ask again with choices."
      })
    }
    const asked =
      elicit === undefined
        ? byOptions(context, question, choices)
        : byForm(elicit, visibleLines(question), choices, context.toolCallId)
    return asked.pipe(
      Effect.timeoutFail({
        duration: `${timeout_secs} seconds`,
        onTimeout: () => noAnswer(`nobody answered within ${timeout_secs} s.`)
      }),
      Effect.map((text) => ({ text }))
    )
  }

export const askUser: Tool = define({
  name: "ask_user",
  description:
    "Asks the person a question and waits for the answer. Use it when only they can decide; give choices where the answers are known.",
  input: Input,
  prepare: (input) =>
    Effect.succeed({
      action: { _tag: "Converse", tool: "ask_user" },
      face: { title: title("Ask: ", input.question, ""), kind: "other", locations: [], content: [] },
      run: run(input)
    })
})
