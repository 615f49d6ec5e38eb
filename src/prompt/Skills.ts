// The skills of an agent's bundles: listed for the model, which reads the one that it needs.
import * as path from "node:path"
import { Effect } from "effect"
import type { SessionPolicy } from "../policy/PolicyService.ts"
import type { Skill } from "./SkillText.ts"

/** More would fill the context with what is hardly ever used. */
export const maxSkills = 100

/** Bytes of one SKILL.md that are looked at. A longer one is left out. */
export const maxBytes = 16 * 1024

/** Names of folders; nothing that leads elsewhere. */
const plainName = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}$/

/** With the parser of their heads, for which most people have no use. */
const skillText = Effect.promise(() => import("./SkillText.ts"))

const skill = (policy: SessionPolicy, folder: string): Effect.Effect<ReadonlyArray<Skill>> =>
  policy.readFile(path.join(folder, "SKILL.md"), maxBytes).pipe(
    Effect.flatMap((file) =>
      Effect.map(skillText, ({ make }) => [
        make(new TextDecoder().decode(file.bytes), path.basename(folder), file.path)
      ])
    ),
    Effect.catchAll(({ message }) => Effect.as(Effect.logDebug("A skill is left out", message), []))
  )

const folders = (policy: SessionPolicy, bundle: string): Effect.Effect<ReadonlyArray<string>> =>
  policy.listDirectory(bundle).pipe(
    Effect.map(({ entries }) =>
      entries.flatMap(({ kind, name }) =>
        kind === "directory" && plainName.test(name) ? [path.join(bundle, name)] : []
      )
    ),
    Effect.catchAll(({ message }) => Effect.as(Effect.logDebug("A bundle of skills is left out", message), []))
  )

/** `root` holds the bundles, each of them folders with a SKILL.md. @see zeroclaw section 10.1 */
export const list = (
  policy: SessionPolicy,
  root: string,
  bundles: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Skill>> =>
  Effect.gen(function* () {
    const known = [...new Set(bundles)].filter((name) => plainName.test(name))
    const found = yield* Effect.forEach(known, (bundle) => folders(policy, path.join(root, bundle)))
    const skills = yield* Effect.forEach(found.flat().slice(0, maxSkills), (folder) => skill(policy, folder))
    return skills.flat()
  })
