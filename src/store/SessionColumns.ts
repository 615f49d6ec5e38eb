// A session to the columns of acp_sessions and back. Pure. @see zeroclaw section 7
import { Option, Schema } from "effect"
import { SessionId } from "../contract/AgentMethods.ts"
import { lenient } from "../contract/Lenient.ts"
import { toJson, wellFormed } from "./Rows.ts"
import type { Change, ListedSession, SessionRow } from "./SessionStore.ts"

/** What may change about a session; null is absent. */
export interface ChangeColumns {
  readonly title: string | null
  readonly title_by: string | null
  readonly settings_json: string | null
  readonly additional_directories_json: string | null
}

export interface SessionColumns extends ChangeColumns {
  readonly session_uuid: SessionId
  readonly agent_alias: string
  readonly workspace_dir: string
}

/** Only the columns that change. */
export const changeColumns = ({ additionalDirectories, settings, title }: Change): Partial<ChangeColumns> => ({
  ...(title === undefined ? {} : { title: wellFormed(title.text), title_by: title.by }),
  ...(settings === undefined ? {} : { settings_json: toJson(settings) }),
  ...(additionalDirectories === undefined ? {} : { additional_directories_json: toJson(additionalDirectories) })
})

export const sessionColumns = (row: SessionRow): SessionColumns => ({
  session_uuid: row.id,
  agent_alias: row.agentAlias,
  workspace_dir: row.cwd,
  title: null,
  title_by: null,
  settings_json: null,
  additional_directories_json: null,
  ...changeColumns(row)
})

/** Without these a row is no session; the rest may be anything. */
export const SessionFields = Schema.Struct({
  session_uuid: SessionId,
  agent_alias: Schema.String,
  workspace_dir: Schema.String,
  title: Schema.Unknown,
  title_by: Schema.Unknown,
  settings_json: Schema.Unknown,
  additional_directories_json: Schema.Unknown
})

const decodeSettings = Schema.decodeUnknownOption(
  Schema.parseJson(
    Schema.Struct({
      mode: lenient(Schema.String),
      model: lenient(Schema.String),
      thoughtLevel: lenient(Schema.String)
    })
  )
)
const decodeFolders = Schema.decodeUnknownOption(Schema.parseJson(Schema.Array(Schema.String)))

const readTitle = (text: unknown, by: unknown): Pick<SessionRow, "title"> =>
  // Of unknown origin: a person may have given it, so it is not ours to replace.
  typeof text === "string" ? { title: { text, by: by === "agent" ? "agent" : "person" } } : {}

/** Most rows have neither settings nor folders, and a list has many rows. */
const read = <A>(decode: (value: unknown) => Option.Option<A>, value: unknown): A | undefined =>
  value === null || value === undefined ? undefined : Option.getOrUndefined(decode(value))

export const readSession = (columns: typeof SessionFields.Type): SessionRow => {
  const additionalDirectories = read(decodeFolders, columns.additional_directories_json)
  const settings = read(decodeSettings, columns.settings_json)
  return {
    id: columns.session_uuid,
    agentAlias: columns.agent_alias,
    cwd: columns.workspace_dir,
    ...(additionalDirectories === undefined ? {} : { additionalDirectories }),
    ...readTitle(columns.title, columns.title_by),
    ...(settings === undefined ? {} : { settings })
  }
}

const timeShape = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:?\d\d)?$/i

/** None for what is no time between the years 0 and 9999. A time without a zone, as SQLite writes it, is UTC. */
const readTime = (value: unknown): Option.Option<string> => {
  const [, day, time, zone = "Z"] = (typeof value === "string" && timeShape.exec(value)) || []
  const date = new Date(`${day}T${time}${zone.toUpperCase()}`)
  if (Number.isNaN(date.getTime())) return Option.none()
  return Option.filter(Option.some(date.toISOString()), (iso) => iso.length === 24)
}

export const epoch = "1970-01-01T00:00:00.000Z"

/** ISO 8601, UTC, whatever another program wrote. */
export const updatedAt = (lastActivity: unknown, createdAt: unknown): string =>
  Option.getOrElse(
    Option.orElse(readTime(lastActivity), () => readTime(createdAt)),
    () => epoch
  )

/** Two lists as one, each latest first; of equal times those of `first` come first. */
export const merge = (
  first: ReadonlyArray<ListedSession>,
  second: ReadonlyArray<ListedSession>
): ReadonlyArray<ListedSession> => {
  const merged: Array<ListedSession> = []
  let at = 0
  for (const one of second) {
    for (let next = first[at]; next !== undefined && next.updatedAt >= one.updatedAt; next = first[at]) {
      merged.push(next)
      at++
    }
    merged.push(one)
  }
  return [...merged, ...first.slice(at)]
}
