// Every requirement of the official kit for v1, as data: id, tier, words and check. @see acp-v1 section 7.1
import type { Requirement } from "./Requirement.ts"
import * as Envelope from "./requirements/Envelope.ts"
import * as Sessions from "./requirements/Sessions.ts"
import * as Setup from "./requirements/Setup.ts"
import * as Turns from "./requirements/Turns.ts"

export const requirements: ReadonlyArray<Requirement> = [
  ...Envelope.requirements,
  ...Setup.requirements,
  ...Sessions.requirements,
  ...Turns.requirements
]
