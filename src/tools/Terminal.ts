// What a program printed, without what was meant for a terminal. Pure.

/**
 * Escape sequences: CSI; OSC, DCS, SOS, PM and APC with their strings; two-character ones. A string that nothing ends
 * on its line loses only its introducer, so that it cannot hide the rest.
 */
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])(?:[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c))?|\x1b[ -/]*[0-~]/g

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g

/** Plain lines: no escape sequences, no control characters but newline and tab; `\r\n` and a lone `\r` end a line. */
export const plain = (text: string): string =>
  text
    .replace(sequences, "")
    .replace(/\r+\n|\r/g, "\n")
    .replace(controls, "")
