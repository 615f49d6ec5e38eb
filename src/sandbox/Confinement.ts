// What a confined command may see and change, and what it is started with. Pure data.

export interface Mount {
  /** Where the command sees it: absolute, links resolved. */
  readonly path: string
  readonly access: "read" | "write"
}

export interface Confinement {
  /** Absolute, links resolved, within a mount. */
  readonly cwd: string
  readonly mounts: ReadonlyArray<Mount>
  /** Paths that the command must neither see nor make; those that are in no mount are not there anyway. */
  readonly masks: ReadonlyArray<string>
  /** Whether repositories' `.git` may change; their hooks and configuration never do. */
  readonly git: "read" | "write"
  readonly network: boolean
  /** The whole environment of the command. */
  readonly env: Readonly<Record<string, string>>
}

/** A program and its words, ready to be started by anyone. */
export interface Launch {
  readonly file: string
  readonly args: ReadonlyArray<string>
  /** The whole environment: the first process of a sandbox can be looked into from inside, so nothing may be added. */
  readonly env: Readonly<Record<string, string>>
}
