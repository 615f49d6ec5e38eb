// Runs command lines with the real bash, confined, and tells which of them started another program or changed a file.
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Data, Effect } from "effect"
import { judgeOf } from "../../../src/policy/command/LowCommands.ts"

/** The sandbox is missing, or the lines ended it. */
export class BashError extends Data.TaggedError("BashError")<{ readonly message: string }> {}

export interface Observed {
  /** Places in the list of lines that started a program which is no reader. */
  readonly ran: ReadonlyArray<number>
  /** Whether anything below the folder or the home changed. */
  readonly changed: boolean
}

const driver = String.raw`
mkdir -p /scratch/sub && cd /scratch || exit 9
printf 'b\na\na\n' > f; printf keep > keep; printf x > x.js; printf '{"a":1}' > x
printf '#!/bin/sh\necho ls >> /rec/log\n' > ls; chmod 755 ls; cp ls sub/cat
# Names that a glob turns into options and commands.
for name in -delete -o -okeep -c -i --pre=touch --compress-program=touch -exec --output=mark 'w mark' rm touch mark2 '-v' 'a[$(touch mark)]'; do : > "./$name"; done
/usr/bin/git init -q . && /usr/bin/git add f keep && /usr/bin/git -c user.name=a -c user.email=a@b commit -qm first
/usr/bin/git config core.pager 'touch mark'; /usr/bin/git config alias.x '!touch mark'
snap() { /usr/bin/find /scratch /home -printf '%p %s %m %l %T@\n' | /usr/bin/sort; }
snap > /rec/before; : > /rec/log; : > /rec/hits
at=0
while IFS= read -r -d '' line <&3; do
  cd /scratch
  PATH=/stubs /usr/bin/timeout -s KILL 1 /usr/bin/bash --noprofile --norc -c "$line" </dev/null >/dev/null 2>&1 3<&-
  if [ -s /rec/log ]; then printf '%s\n' "$at" >> /rec/hits; : > /rec/log; fi
  at=$((at + 1))
done 3< /fuzz/lines
snap > /rec/after
/usr/bin/cmp -s /rec/before /rec/after && printf 'same\n' || printf 'changed\n'
printf '%s\n' "$at"
/usr/bin/cat /rec/hits
`

const flags = (work: string, place: string): ReadonlyArray<string> => [
  ..."--unshare-all --cap-drop ALL --die-with-parent --new-session".split(" "),
  ..."--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64".split(" "),
  ..."--proc /proc --dev /dev --tmpfs /tmp --tmpfs /rec --tmpfs /scratch --tmpfs /home".split(" "),
  ...["--ro-bind", path.join(work, "stubs"), "/stubs", "--ro-bind", place, "/fuzz", "--clearenv"],
  ..."--setenv PATH /stubs --setenv HOME /home --setenv FUNCNEST 20 --setenv GIT_OPTIONAL_LOCKS 0".split(" "),
  ..."--setenv GIT_CONFIG_NOSYSTEM 1 --setenv GIT_PAGER cat --setenv LANG C.UTF-8".split(" ")
]

/** Every program of the machine is a recorder, but for those that are known as readers. */
export const workplace = Effect.acquireRelease(
  Effect.sync(() => {
    const work = fs.mkdtempSync(path.join(os.tmpdir(), "zeroclaw-fuzz-"))
    const stubs = path.join(work, "stubs")
    fs.mkdirSync(stubs)
    fs.writeFileSync(path.join(stubs, ".recorder"), '#!/usr/bin/dash\necho "$0" >> /rec/log\n', { mode: 0o755 })
    for (const name of new Set([
      ...fs.readdirSync("/usr/bin"),
      "rm",
      "touch",
      "node",
      "npm",
      "python3",
      "sudo",
      "curl"
    ])) {
      const reads = judgeOf(name) !== undefined && fs.existsSync(`/usr/bin/${name}`)
      fs.symlinkSync(reads ? `/usr/bin/${name}` : ".recorder", path.join(stubs, name))
    }
    return work
  }),
  (work) => Effect.sync(() => fs.rmSync(work, { recursive: true, force: true }))
)

const output = (file: string, args: ReadonlyArray<string>) =>
  Effect.async<string, BashError>((resume) => {
    const child = spawn(file, [...args], { stdio: ["ignore", "pipe", "pipe"] })
    let text = ""
    let errors = ""
    child.stdout.on("data", (bytes) => {
      text += String(bytes)
    })
    child.stderr.on("data", (bytes) => {
      errors += String(bytes)
    })
    child.once("error", (error) => resume(new BashError({ message: `bwrap: ${error.message}` })))
    child.once("close", () => resume(Effect.succeed(text === "" ? errors : text)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

let batches = 0

export const observe = (work: string, lines: ReadonlyArray<string>): Effect.Effect<Observed, BashError> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const place = path.join(work, `batch-${batches++}`)
      fs.mkdirSync(place)
      fs.writeFileSync(path.join(place, "lines"), lines.map((line) => `${line}\0`).join(""))
      return place
    }),
    (place) =>
      Effect.flatMap(
        output("bwrap", [
          ...flags(work, place),
          "--chdir",
          "/",
          "/usr/bin/bash",
          "--noprofile",
          "--norc",
          "-c",
          `PATH=/usr/bin\n${driver}`
        ]),
        (text) => {
          const [tree, done, ...hits] = text.trim().split("\n")
          return Number(done) === lines.length
            ? Effect.succeed({ changed: tree !== "same", ran: hits.map(Number) })
            : new BashError({ message: `bash didn't finish its lines: ${text.slice(0, 500)}` })
        }
      ),
    (place) => Effect.sync(() => fs.rmSync(place, { recursive: true, force: true }))
  )
