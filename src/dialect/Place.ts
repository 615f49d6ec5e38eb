// Where a session works, as ZeroClaw's clients say it: other names, relative, or not at all. @see zeroclaw section 5.2
import * as path from "node:path"
import { LoadSession } from "../contract/AgentMethods.ts"
import { isRecord } from "../wire/JsonText.ts"
import {
  firstText,
  isAbsent,
  own,
  ownString,
  type Params,
  type Read,
  unchanged,
  withZeroclawMeta,
  zeroclawMeta
} from "./Read.ts"
import { agentKeys, folderKeys } from "./Signals.ts"

/** What the reading of a place depends on. */
export interface Ground {
  /** Whether the dialect is spoken already. */
  readonly spoken: boolean
  /** The folder of this process, from which relative ones are meant. */
  readonly base: string
}

const says = (params: Params, keys: ReadonlyArray<string>): boolean =>
  keys.some((key) => ownString(params, key) !== undefined)

/** The protocol's own name wins. */
const withFolder = (params: Params): Params => {
  const folder = isAbsent(params, "cwd") ? firstText(params, folderKeys) : undefined
  return folder === undefined ? params : { ...params, cwd: folder }
}

const withServers = (params: Params): Params =>
  Object.hasOwn(params, "mcpServers") ? params : { ...params, mcpServers: [] }

const withAgent = (params: Params): Params => {
  if (firstText(zeroclawMeta(params), ["agentAlias"]) !== undefined) return params
  const alias = firstText(params, agentKeys)
  return alias === undefined ? params : withZeroclawMeta(params, { agentAlias: alias.trim() })
}

/** A blank folder is left for the method to refuse: to resolve it would mean the folder of this process. */
const isRelative = (params: Params): boolean => {
  const cwd = ownString(params, "cwd")
  return cwd !== undefined && cwd.trim() !== "" && !path.isAbsolute(cwd)
}

/** session/new: without a folder it is the agent's own workspace, which the method knows. */
export const ofNew = (params: unknown, { base, spoken }: Ground): Read => {
  const given = params ?? {}
  if (!isRecord(given)) return unchanged(params)
  const sign = !Object.hasOwn(given, "mcpServers") || says(given, agentKeys) || says(given, folderKeys)
  if (!sign && !spoken) return unchanged(params)
  const named = withAgent(withFolder(withServers(given)))
  if (isAbsent(named, "cwd")) return { params: withZeroclawMeta({ ...named, cwd: "" }, { defaultCwd: true }), sign }
  return { params: isRelative(named) ? { ...named, cwd: path.resolve(base, String(named["cwd"])) } : named, sign }
}

/**
 * session/load and session/resume: ZeroClaw's need only the id, and what folder they name is not read.
 *
 * `mcpServers` may be missing from any session/resume, so it is a sign only where `cwd` is missing too.
 */
export const ofStored = (method: string, params: unknown, { spoken }: Ground): Read => {
  if (!isRecord(params) || ownString(params, "sessionId") === undefined) return unchanged(params)
  const placeless = isAbsent(params, "cwd")
  const serverless = !Object.hasOwn(params, "mcpServers")
  const sign = says(params, folderKeys) || (serverless && (placeless || method === LoadSession._tag))
  if (!sign && !spoken && !placeless) return unchanged(params)
  const named = withFolder(withServers(params))
  const fromStore = isAbsent(named, "cwd") || ((sign || spoken) && isRelative(named))
  return { params: fromStore ? withZeroclawMeta({ ...named, cwd: "" }, { storedCwd: true }) : named, sign }
}

const marked = (params: { readonly cwd: string; readonly _meta?: unknown }, mark: string): boolean =>
  params.cwd === "" && own(zeroclawMeta(params), mark) === true

/** Whether session/new left the folder to the agent. */
export const usesAgentWorkspace = (params: { readonly cwd: string; readonly _meta?: unknown }): boolean =>
  marked(params, "defaultCwd")

/** Whether session/load or session/resume left the folder as it is stored. */
export const usesStoredFolder = (params: { readonly cwd: string; readonly _meta?: unknown }): boolean =>
  marked(params, "storedCwd")
