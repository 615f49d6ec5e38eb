// Everything on the command line but a plain `zeroclaw acp`: help, version, and the commands for people.
import packageJson from "../../package.json" with { type: "json" }
import { nearest } from "../text/Suggest.ts"
import { options } from "./AcpFlags.ts"

const usageCode = 2

const commands = {
  acp: "serve the Agent Client Protocol on stdin and stdout: what an editor starts",
  client: "talk to the agent from the terminal",
  login: "store the API key of a model provider on this computer",
  logout: "remove stored API keys",
  doctor: "see what works on this computer, and what to do about the rest",
  demo: "watch the embedded agent work on a folder, without a key or configuration"
} as const

const help = (): string =>
  [
    "Usage: zeroclaw <command> [options]",
    "",
    packageJson.description,
    "",
    "Commands:",
    ...Object.entries(commands).map(([name, text]) => `  ${name.padEnd(8)}  ${text}`),
    "",
    "Examples:",
    "  zeroclaw demo",
    '  zeroclaw client "summarise README.md"',
    '  zeroclaw client --yes --json "run git status"',
    "",
    "zeroclaw <command> --help shows its options; zeroclaw --version the version.",
    ""
  ].join("\n")

const acpHelp = (): string => {
  const rows = Object.entries(options).map(([name, option]) => ({
    left: `${"short" in option ? `-${option.short}, ` : "    "}--${name}${option.type === "string" ? " VALUE" : ""}`,
    text: option.help
  }))
  const width = Math.max(...rows.map(({ left }) => left.length))
  return [
    "Usage: zeroclaw acp [options]",
    "",
    "Serves the Agent Client Protocol: one JSON-RPC message a line on stdin and stdout, until stdin ends.",
    "Nothing else is written to stdout; stderr stays silent in a healthy session; the log is a file.",
    "",
    "Options:",
    ...rows.map(({ left, text }) => `  ${left.padEnd(width)}  ${text}`),
    "",
    "Exit codes: 0 the input ended or a signal came, 1 it could not start, 2 wrong options.",
    ""
  ].join("\n")
}

const print = (text: string): void => {
  process.stdout.write(text, () => process.exit(0))
}

export const main = async (argv: ReadonlyArray<string>): Promise<void> => {
  const [command] = argv
  switch (command) {
    case "client":
    case "demo": {
      const { run } = await import("./ClientCli.ts")
      return run(argv)
    }
    case "login":
    case "logout": {
      const { run } = await import("./LoginCli.ts")
      return run(argv)
    }
    case "doctor": {
      const { run } = await import("./DoctorCli.ts")
      return run(argv)
    }
    case "acp": {
      const rest = argv.slice(1)
      const { loginWords } = await import("./LoginArguments.ts")
      const words = loginWords(rest)
      if (words !== undefined) {
        const { run } = await import("./LoginCli.ts")
        return run(["login", ...words])
      }
      if (rest.some((word) => word === "--help" || word === "-h")) return print(acpHelp())
      const program = await import("./AcpStdio.ts")
      return program.main(rest)
    }
    case "--version":
    case "-V":
      return print(`${packageJson.version}\n`)
    case undefined:
    case "help":
    case "--help":
    case "-h":
      return print(help())
    default: {
      const near = nearest(command, Object.keys(commands))
      const word = JSON.stringify(command.slice(0, 60))
      const hint = near === undefined ? "zeroclaw --help lists the commands" : `did you mean ${near}?`
      process.stderr.write(`zeroclaw: unknown command ${word}; ${hint}\n`, () => process.exit(usageCode))
    }
  }
}
