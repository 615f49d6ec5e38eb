// How a terminal may be written to: colours and signs. Pure.

export interface Style {
  readonly colours: boolean
  /** Signs beyond ASCII. */
  readonly unicode: boolean
}

export type Env = Readonly<Record<string, string | undefined>>

export const plain: Style = { colours: false, unicode: false }

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ""

/** NO_COLOR wins over FORCE_COLOR, which wins over the terminal. @see https://no-color.org */
const wantsColours = (env: Env, isTty: boolean): boolean => {
  if (isSet(env["NO_COLOR"])) return false
  const force = env["FORCE_COLOR"]
  if (force !== undefined) return force !== "0" && force !== "false"
  return isTty && env["TERM"] !== "dumb"
}

const isUtf8 = (env: Env, platform: string): boolean => {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find(isSet)
  if (locale !== undefined) return /utf-?8/i.test(locale)
  return platform === "darwin" || (platform === "win32" && isSet(env["WT_SESSION"]))
}

export const detect = (env: Env, isTty: boolean, platform: string): Style => ({
  colours: wantsColours(env, isTty),
  unicode: isUtf8(env, platform)
})

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const
export type Paint = keyof typeof codes

export const paint = (style: Style, how: Paint, text: string): string =>
  style.colours && text !== "" ? `\u001b[${codes[how]}m${text}\u001b[0m` : text

const unicodeSigns = {
  pending: "○",
  in_progress: "◐",
  completed: "✓",
  failed: "✗",
  todo: "☐",
  doing: "◐",
  done: "☑",
  thought: "┆ ",
  output: "  │ ",
  ellipsis: "…"
} as const

const asciiSigns: { readonly [Name in keyof typeof unicodeSigns]: string } = {
  pending: "o",
  in_progress: "*",
  completed: "+",
  failed: "x",
  todo: "[ ]",
  doing: "[~]",
  done: "[x]",
  thought: ": ",
  output: "  | ",
  ellipsis: "..."
}

export const sign = (style: Style, name: keyof typeof unicodeSigns): string =>
  (style.unicode ? unicodeSigns : asciiSigns)[name]
