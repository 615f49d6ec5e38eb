// Programs that only read as long as their words follow a grammar of their own: tests of find, scripts of sed, formats.
import { type Judge, unfit } from "./Options.ts"
import type { Plain } from "./Words.ts"

const free: Judge = () => undefined

const firstNot = (args: ReadonlyArray<Plain>, fits: (arg: Plain, at: number) => boolean): string | undefined =>
  args.find((arg, at) => !fits(arg, at))?.text

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const findAlone = words(
  "-H -L -P -empty -print -print0 -ls -prune -not ! -a -o -and -or ( ) , -readable -writable -executable -true -false -xdev -mount -follow -daystart -nouser -nogroup -quit -noleaf -depth -d -ignore_readdir_race"
)
const findValued = words(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -newermt -newermm -newerma -maxdepth -mindepth -user -group -uid -gid -perm -links -inum -samefile -lname -ilname -fstype -used -printf"
)

/** Every predicate takes one word or none, so what is a value is certain, unless a glob makes several of it. */
const find: Judge = (args) => {
  let value = false
  return firstNot(args, ({ glob, open, text }) => {
    if (value) {
      value = false
      return !glob
    }
    value = findValued.has(text)
    return !open && (value || findAlone.has(text) || (!/^[-(),!]/.test(text) && !(glob && text.startsWith("-"))))
  })
}

/** Addresses are numbers; the commands print, delete from the output, or end. */
const sedScript = /^\s*(?:(?:\d+|\$)(?:,\s*(?:\+?\d+|\$))?!?[pdq=]\s*(?:;\s*|\n\s*|$))*$/
const sed: Judge = (args) => {
  let script: boolean | undefined
  let next = false
  const fault = firstNot(args, ({ glob, open, text }) => {
    if (next) {
      next = false
      script = !glob && sedScript.test(text)
      return script
    }
    if (/^(?:-[nErsuz]+|--quiet|--silent|--regexp-extended|--posix)$/.test(text)) return true
    if (/^-n?e$|^--expression$/.test(text)) {
      next = true
      return true
    }
    if (text.startsWith("-") && text !== "-") return false
    if (script !== undefined) return !open
    script = !glob && sedScript.test(text)
    return script
  })
  return fault ?? (script === true && !next ? undefined : "")
}

/** `%n` would set a variable, and with it run what stands in its subscript. */
const format = /^(?:[^%]|%%|%[-+ 0#']*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?[sdiouxXeEfFgGcbq])*$/
const printf: Judge = (args) => {
  const rest = args[0]?.text === "--" ? args.slice(1) : args
  const [first] = rest
  if (first === undefined) return ""
  return first.glob || first.text.startsWith("-") || !format.test(first.text) ? first.text : undefined
}

const testOperators = words(
  "-b -c -d -e -f -g -h -k -L -p -r -s -S -t -u -w -x -O -G -N -n -z -eq -ne -lt -le -gt -ge -nt -ot -ef -a -o"
)
/** `-v` and `-R` look a variable up, and run what stands in its subscript. */
const test: Judge = (args) =>
  firstNot(args, ({ glob, text }) => !glob && (!text.startsWith("-") || testOperators.has(text) || /^-\d*$/.test(text)))

const bracket: Judge = (args) => (args.at(-1)?.text === "]" ? test(args.slice(0, -1)) : "")

const dateOptions = {
  short: "uRI",
  valued: "dr",
  long: "utc universal date= reference= iso-8601 iso-8601= rfc-3339= rfc-email",
  operand: /^\+/
}
const date: Judge = (args) => unfit(dateOptions, args)

/** Looks a name up; without `-v` or `-V` it would start it. */
const command: Judge = ([first, ...names]) =>
  first !== undefined && /^-[vV]$/.test(first.text) && names.length > 0
    ? firstNot(names, ({ text }) => /^[\w.+[-]+$/.test(text) && !text.startsWith("-"))
    : ""

/** Its options can't be written together, and a second operand is written to. */
const xxd: Judge = (args) => {
  let value = false
  let operands = 0
  return firstNot(args, ({ glob, text }) => {
    if (glob) return false
    if (value) {
      value = false
      return /^[-+]?(?:0x)?[\da-fA-F]+$/.test(text)
    }
    if (operands === 0 && /^-(?:[abeEiu]|ps?)$/.test(text)) return true
    if (operands === 0 && /^-[clsg]\d*$/.test(text)) {
      value = text.length === 2
      return true
    }
    operands++
    return operands === 1 && (text === "-" || !text.startsWith("-"))
  })
}

/** Only what makes a script stop sooner. */
const set: Judge = (args) =>
  args.length === 0
    ? ""
    : firstNot(
        args,
        ({ text }, at) =>
          /^-(?:[eu]+|[eu]*o)$/.test(text) || (text === "pipefail" && /o$/.test(args[at - 1]?.text ?? ""))
      )

const unzip: Judge = (args) =>
  args[0]?.text === "-l"
    ? firstNot(args.slice(1), ({ glob, text }) => !glob && !text.startsWith("-"))
    : (args[0]?.text ?? "")

export const special: ReadonlyArray<readonly [name: string, judge: Judge]> = [
  ["echo", free],
  ["true", free],
  ["false", free],
  [":", free],
  ["expr", free],
  ["find", find],
  ["sed", sed],
  ["printf", printf],
  ["test", test],
  ["[", bracket],
  ["date", date],
  ["command", command],
  ["xxd", xxd],
  ["set", set],
  ["unzip", unzip]
]
