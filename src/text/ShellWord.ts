// A word of a command line that the shell takes as it is. Pure.

/** What no shell gives a meaning to, wherever it stands but as the first word. */
const plain = /^[A-Za-z0-9_./:@%+,=-]+$/

/** Single quotes where they are needed: inside of them nothing has a meaning but the end. */
export const shellWord = (text: string): string => (plain.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

export const commandLine = (argv: ReadonlyArray<string>): string => argv.map(shellWord).join(" ")
