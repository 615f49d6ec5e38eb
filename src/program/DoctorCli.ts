// `zeroclaw doctor`: what works on this machine, and what to do about the rest. Never prints a key.
import { Effect, Either, Layer, Logger, LogLevel } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { Credentials } from "../auth/Credentials.ts"
import { type CommandSpec, check, helpText } from "../client/Flags.ts"
import { oneLine } from "../client/Visible.ts"
import { Config } from "../config/Config.ts"
import * as Check from "../doctor/Check.ts"
import { examine } from "../doctor/Examine.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { options as acpOptions } from "./AcpFlags.ts"
import * as Home from "./Home.ts"
import { redact } from "./Redact.ts"

const spec: CommandSpec = {
  name: "doctor",
  summary:
    "Looks at what an agent needs on this machine and says what to do about what is missing. It changes nothing.",
  operand: "",
  flags: [
    { name: "agent", value: "ALIAS", help: "look at this agent instead of the default one" },
    { name: "config-dir", value: "DIR", help: acpOptions["config-dir"].help },
    { name: "json", help: "print one JSON object: ok, version, checks (name, status, detail, fix)" }
  ],
  notes: ["Exit codes: 0 it works, perhaps with warnings; 1 something does not; 2 wrong options."]
}

const end = (stream: NodeJS.WriteStream, text: string, code: number): void => {
  stream.write(text, () => process.exit(code))
}

const after = (words: ReadonlyArray<string>, name: string): string | undefined => {
  const at = words.indexOf(name)
  return at === -1 ? undefined : words[at + 1]
}

/** `argv` begins with `doctor`. Ends the process. */
export const run = async (argv: ReadonlyArray<string>): Promise<void> => {
  const parsed = Either.filterOrLeft(
    check(spec, argv.slice(1)),
    ({ help, operands }) => help || operands.length === 0,
    () => "it takes options only"
  )
  if (Either.isLeft(parsed)) {
    return end(process.stderr, `zeroclaw doctor: ${parsed.left} (see zeroclaw doctor --help)\n`, 2)
  }
  const { help, options } = parsed.right
  if (help) return end(process.stdout, helpText(spec), 0)
  const folder = after(options, "--config-dir")
  if (folder !== undefined) process.env["ZEROCLAW_CONFIG_DIR"] = folder
  const agent = after(options, "--agent")
  const concerns: Array<string> = []
  const config = Config.layer(Home.paths(), agent === undefined ? {} : { agent }, (concern) =>
    Effect.sync(() => concerns.push(concern))
  )
  const layers = Layer.merge(Layer.provideMerge(Credentials.layer, config), Sandbox.layer)
  const found = await examine(process.env, () => concerns).pipe(
    Effect.provide(layers),
    // What would be logged is told here.
    Logger.withMinimumLogLevel(LogLevel.None),
    Effect.runPromise
  )
  const checks = found.map(({ detail, fix, ...rest }) => ({
    ...rest,
    detail: redact(oneLine(detail)),
    ...(fix === undefined ? {} : { fix: redact(oneLine(fix)) })
  }))
  const text = options.includes("--json")
    ? JSON.stringify(Check.report(packageJson.version, checks), undefined, 2)
    : [`zeroclaw ${packageJson.version}`, "", ...Check.lines(checks)].join("\n")
  return end(process.stdout, `${text}\n`, Check.isWell(checks) ? 0 : 1)
}
