// Programs that start the program in their words, and where in their words it stands.
import { baseName } from "./HighCommands.ts"

/** Undefined for a word that is known only when the shell runs. */
export type Argv = ReadonlyArray<string | undefined>

export type Inner =
  | { readonly _tag: "Program"; readonly argv: Argv }
  /** A command line in a word. */
  | { readonly _tag: "Text"; readonly text: string | undefined }

interface Wrapper {
  /** Letters and names of options whose value is the next word. */
  readonly valued?: string
  readonly long?: string
  /** Operands before the program. */
  readonly skip?: number
  /** Options whose value is a command line. */
  readonly text?: string
}

const none: Wrapper = {}
const wrappers: Readonly<Record<string, Wrapper>> = {
  env: { valued: "uC", long: "unset chdir", text: "-S --split-string" },
  nice: { valued: "n", long: "adjustment" },
  ionice: { valued: "cnpPu", long: "class classdata" },
  timeout: { valued: "ks", long: "kill-after signal" },
  gtimeout: { valued: "ks", long: "kill-after signal" },
  nohup: none,
  stdbuf: { valued: "ioe", long: "input output error" },
  setsid: none,
  time: { valued: "fo", long: "format output" },
  command: none,
  builtin: none,
  exec: { valued: "a" },
  xargs: {
    valued: "aEILnPsd",
    long: "arg-file delimiter max-args max-procs max-chars max-lines replace process-slot-var"
  },
  parallel: { valued: "jaIN", long: "jobs arg-file" },
  watch: { valued: "n", long: "interval" },
  entr: none,
  strace: { valued: "eopsPSuEabI", long: "output trace" },
  ltrace: { valued: "eopsSuan", long: "output" },
  perf: { skip: 1, valued: "eo" },
  valgrind: none,
  gdb: { text: "-ex --ex -eval-command", valued: "x" },
  chrt: { valued: "TPD" },
  taskset: none,
  prlimit: none,
  unshare: { valued: "SGRw" },
  nsenter: { valued: "tSGrw" },
  chroot: { skip: 1 },
  flock: { skip: 1, valued: "wE", text: "-c --command" },
  "systemd-run": { valued: "puEtM", long: "unit property uid gid" },
  "systemd-inhibit": none,
  "dbus-run-session": none,
  "xvfb-run": { valued: "nsfe" },
  script: { text: "-c --command", valued: "EIOBTmo", skip: 1 },
  su: { text: "-c --command", valued: "sgG", skip: 1 },
  sudo: { valued: "ugpCchrtTUDRB", long: "user group prompt chdir" },
  doas: { valued: "uC" },
  pkexec: { long: "user" },
  runuser: { text: "-c --command", valued: "ugsG", long: "user group" },
  busybox: none,
  toybox: none,
  firejail: none,
  bwrap: none,
  caffeinate: { valued: "tw" },
  npx: { text: "-c --call", valued: "p", long: "package" },
  bunx: none,
  pnpx: none
}
/** First words of a tool after which a program stands. */
const runners: Readonly<Record<string, RegExp>> = {
  npm: /^(?:exec|x)$/,
  pnpm: /^(?:exec|dlx)$/,
  yarn: /^(?:exec|dlx)$/,
  uv: /^run$/,
  poetry: /^run$/,
  pipenv: /^run$/,
  bundle: /^exec$/,
  direnv: /^exec$/,
  nix: /^(?:run|shell)$/
}

const numberLike = /^(?:[\d.,:-]+[smhdkKMG%]?|0x[\da-fA-F]+)$/
const assignment = /^\w+\+?=/

const listed = (text: string | undefined, word: string): boolean => (text ?? "").split(" ").includes(word)

const afterOptions = (wrapper: Wrapper, args: Argv): ReadonlyArray<Inner> => {
  const texts: Array<Inner> = []
  let skip = wrapper.skip ?? 0
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    if (word === undefined) return [...texts, { _tag: "Program", argv: [undefined] }]
    const [option = "", value] = word.split(/=(.*)/s)
    if (listed(wrapper.text, option)) texts.push({ _tag: "Text", text: value ?? args[++at] })
    else if (/^-[A-Za-z]+[cS]$/.test(word) && listed(wrapper.text, `-${word.at(-1)}`)) {
      texts.push({ _tag: "Text", text: args[++at] })
    } else if (/^-[cS]./.test(word) && listed(wrapper.text, word.slice(0, 2)))
      texts.push({ _tag: "Text", text: word.slice(2) })
    else if (word.startsWith("--") && word.length > 2) {
      if (value === undefined && listed(wrapper.long, option.slice(2))) at++
    } else if (word.startsWith("-")) {
      if (word.length > 1 && word !== "--" && (wrapper.valued ?? "").includes(word.at(-1) ?? " ")) at++
    } else if (assignment.test(word) || numberLike.test(word)) continue
    else if (skip > 0) skip--
    else return [...texts, { _tag: "Program", argv: args.slice(at) }]
  }
  return texts
}

const shells = new Set("sh bash dash zsh ksh mksh ash fish csh tcsh rbash yash".split(" "))
export const isShell = (name: string): boolean => shells.has(baseName(name))

/** Undefined where it reads its commands from its input. */
const shellInner = (args: Argv): ReadonlyArray<Inner> | undefined => {
  let text = false
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    if (word === undefined) return [{ _tag: "Text", text: undefined }]
    if (/^--(?:rcfile|init-file)$/.test(word) || /^[-+][oO]$/.test(word)) at++
    else if (/^-[A-Za-z]*s[A-Za-z]*$/.test(word) && !text) return undefined
    else if (/^[-+]/.test(word) && word !== "-" && word !== "--") text ||= /^-[A-Za-z]*c/.test(word)
    else if (word !== "--" && word !== "-") return text ? [{ _tag: "Text", text: word }] : []
  }
  return text ? [] : undefined
}

const after = (args: Argv, option: RegExp): ReadonlyArray<Inner> =>
  args.flatMap((word, at) =>
    word !== undefined && option.test(word) ? [{ _tag: "Text", text: args[at + 1] } as const] : []
  )

const findInner = (args: Argv): ReadonlyArray<Inner> => {
  const found: Array<Inner> = []
  for (let at = 0; at < args.length; at++) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(args[at] ?? "")) continue
    const end = until(args, at + 1)
    found.push({ _tag: "Program", argv: args.slice(at + 1, end) })
    at = end
  }
  return found
}
const until = (args: Argv, from: number): number => {
  const end = args.findIndex((word, at) => at >= from && (word === ";" || word === "+"))
  return end === -1 ? args.length : end
}

const gitInner = (args: Argv): ReadonlyArray<Inner> => {
  const run = args.findIndex((word, at) => word === "run" && args[at - 1] === "bisect")
  const each = args.indexOf("foreach")
  const alias = args.flatMap((word) => {
    const text = word === undefined ? undefined : /^(?:[^=]*=)?!(.*)$/s.exec(word)?.[1]
    return text === undefined ? [] : [{ _tag: "Text", text } as const]
  })
  return [
    ...alias,
    ...after(args, /^(?:-x|--exec|--tree-filter|--index-filter|--msg-filter)$/),
    ...(run === -1 ? [] : [{ _tag: "Program", argv: args.slice(run + 1) } as const]),
    ...(each === -1
      ? []
      : [{ _tag: "Text", text: joined(args.slice(each + 1).filter((word) => word !== "--recursive")) } as const])
  ]
}

const joined = (args: Argv): string | undefined =>
  args.every((word) => word !== undefined) ? args.join(" ") : undefined

const texts = (args: Argv, pattern: RegExp): ReadonlyArray<Inner> =>
  args.flatMap((word) => {
    const text = word === undefined ? undefined : pattern.exec(word)?.[1]
    return text === undefined ? [] : [{ _tag: "Text", text } as const]
  })

/** What a command starts, as far as its words show; `undefined` where it takes commands from its input. */
export const innerOf = (argv: Argv): ReadonlyArray<Inner> | undefined => {
  const [name = "", ...args] = argv
  const base = baseName(name)
  if (isShell(base)) return shellInner(args)
  if (base === "find" || base === "fd") return [...findInner(args), ...afterFd(base, args)]
  if (base === "git") return gitInner(args)
  if (base === "eval") return [{ _tag: "Text", text: joined(args) }]
  if (base === "trap") return args[0]?.startsWith("-") ? [] : [{ _tag: "Text", text: args[0] }]
  if (base === "alias") return texts(args, /^[^=]*=(.*)$/s)
  if (base === "tar")
    return [
      ...texts(args, /exec=(.*)$/s),
      ...texts(args, /^--(?:to-command|use-compress-program)=(.*)$/s),
      ...after(args, /^-I$/)
    ]
  if (/^(?:mapfile|readarray|compgen|complete)$/.test(base)) return after(args, /^-C$/)
  if (base === "hash") return args[0] === "-p" ? [{ _tag: "Program", argv: args.slice(1, 2) }] : []
  if (base === "command" && /^-[vV]+$/.test(args[0] ?? "")) return []
  const runner = Object.hasOwn(runners, base) ? runners[base] : undefined
  if (runner?.test(args[0] ?? ""))
    return afterOptions({ text: "-c --call", valued: "p", long: "package with" }, args.slice(1))
  const wrapper = Object.hasOwn(wrappers, base) ? wrappers[base] : undefined
  if (wrapper === undefined) return []
  const inner = afterOptions(wrapper, args)
  return base === "watch" ? [...inner, { _tag: "Text", text: joined(watched(inner)) }] : inner
}

const watched = (inner: ReadonlyArray<Inner>): Argv => inner.flatMap((one) => (one._tag === "Program" ? one.argv : []))

const afterFd = (base: string, args: Argv): ReadonlyArray<Inner> => {
  const at = args.findIndex((word) => word !== undefined && /^(?:-[xX]|--exec|--exec-batch)$/.test(word))
  return base === "fd" && at !== -1 ? [{ _tag: "Program", argv: args.slice(at + 1, until(args, at + 1)) }] : []
}

export const startsOthers = (name: string): boolean => Object.hasOwn(wrappers, baseName(name))
