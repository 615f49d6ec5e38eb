// How much memory the process takes for what lives only a moment.
import * as v8 from "node:v8"

/** The newest Node.js on which this was seen to help; an unknown V8 flag would print to stderr. */
const newest = 24

/**
 * Keeps V8's young generation as small as it is now, instead of growing to two times 16 MiB (more on newer Node.js).
 * A flood of messages then costs half the memory, for collections that are more frequent and each shorter.
 */
export const keepSmall = (): void => {
  if (Number.parseInt(process.versions.node, 10) > newest) return
  v8.setFlagsFromString("--semi-space-growth-factor=1")
}
