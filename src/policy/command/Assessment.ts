// What is known of a command line before it runs: its programs, its risk, the reason in words. Pure data.

export const risks = ["low", "medium", "high"] as const
export type Risk = (typeof risks)[number]

/** One plain command: every word known before the shell runs. */
export interface SimpleCommand {
  readonly argv: ReadonlyArray<string>
  readonly risk: Risk
}

export interface Assessment {
  /** `low`: it only reads and starts no other program. `high`: it can't be undone, leaves the machine, or can't be read. */
  readonly risk: Risk
  /** A sentence for a person: what it does, or what of it can't be told beforehand. */
  readonly reason: string
  /** The whole line, where it is made of plain commands only; absent otherwise. */
  readonly commands?: ReadonlyArray<SimpleCommand>
  /** Every program name that can be seen in the line, as written, nested ones too. */
  readonly names: ReadonlyArray<string>
  /** The names among them that make it high. */
  readonly highNames: ReadonlyArray<string>
  /** Some program's name is known only when the shell runs. */
  readonly unknownNames: boolean
  /** Git is, or may be, among the programs. */
  readonly git: boolean
}
