// The environment of a command: what a program needs to run, what the profile passes on, and no secret of ours. Pure.

const passed = ["PATH", "HOME", "LANG", "USER", "SHELL"]

export interface EnvironmentSpec {
  /** Used when the client started us without HOME. */
  readonly home: string
  /** Names of our own variables that the profile passes on. */
  readonly passthrough: ReadonlyArray<string>
  /** Beside /tmp commands have no folder for temporary files where they are confined. */
  readonly confined: boolean
}

export const shellEnvironment = (
  own: Readonly<Record<string, string | undefined>>,
  { confined, home, passthrough }: EnvironmentSpec,
  added: Readonly<Record<string, string>>
): Record<string, string> => {
  const wanted = (name: string) =>
    passed.includes(name) || /^LC_[A-Z]+$/.test(name) || (name === "TMPDIR" && !confined) || passthrough.includes(name)
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    ...Object.fromEntries(
      Object.entries(own).flatMap(([name, value]) => (value !== undefined && wanted(name) ? [[name, value]] : []))
    ),
    TERM: "dumb",
    ...added
  }
}
