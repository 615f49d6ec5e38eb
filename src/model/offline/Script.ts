// From an intent to its script; plans run the scripts of their steps. Pure generators that are given results.
import type { Attachment } from "./Attached.ts"
import { commands, diagnostics } from "./Commands.ts"
import * as Doing from "./Doing.ts"
import type { Intent } from "./Intent.ts"
import * as Intents from "./Intent.ts"
import * as Reading from "./Reading.ts"
import { type Answer, type Call, codeSpan, done, notDone, plural, type Result, type Script } from "./Steps.ts"

type Status = "pending" | "in_progress" | "completed"

const publish = (steps: ReadonlyArray<string>, status: ReadonlyArray<Status>): Call => ({
  name: "TodoWrite",
  input: { todos: steps.map((content, at) => ({ content, status: status[at] ?? "pending", priority: "medium" })) }
})

const named = (steps: ReadonlyArray<string>): string =>
  [
    ...steps.slice(0, 5).map((step) => codeSpan(step.length > 80 ? `${step.slice(0, 79)}…` : step)),
    ...(steps.length > 5 ? [`${steps.length - 5} more`] : [])
  ].join(", ")

/** Each step publishes the whole plan: longer ones cost more than they tell. */
const maxSteps = 50

/** Does the steps it understands one after another; the plan is published with each change. */
function* plan(steps: ReadonlyArray<string>, attached: ReadonlyArray<Attachment>): Script {
  if (steps.length > maxSteps) {
    return notDone(`Not done: a plan holds at most ${maxSteps} steps, this one ${steps.length}. Send fewer at a time.`)
  }
  const status: Array<Status> = steps.map(() => "pending")
  const unknown: Array<string> = []
  let failures = 0
  let said = `Plan of ${plural(steps.length, "step")}.\n`
  for (const [at, step] of steps.entries()) {
    const intent = Intents.parseStep(step)
    if (intent._tag === "Unknown") {
      unknown.push(step)
      continue
    }
    status[at] = "in_progress"
    const script = forIntent(intent, attached)
    let turn = script.next()
    let first = true
    while (!turn.done) {
      const calls = first ? [publish(steps, status), ...turn.value.calls] : turn.value.calls
      const results: ReadonlyArray<Result> = yield { ...turn.value, calls, ...(said === "" ? {} : { say: said }) }
      said = ""
      turn = script.next(first ? results.slice(1) : results)
      first = false
    }
    status[at] = turn.value.ok ? "completed" : "pending"
    if (!turn.value.ok) failures++
    said += `\n**${at + 1}. ${step}**\n\n${turn.value.text}\n`
  }
  yield { calls: [publish(steps, status)], say: said }
  const completed = status.filter((one) => one === "completed").length
  const open = unknown.length === 0 ? "" : ` Not understood, so left open: ${named(unknown)}.`
  const bad = failures === 0 ? "" : ` ${plural(failures, "step")} did not succeed.`
  return {
    text: `\n${completed} of ${plural(steps.length, "step")} done.${bad}${open}`,
    ok: completed === steps.length
  }
}

const help = (): Answer =>
  done(
    [
      "I understand these, also in plain words, and several joined by `;` or `then`:",
      "",
      ...commands.map(({ does, example }) => `- \`${example}\` ${does}`),
      "",
      `For client authors: ${diagnostics.map(({ example }) => `\`${example}\``).join(", ")}.`
    ].join("\n")
  )

const distance = (a: string, b: string): number => {
  const pairs = (text: string) => new Set([...text].slice(1).map((char, at) => `${text[at]}${char}`))
  const left = pairs(a.toLowerCase())
  const right = pairs(b.toLowerCase())
  const shared = [...left].filter((pair) => right.has(pair)).length
  return 1 - (2 * shared) / Math.max(1, left.size + right.size)
}

const unknown = (text: string): Answer => {
  const start = text.slice(0, 200)
  const nearest = commands
    .map((command) => ({ command, far: Math.min(distance(start, command.name), distance(start, command.example)) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ command }) => `\`${command.example}\``)
  return notDone(
    `I did not understand that. Nearest: ${nearest.join(", ")}; \`help\` lists all. For free conversation configure a model (README, "Use a model").`
  )
}

export const forIntent = (intent: Intent, attached: ReadonlyArray<Attachment>): Script => {
  switch (intent._tag) {
    case "Help":
      return saying(help())
    case "Echo":
      return saying(done(intent.text))
    case "Unknown":
      return saying(unknown(intent.text))
    case "Repeat":
    case "Wait":
      return saying(notDone("Not done: this diagnostic stands alone, it cannot be a step of a plan."))
    case "List":
      return Reading.list(intent.path)
    case "Read":
      return Reading.read(intent.path, intent.from, intent.to)
    case "Find":
      return Reading.find(intent.pattern, intent.path)
    case "Search":
      return Reading.search(intent.text, intent.path)
    case "Outline":
      return Reading.outline(intent.path, attached)
    case "Summarise":
      return Reading.summarise(intent.path, attached)
    case "SummariseDiff":
      return Doing.diff()
    case "CountFiles":
      return Reading.countFiles(intent.pattern, intent.path)
    case "CountLines":
      return Reading.countLines(intent.path)
    case "CountMatches":
      return Reading.countMatches(intent.text, intent.path)
    case "Run":
      return Doing.shell(intent.command)
    case "Test":
      return Doing.test()
    case "Todos":
      return Reading.todos(intent.path)
    case "Replace":
      return Doing.replace(intent.from, intent.to, intent.path, intent.all)
    case "Create":
      return Doing.create(intent.path, intent.content)
    case "Append":
      return Doing.append(intent.path, intent.content)
    case "Plan":
      return plan(intent.steps, attached)
  }
}

// biome-ignore lint/correctness/useYield: a script that needs no call
function* saying(answer: Answer): Script {
  return answer
}
