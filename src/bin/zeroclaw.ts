// The `zeroclaw` command: picks one program and loads only that.
import * as module from "node:module"

const oldest = [20, 19] as const

const fail = (message: string, code: number): void => {
  process.stderr.write(`zeroclaw: ${message}\n`, () => process.exit(code))
}

/** Words behind `acp` that ask for something else than to serve. */
const elsewhere = ["--help", "-h", "--login", "login"]

const main = async (argv: ReadonlyArray<string>): Promise<void> => {
  const [command, ...rest] = argv
  if (command === "acp" && !rest.some((word) => elsewhere.includes(word))) {
    const program = await import("../program/AcpStdio.ts")
    return program.main(rest)
  }
  const cli = await import("../program/Cli.ts")
  return cli.main(argv)
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  fail(
    `needs Node.js ${oldest.join(".")} or newer, this is ${process.versions.node}. Install a newer Node.js and start again.`,
    1
  )
} else {
  // Node 22 and newer keep compiled code between starts; written early, as some editors end us by SIGKILL.
  if ("enableCompileCache" in module && typeof module.enableCompileCache === "function") module.enableCompileCache()
  const flush = "flushCompileCache" in module ? module.flushCompileCache : undefined
  if (typeof flush === "function") setTimeout(() => flush(), 500).unref()
  main(process.argv.slice(2)).catch((error: unknown) => fail(error instanceof Error ? error.message : String(error), 1))
}
