// The tools every agent has.
import { askUser } from "./AskUser.ts"
import { makeContentSearch } from "./ContentSearch.ts"
import { deliverFile } from "./DeliverFile.ts"
import { escalateToHuman } from "./Escalate.ts"
import { fileEdit } from "./FileEdit.ts"
import { fileRead } from "./FileRead.ts"
import { fileWrite } from "./FileWrite.ts"
import { makeGit } from "./Git.ts"
import { makeGlobSearch } from "./GlobSearch.ts"
import { imageInfo } from "./ImageInfo.ts"
import { findRipgrep } from "./Ripgrep.ts"
import { makeShell } from "./Shell.ts"
import { todoWrite } from "./Todo.ts"
import type { Tool } from "./Tool.ts"
import { webFetch } from "./WebFetch.ts"

export interface ToolOptions {
  /** Time for a shell command that names none itself. */
  readonly shellTimeoutSecs: number
}

export const makeTools = (options: ToolOptions): ReadonlyArray<Tool> => [
  makeShell(options),
  fileRead,
  fileWrite,
  fileEdit,
  makeGlobSearch(findRipgrep),
  makeContentSearch(findRipgrep),
  makeGit(options),
  webFetch,
  imageInfo,
  deliverFile,
  todoWrite,
  askUser,
  escalateToHuman
]
