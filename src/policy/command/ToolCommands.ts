// Questions to tools about themselves and about what is installed, where no code of the project has a part in it.
import { type Judge, type Options, unfit } from "./Options.ts"

// Not here: what reads a file of the project to choose the program that answers, as cargo (rust-toolchain.toml),
// yarn (yarnPath), pnpm (packageManager), mvn (.mvn/jvm.config), poetry (plugins) and dotnet (global.json) do.
const versions: Readonly<Record<string, string>> = {
  node: "-v --version",
  nodejs: "-v --version",
  npm: "-v --version",
  npx: "-v --version",
  tsc: "-v --version",
  deno: "-V --version",
  bun: "-v --version",
  python: "-V --version -VV",
  python3: "-V --version -VV",
  python2: "-V --version",
  pip: "-V --version",
  pip3: "-V --version",
  uv: "-V --version",
  ruby: "-v --version",
  perl: "-v --version",
  php: "-v --version",
  lua: "-v",
  java: "-version --version",
  javac: "-version --version",
  go: "version",
  gcc: "--version -dumpversion -dumpmachine",
  "g++": "--version -dumpversion -dumpmachine",
  cc: "--version",
  "c++": "--version",
  clang: "--version",
  "clang++": "--version",
  make: "-v --version",
  cmake: "-version --version",
  ninja: "--version",
  bash: "--version",
  zsh: "--version",
  docker: "-v --version",
  psql: "-V --version",
  sqlite3: "-version --version",
  openssl: "version",
  gh: "--version version",
  tmux: "-V",
  vim: "--version",
  tar: "--version",
  awk: "--version",
  gawk: "--version"
}

const npm: Readonly<Record<string, Options>> = {
  ls: { short: "agl", long: "all global json long parseable depth= omit= include=" },
  list: { short: "agl", long: "all global json long parseable depth= omit= include=" },
  root: { short: "g", long: "global", most: 0 },
  prefix: { short: "g", long: "global", most: 0 },
  explain: { long: "json" },
  why: { long: "json" },
  run: { long: "json", most: 0 },
  config: { long: "json", operand: /^(?:get|list|ls|[a-z][a-z-]*)$/, most: 2 },
  pkg: { long: "json", operand: /^(?:get|[\w.@/[\]-]+)$/ }
}
/** Their first word is the only one under which they read. */
const readers: Readonly<Record<string, RegExp>> = { config: /^(?:get|list|ls)$/, pkg: /^get$/ }

const subcommand =
  (table: Readonly<Record<string, Options>>): Judge =>
  ([first, ...args]) => {
    const options = first === undefined ? undefined : Object.hasOwn(table, first.text) ? table[first.text] : undefined
    if (first === undefined || options === undefined) return first?.text ?? ""
    const reader = readers[first.text]
    return reader === undefined || reader.test(args[0]?.text ?? "") ? unfit(options, args) : first.text
  }

const pip: Readonly<Record<string, Options>> = {
  list: { short: "lei", long: "local user format= exclude= not-required" },
  show: { short: "f", long: "files" }
}

const asked = (name: string, rest?: Judge): Judge => {
  const known = new Set((versions[name] ?? "").split(" ").filter((word) => word !== ""))
  return (args) =>
    args.length === 1 && known.has(args[0]?.text ?? "") ? undefined : rest ? rest(args) : (args[0]?.text ?? "")
}

const more: Readonly<Record<string, Judge>> = { npm: subcommand(npm), pip: subcommand(pip), pip3: subcommand(pip) }

export const tools: ReadonlyArray<readonly [name: string, judge: Judge]> = Object.keys(versions).map((name) => [
  name,
  asked(name, more[name])
])
