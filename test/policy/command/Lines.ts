// Command lines for the fuzz: a marker hidden in all the places a shell looks at, harmless lines that only look alike,
// options of programs that read, and mutations of each.
import { FastCheck as fc } from "effect"
import shapes from "./data/places.json" with { type: "json" }
import tricks from "./data/tricks.json" with { type: "json" }

/** Programs that are no readers, so that to run one is to break the promise. */
const markers = ["rm keep", "touch mark", "node x.js", "cp f mark", "mv keep mark", "python3 x", "./ls", "mkdir mark"]

const spellings = (name: string): ReadonlyArray<string> => {
  const [head = "", rest = ""] = [name.slice(0, 1), name.slice(1)]
  return [
    name,
    `"${name}"`,
    `'${name}'`,
    `${head}\\${rest}`,
    `${head}''${rest}`,
    `${head}""${rest}`,
    `$'${name}'`,
    `$'\\x${head.charCodeAt(0).toString(16)}${rest}'`,
    `/bin/${name}`,
    `$(echo ${name})`,
    `\${x-${name}}`,
    `${head}\\\n${rest}`,
    `\\${name}`
  ]
}

const marker = fc.constantFrom(...markers).chain((line) => {
  const [name = "", ...args] = line.split(" ")
  return fc.constantFrom(...spellings(name)).map((spelt) => [spelt, ...args].join(" "))
})

// In both, `@` stands for a command. `places` make bash run it; in `texts` it is no more than text.
const { places, texts } = shapes

const nested: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...places), { minLength: 1, maxLength: 2 })
  .chain((outer) => marker.map((inner) => outer.reduce((line, place) => place.replaceAll("@", () => line), inner)))

const alike = fc.tuple(fc.constantFrom(...texts), marker).map(([text, inner]) => text.replaceAll("@", () => inner))

const readers =
  "ls cat head tail wc grep egrep find pwd echo printf date df du uname uptime hostname id stat file basename dirname realpath readlink sort uniq cut tr comm diff cmp nl tac rev fold fmt column paste join expand seq test [ which type command md5sum cksum b2sum strings od hexdump xxd free ps pgrep nproc getconf locale env printenv jq umask base64 iconv shuf bc sed set cd true exit numfmt tsort git".split(
    " "
  )
const words =
  "-o -O -w -i -r -R -c -n -p -s -x -f -e -d -t -l -a -v -m -C -F -b -u -z -ps -ni -co -no -io -ro -rf -- - + -1 5 1 f keep mark x.js ./ls * -* f* ~ . .. 1p 'w mark' '1w mark' -exec -execdir -ok -delete -fprint -fprintf -fls -print -name -type ; + rm touch 'touch mark' --output=mark --outp=mark --output -omark -Omark --compress-program=touch --in-place --pre=touch --set=0 --file=f --mime -C --ext-diff --textconv --open-files-in-pager=touch log diff status show branch tag config stash reflog remote grep 'a[$(touch mark)]' %n -v [ ] ( ) ! -eq -R --list --get user.name mark=1 PATH=. A=1 > < | 2>&1 >mark".split(
    / (?![^']*'(?: |$))/
  )
const options = fc
  .tuple(fc.constantFrom(...readers), fc.array(fc.constantFrom(...words), { maxLength: 5 }))
  .map(([name, args]) => [name, ...args.map((word) => (/^[;()!]$/.test(word) ? `\\${word}` : word))].join(" "))

const trick = fc.constantFrom(
  ...[...tricks.effective, ...tricks.ineffective]
    .filter((line) => !line.includes("tail -f"))
    .map((line) => line.replaceAll("/tmp/pwn", "mark"))
)

const signs = [..."'\"\\`$(){}[];|&<>\n #*?~!=-+,:@^%a1"]
type Change = readonly [at: number, kind: number, sign: string]
const change = fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom(...signs))

const changed = (line: string, [at, kind, sign]: Change): string => {
  const place = at % (line.length + 1)
  const [before, after] = [line.slice(0, place), line.slice(place)]
  if (kind === 0) return before + after.slice(1)
  if (kind === 1) return before + sign + after.slice(1)
  return before + sign + after
}

const base = fc.oneof(
  { weight: 10, arbitrary: nested },
  { weight: 5, arbitrary: alike },
  { weight: 4, arbitrary: options },
  { weight: 1, arbitrary: trick }
)
const joined = fc
  .tuple(base, fc.constantFrom("; ", " && ", " | ", "\n", " ", " || "), base)
  .map((parts) => parts.join(""))

const seed = fc.oneof({ weight: 4, arbitrary: base }, { weight: 1, arbitrary: joined })

export const line: fc.Arbitrary<string> = fc
  .tuple(
    seed,
    fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 2, arbitrary: fc.array(change, { maxLength: 3 }) })
  )
  .map(([start, changes]) => changes.reduce(changed, start))
  .filter((text) => !text.includes("\0") && !/\bsleep|tail -f|kill|reboot|shutdown/.test(text))
