// The tables, made when they are missing and completed when an older program has made them. @see zeroclaw section 7
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

const tables: ReadonlyArray<string> = [
  `CREATE TABLE IF NOT EXISTS acp_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_uuid TEXT NOT NULL UNIQUE,
    agent_alias TEXT NOT NULL,
    workspace_dir TEXT NOT NULL,
    token_count INTEGER NOT NULL DEFAULT 0,
    killed_at TEXT,
    created_at TEXT NOT NULL,
    last_activity TEXT NOT NULL,
    plan_json TEXT
  )`,
  `CREATE TABLE IF NOT EXISTS acp_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL REFERENCES acp_sessions(id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    reasoning_content TEXT,
    created_at TEXT NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS acp_tool_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id INTEGER NOT NULL REFERENCES acp_messages(id) ON DELETE CASCADE,
    tool_call_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    event_kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    outcome TEXT,
    created_at TEXT NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS acp_session_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL REFERENCES acp_sessions(id) ON DELETE CASCADE,
    action TEXT NOT NULL,
    outcome TEXT NOT NULL,
    payload TEXT,
    created_at TEXT NOT NULL
  )`
]

type Addition = readonly [table: string, column: string, type: string]

/** Columns that came later: older files lack them. */
const additions: ReadonlyArray<Addition> = [
  ["acp_sessions", "token_count", "INTEGER NOT NULL DEFAULT 0"],
  ["acp_sessions", "killed_at", "TEXT"],
  ["acp_sessions", "plan_json", "TEXT"],
  ["acp_messages", "reasoning_content", "TEXT"],
  ["acp_tool_calls", "outcome", "TEXT"],
  ["acp_session_events", "payload", "TEXT"]
]

const indices: ReadonlyArray<string> = [
  "idx_acp_sessions_uuid ON acp_sessions(session_uuid)",
  "idx_acp_sessions_agent ON acp_sessions(agent_alias)",
  "idx_acp_messages_session ON acp_messages(session_id, id)",
  "idx_acp_tool_calls_message ON acp_tool_calls(message_id, id)",
  "idx_acp_tool_calls_call ON acp_tool_calls(tool_call_id)",
  "idx_acp_session_events_session ON acp_session_events(session_id, id)"
]

export const tableNames = ["acp_sessions", "acp_messages", "acp_tool_calls", "acp_session_events"] as const

const addMissing = (additions: ReadonlyArray<Addition>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(
      additions,
      ([table, column, type]) =>
        Effect.gen(function* () {
          const columns = yield* sql.unsafe<{ readonly name: string }>(`PRAGMA table_info(${table})`)
          if (columns.some(({ name }) => name === column)) return
          yield* sql.unsafe(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`)
        }),
      { discard: true }
    )
  )

const index = (texts: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(texts, (text) => sql.unsafe(`CREATE INDEX IF NOT EXISTS ${text}`), { discard: true })
  )

const init = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(tables, (text) => sql.unsafe(text), { discard: true })
  yield* addMissing(additions)
  yield* index(indices)
})

/** Ours alone, so they can be null: the documented product inserts rows without them. */
const sessionAdditions: ReadonlyArray<Addition> = [
  ["acp_sessions", "title", "TEXT"],
  ["acp_sessions", "title_by", "TEXT"],
  ["acp_sessions", "settings_json", "TEXT"],
  ["acp_sessions", "additional_directories_json", "TEXT"]
]

const sessionState = Effect.zipRight(
  addMissing(sessionAdditions),
  index(["idx_acp_sessions_activity ON acp_sessions(last_activity, id)"])
)

/** To be run inside one IMMEDIATE transaction: alone it would race with other processes. */
export const migrate = Migrator.make({})({
  loader: Effect.succeed([
    [1, "init", Effect.succeed(init)],
    [2, "session_state", Effect.succeed(sessionState)]
  ]),
  table: "acp_migrations"
})
