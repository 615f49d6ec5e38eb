// The conversation of one session copied to another, inside a transaction.
import type * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import { ids, pages, readable, rowsPerPage } from "./Paging.ts"
import { movedRow } from "./Rows.ts"

/** A message and its copy. */
type Pair = readonly [old: number, copy: number]

const ends = readable(
  Schema.Struct({
    id: Schema.Int,
    action: Schema.String,
    outcome: Schema.String,
    payload: Schema.NullOr(Schema.String)
  })
)

/** The copy of the last message up to an id; pairs grow on both sides. */
export const moved =
  (pairs: ReadonlyArray<Pair>) =>
  (id: number): number => {
    let [low, high] = [0, pairs.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const pair = pairs[middle]
      if (pair !== undefined && pair[0] <= id) low = middle + 1
      else high = middle
    }
    return pairs[low - 1]?.[1] ?? 0
  }

export const copy = (sql: SqlClient.SqlClient, from: number, to: number) =>
  Effect.gen(function* () {
    let copied = 0
    const messages = yield* pages(
      (after) =>
        sql`SELECT id FROM acp_messages WHERE session_id = ${from} AND id > ${after} ORDER BY id LIMIT ${rowsPerPage}`,
      ids,
      (page) =>
        Effect.gen(function* () {
          const [first, last] = [page[0]?.id, page.at(-1)?.id]
          if (first === undefined || last === undefined) return []
          yield* sql`INSERT INTO acp_messages (session_id, role, content, reasoning_content, created_at)
            SELECT ${to}, role, content, reasoning_content, created_at FROM acp_messages
            WHERE session_id = ${from} AND id BETWEEN ${first} AND ${last} ORDER BY id`
          // Nobody else writes now, so the copies have growing ids in the order of the insert.
          const made = ids(
            yield* sql`SELECT id FROM acp_messages WHERE session_id = ${to} AND id > ${copied} ORDER BY id`
          )
          copied = made.at(-1)?.id ?? copied
          const pairs = page.flatMap(({ id }, at): ReadonlyArray<Pair> => {
            const copy = made[at]
            return copy === undefined ? [] : [[id, copy.id]]
          })
          yield* sql`INSERT INTO acp_tool_calls
            (message_id, tool_call_id, tool_name, event_kind, payload, outcome, created_at)
            SELECT pair.value ->> 1, tool_call_id, tool_name, event_kind, payload, outcome, created_at
            FROM json_each(${JSON.stringify(pairs)}) AS pair JOIN acp_tool_calls ON message_id = pair.value ->> 0
            ORDER BY acp_tool_calls.id`
          return pairs
        })
    )
    yield* pages(
      (after) =>
        sql`SELECT id FROM acp_session_events WHERE session_id = ${from} AND id > ${after} ORDER BY id LIMIT ${rowsPerPage}`,
      ids,
      (page) =>
        Effect.as(
          sql`INSERT INTO acp_session_events (session_id, action, outcome, payload, created_at)
            SELECT ${to}, action, outcome, payload, created_at FROM acp_session_events
            WHERE session_id = ${from} AND id BETWEEN ${page[0]?.id ?? 0} AND ${page.at(-1)?.id ?? -1} ORDER BY id`,
          []
        )
    )
    yield* pages(
      (after) =>
        sql`SELECT id, action, outcome, payload FROM acp_session_events
          WHERE session_id = ${to} AND id > ${after} AND action = 'turn' ORDER BY id LIMIT ${rowsPerPage}`,
      ends,
      (page) =>
        Effect.forEach(page, (row) =>
          Option.match(movedRow(row, moved(messages.all)), {
            onNone: () => Effect.void,
            onSome: ({ payload }) => sql`UPDATE acp_session_events SET payload = ${payload} WHERE id = ${row.id}`
          })
        )
    )
  })
