// From a command line to what is known of it.
import type { Assessment } from "./Assessment.ts"

export const assess = (command: string): Assessment => ({
  risk: "medium",
  reason: "It runs a command.",
  names: [command.split(" ")[0] ?? ""],
  highNames: [],
  unknownNames: false,
  git: /\bgit\b/.test(command)
})
