// escalate_to_human: tells the person of something that needs them, without waiting. @see zeroclaw section 5.7
import { Effect, Schema } from "effect"
import { define, field, integer, optionalField } from "./Input.ts"
import { type Tool, type ToolContext, ToolError, type ToolOutcome } from "./Tool.ts"
import { title, visible, visibleLines } from "./Visible.ts"

const channel = "acp"

const Input = Schema.Struct({
  summary: field(
    Schema.String.pipe(Schema.minLength(1), Schema.maxLength(2000)),
    "What needs a person, in a sentence."
  ),
  context: optionalField(Schema.String.pipe(Schema.maxLength(20_000)), "What they need to know to act."),
  urgency: optionalField(Schema.Literal("low", "medium", "high", "critical"), "medium when left out."),
  wait_for_response: optionalField(Schema.Boolean, "Not possible here: use ask_user to wait for an answer."),
  timeout_secs: optionalField(integer(1, 86_400), "Only counts with wait_for_response."),
  channel: optionalField(Schema.String, "Only acp, the conversation itself.")
})
type Input = typeof Input.Type
type Urgency = NonNullable<Input["urgency"]>

/** Markdown that stands out from what the agent says otherwise. */
export const block = (urgency: Urgency, summary: string, context: string): string => {
  const quoted = [`**Needs a person** (urgency: ${urgency})`, "", visible(summary.trim())]
  const more = context.trim() === "" ? [] : ["", ...visibleLines(context.trim()).split("\n")]
  return [...quoted, ...more].map((line) => `> ${line}`.trimEnd()).join("\n")
}

const refusal = (input: Input): string | undefined => {
  if (input.summary.trim() === "") return "escalate_to_human: the summary is blank. Say what needs a person."
  if (input.wait_for_response === true) {
    return "escalate_to_human can't wait for a response here, and nothing was sent. Call it without wait_for_response, or use ask_user to get an answer."
  }
  return input.channel === undefined || input.channel === channel
    ? undefined
    : `escalate_to_human: there is no channel ${visible(input.channel)} here, and nothing was sent. Leave channel out.`
}

const run =
  ({ context = "", summary, urgency = "medium" }: Input) =>
  ({ say }: ToolContext): Effect.Effect<ToolOutcome> =>
    Effect.as(say(`\n\n${block(urgency, summary, context)}\n\n`), {
      text: JSON.stringify({ status: "escalated", urgency, channel })
    })

export const escalateToHuman: Tool = define({
  name: "escalate_to_human",
  description:
    "Shows the person a marked message about something that needs them: a blocker, a risk, a decision beyond your task. It does not wait; go on or end your turn after it. To get an answer use ask_user.",
  input: Input,
  prepare: (input) => {
    const message = refusal(input)
    if (message !== undefined) return new ToolError({ message })
    return Effect.succeed({
      action: { _tag: "Converse", tool: "escalate_to_human" },
      face: {
        title: title(`Tell the person (${input.urgency ?? "medium"}): `, input.summary, ""),
        kind: "other",
        locations: [],
        content: []
      },
      run: run(input)
    })
  }
})
