// The agent's own files: made once, read with every turn. What can't be read or made costs only that file.
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import type { SessionPolicy } from "../policy/PolicyService.ts"
import { headOf } from "../tools/Visible.ts"
import * as Templates from "./Templates.ts"

export interface Part {
  readonly file: string
  readonly text: string
}

/** UTF-16 units of one file that a model is given. */
export const maxChars = 20_000

/** A longer file is none of these. */
const maxBytes = 1024 * 1024

/** Never over what is there, a link that leads nowhere included. */
const create = (file: string, text: string): Effect.Effect<void> =>
  Effect.tryPromise(() => fs.promises.writeFile(file, text, { flag: "wx", mode: 0o600 })).pipe(
    Effect.catchAll(() => Effect.logDebug("A file of the agent can't be made", file))
  )

export const cut = (text: string): string =>
  text.length <= maxChars ? text : `${headOf(text, maxChars)}\n[cut: ${text.length - maxChars} more characters]`

/** Undefined: there is none, or it can't be used. */
export const read = (policy: SessionPolicy, file: string): Effect.Effect<string | undefined> =>
  policy.readFile(file, maxBytes).pipe(
    Effect.map(({ bytes }) => new TextDecoder().decode(bytes)),
    Effect.catchAll(({ message, reason }) =>
      Effect.as(reason === "not_found" ? Effect.void : Effect.logDebug("Left out of the prompt", message), undefined)
    )
  )

const part = (policy: SessionPolicy, workspace: string, name: Templates.Name): Effect.Effect<ReadonlyArray<Part>> =>
  Effect.gen(function* () {
    const file = Templates.fileName(name)
    const at = path.join(workspace, file)
    const text = yield* read(policy, at)
    if (text === undefined) {
      if (name !== "BOOTSTRAP") yield* create(at, Templates.templates[name])
      return []
    }
    return Templates.isEmpty(text) ? [] : [{ file, text: cut(text).trim() }]
  })

/** In the documented order; those without a word in them are left out. */
export const parts = (policy: SessionPolicy, workspace: string): Effect.Effect<ReadonlyArray<Part>> =>
  Effect.map(
    Effect.forEach(Templates.names, (name) => part(policy, workspace, name)),
    (parts) => parts.flat()
  )
