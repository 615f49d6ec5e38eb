// What an agent's own files say before a person writes in them: what each is for. Pure. @see zeroclaw section 12

export const names = ["SOUL", "IDENTITY", "USER", "AGENTS", "TOOLS", "HEARTBEAT", "BOOTSTRAP", "MEMORY"] as const

export type Name = (typeof names)[number]

export const fileName = (name: Name): string => `${name}.md`

const template = (title: string, ...lines: ReadonlyArray<string>): string =>
  [
    `# ${title}`,
    "",
    "<!--",
    ...lines,
    "What stands outside of this comment is given to the agent with every prompt; as long as nothing does, this file is left out.",
    "-->",
    ""
  ].join("\n")

/** BOOTSTRAP is for a person to write alone. */
export const templates: Readonly<Record<Exclude<Name, "BOOTSTRAP">, string>> = {
  SOUL: template("Soul", "How the agent behaves: its tone, what it values, where it stops."),
  IDENTITY: template("Identity", "Who the agent is: its name, its role, what it is responsible for."),
  USER: template("User", "Who you are: your name, how you like to be answered, what you know well."),
  AGENTS: template("Agents", "How this agent works, in every project: rules, habits, what to check before it is done."),
  TOOLS: template(
    "Tools",
    "What is special about this computer: programs to prefer, names of hosts, places of things."
  ),
  HEARTBEAT: template("Heartbeat", "What should be looked at again and again. Nothing wakes the agent by itself here."),
  MEMORY: template(
    "Memory",
    "What the agent should know from before. It is read and never written by the program itself."
  )
}

/** Only headings, comments and blank lines. */
export const isEmpty = (text: string): boolean =>
  text
    .replace(/<!--[\s\S]*?-->/g, "")
    .split("\n")
    .every((line) => /^\s*(#.*)?$/.test(line))
