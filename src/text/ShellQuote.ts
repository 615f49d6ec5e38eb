// Words to a line of shell that means exactly them. Pure.

const plain = /^[A-Za-z0-9_@%+=:,./-]+$/

export const quote = (word: string): string => (plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

export const quoteAll = (words: ReadonlyArray<string>): string => words.map(quote).join(" ")
