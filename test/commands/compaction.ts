// A compaction as a client sees it, and models that do not write one.
import { assert } from "@effect/vitest"
import { Stream } from "effect"
import type { SessionUpdate } from "../../src/contract/Update.ts"
import { ModelError, type ModelFailure } from "../../src/model/ModelError.ts"
import * as Compaction from "../../src/session/Compaction.ts"
import type * as Embedded from "../support/Embedded.ts"
import { userTexts } from "./support.ts"

export const able = { session: { compaction: {} } }

export const failing = (reason: ModelFailure) => () =>
  Stream.fail(new ModelError({ reason, message: `It was a ${reason}.` }))

export const wrote = (...texts: ReadonlyArray<string>) =>
  Stream.fromIterable(texts.map((text) => ({ _tag: "Text" as const, text })))

export const statuses = (updates: ReadonlyArray<SessionUpdate>): ReadonlyArray<string> =>
  updates.flatMap((update) => (update.sessionUpdate === "compaction_update" ? [update.status] : []))

/** Exactly one compaction, folded as a client does. */
export const folded = (updates: ReadonlyArray<SessionUpdate>): Compaction.State => {
  const all = updates.filter(Compaction.isOf)
  const ids = new Set(all.map(({ compactionId }) => compactionId))
  assert.strictEqual(ids.size, 1)
  assert.deepInclude(all[0], { sessionUpdate: "compaction_update", status: "in_progress" })
  return all.reduce(Compaction.patch, Compaction.begin([...ids].join()))
}

/** Begins in_progress and ends once, with this; or is not shown as a compaction to a client that knows none. */
export const endedAs = (updates: ReadonlyArray<SessionUpdate>, status: string, shown: boolean): void => {
  const all = statuses(updates)
  if (!shown) assert.isFalse(updates.some(Compaction.isOf))
  else {
    assert.strictEqual(all[0], "in_progress")
    assert.deepStrictEqual(
      all.filter((one) => one !== "in_progress"),
      [status]
    )
    const last = updates.findLast(Compaction.isOf)
    assert.strictEqual(last?.sessionUpdate, "compaction_update")
    if (last?.sessionUpdate !== "compaction_update") return
    assert.strictEqual(last.summary !== undefined, status === "completed")
    assert.strictEqual(last.error !== undefined, status === "failed")
  }
}

/** What the model was given with the last request. */
export const lastRequest = ({ requests }: ReturnType<typeof Embedded.scripted>) => userTexts(requests.at(-1))
