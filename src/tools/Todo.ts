// TodoWrite: publishes the plan.
import { Effect, Schema } from "effect"
import { PlanEntry } from "../contract/Update.ts"
import { define, field, optionalField } from "./Input.ts"
import type { Tool } from "./Tool.ts"

const { status, priority } = PlanEntry.fields

const Input = Schema.Struct({
  todos: field(
    Schema.Array(
      Schema.Struct({
        content: field(Schema.String.pipe(Schema.minLength(1)), "What is to be done."),
        status,
        priority: optionalField(priority, "medium when left out."),
        activeForm: optionalField(Schema.String, "How to say that it is being done.")
      })
    ),
    "The whole list; it replaces the one before."
  )
})

export const todoWrite: Tool = define({
  name: "TodoWrite",
  description: "Shows the plan for work of several steps. Send the whole list each time something in it changes.",
  input: Input,
  prepare: ({ todos }) => {
    const done = todos.filter((todo) => todo.status === "completed").length
    const entries = todos.map(({ activeForm, content, status, priority }) => ({
      content,
      status,
      priority: priority ?? "medium",
      // The protocol has no member for it.
      ...(activeForm === undefined ? {} : { _meta: { zeroclaw: { activeForm } } })
    }))
    return Effect.succeed({
      action: { _tag: "Converse", tool: "TodoWrite" },
      face: { title: `Update the plan (${done} of ${todos.length} done)`, kind: "think", locations: [], content: [] },
      run: ({ plan }) => Effect.as(plan(entries), { text: `The plan is shown: ${done} of ${todos.length} done.` })
    })
  }
})
