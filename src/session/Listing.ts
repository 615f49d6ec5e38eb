// session/list in pages: each session once, also when some are used between two pages. @see acp-v1 section 1.2
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Option, Schema } from "effect"
import type { SessionId } from "../contract/AgentMethods.ts"
import type { ListedSession } from "../store/SessionStore.ts"
import type { SessionError } from "./SessionError.ts"
import { invalid, storeFailure, type World } from "./World.ts"

export const pageSize = 100
/** Lists that are being read in pages at once; the oldest goes first. */
const maxSnapshots = 32

export interface Page {
  readonly sessions: ReadonlyArray<ListedSession>
  readonly nextCursor?: string
}

/** Where a page begins: in the order of the first page, or, when that is forgotten, behind the last one shown. */
const Cursor = Schema.parseJson(
  Schema.Struct({
    v: Schema.Literal(1),
    list: Schema.String,
    from: Schema.NonNegativeInt,
    last: Schema.Struct({ id: Schema.String, at: Schema.String }),
    cwd: Schema.optionalWith(Schema.String, { exact: true })
  })
)
type Cursor = typeof Cursor.Type

const encode = (cursor: Cursor): string => Buffer.from(Schema.encodeSync(Cursor)(cursor)).toString("base64url")

export const decode = (text: string): Option.Option<Cursor> =>
  text.length > 10_000 || !/^[\w-]+$/.test(text)
    ? Option.none()
    : Schema.decodeUnknownOption(Cursor)(Buffer.from(text, "base64url").toString("utf8"))

const badCursor = invalid("cursor: not one of ours; leave it out to begin anew")

/** One spelling for one folder; a folder that is gone keeps the spelling it is asked by. */
const canonical = (cwd: string): Effect.Effect<string> =>
  Effect.orElseSucceed(
    Effect.tryPromise(() => fs.promises.realpath(cwd)),
    () => path.resolve(cwd)
  )

/** What comes behind `last` in a list whose order may have changed since. */
export const behind = (all: ReadonlyArray<ListedSession>, last: Cursor["last"]): ReadonlyArray<ListedSession> => {
  const at = all.findIndex(({ id, updatedAt }) => id === last.id && updatedAt === last.at)
  return at === -1 ? all.filter(({ updatedAt }) => updatedAt < last.at) : all.slice(at + 1)
}

export const make = (world: World) => {
  const snapshots = new Map<string, ReadonlyArray<SessionId>>()

  const remember = (ids: ReadonlyArray<SessionId>): string => {
    const key = crypto.randomUUID()
    snapshots.set(key, ids)
    const oldest = snapshots.keys().next().value
    if (snapshots.size > maxSnapshots && oldest !== undefined) snapshots.delete(oldest)
    return key
  }

  const all = (cwd: string | undefined) => Effect.mapError(world.store.list(cwd), storeFailure)

  const page = (
    rows: ReadonlyArray<ListedSession>,
    list: string | undefined,
    from: number,
    cwd: string | undefined
  ): Page => {
    const sessions = rows.slice(0, pageSize)
    const last = sessions.at(-1)
    if (rows.length <= pageSize || last === undefined) return { sessions }
    return {
      sessions,
      nextCursor: encode({
        v: 1,
        list: list ?? remember(rows.map(({ id }) => id)),
        from: from + sessions.length,
        last: { id: last.id, at: last.updatedAt },
        ...(cwd === undefined ? {} : { cwd })
      })
    }
  }

  const next = (cursor: Cursor): Effect.Effect<Page, SessionError> =>
    Effect.map(all(cursor.cwd), (rows) => {
      const order = snapshots.get(cursor.list)
      if (order === undefined) return page(behind(rows, cursor.last), undefined, 0, cursor.cwd)
      const byId = new Map(rows.map((row) => [row.id, row]))
      const left = order.slice(cursor.from)
      const shown = left.slice(0, pageSize).flatMap((id) => byId.get(id) ?? [])
      const last = left[pageSize - 1]
      return left.length <= pageSize || last === undefined
        ? { sessions: shown }
        : {
            sessions: shown,
            nextCursor: encode({
              ...cursor,
              from: cursor.from + pageSize,
              last: { id: last, at: byId.get(last)?.updatedAt ?? cursor.last.at }
            })
          }
    })

  /** @see acp-v1 section 1.2: `cwd` is an absolute filter, `cursor` opaque. */
  return (cwd: string | undefined, cursor: string | undefined): Effect.Effect<Page, SessionError> =>
    Effect.gen(function* () {
      if (cwd !== undefined && !path.isAbsolute(cwd)) {
        return yield* invalid(`cwd: must be an absolute path, got ${JSON.stringify(cwd.slice(0, 200))}`)
      }
      const folder = cwd === undefined ? undefined : yield* canonical(cwd)
      if (cursor === undefined) return page(yield* all(folder), undefined, 0, folder)
      const from = decode(cursor)
      if (Option.isNone(from)) return yield* badCursor
      if (folder !== undefined && folder !== from.value.cwd) {
        return yield* invalid("cursor: belongs to a list of another folder; leave it out to begin anew")
      }
      return yield* next(from.value)
    })
}
