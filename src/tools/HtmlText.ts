// The readable part of a page as Markdown, within bounds of time and memory.
import { Worker } from "node:worker_threads"
import { Effect, Option, Schema } from "effect"
import { stripTags } from "./StripTags.ts"

/** More than this is read by the scanner only. */
const maxParsedChars = 2 * 1024 * 1024
const maxMarkdownChars = 1024 * 1024
const patience = "5 seconds"

export interface Page {
  /** Empty where there is none. */
  readonly title: string
  readonly text: string
}

const Answer = Schema.Struct({ title: Schema.String, markdown: Schema.String })
const decodeAnswer = Schema.decodeUnknownOption(Answer)

/** Beside this file, or beside the program that is made of it. */
const workerFile = () =>
  new URL(import.meta.url.endsWith(".ts") ? "./html-worker.mjs" : "../html-worker.js", import.meta.url)

const start = (html: string, url: string) =>
  Effect.acquireRelease(
    Effect.sync(
      () =>
        new Worker(workerFile(), {
          workerData: { html, url, maxChars: maxMarkdownChars },
          resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 4 },
          // What it prints must not get into the protocol.
          stdout: true,
          stderr: true,
          env: {},
          execArgv: []
        })
    ),
    (worker) => Effect.promise(() => worker.terminate())
  )

/** None where the page is too much for the parsers. */
const parse = (html: string, url: string): Effect.Effect<Option.Option<typeof Answer.Type>> =>
  start(html, url).pipe(
    Effect.flatMap((worker) =>
      Effect.async<Option.Option<typeof Answer.Type>>((resume) => {
        const none = () => resume(Effect.succeedNone)
        worker.once("message", (message) => resume(Effect.succeed(decodeAnswer(message))))
        worker.once("error", none)
        worker.once("exit", none)
      })
    ),
    Effect.timeoutOption(patience),
    Effect.map(Option.flatten),
    Effect.scoped
  )

export const htmlText = (html: string, url: string): Effect.Effect<Page> =>
  Effect.map(
    html.length > maxParsedChars ? Effect.succeedNone : parse(html, url),
    Option.match({
      onNone: () => ({ title: "", text: stripTags(html) }),
      onSome: ({ markdown, title }) => ({ title, text: markdown === "" ? stripTags(html) : markdown })
    })
  )
