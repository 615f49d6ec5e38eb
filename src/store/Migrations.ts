// The tables. Made when missing, extended when older, never dropped. @see zeroclaw section 7
import * as Migrator from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { knownVersion } from "./FileCheck.ts"

const tables = [
  `CREATE TABLE IF NOT EXISTS acp_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_uuid TEXT NOT NULL UNIQUE, agent_alias TEXT NOT NULL,
    workspace_dir TEXT NOT NULL, token_count INTEGER NOT NULL DEFAULT 0, killed_at TEXT, created_at TEXT NOT NULL,
    last_activity TEXT NOT NULL, plan_json TEXT)`,
  `CREATE TABLE IF NOT EXISTS acp_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id INTEGER NOT NULL REFERENCES acp_sessions(id) ON DELETE CASCADE,
    role TEXT NOT NULL, content TEXT NOT NULL, reasoning_content TEXT, created_at TEXT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS acp_tool_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT, message_id INTEGER NOT NULL REFERENCES acp_messages(id) ON DELETE CASCADE,
    tool_call_id TEXT NOT NULL, tool_name TEXT NOT NULL, event_kind TEXT NOT NULL, payload TEXT NOT NULL, outcome TEXT,
    created_at TEXT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS acp_session_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id INTEGER NOT NULL REFERENCES acp_sessions(id) ON DELETE CASCADE,
    action TEXT NOT NULL, outcome TEXT, payload TEXT, created_at TEXT NOT NULL)`,
  "CREATE INDEX IF NOT EXISTS idx_acp_sessions_uuid ON acp_sessions(session_uuid)",
  "CREATE INDEX IF NOT EXISTS idx_acp_sessions_agent ON acp_sessions(agent_alias)",
  "CREATE INDEX IF NOT EXISTS idx_acp_messages_session ON acp_messages(session_id, id)",
  "CREATE INDEX IF NOT EXISTS idx_acp_tool_calls_message ON acp_tool_calls(message_id, id)",
  "CREATE INDEX IF NOT EXISTS idx_acp_tool_calls_call ON acp_tool_calls(tool_call_id)",
  "CREATE INDEX IF NOT EXISTS idx_acp_session_events_session ON acp_session_events(session_id, id)"
]

/** Columns that early databases of this product lack. */
const lateColumns = ["killed_at", "plan_json"]

const initial = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* Effect.forEach(tables, (statement) => sql.unsafe(statement), { discard: true })
  const present = yield* sql<{ name: string }>`SELECT name FROM pragma_table_info('acp_sessions')`
  const names = present.map(({ name }) => name)
  for (const column of lateColumns) {
    if (!names.includes(column)) yield* sql.unsafe(`ALTER TABLE acp_sessions ADD COLUMN ${column} TEXT`)
  }
})

/** Each step is idempotent, so that several processes may start on one new file. */
export const run = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* Migrator.make({})({ loader: Effect.succeed([[1, "init", Effect.succeed(initial)]]), table: "acp_migrations" })
  yield* initial
  yield* sql.unsafe(`PRAGMA user_version = ${knownVersion}`)
})
