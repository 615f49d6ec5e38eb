// The environment of a shell command: what a program needs to run, and no secret of ours. Pure.

const passed = ["PATH", "HOME", "LANG", "USER", "SHELL", "TMPDIR"]

/** `home` is used when the client started us without HOME. */
export const shellEnvironment = (
  own: Readonly<Record<string, string | undefined>>,
  home: string,
  added: Readonly<Record<string, string>>
): Record<string, string> => ({
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: home,
  ...Object.fromEntries(
    Object.entries(own).flatMap(([name, value]) =>
      value !== undefined && (passed.includes(name) || /^LC_[A-Z]+$/.test(name)) ? [[name, value]] : []
    )
  ),
  TERM: "dumb",
  ...added
})
